"""A fixed mix of arms: what the benchmark plays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..checks import finite_vector, within
from ..errors import InvalidInput
from ..kernels.compiling import implements
from ..kernels.protocol import Decision, Floats, choose, law, learn, pick
from .base import Policy, Terms

if TYPE_CHECKING:
    from ..problem import Problem

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class FixedMix(Policy):
    """Draw every arm from the same distribution, and learn nothing.

    With ``problem.benchmark().mix`` this is the benchmark itself: its regret is zero in expectation.

    Parameters
    ----------
    mix
        A probability an arm. It must sum to one within 1e-9, and is normalised.

    Examples
    --------
    A promise of ¼ takes half the rounds of an arm that pays ½.

    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.5, 1.0], targets=[0.25, 0.0])
    >>> bq.FixedMix.on(problem)
    FixedMix(mix=(0.5, 0.5))
    """

    mix: Sequence[float]

    feedback = "bandit"
    logs_propensities = True
    needs = "pull fractions"

    def __post_init__(self) -> None:
        mix = within("mix", finite_vector("mix", self.mix), 0.0, 1.0)
        if abs(mix.sum() - 1.0) > _TOLERANCE:
            raise InvalidInput(f"mix sums to {mix.sum():.12g}; its probabilities must sum to 1")
        object.__setattr__(self, "mix", tuple((mix / mix.sum()).tolist()))

    @classmethod
    def on(cls, problem: "Problem") -> Self:
        """With the benchmark's mix."""
        return cls(problem.benchmark().mix.tolist())

    @classmethod
    def entries(cls, problem: "Problem") -> dict[str, Policy]:
        """As what it is there: the benchmark."""
        return {"benchmark": cls.on(problem)}

    def state(self, terms: Terms) -> "FixedMixState":
        mix = finite_vector("mix", self.mix, terms.n_arms)
        return FixedMixState(mix, np.zeros(1, np.int64), float(terms.reward_max))


class FixedMixState(NamedTuple):
    """The mix, and how many rounds were opened."""

    mix: Floats
    clock: npt.NDArray[np.int64]
    reward_max: float


@implements(choose, FixedMixState)
def _(state: FixedMixState, noise: Any) -> Decision:
    arm = pick(state.mix, noise)
    state.clock[0] += 1
    return Decision(arm, state.mix[arm], 0.0, state.reward_max, state.clock[0])


@implements(learn, FixedMixState)
def _(state: FixedMixState, decision: Decision, reward: float) -> None:
    pass


@implements(law, FixedMixState)
def _(state: FixedMixState, out: Floats) -> None:
    for arm in range(out.size):
        out[arm] = state.mix[arm]
