"""Online proportional fairness: what an arm has received makes its next reward count less."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import real
from ..errors import InvalidInput
from ..kernels.compiling import implements, kernel
from ..kernels.protocol import Allocation, Floats, allocate, law, learn, uses_bound
from ..kernels.reductions import smallest
from ..learners.base import Learner
from ..learners.oga import OGA
from .base import Policy, Terms


@dataclass(frozen=True)
class OnlineProportionalFair(Policy):
    r"""Maximise the sum of α-fair utilities of what the arms receive; there are no floors.

    .. math:: g_i(t) = \frac{r_i(t)}{R_i(t-1)^\alpha}, \qquad
              R_i(t) = R_i(t-1) + r_i(t)\, x_i(t), \qquad R_i(0) = 1,

    with rewards in units of ``reward_max``; g goes to ``learner``, whose law x is played. The utility of
    an arm is :math:`\varphi(R) = R^{1-\alpha}/(1-\alpha)`, and g is the gradient of :math:`\sum_i\varphi`
    at what was received so far. Targets are ignored: it is what fairness without promises looks like.

    If the learner's regret on the gains is at most ρ, then for every fixed mix z and α < 1

    .. math:: \sum_i \varphi\Bigl(\sum_t r_i z_i\Bigr) \le
              c_\alpha \Bigl( \sum_i \varphi(R_i(T)) - \alpha N + (1 - \alpha) \rho \Bigr), \qquad
              c_\alpha = (1 - \alpha)^{-(1 - \alpha)} \le 1.445,

    on every path. (The factor is theirs; the rest of the constants are ours.)

    Parameters
    ----------
    alpha
        α ≥ 0: 0 is the plain learner, and towards 1 utilities become logarithms. From 1 on there is no
        bound.
    learner
        Any full-information learner; OGA by default, as in the paper.

    References
    ----------
    Sinha, Joshi, Bhattacharjee, Musco & Hajiesmaili, "No-regret algorithms for fair resource allocation",
    NeurIPS 2023, where it is called OFA, and OPF in the preprint arXiv:2303.06396. Of the paper only the
    abstract was re-read.

    Examples
    --------
    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.4, 0.8], targets=[0.0, 0.0])
    >>> run = bq.simulate(bq.OnlineProportionalFair(), problem, rounds=20_000, arms="all")
    >>> (run.played[0, -1] / 20_000).round(1)  # on its way to the best shares, 1/3 and 2/3
    array([0.3, 0.7])
    """

    alpha: float = 0.5
    learner: Learner | None = None

    feedback = "full"

    def __post_init__(self) -> None:
        real("alpha", self.alpha, low=0.0)
        if self.learner is None:
            object.__setattr__(self, "learner", OGA())
        found = getattr(self.learner, "feedback", None)
        if found != "full":
            raise InvalidInput(
                f"learner {self.learner!r} learns from {found!r} feedback, but feedback is 'full'"
            )

    def state(self, terms: Terms) -> "OnlineProportionalFairState":
        learner = self.learner.state(terms.n_arms)  # type: ignore[union-attr]  # set in __post_init__
        received, gains = np.ones(terms.n_arms), np.zeros(terms.n_arms)
        clock = np.zeros(1, np.int64)
        accounts = Accounts(received, gains, clock, float(self.alpha), float(terms.reward_max))
        return OnlineProportionalFairState(learner, accounts)


class Accounts(NamedTuple):
    """R in units of ``reward_max``, work space for the gains, and the rounds opened."""

    received: Floats
    gains: Floats
    clock: npt.NDArray[np.int64]
    alpha: float
    reward_max: float


class OnlineProportionalFairState(NamedTuple):
    """The learner's state, which may be a Python object, beside the accounts, which may not."""

    learner: Any
    accounts: Accounts


@kernel
def _bound(accounts: Accounts) -> float:
    """What the poorest arm's whole reward would count for."""
    return smallest(accounts.received) ** -accounts.alpha


@kernel
def _open(accounts: Accounts, worth: Floats) -> int:
    """Write what a unit of reward counts for; returns the number of the round."""
    for arm in range(worth.size):
        worth[arm] = accounts.received[arm] ** -accounts.alpha
    accounts.clock[0] += 1
    return accounts.clock[0]


@kernel
def _book(accounts: Accounts, shares: Floats, worth: Floats, rewards: Floats) -> None:
    """Credit each arm's share of its reward and write the gains."""
    for arm in range(rewards.size):
        reward = rewards[arm] / accounts.reward_max
        accounts.gains[arm] = worth[arm] * reward
        accounts.received[arm] += shares[arm] * reward


@implements(allocate, OnlineProportionalFairState)
def _(state: OnlineProportionalFairState, out: Floats, queue: Floats) -> tuple[float, int]:
    # there is no queue; in its place the decision carries the worth of a reward when it was made
    bound = _bound(state.accounts) if uses_bound(state.learner) else np.inf
    law(state.learner, bound, out)
    return bound, _open(state.accounts, queue)


@implements(learn, OnlineProportionalFairState)
def _(state: OnlineProportionalFairState, allocation: Allocation, rewards: Floats) -> None:
    _book(state.accounts, allocation.law, allocation.queue, rewards)
    learn(state.learner, allocation.law, state.accounts.gains, allocation.bound)


@implements(law, OnlineProportionalFairState)
def _(state: OnlineProportionalFairState, out: Floats) -> None:
    law(state.learner, _bound(state.accounts), out)
