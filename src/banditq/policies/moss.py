"""MOSS: the confidence width that is minimax optimal."""

from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

from ..checks import real
from ..kernels.compiling import implements
from .base import Policy, Terms
from .counts import Counts
from .index import index, index_counts, plays_by_index


@dataclass(frozen=True)
class MOSS(Policy):
    r"""Play the arm with the largest index; targets are ignored.

    .. math:: \hat\mu_i + \sqrt{\ln^+\!\bigl(T / (N n_i)\bigr) / n_i} \qquad \text{or} \qquad
              \hat\mu_i + \sqrt{\tfrac{1 + \alpha}{2} \ln^+\!\bigl(t / (N n_i)\bigr) / n_i}

    if nobody knows the number of rounds T, with t the coming round. Rewards are in units of
    ``reward_max``; :math:`n_i` counts the rewards seen of arm i. Each arm is played once first, in
    order; ties go to the lowest arm.

    Parameters
    ----------
    alpha
        α of the anytime form; it is not looked at when the number of rounds is known.

    References
    ----------
    Audibert & Bubeck, "Minimax policies for adversarial and stochastic bandits", COLT 2009. Anytime:
    Degenne & Perchet, "Anytime optimal algorithms in stochastic multi-armed bandits", ICML 2016.

    Examples
    --------
    Arm 0 pays 1 and arm 1 nothing. Of 6 rounds an arm's fair share is 3, after which it has no width: 1
    is then below the √ln 3 = 1.05 of an arm played once, but above the √(½ ln 1.5) = 0.45 of one played
    twice.

    >>> import banditq as bq
    >>> import numpy as np
    >>> state, arms = bq.MOSS().state(bq.Terms(np.zeros(2), 1.0, 6)), []
    >>> for _ in range(6):
    ...     decision = bq.choose(state, None)
    ...     bq.learn(state, decision, 1.0 - decision.arm)
    ...     arms.append(decision.arm)
    >>> arms
    [0, 1, 0, 0, 1, 0]
    """

    alpha: float = 1.35

    feedback = "bandit"
    logs_propensities = False
    deterministic = True

    def __post_init__(self) -> None:
        real("alpha", self.alpha, low=0.0)

    def state(self, terms: Terms) -> "MOSSState":
        known = terms.rounds is not None
        rounds = float(terms.rounds or 0)
        weight = 1.0 if known else 0.5 * (1.0 + self.alpha)
        return MOSSState(index_counts(terms.n_arms, terms.reward_max), rounds, weight)


class MOSSState(NamedTuple):
    """``rounds`` is 0 when nobody knows it; ``weight`` is what the logarithm is multiplied by."""

    counts: Counts
    rounds: float
    weight: float


@implements(index, MOSSState)
def _(state: MOSSState, mean: float, count: float, top: float) -> float:
    rounds = state.rounds if state.rounds > 0.0 else state.counts.clock[0] + 1.0
    ratio = rounds / (state.counts.seen.size * count)
    if ratio <= 1.0:
        return mean
    return mean + sqrt(state.weight * log(ratio) / count)


plays_by_index(MOSSState)
