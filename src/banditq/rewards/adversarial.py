"""Means that somebody else decides, round by round."""

import inspect
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..checks import finite_vector
from ..errors import InvalidInput
from ..kernels.compiling import implements
from ..kernels.protocol import Floats, mean, sample
from .base import (
    Emission,
    RewardModel,
    array_note,
    cell_word,
    check_arms,
    check_cells,
    check_noise,
    emit,
    fingerprint,
    refuse_note,
    rounds_by_arms,
    running_sums,
)
from .bernoulli import Bernoulli

_BLOCK_ROUNDS = 4096  # streamed at a time,
_BLOCK_CELLS = 1 << 20  # or fewer if there are so many arms that this is reached before
_PAUSED = 64  # generators kept where they stopped: more than runs go on at once

Row = Sequence[float] | Floats


@dataclass(frozen=True)
class Adversarial(RewardModel):
    """Any sequence of means, fixed before the first round.

    Parameters
    ----------
    means
        An array of rounds × arms; or a function ``means(round)`` that returns the means of all arms in a
        round, counted from 1; or a generator function, called without arguments, that yields them round
        after round. Functions are called again for every run, and must give the same means each time.
        The means given with a problem only say how many arms there are.
    noise
        The distribution around the mean.

    Examples
    --------
    >>> swinging = Adversarial(lambda round: [0.9, 0.1] if round % 2 else [0.1, 0.9])
    >>> swinging.average(np.zeros(2), rounds=4)
    array([0.5, 0.5])
    """

    means: Any = field(compare=False, repr=False)
    noise: Emission = field(default_factory=Bernoulli)
    source: Any = field(init=False)  # SHA-256 or function: what makes two of them equal
    _feed: "Given | Called | Replayed" = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        refuse_note("means", self.means)
        check_noise(self.noise)
        means = source = self.means
        feed: Given | Called | Replayed
        if callable(means):
            feed = Replayed(means) if inspect.isgeneratorfunction(means) else Called(means)
        elif isinstance(means, Iterator):
            raise InvalidInput(
                f"means is {means!r}, which can be read only once; pass the function that makes it"
            )
        else:
            rows = rounds_by_arms("means", means)
            check_cells(rows, lambda row, column: f"means[{row}, {column}]")
            feed, source, means = Given(rows), fingerprint(rows), rows.view()
            means.flags.writeable = False
        for name, value in (("means", means), ("source", source), ("_feed", feed)):
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), (self.means, self.noise)

    def to_dict(self) -> dict[str, Any]:
        if self._is_array:
            note = array_note(self.means, self.source)
        else:
            called = getattr(self.means, "__qualname__", type(self.means).__name__)
            note = {"not_stored": "function", "name": f"{self.means.__module__}.{called}"}
        return {"kind": "Adversarial", "means": note, "noise": self.noise.to_dict()}

    @property
    def _is_array(self) -> bool:
        return isinstance(self._feed, Given)

    def default_max(self) -> float:
        return self.noise.default_max()

    def check(self, means: Floats, reward_max: float) -> None:
        """All rounds of an array; of a function the first round, the others as they come."""
        rows = self._feed.take(means.size, 1, self.longest() or 1)
        check_arms("means of Adversarial", rows.shape[1], means.size)
        self._check_payable(rows, 1, reward_max)

    def own_means(self) -> Floats | None:
        return self.means.mean(axis=0) if self._is_array else None

    def average(self, means: Floats, rounds: int) -> Floats:
        return self.cumulative(means, np.array([rounds]))[0] / rounds

    def cumulative(self, means: Floats, rounds: npt.NDArray[np.int64]) -> Floats:
        return running_sums(lambda first, last: self._feed.take(means.size, first, last), rounds)

    def longest(self) -> int | None:
        return len(self.means) if self._is_array else None

    def block(self, means: Floats, reward_max: float, first: int, last: int) -> tuple[Any, int]:
        rows = self._feed.take(means.size, first, last)
        if not self._is_array:
            self._check_payable(rows, first, reward_max)
        emission = self.noise.emission(reward_max)
        return AdversarialState(rows, first, emission), first + len(rows) - 1

    def _check_payable(self, rows: Floats, first: int, reward_max: float) -> None:
        try:
            self.noise.check(rows.ravel(), reward_max)
        except InvalidInput:
            for t, row in enumerate(rows, first):  # find the round, to name it
                try:
                    self.noise.check(row, reward_max)
                except InvalidInput as error:
                    raise InvalidInput(f"in round {t}, {error}") from None
            raise


class AdversarialState(NamedTuple):
    """The means of the rounds from ``first`` on."""

    means: Floats  # (round − first, arm)
    first: int
    emission: Any


@implements(mean, AdversarialState)
def _(state: AdversarialState, round: int, arm: int) -> float:
    return state.means[round - state.first, arm]


@implements(sample, AdversarialState)
def _(state: AdversarialState, key: Any, round: int, arm: int) -> float:
    return emit(state.emission, state.means[round - state.first, arm], cell_word(key, round, arm))


@dataclass(frozen=True)
class Given:
    """Means from an array."""

    rows: Floats

    def take(self, n_arms: int, first: int, last: int) -> Floats:
        """The means of rounds first..last, or of as many of them as are to be had at once."""
        _require(first <= len(self.rows), first)
        return self.rows[first - 1 : last]


@dataclass
class Called:
    """Means from a function of the round."""

    function: Callable[[int], Row]

    def take(self, n_arms: int, first: int, last: int) -> Floats:
        """As :meth:`Given.take`."""
        last = _shorten(n_arms, first, last)
        return _collect(map(self.function, range(first, last + 1)), n_arms, first, last)


@dataclass
class Replayed:
    """Means from a generator, which goes on from where a run left it, or starts anew."""

    function: Callable[[], Iterator[Row]]
    paused: deque[tuple[int, Iterator[Row]]] = field(default_factory=lambda: deque(maxlen=_PAUSED))
    lock: Any = field(default_factory=Lock)

    def take(self, n_arms: int, first: int, last: int) -> Floats:
        """As :meth:`Given.take`."""
        coming = self._resume(first)
        rows = _collect(coming, n_arms, first, _shorten(n_arms, first, last))
        _require(len(rows) > 0, first)
        with self.lock:
            self.paused.append((first + len(rows), coming))
        return rows

    def _resume(self, first: int) -> Iterator[Row]:
        """A generator that is about to yield the means of a round."""
        with self.lock:
            for k, (following, coming) in enumerate(self.paused):
                if following == first:
                    del self.paused[k]
                    return coming
        return islice(self.function(), first - 1, None)


def _shorten(n_arms: int, first: int, last: int) -> int:
    """The last round that is streamed together with the first."""
    return min(last, first + max(1, min(_BLOCK_ROUNDS, _BLOCK_CELLS // n_arms)) - 1)


def _require(found: bool, first: int) -> None:
    if not found:
        raise InvalidInput(f"means ends before round {first}; give means for more rounds, or play fewer")


def _collect(coming: Iterator[Row], n_arms: int, first: int, last: int) -> Floats:
    """The next rows as an array, checked; fewer than asked for if they come to an end."""
    rows = np.empty((last - first + 1, n_arms))
    count = 0
    for row in islice(coming, len(rows)):
        try:
            alike = len(row) == n_arms
            rows[count] = row if alike else np.nan  # copied at once: a generator may reuse its array
        except (TypeError, ValueError):
            alike = False
        if not alike:
            rows[count] = finite_vector(f"means of round {first + count}", row, n_arms)
        count += 1
    rows = rows[:count]
    check_cells(rows, lambda row, column: f"means[{column}] of round {first + row}")
    return rows
