"""MaxWeight, also called drift-plus-penalty: the arm whose reward counts most, debts and all."""

from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import real
from ..kernels.compiling import implements, kernel
from ..kernels.divergence import kl_upper, upper_exceeds
from ..kernels.protocol import Allocation, Decision, Floats, allocate, choose, foresee, law, learn
from .base import Policy, Terms
from .counts import Counts, all_on, book, no_counts, open_round, standing
from .horizon import reward_weight


@dataclass(frozen=True)
class MaxWeight(Policy):
    r"""Play the arm of the largest (debt + V) × optimistic mean.

    .. math:: I_t = \arg\max_i\, (Q_i(t-1) + V)\, u_i(t), \qquad
              Q_i(t) = (Q_i(t-1) + \lambda_i - r_i 1[I_t = i])^+,

    where :math:`u_i` is the upper confidence bound of :class:`KLUCB`, and 1 for an arm never played; ties
    go to the lowest arm. With the means in place of the bounds the arms would tie where
    :math:`Q_i = V(\mu^*/\mu_i - 1)`: debts settle near V · price, as BanditQ's do.

    The bound is the one from the Bernoulli divergence because debt multiplies its error: an arm that pays
    seldom, and so is owed most, has a variance near its mean, which this bound follows and Hoeffding's
    does not.

    Parameters
    ----------
    v
        Weight of reward against debt, in units of reward. By default √rounds, in units of ``reward_max``.
        0 cares for the targets alone.

    References
    ----------
    Tassiulas & Ephremides, "Stability properties of constrained queueing systems", IEEE Transactions on
    Automatic Control 1992 (V = 0); Neely, "Stochastic network optimization", 2010, for V. Freund, Lykouris
    & Weng, "Quantifying the cost of learning in queueing systems", NeurIPS 2023, put upper confidence
    bounds into MaxWeight; of that paper only the abstract was read, and its bound may be another one.

    Examples
    --------
    Without care for reward (V = 0) an arm that was promised nothing is played in ties alone.

    >>> import banditq as bq
    >>> agent = bq.MaxWeight(v=0.0).start(targets=[0.0, 0.25])
    >>> agent.learn(agent.choose(), 0.0)
    >>> agent.law()
    array([0., 1.])
    """

    v: float | None = None

    feedback = "bandit"
    logs_propensities = False
    deterministic = True

    def __post_init__(self) -> None:
        _check(self.v)

    def state(self, terms: Terms) -> "MaxWeightState":
        return MaxWeightState(no_counts(terms.n_arms, terms.reward_max), _no_debts(terms, self.v))


@dataclass(frozen=True)
class MaxWeightGenie(Policy):
    r"""Play the arm of the largest (debt + V) × reward, in sight of the round's rewards.

    .. math:: I_t = \arg\max_i\, (Q_i(t-1) + V)\, r_i(t), \qquad
              Q_i(t) = (Q_i(t-1) + \lambda_i - r_i 1[I_t = i])^+,

    ties to the lowest arm. So a base station serves its users, whose channels it measures before it
    chooses; who pays only after being chosen cannot be served like this. A live agent takes the rewards in
    ``choose(rewards)``.

    For every fixed mix z and on every path, with debts and rewards in units of ``reward_max``,

    .. math:: \tfrac12 \lVert Q(T) \rVert^2 + V \sum_t (\langle z, r \rangle - r_{I_t}) \le
              \sum_t \langle Q(t-1), \lambda - r \circ z \rangle
              + \tfrac12 \sum_t \lVert \lambda - r_{I_t} e_{I_t} \rVert^2,

    norms over the protected arms. With independent rewards and the benchmark's z the first sum on the
    right has no positive mean: the regret is at most :math:`(1 + \lVert\lambda\rVert^2)\, T / 2V`. It is
    negative as a rule, since no fixed mix sees the rewards.

    Parameters
    ----------
    v
        As for :class:`MaxWeight`.

    References
    ----------
    Tassiulas & Ephremides, "Dynamic server allocation to parallel queues with randomly varying
    connectivity", IEEE Transactions on Information Theory 1993; Neely, "Stochastic network optimization",
    2010, chapter 4. The bound is proved like his Lemma 4.6, which was not re-read.

    Examples
    --------
    With V = 1 the larger reward wins, until the other arm is owed enough: its ¼ · (1 + Q) has passed ½ when
    Q has grown past 1.

    >>> import banditq as bq
    >>> agent, arms = bq.MaxWeightGenie(v=1.0).start(targets=[0.0, 0.25]), []
    >>> for _ in range(7):
    ...     choice = agent.choose([0.5, 0.25])
    ...     arms.append(choice.arm)
    ...     agent.learn(choice, [0.5, 0.25])
    >>> arms  # Q is 0, ¼, ½, ¾, 1 (a tie), 1¼, 1¼
    [0, 0, 0, 0, 0, 1, 1]
    """

    v: float | None = None

    feedback = "full"
    logs_propensities = False
    needs = "this round's rewards"

    def __post_init__(self) -> None:
        _check(self.v)

    def state(self, terms: Terms) -> "MaxWeightGenieState":
        ahead, clock = np.zeros(terms.n_arms), np.zeros(1, np.int64)
        return MaxWeightGenieState(_no_debts(terms, self.v), ahead, clock)


class Debts(NamedTuple):
    """What is owed to each arm, in units of ``reward_max``, as is the weight V."""

    queue: Floats
    targets: Floats
    weight: float
    reward_max: float


class MaxWeightState(NamedTuple):
    """What was seen of the arms, and what they are owed."""

    counts: Counts
    debts: Debts


class MaxWeightGenieState(NamedTuple):
    """``ahead`` holds the rewards last foreseen; ``clock`` the rounds opened."""

    debts: Debts
    ahead: Floats
    clock: npt.NDArray[np.int64]


def _check(v: float | None) -> None:
    if v is not None:
        real("v", v, low=0.0)


def _no_debts(terms: Terms, v: float | None) -> Debts:
    targets = terms.targets / terms.reward_max
    return Debts(np.zeros(terms.n_arms), targets, reward_weight(v, terms), float(terms.reward_max))


@kernel
def _accrue(debts: Debts) -> None:
    for arm in range(debts.queue.size):
        debts.queue[arm] += debts.targets[arm]


@kernel
def _heaviest(counts: Counts, debts: Debts) -> int:
    """The arm to play, from optimistic means; only an arm that takes the lead has its bound solved for."""
    log_time = log(counts.clock[0] + 1.0)
    best, top = 0, -np.inf
    for arm in range(debts.queue.size):
        weight = debts.queue[arm] + debts.weight
        value = weight
        if weight > top and counts.opened[arm] > 0.0:
            mean, count = standing(counts, arm)
            budget = log_time / count
            leads = top < 0.0 or upper_exceeds(mean, budget, top / weight)
            value = weight * kl_upper(mean, budget) if leads else top
        if value > top:
            best, top = arm, value
    return best


@kernel
def _heaviest_ahead(debts: Debts, ahead: Floats) -> int:
    """The arm to play, from the rewards themselves."""
    best, top = 0, -np.inf
    for arm in range(ahead.size):
        value = (debts.queue[arm] + debts.weight) * ahead[arm]
        if value > top:
            best, top = arm, value
    return best


@implements(choose, MaxWeightState)
def _(state: MaxWeightState, noise: Any) -> Decision:
    arm = _heaviest(state.counts, state.debts)
    queue = state.debts.queue[arm]
    _accrue(state.debts)
    opened = open_round(state.counts, arm, 1.0)
    return Decision(arm, 1.0, queue, opened.bound, opened.round)


@implements(learn, MaxWeightState)
def _(state: MaxWeightState, decision: Decision, reward: float) -> None:
    arm, debts = decision.arm, state.debts
    book(state.counts, arm, reward)
    debts.queue[arm] = max(debts.queue[arm] - reward / debts.reward_max, 0.0)


@implements(law, MaxWeightState)
def _(state: MaxWeightState, out: Floats) -> None:
    all_on(_heaviest(state.counts, state.debts), out)


@implements(foresee, MaxWeightGenieState)
def _(state: MaxWeightGenieState, rewards: Floats) -> None:
    for arm in range(rewards.size):
        state.ahead[arm] = rewards[arm]


@implements(allocate, MaxWeightGenieState)
def _(state: MaxWeightGenieState, out: Floats, queue: Floats) -> tuple[float, int]:
    all_on(_heaviest_ahead(state.debts, state.ahead), out)
    for arm in range(out.size):
        queue[arm] = state.debts.queue[arm]
    _accrue(state.debts)
    state.clock[0] += 1
    return np.inf, state.clock[0]


@implements(learn, MaxWeightGenieState)
def _(state: MaxWeightGenieState, allocation: Allocation, rewards: Floats) -> None:
    debts = state.debts
    for arm in range(rewards.size):
        service = allocation.law[arm] * (rewards[arm] / debts.reward_max)
        debts.queue[arm] = max(debts.queue[arm] - service, 0.0)


@implements(law, MaxWeightGenieState)
def _(state: MaxWeightGenieState, out: Floats) -> None:
    all_on(_heaviest_ahead(state.debts, state.ahead), out)
