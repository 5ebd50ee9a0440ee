"""Which runs, checkpoints and windows a simulation has, from what was asked for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .checks import told, whole
from .errors import InvalidInput

Integers = npt.NDArray[np.int64]


def _tells_which(wanted: Any) -> bool:
    """Whether it lists which, and does not say how many; a long range is not spelt out for that."""
    return isinstance(wanted, range) or np.ndim(wanted) > 0


def how_many(name: str, wanted: Any) -> int:
    """The number of them, whether it or they are given."""
    return len(wanted) if _tells_which(wanted) else whole(name, wanted, low=1)


def run_numbers(wanted: int | Sequence[int]) -> list[int]:
    """The numbers of the runs, from which their random numbers hang."""
    if not _tells_which(wanted):
        return list(range(whole("runs", wanted, low=1)))
    numbers = [whole("runs", number, low=0) for number in wanted]  # type: ignore[union-attr]
    if not numbers or len(set(numbers)) < len(numbers):
        raise InvalidInput(f"runs is {told(wanted)}; give how many, or which, each once")
    return numbers


def checkpoint_rounds(wanted: int | Sequence[int], rounds: int) -> Integers:
    """The rounds that are recorded: half of them evenly spaced, half in geometric progression."""
    if _tells_which(wanted):
        if not len(wanted):  # type: ignore[arg-type]
            raise InvalidInput("checkpoints is empty; give some rounds, or how many there should be")
        _no_longer_than("checkpoints", wanted, rounds)
        chosen = np.unique([whole("checkpoints", c, low=1) for c in wanted])  # type: ignore[union-attr]
        if chosen[-1] > rounds:
            raise InvalidInput(f"checkpoints has {chosen[-1]}, but there are {rounds} rounds")
        return np.union1d(chosen, [rounds]).astype(np.int64)
    half = min(max(whole("checkpoints", wanted, low=1) // 2, 1), rounds)
    even = np.linspace(rounds / half, rounds, half)
    geometric = np.geomspace(1, rounds, half)
    points = np.unique(np.concatenate([even, geometric]).round().astype(np.int64))
    return np.union1d(points[points >= 1], [rounds]) if wanted != 1 else np.array([rounds])


def _no_longer_than(name: str, wanted: Any, rounds: int) -> None:
    if len(wanted) > rounds:
        raise InvalidInput(f"{name} lists {len(wanted)} numbers, but there are {rounds} rounds")


def window_lengths(wanted: Sequence[int], rounds: int) -> Integers:
    """The lengths of the windows that are watched, each once, in order."""
    if not _tells_which(wanted):
        raise InvalidInput(f"windows is {told(wanted)}; it must be a list of lengths, such as (1000,)")
    _no_longer_than("windows", wanted, rounds)
    lengths = [whole("windows", w, low=1) for w in wanted]
    if lengths and max(lengths) > rounds:
        raise InvalidInput(f"windows has {max(lengths)}, but there are {rounds} rounds")
    return np.array(sorted(set(lengths)), np.int64)
