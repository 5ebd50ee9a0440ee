"""ETCAnytime: exploration at the rate of the promises themselves, topped up by what it estimates."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.compiling import implements, kernel
from ..kernels.noise import uniform
from ..kernels.protocol import Decision, Floats, choose, law, learn
from ..learners.base import Learner
from .base import Policy, Terms
from .floor import pick_floor
from .residual import DEFAULT, Residual, check_residual, mixed, odds_are_known, open_residual, play

_EXPLORED = -1.0  # marks the decision of an exploration, where else there is the residual's odds


@dataclass(frozen=True)
class ETCAnytime(Policy):
    r"""Explore with λ of every round, top that up to λ over the mean it finds, then play a bandit.

    .. math:: x = \underbrace{\lambda}_{\text{explore}} +
              \underbrace{(\lambda / m - \lambda)}_{\text{top up}} +
              \Bigl(1 - \sum_i \lambda_i / m_i\Bigr)\, y, \qquad
              m_i = \mathrm{clip}(\bar\mu_i, \lambda_i, 1),

    with rewards and targets in units of ``reward_max``, y the law of the residual learner and
    :math:`\bar\mu_i` the mean of the rewards of i's *explorations* alone, 0 before the first. Where the
    sum exceeds 1 the top-up, and only that, is cut down to what the explorations leave.

    No arm can pay more than 1, so that a promise takes λ of the rounds at least, and to explore with
    these is free. Explorations do not depend on anything learnt: :math:`\bar\mu` is a plain mean, and
    :math:`E[\lambda/m]\,\mu \ge \lambda` but for the clipping (Jensen), so that an arm is under-served in
    expectation only while the promises seem infeasible.

    Parameters
    ----------
    residual
        Any bandit policy without promises or oracle, or any bandit learner. The policies of this package
        learn from every reward; a learner, which divides by its odds, from its own choices alone.

    References
    ----------
    The anytime form of ETC in the code of Baudry, Merlis, Benjamin Molina, Richard & Perchet,
    "Multi-armed bandits with guaranteed revenue per arm", AISTATS 2024
    (DBaudry/Revenue_guaranteeing_bandits); the paper's text was not read. The code, which no experiment
    of theirs calls, estimates from the rewards of the top-up instead. That cannot work: if the first of
    these is a 1, nothing is topped up any more and the estimate stays as it is. We took it for a slip of
    the index, since it is the explorations that ETC estimates from.

    Examples
    --------
    Before the first exploration the promise of a quarter is topped up to every round.

    >>> import banditq as bq
    >>> bq.ETCAnytime().start(targets=[0.25, 0.0]).law()
    array([1., 0.])
    """

    residual: Policy | Learner = DEFAULT

    feedback = "bandit"

    def __post_init__(self) -> None:
        check_residual(self.residual)

    @property
    def logs_propensities(self) -> bool:  # type: ignore[override]  # it depends on the residual
        """Whether the residual learner's probabilities are known, and with them the mixture's."""
        return odds_are_known(self.residual)

    def state(self, terms: Terms) -> "ETCAnytimeState":
        targets = terms.targets / terms.reward_max
        promised = float(targets.sum())
        seen, gained, tops = np.zeros((3, terms.n_arms))
        survey = Survey(
            targets=targets,
            explored=targets / max(promised, 1.0),
            protected=np.flatnonzero(targets > 0.0),
            promised=min(promised, 1.0),
            reward_max=float(terms.reward_max),
            clock=np.zeros(1, np.int64),
            seen=seen,
            gained=gained,
            tops=tops,
        )
        return ETCAnytimeState(open_residual(self.residual, terms), survey)


class Survey(NamedTuple):
    """``explored`` is λ, cut down if the promises alone exceed 1, and ``promised`` its sum.

    ``seen`` and ``gained`` are of the explorations, whose decisions have −1 for a queue.
    ``tops`` is the top-up of the round.
    """

    targets: Floats
    explored: Floats
    protected: npt.NDArray[np.int64]
    promised: float
    reward_max: float
    clock: npt.NDArray[np.int64]  # rounds opened
    seen: Floats
    gained: Floats
    tops: Floats


class ETCAnytimeState(NamedTuple):
    """The residual learner, whose state may be a Python object, beside the survey, which may not."""

    residual: Residual
    survey: Survey


@kernel
def _top_up(survey: Survey, tops: Floats) -> float:
    """Write the top-up of each protected arm; returns the share that is left."""
    total, room = 0.0, 1.0 - survey.promised
    for i in range(survey.protected.size):
        arm = survey.protected[i]
        seen, target = survey.seen[arm], survey.targets[arm]
        mean = survey.gained[arm] / seen if seen > 0.0 else 0.0
        tops[arm] = target / min(max(mean, target), 1.0) - target
        total += tops[arm]
    if total < room:
        return room - total
    scale = room / total if total > 0.0 else 0.0
    for i in range(survey.protected.size):
        tops[survey.protected[i]] *= scale
    return 0.0


@implements(choose, ETCAnytimeState)
def _(state: ETCAnytimeState, noise: Any) -> Decision:
    survey = state.survey
    share = _top_up(survey, survey.tops)
    u = uniform(noise, 0)
    arm = pick_floor(survey.explored, survey.protected, 1.0, u)
    explores = arm >= 0
    if not explores:
        arm = pick_floor(survey.tops, survey.protected, share, u - survey.promised)
    played = play(state.residual, arm, share, noise)
    floor = survey.explored[played.arm] + survey.tops[played.arm]
    survey.clock[0] += 1
    drawn = mixed(played, floor, share, state.residual.known, survey.clock[0])
    queue = _EXPLORED if explores else drawn.queue
    return Decision(drawn.arm, drawn.probability, queue, drawn.bound, drawn.round)


@implements(learn, ETCAnytimeState)
def _(state: ETCAnytimeState, decision: Decision, reward: float) -> None:
    survey = state.survey
    if decision.queue == _EXPLORED:
        survey.seen[decision.arm] += 1.0
        survey.gained[decision.arm] += reward / survey.reward_max
    learn(state.residual, decision, reward)


@implements(law, ETCAnytimeState)
def _(state: ETCAnytimeState, out: Floats) -> None:
    survey, odds = state.survey, state.residual.odds
    for arm in range(out.size):
        out[arm] = 0.0
    share = _top_up(survey, out)
    if share > 0.0:
        law(state.residual.policy, odds)
    for arm in range(out.size):
        out[arm] += survey.explored[arm] + (share * odds[arm] if share > 0.0 else 0.0)
