"""Means that change at given rounds, at once or along straight lines."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import finite_vector, one_of, whole, within
from ..errors import InvalidInput
from ..kernels.compiling import implements, kernel
from ..kernels.protocol import Floats, mean, sample
from .base import Emission, RewardModel, cell_word, check_arms, check_noise, emit
from .bernoulli import Bernoulli

Changes = Mapping[int, Sequence[float]] | Iterable[tuple[int, Sequence[float]]]

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Drift(RewardModel):
    r"""The problem's means in round 1, other means later.

    With :math:`t_0 = 1 < t_1 < t_2 < \dots` the given rounds and :math:`\mu^{(k)}` the means given for
    them, :math:`\mu^{(0)}` being the problem's, the mean in round :math:`t_k \le t < t_{k+1}` is

    .. math:: \mu(t) = \mu^{(k)} \quad \text{(abrupt)}, \qquad
              \mu(t) = \mu^{(k)} + \frac{t - t_k}{t_{k+1} - t_k} (\mu^{(k+1)} - \mu^{(k)})
              \quad \text{(linear)},

    and the last means stay for ever.

    Parameters
    ----------
    changes
        A dict from rounds, 2 or later, to the means of all arms from that round on; kept as a tuple of
        pairs in the order of rounds.
    transition
        ``"abrupt"``, or ``"linear"``: straight lines from one given round to the next.
    noise
        The distribution around the mean.

    Examples
    --------
    >>> drift = Drift({51: [0.3, 0.5]})
    >>> drift.average(np.array([0.8, 0.5]), rounds=100)
    array([0.55, 0.5 ])
    """

    changes: Changes
    transition: Literal["abrupt", "linear"] = "abrupt"
    noise: Emission = field(default_factory=Bernoulli)

    def __post_init__(self) -> None:
        one_of("transition", self.transition, ("abrupt", "linear"))
        check_noise(self.noise)
        object.__setattr__(self, "changes", _in_order(self.changes))

    @property
    def _knots(self) -> tuple[tuple[int, tuple[float, ...]], ...]:
        return self.changes  # type: ignore[return-value]  # __post_init__ made it so

    def default_max(self) -> float:
        return self.noise.default_max()

    def check(self, means: Floats, reward_max: float) -> None:
        self.noise.check(means, reward_max)
        for t, later in self._knots:
            check_arms(f"changes[{t}]", len(later), means.size)
            try:
                self.noise.check(np.array(later), reward_max)
            except InvalidInput as error:
                raise InvalidInput(f"from round {t} on, {error}") from None

    def average(self, means: Floats, rounds: int) -> Floats:
        return self.cumulative(means, np.array([rounds]))[0] / rounds

    def cumulative(self, means: Floats, rounds: npt.NDArray[np.int64]) -> Floats:
        starts, base, slope = self._lines(means)
        played = np.clip(rounds[:, None] + 1 - starts[:-1], 0, np.diff(starts)).astype(np.float64)
        return played @ base + (0.5 * played * (played - 1.0)) @ slope

    def block(self, means: Floats, reward_max: float, first: int, last: int) -> tuple[Any, int]:
        emission = self.noise.emission(reward_max)
        return DriftState(*self._lines(means), np.zeros(1, np.int64), emission), last

    def _lines(self, means: Floats) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
        """Where the pieces start, with one start beyond the last, and their base + slope · (t − start)."""
        starts = np.array([1, *(t for t, _ in self._knots), _NEVER], np.int64)
        base = np.array([means, *(later for _, later in self._knots)], np.float64)
        slope = np.zeros_like(base)
        if self.transition == "linear":
            slope[:-1] = np.diff(base, axis=0) / np.diff(starts[:-1])[:, None]
        return starts, base, slope


def _in_order(changes: Changes) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """The changes as sorted pairs of round and means, checked."""
    try:
        pairs = [
            (key, value) for key, value in (changes.items() if isinstance(changes, Mapping) else changes)
        ]
    except (TypeError, ValueError):
        raise InvalidInput(
            f"changes must be a dict from rounds to the means of all arms, got {changes!r}"
        ) from None
    found: dict[int, tuple[float, ...]] = {}
    for key, value in pairs:
        t = whole("a round in changes", key, low=2)
        if t in found:
            raise InvalidInput(f"changes has round {t} twice; give each round once")
        name = f"changes[{t}]"
        found[t] = tuple(within(name, finite_vector(name, value), 0.0, np.inf).tolist())
    ordered = tuple(sorted(found.items()))
    for t, later in ordered[1:]:
        if len(later) != len(ordered[0][1]):
            raise InvalidInput(
                f"changes[{t}] has {len(later)} arms, but changes[{ordered[0][0]}] has "
                f"{len(ordered[0][1])}; give the means of all arms each time"
            )
    return ordered


class DriftState(NamedTuple):
    """``starts`` are first rounds of pieces and one beyond them; ``pointer`` is the piece used last."""

    starts: npt.NDArray[np.int64]
    base: Floats  # (piece, arm)
    slope: Floats  # (piece, arm), per round
    pointer: npt.NDArray[np.int64]
    emission: Any


@kernel
def _search(starts: npt.NDArray[np.int64], round: int) -> int:
    """The last piece that has begun by this round, or the first one."""
    low, high = 0, starts.size - 1
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= round:
            low = middle
        else:
            high = middle
    return low


@kernel
def _piece(starts: npt.NDArray[np.int64], pointer: npt.NDArray[np.int64], round: int) -> int:
    """The piece of a round: mostly that of the last call, or the next.

    The pointer is read once, so that threads that share a state cannot mislead each other.
    """
    k = pointer[0]
    if starts[k] <= round < starts[k + 1]:
        return k
    k += 1
    if k + 1 >= starts.size or not starts[k] <= round < starts[k + 1]:
        k = _search(starts, round)
    pointer[0] = k
    return k


@kernel
def _mean_at(state: DriftState, round: int, arm: int) -> float:
    k = _piece(state.starts, state.pointer, round)
    return state.base[k, arm] + state.slope[k, arm] * (round - state.starts[k])


@implements(mean, DriftState)
def _(state: DriftState, round: int, arm: int) -> float:
    return _mean_at(state, round, arm)


@implements(sample, DriftState)
def _(state: DriftState, key: Any, round: int, arm: int) -> float:
    return emit(state.emission, _mean_at(state, round, arm), cell_word(key, round, arm))
