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

    Examples
    --------
    Arm 0 pays 1 and arm 1 nothing. After five rounds 1 + √(2 ln 5 / 4) = 1.90 is above √(2 ln 5) =
    1.79, after six 1 + √(2 ln 6 / 5) = 1.85 is below √(2 ln 6) = 1.89.

    >>> import banditq as bq
    >>> import numpy as np
    >>> state, arms = bq.UCB1().state(bq.Terms(np.zeros(2), 1.0, None)), []
    >>> for _ in range(7):
    ...     decision = bq.choose(state, None)
    ...     bq.learn(state, decision, 1.0 - decision.arm)
    ...     arms.append(decision.arm)
    >>> arms
    [0, 1, 0, 0, 0, 0, 1]
    """

    feedback = "bandit"
    logs_propensities = False
    deterministic = True

    def state(self, terms: Terms) -> "UCB1State":
        return UCB1State(index_counts(terms.n_arms, terms.reward_max))


class UCB1State(NamedTuple):
    """The counts are all there is."""

    counts: Counts


@implements(index, UCB1State)
def _(state: UCB1State, mean: float, count: float, top: float) -> float:
    return mean + sqrt(2.0 * log(state.counts.clock[0]) / count)


plays_by_index(UCB1State)
