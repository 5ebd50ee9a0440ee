"""LFG: a debt of pulls per arm, weighed against an optimistic mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..checks import finite_vector, real
from ..kernels.compiling import implements, kernel
from ..kernels.protocol import Decision, Floats, choose, law, learn
from .base import Policy, Terms
from .counts import Counts, all_on, book, no_counts, open_round, standing
from .fractions import checked_fractions

if TYPE_CHECKING:
    from ..problem import Problem


@dataclass(frozen=True)
class LFG(Policy):
    r"""Learning with fairness guarantee: give every arm its fraction of the *pulls*, whatever they pay.

    .. math:: I_t = \arg\max_i D_i(t-1) + \eta\, u_i, \qquad
              u_i = \min\bigl(\hat\mu_i + \sqrt{3 \ln t / (2 n_i)},\, 1\bigr), \qquad
              D_i(t) = (D_i(t-1) + f_i - 1[I_t = i])^+,

    with rewards in units of ``reward_max``; u is 1 for an arm never played, and ties go to the lowest
    arm. It is the case of one arm a round, all of them awake and of weight 1. The targets are ignored:
    a promise of λ takes the fraction λ/μ, which nobody knows while μ is unknown.
    ``problem.benchmark().mix`` is the oracle's, with all slack on the best arm.

    No pull waits for its reward, so late rewards cost no arm its fraction: for Σf ≤ 1 and at every round

    .. math:: f_i t - n_i(t) \le D_i(t) \le \sqrt{2 (\eta + 1) t},

    since a round adds at most 2(η + 1) to ΣD². (This bound is ours and holds on every path.)

    Parameters
    ----------
    fractions
        The fraction of pulls of each arm, 0 for none; they may sum to 1 at most.
    eta
        η, the weight of reward against debt. Their regret bound per round has N/(2η) in it, while the
        debts grow with η. The BanditQ paper compares with η = 100; tables should say which was used.

    References
    ----------
    Li, Liu & Ji, "Combinatorial sleeping bandits with fairness constraints", INFOCOM 2019, Algorithm 1.
    The constants of the index are as in our notes; of the paper itself only the abstract was re-read.

    Examples
    --------
    >>> import banditq as bq
    >>> problem = bq.instance("paper-5-exact").problem
    >>> policy = bq.LFG(fractions=problem.benchmark().mix, eta=1.0)
    >>> run = bq.simulate(policy, problem, rounds=20_000, arms="all")
    >>> (run.played[0, -1] / 20_000).round(2)
    array([0.5 , 0.33, 0.  , 0.17, 0.  ])
    """

    fractions: Sequence[float]
    eta: float = 100.0

    feedback = "bandit"
    logs_propensities = False
    deterministic = True
    needs = "pull fractions"

    def __post_init__(self) -> None:
        object.__setattr__(self, "fractions", checked_fractions(self.fractions))
        real("eta", self.eta, low=0.0)

    @classmethod
    def on(cls, problem: "Problem") -> Self:
        """With the benchmark's fractions."""
        return cls(fractions=problem.benchmark().mix.tolist())

    @classmethod
    def entries(cls, problem: "Problem") -> dict[str, Policy]:
        """With its η in the name: at the same fractions, tables with another look like another policy's."""
        policy = cls.on(problem)
        return {f"lfg-eta-{policy.eta:g}": policy}

    def state(self, terms: Terms) -> "LFGState":
        fractions = finite_vector("fractions", self.fractions, terms.n_arms)
        counts = no_counts(terms.n_arms, terms.reward_max)
        return LFGState(counts, fractions, np.zeros(terms.n_arms), float(self.eta))


class LFGState(NamedTuple):
    """``debts`` are the D of the last round."""

    counts: Counts
    fractions: Floats
    debts: Floats
    eta: float


@kernel
def _optimistic(counts: Counts, arm: int, budget: float) -> float:
    """The upper confidence bound u of a mean, 1 at most."""
    if counts.opened[arm] == 0.0:
        return 1.0
    mean, count = standing(counts, arm)
    return min(mean + sqrt(budget / count), 1.0)


@kernel
def _neediest(counts: Counts, debts: Floats, eta: float) -> int:
    budget = 1.5 * log(counts.clock[0] + 1.0)
    best, top = 0, -np.inf
    for arm in range(debts.size):
        value = debts[arm] + eta * _optimistic(counts, arm, budget)
        if value > top:
            best, top = arm, value
    return best


@implements(choose, LFGState)
def _(state: LFGState, noise: Any) -> Decision:
    debts, fractions = state.debts, state.fractions
    arm = _neediest(state.counts, debts, state.eta)
    for i in range(debts.size):
        debts[i] += fractions[i]
    debts[arm] = max(debts[arm] - 1.0, 0.0)  # the others' cannot be below zero
    return open_round(state.counts, arm, 1.0)


@implements(learn, LFGState)
def _(state: LFGState, decision: Decision, reward: float) -> None:
    book(state.counts, decision.arm, reward)


@implements(law, LFGState)
def _(state: LFGState, out: Floats) -> None:
    all_on(_neediest(state.counts, state.debts, state.eta), out)
