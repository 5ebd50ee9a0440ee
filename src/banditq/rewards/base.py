"""What every reward model has in common: a path of means, and a distribution around a mean."""

from typing import Any, NamedTuple

import numpy as np

from ..config import Config
from ..errors import InvalidInput
from ..kernels.compiling import implements, verb
from ..kernels.noise import scramble
from ..kernels.protocol import Floats, mean, sample


class RewardModel(Config):
    """What the arms pay: cell (round, arm) of a table that is never stored.

    Rounds count from 1. A subclass is a frozen dataclass.
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
        return Stationary(means, self.emission(reward_max)), last


def _emit(emission: Any, mean: float, cell: Any) -> float:
    """A reward with this mean, from the random word of its cell."""
    return float(emission.emit(mean, cell))


emit = verb(_emit)


class Stationary(NamedTuple):
    """The same means in every round."""

    means: Floats
    emission: Any


@implements(sample, Stationary)
def _(state: Stationary, key: Any, round: int, arm: int) -> float:
    return emit(state.emission, state.means[arm], scramble(scramble(key, round), arm))


@implements(mean, Stationary)
def _(state: Stationary, round: int, arm: int) -> float:
    return state.means[arm]


def check_between(means: Floats, low: float, high: float, hint: str) -> None:
    """Refuse means outside a range."""
    bad = np.flatnonzero((means < low) | (means > high))
    if bad.size:
        raise InvalidInput(f"means[{bad[0]}] is {means[bad[0]]:g}; {hint}")
