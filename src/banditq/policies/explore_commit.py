"""ETC: two rounds of estimates, a number of pulls committed to, and a residual learner for the rest."""

from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import real
from ..errors import InvalidInput
from ..kernels.compiling import implements, kernel
from ..kernels.divergence import kl_upper
from ..kernels.protocol import Decision, Floats, choose, law, learn
from ..learners.base import Learner
from .base import Policy, Terms
from .counts import all_on
from .residual import DEFAULT, Residual, check_residual, mixed, open_residual, play


@dataclass(frozen=True)
class ETC(Policy):
    r"""Explore twice, commit to a number of pulls that should pay each promise, then play a bandit.

    With T rounds, and rewards and targets in units of ``reward_max``, every protected arm in its turn
    gets

    1. :math:`\lambda_i T / 4` pulls, whose mean, clipped to :math:`[\lambda_i, 1]`, is :math:`m_i`;
    2. :math:`\min(\lambda_i / (6 m_i), \lambda_i / 2)\, T` pulls, whose clipped mean is :math:`m'_i`;
    3. pulls until it has had :math:`\lambda_i T / m'_i`, if there is time for all of these; if not, and
       the upper confidence bounds at those estimates promise that there is, the same with them; and if
       they do not, :math:`\lambda_i T / m'_i` over :math:`\sum_j \lambda_j / m'_j`;

    and the residual learner has the rest. Rewards count for an
    estimate if they have come when it is needed.

    The second estimates do not depend on the pulls they ask for, so that for a positive slack and T large
    the rewards promised are paid in expectation: :math:`E[1/m'] \ge 1/E[m']` (Jensen).

    Parameters
    ----------
    residual
        Any bandit policy without promises or oracle, or any bandit learner. The policies of this package
        learn from every reward; a learner, which divides by its odds, from its own choices alone.
    width
        w of the upper confidence bounds, as in :class:`FloorPlusLearner`.

    Notes
    -----
    Until the end the promises are kept one after the other: over short windows an arm gets nothing.

    References
    ----------
    Baudry, Merlis, Benjamin Molina, Richard & Perchet, "Multi-armed bandits with guaranteed revenue per
    arm", AISTATS 2024. Read off the authors' code (DBaudry/Revenue_guaranteeing_bandits), not the paper's
    text. There the upper bounds of phase 3 move with t, and if they fail, too, the arm with the largest
    is played; here phase 3 is fixed when it begins, and the pulls are cut down.

    Examples
    --------
    With half a reward promised for 16 rounds to an arm that always pays, the phases take 2 pulls, then
    min(1/12, 1/4) · 16, begun as a second, and whatever is left to 8.

    >>> import banditq as bq
    >>> agent, arms = bq.ETC().start(targets=[0.5, 0.0], rounds=16), []
    >>> for _ in range(16):
    ...     choice = agent.choose()
    ...     arms.append(choice.arm)
    ...     agent.learn(choice, 1.0 if choice.arm == 0 else 0.0)
    >>> arms[:8]
    [0, 0, 0, 0, 0, 0, 0, 0]
    """

    residual: Policy | Learner = DEFAULT
    width: float = 3.03

    feedback = "bandit"
    logs_propensities = False

    def __post_init__(self) -> None:
        check_residual(self.residual)
        real("width", self.width, above=0.0)

    def state(self, terms: Terms) -> "ETCState":
        if terms.rounds is None:
            raise InvalidInput("rounds is not known, and ETC needs it: give rounds, or use ETCAnytime")
        targets = terms.targets / terms.reward_max
        quota = 0.25 * targets * terms.rounds
        pulls, draft = np.zeros((2, terms.n_arms))
        plan = Plan(
            targets=targets,
            protected=np.flatnonzero(targets > 0.0),
            rounds=float(terms.rounds),
            reward_max=float(terms.reward_max),
            width=float(self.width),
            clock=np.zeros(1, np.int64),
            pulls=pulls,
            quota=quota,
            place=np.zeros(4, np.int64),
            seen=np.zeros((2, terms.n_arms)),
            gained=np.zeros((2, terms.n_arms)),
            draft=draft,
            draft_place=np.zeros(4, np.int64),
        )
        return ETCState(open_residual(self.residual, terms), plan)


class Plan(NamedTuple):
    """``quota`` is how many pulls an arm shall have had at the end of the phase that ``place`` says.

    ``place`` holds the phase, from 0, the position among the protected arms, and the last round of the
    first two phases. ``seen`` and ``gained`` are of rewards from these. The drafts are for ``law``.
    """

    targets: Floats
    protected: npt.NDArray[np.int64]
    rounds: float
    reward_max: float
    width: float
    clock: npt.NDArray[np.int64]
    pulls: Floats
    quota: Floats
    place: npt.NDArray[np.int64]
    seen: Floats
    gained: Floats
    draft: Floats
    draft_place: npt.NDArray[np.int64]


class ETCState(NamedTuple):
    """The residual learner, whose state may be a Python object, beside the plan, which may not."""

    residual: Residual
    plan: Plan


_PHASE, _POSITION, _ENDS = 0, 1, 2
_COMMITTED, _DONE = 2, 3


@kernel
def _share(plan: Plan, phase: int, arm: int, optimistic: bool) -> float:
    """λ / m for the estimate from a phase."""
    seen, target = plan.seen[phase, arm], plan.targets[arm]
    mean = plan.gained[phase, arm] / seen if seen > 0.0 else 0.0
    if optimistic:
        mean = kl_upper(mean, plan.width * log(plan.clock[0] + 1.0) / max(seen, 1.0))
    return target / min(max(mean, target), 1.0)


@kernel
def _total(plan: Plan, optimistic: bool) -> float:
    total = 0.0
    for i in range(plan.protected.size):
        total += _share(plan, 1, plan.protected[i], optimistic)
    return total


@kernel
def _begin_phase(plan: Plan, phase: int, quota: Floats) -> None:
    """Fix what each arm shall have had at the end of phase 1, the second, or 2, the commitment."""
    optimistic, total = False, 1.0
    if phase == _COMMITTED:
        total = max(_total(plan, False), 1.0)
        if total > 1.0 and _total(plan, True) <= 1.0:
            optimistic, total = True, 1.0
    for i in range(plan.protected.size):
        arm = plan.protected[i]
        if phase == _COMMITTED:
            quota[arm] = _share(plan, 1, arm, optimistic) / total * plan.rounds
        else:
            again = min(_share(plan, 0, arm, False) / 6.0, 0.5 * plan.targets[arm])
            quota[arm] = plan.pulls[arm] + again * plan.rounds


@kernel
def _next_arm(plan: Plan, place: npt.NDArray[np.int64], quota: Floats) -> int:
    """The next arm of the plan, or −1 when it is done; turns to the next phase if it is time."""
    while place[_PHASE] < _DONE:
        while place[_POSITION] < plan.protected.size:
            arm = plan.protected[place[_POSITION]]
            if plan.pulls[arm] < quota[arm]:
                return arm
            place[_POSITION] += 1
        if place[_PHASE] < _COMMITTED:
            place[_ENDS + place[_PHASE]] = plan.clock[0]
        place[_PHASE] += 1
        place[_POSITION] = 0
        if place[_PHASE] <= _COMMITTED:
            _begin_phase(plan, place[_PHASE], quota)
    return -1


@kernel
def _count(plan: Plan, decision: Decision, reward: float) -> None:
    """Book a reward with the phase of its decision, if there is an estimate from it."""
    phase = 0
    while phase < min(plan.place[_PHASE], _COMMITTED) and decision.round > plan.place[_ENDS + phase]:
        phase += 1
    if phase < _COMMITTED:
        plan.seen[phase, decision.arm] += 1.0
        plan.gained[phase, decision.arm] += reward / plan.reward_max


@implements(choose, ETCState)
def _(state: ETCState, noise: Any) -> Decision:
    plan = state.plan
    arm = _next_arm(plan, plan.place, plan.quota)
    share = 1.0 if arm < 0 else 0.0
    played = play(state.residual, arm, share, noise)
    plan.clock[0] += 1
    plan.pulls[played.arm] += 1.0
    return mixed(played, 1.0 - share, share, state.residual.known, plan.clock[0])


@implements(learn, ETCState)
def _(state: ETCState, decision: Decision, reward: float) -> None:
    _count(state.plan, decision, reward)
    learn(state.residual, decision, reward)


@implements(law, ETCState)
def _(state: ETCState, out: Floats) -> None:
    plan = state.plan
    for i in range(plan.place.size):
        plan.draft_place[i] = plan.place[i]
    for i in range(out.size):
        plan.draft[i] = plan.quota[i]
    arm = _next_arm(plan, plan.draft_place, plan.draft)
    if arm >= 0:
        all_on(arm, out)
    else:
        law(state.residual.policy, out)
