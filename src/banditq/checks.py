"""The border: inputs are checked here once, and arrays made contiguous float64."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import InvalidInput

Floats = npt.NDArray[np.float64]

MOST_ROUNDS = 2**53  # as many as a double counts one by one; centuries of play
MOST_SEEDS = 2**64  # random words are that many; a larger seed would repeat a smaller one's numbers
_LONGEST = 80  # characters of a value that a message quotes


def finite_vector(name: str, value: Any, size: int | None = None) -> Floats:
    """A 1-D array of finite numbers, copied, of the given size if there is one."""
    try:
        vector = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} must be a list of finite numbers, got {told(value)}") from None
    if vector.ndim != 1 or vector.size == 0:
        raise InvalidInput(f"{name} must be a flat list of one number an arm, got shape {vector.shape}")
    if size is not None and vector.size != size:
        raise InvalidInput(f"{name} has {vector.size} numbers, but there are {size} arms")
    bad = np.flatnonzero(~np.isfinite(vector))
    if bad.size:
        raise InvalidInput(f"{name}[{bad[0]}] is {vector[bad[0]]}; every number must be finite")
    return vector


def within(name: str, vector: Floats, low: float, high: float) -> Floats:
    """The vector itself, if all of it lies in [low, high]."""
    bad = np.flatnonzero((vector < low) | (vector > high))
    if bad.size:
        limit = f"at least {low:g}" if math.isinf(high) else f"between {low:g} and {high:g}"
        raise InvalidInput(f"{name}[{bad[0]}] is {vector[bad[0]]:g}; it must be {limit}")
    return vector


def real(name: str, value: Any, *, low: float = -math.inf, above: float | None = None) -> float:
    """A finite number, at least ``low``, and greater than ``above`` if that is given."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be a number, got {told(value)}") from None
    except OverflowError:  # an integer beyond all doubles
        number = math.inf
    if not math.isfinite(number) or isinstance(value, bool):
        raise InvalidInput(f"{name} is {told(value)}; it must be a finite number")
    if above is not None and number <= above:
        raise InvalidInput(f"{name} is {number:g}; it must be greater than {above:g}")
    if number < low:
        raise InvalidInput(f"{name} is {number:g}; it must be at least {low:g}")
    return number


def whole(name: str, value: Any, *, low: int, high: int = 2**63 - 1) -> int:
    """A whole number in [low, high], exactly as it was given; 2e6 and "2e6" count as one."""
    number = _exact(value)
    if number is None:
        rough = real(name, value)
        number = int(rough)
        if number != rough:
            raise InvalidInput(f"{name} is {told(value)}; it must be a whole number")
    if number < low:
        raise InvalidInput(f"{name} is {told(number)}; it must be at least {low}")
    if number > high:
        raise InvalidInput(f"{name} is {told(number)}; it must be at most {high}")
    return number


def _exact(value: Any) -> int | None:
    """An integer, or the text of one, without a detour through floating point."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer | str):
        return None
    try:
        return int(value)
    except ValueError:
        return None


def told(value: Any) -> str:
    """A value as a message quotes it: cut short where it would fill the screen."""
    try:
        text = repr(value)
    except ValueError:  # more digits than Python writes
        return f"a {type(value).__name__} too long to print"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}… ({len(text)} characters)"


def one_of(name: str, value: Any, options: Sequence[str]) -> str:
    """One of the names that are allowed."""
    if value not in options:
        raise InvalidInput(f"{name} is {value!r}; it must be one of {', '.join(map(repr, options))}")
    return str(value)


def finite_or_none(number: float) -> float | None:
    """A number as JSON can hold it, which knows neither infinity nor NaN."""
    return number if math.isfinite(number) else None
