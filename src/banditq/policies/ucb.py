"""UCB1: the empirical mean plus a confidence width."""

from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

from ..kernels.compiling import implements
from .base import Policy, Terms
from .counts import Counts
from .index import index, index_counts, plays_by_index


@dataclass(frozen=True)
class UCB1(Policy):
    r"""Play the arm with the largest upper confidence bound; targets are ignored.

    .. math:: \hat\mu_i + \sqrt{2 \ln n / n_i},

    with rewards in units of ``reward_max``, n the rounds played so far and :math:`n_i` the rewards seen
    of arm i. Each arm is played once first, in order; ties go to the lowest arm.

    References
    ----------
    Auer, Cesa-Bianchi & Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine
    Learning 47, 2002, Figure 1.
    """

    feedback = "bandit"
    logs_propensities = False

    def state(self, terms: Terms) -> "UCB1State":
        return UCB1State(index_counts(terms.n_arms, terms.reward_max))


class UCB1State(NamedTuple):
    """The counts are all there is."""

    counts: Counts


@implements(index, UCB1State)
def _(state: UCB1State, mean: float, count: float, top: float) -> float:
    return mean + sqrt(2.0 * log(state.counts.clock[0]) / count)


plays_by_index(UCB1State)
