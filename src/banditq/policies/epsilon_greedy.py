"""Epsilon-greedy: the best arm so far, and now and then any arm."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..checks import real
from ..errors import InvalidInput
from ..kernels.compiling import implements, kernel
from ..kernels.noise import uniform
from ..kernels.protocol import Decision, Floats, choose, law, learn
from .base import Policy, Terms
from .counts import Counts, book, first_unplayed, no_counts, open_round
from .overruled import learns_from_all


@dataclass(frozen=True)
class EpsilonGreedy(Policy):
    r"""With probability ε any arm alike, otherwise the arm with the best mean; targets are ignored.

    The greedy choice plays each arm once first, in order; ties go to the lowest arm.

    Parameters
    ----------
    epsilon
        How often to explore.
    decay
        None explores alike in every round, which costs a regret that grows with their number. A number c
        makes it :math:`\varepsilon_t = \min(\varepsilon, c N / t)`, the form whose regret is logarithmic
        for c large enough.

    References
    ----------
    Auer, Cesa-Bianchi & Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine
    Learning 47, 2002, Figure 3; their c/d² is ``decay`` here, and their ε starts at 1.

    Examples
    --------
    The greedy arm has the probability 1 − ε + ε/N.

    >>> import banditq as bq
    >>> state, x = bq.EpsilonGreedy(epsilon=0.2).state(bq.Terms(np.zeros(2), 1.0, None)), np.zeros(2)
    >>> for arm, reward in enumerate([0.3, 0.4]):
    ...     bq.learn(state, bq.Decision(arm, 0.5, 0.0, 1.0, arm + 1), reward)
    >>> bq.law(state, x)
    >>> x
    array([0.1, 0.9])
    """

    epsilon: float = 0.1
    decay: float | None = None

    feedback = "bandit"
    logs_propensities = True

    def __post_init__(self) -> None:
        if real("epsilon", self.epsilon, low=0.0) > 1.0:
            raise InvalidInput(f"epsilon is {self.epsilon:g}; it must be between 0 and 1")
        if self.decay is not None:
            real("decay", self.decay, above=0.0)

    def state(self, terms: Terms) -> "EpsilonGreedyState":
        decay = np.inf if self.decay is None else float(self.decay)
        counts = no_counts(terms.n_arms, terms.reward_max)
        return EpsilonGreedyState(counts, float(self.epsilon), decay)


class EpsilonGreedyState(NamedTuple):
    """``decay`` is infinite when ε is the same in every round."""

    counts: Counts
    epsilon: float
    decay: float


@kernel
def _exploration(state: EpsilonGreedyState) -> float:
    """ε of the coming round."""
    counts = state.counts
    return min(state.epsilon, state.decay * counts.seen.size / (counts.clock[0] + 1.0))


@kernel
def _greedy(counts: Counts) -> int:
    """The first arm never played, or the best mean seen, or the arm opened least if none is seen yet."""
    unplayed = first_unplayed(counts)
    if unplayed >= 0:
        return unplayed
    best, top = -1, -np.inf
    least = 0
    for arm in range(counts.seen.size):
        if counts.opened[arm] < counts.opened[least]:
            least = arm
        if counts.seen[arm] > 0.0 and counts.gained[arm] / counts.seen[arm] > top:
            best, top = arm, counts.gained[arm] / counts.seen[arm]
    return best if best >= 0 else least


@implements(choose, EpsilonGreedyState)
def _(state: EpsilonGreedyState, noise: Any) -> Decision:
    counts = state.counts
    n_arms, epsilon, greedy = counts.seen.size, _exploration(state), _greedy(counts)
    arm = greedy
    if uniform(noise, 0) < epsilon:
        arm = min(int(uniform(noise, 1) * n_arms), n_arms - 1)
    share = epsilon / n_arms
    return open_round(counts, arm, share + (1.0 - epsilon) if arm == greedy else share)


@implements(learn, EpsilonGreedyState)
def _(state: EpsilonGreedyState, decision: Decision, reward: float) -> None:
    book(state.counts, decision.arm, reward)


learns_from_all(EpsilonGreedyState)


@implements(law, EpsilonGreedyState)
def _(state: EpsilonGreedyState, out: Floats) -> None:
    epsilon = _exploration(state)
    for arm in range(out.size):
        out[arm] = epsilon / out.size
    out[_greedy(state.counts)] += 1.0 - epsilon
