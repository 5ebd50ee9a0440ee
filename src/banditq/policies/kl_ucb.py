"""KL-UCB: the confidence bound that the Bernoulli divergence gives."""

from dataclasses import dataclass
from math import log
from typing import NamedTuple

from ..kernels.compiling import implements
from ..kernels.divergence import kl_upper, upper_reach
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
    """

    feedback = "bandit"
    logs_propensities = False

    def state(self, terms: Terms) -> "KLUCBState":
        return KLUCBState(index_counts(terms.n_arms, terms.reward_max))


class KLUCBState(NamedTuple):
    """The counts are all there is."""

    counts: Counts


@implements(index, KLUCBState)
def _(state: KLUCBState, mean: float, count: float, top: float) -> float:
    budget = log(state.counts.clock[0] + 1.0) / count
    reach = upper_reach(mean, budget)  # most arms need no root
    return reach if reach <= top else kl_upper(mean, budget)


plays_by_index(KLUCBState)
