"""BanditQ: a queue of debt per protected arm, and any adversarial learner on (queue + V) × reward."""

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..checks import finite_vector, one_of, real, within
from ..errors import InvalidInput
from ..kernels.compiling import implements, kernel
from ..kernels.protocol import (
    Allocation,
    Decision,
    Floats,
    allocate,
    choose,
    draw,
    law,
    learn,
    uses_bound,
)
from ..learners.base import Learner, check_learner
from ..learners.logbarrier import LogBarrier
from ..learners.oga import OGA
from ..learners.tsallis import TsallisInf
from .base import Policy, Terms
from .horizon import known_rounds

if TYPE_CHECKING:
    from ..problem import Problem

_FEEDBACK = ("bandit", "full")


@dataclass(frozen=True)
class BanditQ(Policy):
    r"""Guarantee every protected arm its target reward per round; earn the most with the rest.

    .. math:: r'_i(t) = (Q_i(t-1) + V)\, r_i(t), \qquad
              Q_i(t) = (Q_i(t-1) + \lambda_i - \text{service}_i(t))^+,

    with service :math:`r_i x_i` in full information and :math:`r_i 1[I_t = i]` in bandit feedback; the
    surrogate gains r' go to ``learner``, whose law is played.

    Parameters
    ----------
    feedback
        ``"bandit"``: the chosen arm's reward is seen. ``"full"``: every arm's reward is seen.
    learner
        Any learner for that feedback; the paper's by default (LogBarrier, OGA).
    v
        Weight of reward against debt, in units of reward. The shortfall of arm i settles near
        ``v * price_i``. By default √rounds, in units of ``reward_max``. 0 cares for the targets alone.
    horizon
        ``"rounds"``: V comes from the number of rounds that ``simulate`` or ``start`` is told. A number:
        that many. None: the anytime form, which needs no number and feeds the learner
        :math:`(1 + Q_i(t-1)/V_t)\, r_i` with :math:`V_t = c\sqrt t`.
    growth
        c of the anytime form.
    queue
        Which queue enters the surrogate: ``"before"`` the round, as the analysis has it, or
        ``"after"``, as the paper's pseudo-code and code have it.
    backlog
        Prices to start the control queue from, ``V * price`` an arm (``problem.price``, or an estimate
        of it): with good ones the standing shortfall vanishes.
    unit
        What counts as one unit of reward inside. By default ``reward_max``.

    References
    ----------
    Sinha, "BanditQ: Fair bandits with guaranteed rewards", UAI 2024, Algorithms 1 and 2.

    Examples
    --------
    While nobody is paid, the debt to arm 0 grows by its target, and so does what a reward of 1 would
    count for.

    >>> import banditq as bq
    >>> policy = bq.BanditQ(learner=bq.Exp3(), v=3.0)
    >>> state, counts = policy.state(bq.Terms(np.array([0.25, 0.0]), reward_max=1.0, rounds=None)), []
    >>> for noise in range(5):
    ...     decision = bq.choose(state, np.uint64(noise))
    ...     bq.learn(state, decision, 0.0)
    ...     counts.append(float(decision.bound))
    >>> counts
    [3.0, 3.25, 3.5, 3.75, 4.0]

    By default V = √rounds, in units of ``reward_max``.

    >>> bq.BanditQ().weight(bq.Terms(np.zeros(2), reward_max=2.0, rounds=10_000))
    200.0
    """

    feedback: Literal["bandit", "full"] = "bandit"
    learner: Learner | None = None
    v: float | None = None
    horizon: int | Literal["rounds"] | None = "rounds"
    growth: float = 1.0
    queue: Literal["before", "after"] = "before"
    backlog: tuple[float, ...] | None = None
    unit: float | None = None

    def __post_init__(self) -> None:
        one_of("feedback", self.feedback, _FEEDBACK)
        one_of("queue", self.queue, ("before", "after"))
        real("growth", self.growth, above=0.0)
        if self.unit is not None:
            real("unit", self.unit, above=0.0)
        if self.learner is None:
            object.__setattr__(self, "learner", LogBarrier() if self.feedback == "bandit" else OGA())
        check_learner(self.learner, self.feedback)
        self._check_horizon()
        if self.backlog is not None:
            prices = within("backlog", finite_vector("backlog", self.backlog), 0.0, np.inf)
            object.__setattr__(self, "backlog", tuple(prices.tolist()))

    def _check_horizon(self) -> None:
        if self.v is not None:
            real("v", self.v, low=0.0)
        if self.horizon is None:
            if self.v is not None:
                raise InvalidInput(
                    f"v is {self.v:g}, which holds for all rounds; the anytime form (horizon=None) grows V "
                    "as growth * sqrt(round): set growth instead, or leave horizon alone"
                )
            if self.backlog is not None:
                raise InvalidInput("backlog needs a fixed V; give v or a horizon with it")
        elif self.horizon != "rounds":
            if isinstance(self.horizon, str):
                raise InvalidInput(f"horizon is {self.horizon!r}; it must be a number, 'rounds' or None")
            real("horizon", self.horizon, low=1.0)

    @classmethod
    def as_published(cls, feedback: Literal["bandit", "full"] = "bandit") -> Self:
        """The author's own code to the letter: updated queue, OGA step 1/√(2S), rewards unscaled."""
        learner = LogBarrier() if feedback == "bandit" else OGA(alpha=sqrt(0.5))
        return cls(feedback=feedback, learner=learner, queue="after", unit=1.0)

    @property
    def needs(self) -> str:  # type: ignore[override]  # only a backlog needs something
        """Prices, for a backlog."""
        return "prices" if self.backlog is not None else ""

    @classmethod
    def entries(cls, problem: "Problem") -> dict[str, Policy]:
        """The paper's two forms, and those that are better or need to know less or more."""
        prices = tuple(np.where(problem.targets > 0.0, problem.price, 0.0).tolist())
        return {
            "banditq": cls(),
            "banditq-anytime": cls(horizon=None),
            "banditq-backlog": cls(backlog=prices),
            "banditq-tsallis": cls(learner=TsallisInf()),
            "banditq-tsallis-anytime": cls(learner=TsallisInf(), horizon=None),
            "banditq-full": cls("full"),
            "banditq-full-anytime": cls("full", horizon=None),
        }

    def state(self, terms: Terms) -> "BanditQState | FullBanditQState":
        scale = 1.0 / self._unit(terms)
        weight = (self.weight(terms) or 0.0) * scale
        learner = self.learner.state(terms.n_arms)  # type: ignore[union-attr]  # set in __post_init__
        targets = terms.targets * scale
        queue = np.zeros(terms.n_arms)
        protected = np.flatnonzero(targets > 0.0)
        if self.backlog is not None:
            prices = finite_vector("backlog", self.backlog, terms.n_arms)
            queue[protected] = weight * prices[protected]
        after = self.queue == "after"
        rules = Rules(weight, self.growth, scale, terms.reward_max * scale, self.horizon is None, after)
        clock = np.zeros(1, np.int64)
        common = (rules, targets, protected, clock, queue)
        if self.feedback == "bandit":
            return BanditQState(learner, Books(*common, np.zeros(terms.n_arms, np.int64)))
        owed, gains = np.zeros(1, np.int64), np.zeros(terms.n_arms)
        return FullBanditQState(learner, FullBooks(*common, owed, gains))

    def weight(self, terms: Terms) -> float | None:
        """V in units of reward; None in the anytime form, where it grows."""
        if self.v is not None:
            return float(self.v)
        if self.horizon is None:
            return None
        rounds = self.horizon
        if rounds == "rounds":
            instead = "v=..., horizon=... or horizon=None (the anytime form)"
            rounds = known_rounds(terms, "V = sqrt(rounds)", instead)
        return sqrt(rounds) * self._unit(terms)

    def _unit(self, terms: Terms) -> float:
        return terms.reward_max if self.unit is None else self.unit


class Rules(NamedTuple):
    """The constants of a run, with rewards in internal units."""

    weight: float  # V
    growth: float  # c of V_t = c √t
    scale: float  # internal units per unit of reward
    ceiling: float  # the largest reward
    anytime: bool
    after: bool  # the updated queue enters the surrogate


class Books(NamedTuple):
    """The bandit form's debts: ``queue[i]`` is arm i's at round ``touched[i]``, and has grown since."""

    rules: Rules
    targets: Floats
    protected: npt.NDArray[np.int64]
    clock: npt.NDArray[np.int64]  # rounds opened
    queue: Floats
    touched: npt.NDArray[np.int64]


class FullBooks(NamedTuple):
    """The full-information form's debts: ``queue`` lacks ``owed`` rounds of targets."""

    rules: Rules
    targets: Floats
    protected: npt.NDArray[np.int64]
    clock: npt.NDArray[np.int64]  # rounds opened
    queue: Floats
    owed: npt.NDArray[np.int64]
    gains: Floats  # work space


class BanditQState(NamedTuple):
    """The learner's state, which may be a Python object, beside the books, which may not."""

    learner: Any
    books: Books


class FullBanditQState(NamedTuple):
    """As :class:`BanditQState`, for full information."""

    learner: Any
    books: FullBooks


@kernel
def _surrogate(rules: Rules, round: int) -> tuple[float, float]:
    """What a unit of reward counts for, V + Q or 1 + Q / V_t, as constant and slope in Q."""
    if rules.anytime:
        return 1.0, 1.0 / (rules.growth * sqrt(round))
    return rules.weight, 1.0


@kernel
def _entering(rules: Rules, queue: float, target: float, service: float) -> float:
    """The queue that enters the surrogate: before the round or after it."""
    return max(queue + target - service, 0.0) if rules.after else queue


@kernel
def _debt(books: Books, arm: int, clock: int) -> float:
    return books.queue[arm] + books.targets[arm] * (clock - books.touched[arm])


@kernel
def _bandit_bound(books: Books) -> float:
    """The largest surrogate gain of the coming round."""
    clock = books.clock[0]
    peak = 0.0
    for i in range(books.protected.size):
        arm = books.protected[i]
        ahead = books.targets[arm] if books.rules.after else 0.0
        peak = max(peak, _debt(books, arm, clock) + ahead)
    base, slope = _surrogate(books.rules, clock + 1)
    return (base + slope * peak) * books.rules.ceiling


@kernel
def _full_bound(books: FullBooks) -> float:
    peak = 0.0
    for i in range(books.protected.size):
        arm = books.protected[i]
        ahead = books.owed[0] + (1 if books.rules.after else 0)
        peak = max(peak, books.queue[arm] + books.targets[arm] * ahead)
    base, slope = _surrogate(books.rules, books.clock[0] + 1)
    return (base + slope * peak) * books.rules.ceiling


@kernel
def _serve(books: Books, decision: Decision, reward: float) -> float:
    """Credit a reward to its arm's queue and return the surrogate gain."""
    arm, rules, clock = decision.arm, books.rules, books.clock[0]
    service = reward * rules.scale
    target = books.targets[arm]
    if target > 0.0:
        books.queue[arm] = max(_debt(books, arm, clock) - service, 0.0)
        books.touched[arm] = clock
    queue = _entering(rules, decision.queue, target, service)
    base, slope = _surrogate(rules, decision.round)
    return (base + slope * queue) * service


@kernel
def _serve_all(books: FullBooks, allocation: Allocation, rewards: Floats) -> None:
    """Credit each arm's share of its reward to its queue and write the surrogate gains."""
    rules, gains = books.rules, books.gains
    base, slope = _surrogate(rules, allocation.round)
    for arm in range(gains.size):
        gains[arm] = base * rules.scale * rewards[arm]
    for i in range(books.protected.size):
        arm = books.protected[i]
        reward = rewards[arm] * rules.scale
        service = reward * allocation.law[arm]
        queue = _entering(rules, allocation.queue[arm], books.targets[arm], service)
        gains[arm] = (base + slope * queue) * reward
        debt = books.queue[arm] + books.targets[arm] * books.owed[0]
        books.queue[arm] = max(debt - service, 0.0)
    books.owed[0] = 0


@kernel
def _accrue(books: FullBooks, queue: Floats) -> int:
    """Open a round: note the queues before it and let the targets accrue; returns its number."""
    for i in range(books.protected.size):
        arm = books.protected[i]
        books.queue[arm] += books.targets[arm] * books.owed[0]  # nothing, unless rewards are late
        queue[arm] = books.queue[arm]
    books.owed[0] = 1
    books.clock[0] += 1
    return books.clock[0]


@implements(choose, BanditQState)
def _(state: BanditQState, noise: Any) -> Decision:
    books = state.books
    bound = _bandit_bound(books) if uses_bound(state.learner) else np.inf
    arm, probability = draw(state.learner, bound, noise)
    queue = _debt(books, arm, books.clock[0])
    books.clock[0] += 1
    return Decision(arm, probability, queue, bound, books.clock[0])


@implements(learn, BanditQState)
def _(state: BanditQState, decision: Decision, reward: float) -> None:
    gain = _serve(state.books, decision, reward)
    learn(state.learner, decision.arm, decision.probability, gain, decision.bound)


@implements(law, BanditQState)
def _(state: BanditQState, out: Floats) -> None:
    law(state.learner, _bandit_bound(state.books), out)


@implements(allocate, FullBanditQState)
def _(state: FullBanditQState, out: Floats, queue: Floats) -> tuple[float, int]:
    bound = _full_bound(state.books) if uses_bound(state.learner) else np.inf
    law(state.learner, bound, out)
    return bound, _accrue(state.books, queue)


@implements(learn, FullBanditQState)
def _(state: FullBanditQState, allocation: Allocation, rewards: Floats) -> None:
    _serve_all(state.books, allocation, rewards)
    learn(state.learner, allocation.law, state.books.gains, allocation.bound)


@implements(law, FullBanditQState)
def _(state: FullBanditQState, out: Floats) -> None:
    law(state.learner, _full_bound(state.books), out)
