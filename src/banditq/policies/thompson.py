"""Thompson sampling: play an arm with the probability that it is the best."""

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..kernels.compiling import implements, kernel
from ..kernels.noise import uniform
from ..kernels.protocol import Decision, Floats, choose, law, learn
from .base import Policy, Terms
from .counts import Counts, book, no_counts, open_round
from .largest import WORK_COLUMNS, largest_law
from .overruled import learns_from_all

_LOG4 = log(4.0)
_LEAST = 2.0**-54  # stands for a uniform draw of 0, whose logarithm is taken


@dataclass(frozen=True)
class ThompsonSampling(Policy):
    r"""Draw every arm's mean from its posterior, and play the arm with the largest; targets are ignored.

    .. math:: \theta_i \sim \mathrm{Beta}(1 + s_i,\; 1 + n_i - s_i), \qquad I = \arg\max_i \theta_i,

    where :math:`s_i` is the sum of the :math:`n_i` rewards seen of arm i, in units of ``reward_max``. A
    reward between 0 and 1 counts as that fraction of a success; Agrawal & Goyal toss a coin for it
    instead, which is the same in expectation, has more noise, and has the theorem. For Bernoulli rewards
    the two agree.

    Notes
    -----
    The probability of an arm is an integral over all posteriors, too dear for every round. ``law``
    computes it; ``choose`` reports 1, the arm being certain once the means are drawn, so that what is
    logged must not be used as a propensity: ``logs_propensities`` is False.

    References
    ----------
    Thompson 1933; Agrawal & Goyal, "Analysis of Thompson sampling for the multi-armed bandit problem",
    COLT 2012, Algorithms 1 and 2.

    Examples
    --------
    After a success of arm 0 and a failure of arm 1, θ₀ has the density 2θ and θ₁ exceeds it with
    probability (1 − θ)²: arm 1 is played with probability ∫ 2θ (1 − θ)² dθ = 1/6.

    >>> import banditq as bq
    >>> state, x = bq.ThompsonSampling().state(bq.Terms(np.zeros(2), 1.0, None)), np.zeros(2)
    >>> for arm, reward in enumerate([1.0, 0.0]):
    ...     bq.learn(state, bq.Decision(arm, 1.0, 0.0, 1.0, arm + 1), reward)
    >>> bq.law(state, x)
    >>> bool(np.isclose(x[1], 1 / 6))
    True
    """

    feedback = "bandit"
    logs_propensities = False

    def state(self, terms: Terms) -> "ThompsonState":
        counts = no_counts(terms.n_arms, terms.reward_max)
        return ThompsonState(counts, np.zeros((terms.n_arms + 1, WORK_COLUMNS)))


class ThompsonState(NamedTuple):
    """``work`` is for ``law`` alone, which leaves it as zeros."""

    counts: Counts
    work: Floats


@implements(choose, ThompsonState)
def _(state: ThompsonState, noise: Any) -> Decision:
    counts = state.counts
    best, top, used = 0, -1.0, 0
    for arm in range(counts.seen.size):
        successes = counts.gained[arm]
        theta, used = posterior_draw(successes, counts.seen[arm] - successes, noise, used)
        if theta > top:
            best, top = arm, theta
    return open_round(counts, best, 1.0)


@implements(learn, ThompsonState)
def _(state: ThompsonState, decision: Decision, reward: float) -> None:
    book(state.counts, decision.arm, reward)


learns_from_all(ThompsonState)


@implements(law, ThompsonState)
def _(state: ThompsonState, out: Floats) -> None:
    largest_law(state.counts.gained, state.counts.seen, state.work, out)


@kernel
def posterior_draw(successes: float, failures: float, noise: Any, used: int) -> tuple[float, int]:
    """A draw from Beta(1 + successes, 1 + failures), and the index of the next unused uniform draw.

    Cheng's algorithm BB (Communications of the ACM 21, 1978): rejection from a log-logistic law. Its
    shape is written in the counts, where nothing cancels.
    """
    if successes + failures == 0.0:
        return uniform(noise, used), used + 1
    a = 1.0 + min(successes, failures)
    b = 1.0 + max(successes, failures)
    shape = sqrt((successes + failures) / (successes + failures + 2.0 * successes * failures))
    gamma = a + 1.0 / shape
    while True:
        u = max(uniform(noise, used), _LEAST)
        z = u * u * max(uniform(noise, used + 1), _LEAST)
        used += 2
        v = shape * log(u / (1.0 - u))
        w = a * exp(v)
        if gamma * v - _LOG4 + (a + b) * log((a + b) / (b + w)) >= log(z):
            break
    share = w / (b + w)  # Beta(a, b)
    return share if successes <= failures else b / (b + w), used
