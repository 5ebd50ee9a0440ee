"""KL-UCB: the confidence bound that the Bernoulli divergence gives."""

from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

from ..kernels.compiling import implements
from ..kernels.divergence import bernoulli_kl, kl_upper
from .base import Policy, Terms
from .counts import Counts
from .index import index, index_counts, plays_by_index


@dataclass(frozen=True)
class KLUCB(Policy):
    r"""Play the arm with the largest plausible mean; targets are ignored.

    .. math:: \max\{q \in [0, 1] : n_i\, \mathrm{kl}(\hat\mu_i, q) \le \ln t\},

    with rewards in units of ``reward_max``, t the coming round and :math:`n_i` the rewards seen of arm i.
    kl is the Bernoulli divergence, which bounds any rewards in that range. Each arm is played once
    first, in order; ties go to the lowest arm.

    References
    ----------
    Garivier & Cappé, "The KL-UCB algorithm for bounded stochastic bandits and beyond", COLT 2011,
    Algorithm 1 with c = 0, as they recommend in practice.

    Examples
    --------
    Arm 0 always pays ½ and arm 1 nothing, which makes their indices ½ + ½ √(1 − t^(−2/n₀)) and
    1 − t^(−1/n₁). In round 7 they are 0.868 and 0.857; in round 8, with n₀ = 6, they are 0.854 and 0.875.

    >>> import banditq as bq
    >>> import numpy as np
    >>> state, arms = bq.KLUCB().state(bq.Terms(np.zeros(2), 1.0, None)), []
    >>> for _ in range(8):
    ...     decision = bq.choose(state, None)
    ...     bq.learn(state, decision, 0.5 if decision.arm == 0 else 0.0)
    ...     arms.append(decision.arm)
    >>> arms
    [0, 1, 0, 0, 0, 0, 0, 1]
    """

    feedback = "bandit"
    logs_propensities = False
    deterministic = True

    def state(self, terms: Terms) -> "KLUCBState":
        return KLUCBState(index_counts(terms.n_arms, terms.reward_max))


class KLUCBState(NamedTuple):
    """The counts are all there is."""

    counts: Counts


@implements(index, KLUCBState)
def _(state: KLUCBState, mean: float, count: float, top: float) -> float:
    budget = log(state.counts.clock[0] + 1.0) / count
    if mean < top:  # most arms need no root: Pinsker's bound rules them out, or kl itself
        reach = mean + sqrt(0.5 * budget)
        if reach < top:
            return reach
        if top < 1.0 and bernoulli_kl(mean, top) > budget:
            return mean
    return kl_upper(mean, budget)


plays_by_index(KLUCBState)
