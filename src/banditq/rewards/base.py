"""What every reward model has in common: a path of means, and a distribution around a mean."""

import hashlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..config import Config
from ..errors import InvalidInput
from ..kernels.compiling import implements, kernel, verb
from ..kernels.noise import scramble
from ..kernels.protocol import Floats, expected, mean, method, sample
from ..kernels.reductions import dot


class RewardModel(Config):
    """What the arms pay: cell (round, arm) of a table that is never stored.

    Rounds count from 1, and every reward lies in [0, reward_max]. A subclass is a frozen dataclass.
    Scaling means and ``reward_max`` by a power of two scales every reward exactly.

    Examples
    --------
    >>> import banditq as bq
    >>> key = np.uint64(7)
    >>> small, _ = bq.Uniform().block(np.array([0.25]), 2.0, 1, 100)
    >>> large, _ = bq.Uniform().block(np.array([1.0]), 8.0, 1, 100)
    >>> all(4 * bq.sample(small, key, t, 0) == bq.sample(large, key, t, 0) for t in range(1, 101))
    True
    """

    def default_max(self) -> float:
        """The largest reward, when the problem does not say."""
        return 1.0

    def check(self, means: Floats, reward_max: float) -> None:
        """Refuse means that this model cannot pay within ``reward_max``."""

    def own_means(self) -> Floats | None:
        """The mean of each arm over all rounds, if the model holds it itself."""
        return None

    def average(self, means: Floats, rounds: int) -> Floats:
        """The mean of each arm over the first ``rounds`` rounds."""
        return means

    def cumulative(self, means: Floats, rounds: npt.NDArray[np.int64]) -> Floats:
        """The sum of each arm's means up to each of these rounds, (round, arm)."""
        return np.array([self.average(means, int(t)) * t for t in rounds])

    def digest(self) -> str:
        """A fingerprint of what the rewards hang on beside the configuration, such as a file's content."""
        return ""

    def longest(self) -> int | None:
        """How many rounds the model can pay for; None if there is no end."""
        return None

    def block(self, means: Floats, reward_max: float, first: int, last: int) -> tuple[Any, int]:
        """A state that answers ``sample`` and ``mean`` from round ``first`` on, and up to which round.

        The state may end before ``last``, never before ``first``.
        """
        raise NotImplementedError


class Emission(RewardModel):
    """A distribution around a mean. By itself: the same mean in every round."""

    def emission(self, reward_max: float) -> Any:
        """A state that answers ``emit``."""
        raise NotImplementedError

    def block(self, means: Floats, reward_max: float, first: int, last: int) -> tuple[Any, int]:
        return Stationary(np.array(means, np.float64), self.emission(reward_max)), last


@verb
def emit(emission: Any, mean: float, cell: Any) -> float:
    """A reward with this mean, from the random word of its cell."""
    reward: float = method(emission, "emit")(mean, cell)
    return reward


@kernel
def cell_word(key: Any, round: int, arm: int) -> Any:
    """The random word of a cell of the reward table."""
    return scramble(scramble(key, round), arm)


class Stationary(NamedTuple):
    """The same means in every round."""

    means: Floats
    emission: Any


@implements(sample, Stationary)
def _(state: Stationary, key: Any, round: int, arm: int) -> float:
    return emit(state.emission, state.means[arm], cell_word(key, round, arm))


@implements(mean, Stationary)
def _(state: Stationary, round: int, arm: int) -> float:
    return state.means[arm]


@implements(expected, Stationary)
def _(state: Stationary, round: int, law: Floats) -> float:
    return dot(state.means, law)


def check_between(means: Floats, low: float, high: float, hint: str) -> None:
    """Refuse means outside a range."""
    bad = np.flatnonzero(~((means >= low) & (means <= high)))
    if bad.size:
        raise InvalidInput(f"means[{bad[0]}] is {means[bad[0]]:.12g}; {hint}")


def check_payable(means: Floats, reward_max: float) -> None:
    """Refuse means that no distribution on [0, reward_max] has."""
    hint = f"it must be between 0 and reward_max = {reward_max:.12g}"
    if means.size and means.max() > reward_max:
        hint += f" (reward_max = {means.max():.12g} would do)"
    check_between(means, 0.0, reward_max, hint)


def check_noise(noise: Any) -> None:
    """Refuse a ``noise`` that is not a distribution around a mean."""
    if not isinstance(noise, Emission):
        raise InvalidInput(
            f"noise is {noise!r}; it must be a distribution around a mean, such as Bernoulli() or Beta()"
        )


def check_arms(name: str, found: int, n_arms: int) -> None:
    """Refuse data that are for another number of arms."""
    if found != n_arms:
        raise InvalidInput(f"{name} has {found} arms, but there are means for {n_arms}")


def rounds_by_arms(name: str, value: Any) -> Floats:
    """A copy of a 2-D array with a row a round, as compiled code wants it: contiguous and float64."""
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InvalidInput(
            f"{name} must be an array of numbers with a row a round and a column an arm, all rows alike"
        ) from None
    if array.ndim != 2 or array.size == 0:
        raise InvalidInput(
            f"{name} has shape {array.shape}; it must have a row a round and a column an arm, "
            "and at least one of each"
        )
    return array


def running_sums(take: Callable[[int, int], Floats], rounds: npt.NDArray[np.int64]) -> Floats:
    """Sums of rows up to each of these rounds, each row read once.

    ``take(first, last)`` returns the rows of rounds first..last, or of at least one round from first on.
    """
    ends, where = np.unique(rounds, return_inverse=True)
    sums = []
    total: Any = 0.0
    first = 1
    for end in ends.tolist():
        while first <= end:
            rows = take(first, end)
            total = total + rows.sum(axis=0)
            first += len(rows)
        sums.append(total)
    return np.array(sums)[where]


Place = Callable[[int, int], str]


def check_cells(values: Floats, place: Place) -> None:
    """Refuse a rounds × arms array with a number that cannot be a reward; ``place`` names a cell."""
    good = np.isfinite(values) & (values >= 0.0)
    if not good.all():
        row, column = (int(k) for k in np.argwhere(~good)[0])
        raise InvalidInput(
            f"{place(row, column)} is {values[row, column]:g}; it must be a finite number, at least 0"
        )


def fingerprint(array: Floats) -> str:
    """The SHA-256 of an array's shape and numbers."""
    digest = hashlib.sha256(repr(array.shape).encode())
    digest.update(np.ascontiguousarray(array, dtype="<f8").data)
    return digest.hexdigest()


def array_note(array: Floats, sha256: str) -> dict[str, Any]:
    """What is written down in the place of an array that was passed in memory."""
    return {"not_stored": "array", "shape": list(array.shape), "sha256": sha256}


def refuse_note(name: str, value: Any) -> None:
    """Refuse what stands in the place of an array or a function: only the user still has it."""
    if isinstance(value, dict) and "not_stored" in value:
        what = " × ".join(map(str, value.get("shape", [])))
        sha256 = f", sha256 {value['sha256'][:12]}…" if "sha256" in value else ""
        raise InvalidInput(
            f"{name} was {value.get('name', 'an array')} in memory{what and f' ({what}{sha256})'}, "
            f"of which only a note was stored; pass {name} again"
        )
