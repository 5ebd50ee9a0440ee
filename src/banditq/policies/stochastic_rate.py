"""StochasticRateUCB: every arm at its rate by chance, and UCB1 the rest of the time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..checks import finite_vector
from ..kernels.compiling import implements, kernel
from ..kernels.protocol import Decision, Floats, choose, law, learn
from .base import Policy, Terms
from .counts import book, no_counts, open_drawn
from .fractions import checked_fractions, promised_fractions
from .index import best_arm
from .ucb import UCB1State

if TYPE_CHECKING:
    from ..problem import Problem


@dataclass(frozen=True)
class StochasticRateUCB(Policy):
    r"""Draw every arm with a probability of its own, and play UCB1's choice with what is left of one.

    .. math:: x_i = f_i + \Bigl(1 - \sum_j f_j\Bigr)\, 1[i = I^{\mathrm{UCB}}].

    So each arm's share of the pulls is at least :math:`f_i` in expectation at every round, and the choices
    carry propensities that are at least :math:`f_i`. The paper has one rate v for all arms,
    ``fractions=[v] * n_arms``; here every arm may have its own, as a promise of λ takes the fraction λ/μ.
    UCB1 counts every pull and every reward, whoever asked for it. The targets are ignored.

    Parameters
    ----------
    fractions
        The probability that is kept for each arm, 0 for none; they may sum to 1 at most.

    References
    ----------
    Claure, Chen, Modi, Jung & Nikolaidis, "Multi-armed bandits with fairness constraints for distributing
    resources to human teammates", HRI 2020, stochastic-rate-constrained UCB. Only the abstract could be
    re-read; the rule is as in our notes, and that the UCB is UCB1 is our choice.

    Examples
    --------
    >>> import banditq as bq
    >>> agent = bq.StochasticRateUCB(fractions=[0.25, 0.125, 0.0]).start(targets=[0.0, 0.0, 0.0])
    >>> agent.law()  # UCB1 begins with the first arm
    array([0.875, 0.125, 0.   ])
    """

    fractions: Sequence[float]

    feedback = "bandit"
    logs_propensities = True
    needs = "pull fractions"

    def __post_init__(self) -> None:
        object.__setattr__(self, "fractions", checked_fractions(self.fractions))

    @classmethod
    def on(cls, problem: "Problem") -> Self:
        """With the fractions λ/μ; the slack is UCB1's."""
        return cls(promised_fractions(problem))

    def state(self, terms: Terms) -> "StochasticRateState":
        fractions = finite_vector("fractions", self.fractions, terms.n_arms)
        fractions /= max(fractions.sum(), 1.0)
        ucb = UCB1State(no_counts(terms.n_arms, terms.reward_max))
        spare = max(1.0 - float(fractions.sum()), 0.0)
        return StochasticRateState(ucb, fractions, spare, np.zeros(terms.n_arms))


class StochasticRateState(NamedTuple):
    """``spare`` is UCB1's probability; ``work`` is where a law is written to be drawn from."""

    ucb: UCB1State
    fractions: Floats
    spare: float
    work: Floats


@kernel
def _mix(state: StochasticRateState, out: Floats) -> None:
    for arm in range(out.size):
        out[arm] = state.fractions[arm]
    out[best_arm(state.ucb)] += state.spare


@implements(choose, StochasticRateState)
def _(state: StochasticRateState, noise: Any) -> Decision:
    _mix(state, state.work)
    return open_drawn(state.ucb.counts, state.work, noise)


@implements(learn, StochasticRateState)
def _(state: StochasticRateState, decision: Decision, reward: float) -> None:
    book(state.ucb.counts, decision.arm, reward)


@implements(law, StochasticRateState)
def _(state: StochasticRateState, out: Floats) -> None:
    _mix(state, out)
