"""QueueFirst: whoever is owed a whole reward is served; a residual learner has the other rounds."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import real
from ..errors import InvalidInput
from ..kernels.compiling import implements, kernel
from ..kernels.noise import uniform
from ..kernels.protocol import Decision, Floats, choose, law, learn
from ..learners.base import Learner
from .base import Policy, Terms
from .counts import all_on
from .residual import DEFAULT, Residual, check_residual, mixed, odds_are_known, open_residual, play


@dataclass(frozen=True)
class QueueFirst(Policy):
    r"""Serve the protected arm that has waited longest for a whole reward; otherwise play a bandit.

    .. math:: I_t = \arg\max \{Q_i(t-1)/\lambda_i : Q_i(t-1) \ge r_{\max}\}
              \quad\text{if there is one, else the residual learner's choice},

    .. math:: Q_i(t) = (Q_i(t-1) + \lambda_i - r_i 1[I_t = i])^+,

    after each arm was played once, in order; ties go to the lowest arm. :math:`Q_i/\lambda_i` is the
    number of rounds that arm i is behind. Only arms that are owed a whole reward are served: no service
    then is lost on an empty queue, and none of it is more than was promised.

    It needs neither T nor V nor an estimate of a protected mean. It assumes that an arm pays the same now
    as later: where rewards drift, or an adversary sees it coming, it does nothing about it.

    Parameters
    ----------
    residual
        Any bandit policy without promises or oracle, or any bandit learner. The policies of this package
        learn from every reward; a learner, which divides by its odds, from its own choices alone.
    epsilon
        How often any arm alike is played instead. With 0 a round that serves a queue has one possible
        arm, and what is logged is no propensity. Otherwise the law is
        :math:`(1-\varepsilon)\, x + \varepsilon/N`, and ε comes off the slack and costs regret.

    Notes
    -----
    Derived for this project. On i.i.d. rewards the work :math:`W = \sum Q_i/\mu_i` falls by the slack
    :math:`s = 1 - \varepsilon - \sum \lambda_i/\mu_i` in expectation while a queue is served, and is at
    most :math:`B = \sum (1/\mu_i + \lambda_i/\mu_i)` after a round in which none is (in units of
    ``reward_max``). So W − B is below a Lindley walk of drift −s: for ε = 0 and B at least N times the
    load, which the first N rounds may leave,

    .. math:: \frac1T \sum_{t \le T} E\, W_t \le B + \frac{\sigma^2}{2 s}, \qquad
              \sigma^2 = s^2 + \max_i \mathrm{Var}(r_i)/\mu_i^2,

    and without slack W grows like √T.

    Examples
    --------
    >>> import banditq as bq
    >>> problem = bq.instance("paper-5").problem
    >>> run = bq.simulate(bq.QueueFirst(), problem, rounds=50_000)
    >>> bool(run.queues().max() < 50)
    True
    """

    residual: Policy | Learner = DEFAULT
    epsilon: float = 0.0

    feedback = "bandit"

    def __post_init__(self) -> None:
        check_residual(self.residual)
        if real("epsilon", self.epsilon, low=0.0) > 1.0:
            raise InvalidInput(f"epsilon is {self.epsilon:g}; it must be between 0 and 1")

    @property
    def logs_propensities(self) -> bool:  # type: ignore[override]  # it depends on the options
        """Whether every arm has a known probability in every round."""
        return self.epsilon > 0.0 and odds_are_known(self.residual)

    def state(self, terms: Terms) -> "QueueFirstState":
        protected = np.flatnonzero(terms.targets > 0.0)
        targets = terms.targets[protected]
        slot = np.full(terms.n_arms, -1, np.int64)
        slot[protected] = np.arange(protected.size)
        lines = Lines(
            protected=protected,
            slot=slot,
            targets=targets,
            patience=terms.reward_max / targets,
            behind=np.zeros(protected.size),
            touched=np.zeros(protected.size, np.int64),
            clock=np.zeros(1, np.int64),
            epsilon=float(self.epsilon),
        )
        return QueueFirstState(open_residual(self.residual, terms), lines)


class Lines(NamedTuple):
    """The queues in rounds, Q/λ: ``behind[k]`` is that of ``protected[k]`` at round ``touched[k]``.

    Until its next reward it grows by one a round, so that to compare queues takes no division.
    """

    protected: npt.NDArray[np.int64]
    slot: npt.NDArray[np.int64]  # of an arm among the protected, or −1
    targets: Floats
    patience: Floats  # reward_max / λ: how far behind an arm must be to be served
    behind: Floats
    touched: npt.NDArray[np.int64]
    clock: npt.NDArray[np.int64]  # rounds opened
    epsilon: float


class QueueFirstState(NamedTuple):
    """The residual learner, whose state may be a Python object, beside the queues, which may not."""

    residual: Residual
    lines: Lines


@kernel
def _neediest(lines: Lines) -> int:
    """The arm whose turn it is while arms take turns or are owed a whole reward, or −1."""
    clock = lines.clock[0]
    if clock < lines.slot.size:
        return clock
    best, longest = -1, 0.0
    for k in range(lines.behind.size):
        behind = lines.behind[k] + (clock - lines.touched[k])
        if behind >= lines.patience[k] and behind > longest:
            best, longest = lines.protected[k], behind
    return best


@kernel
def _credit(lines: Lines, arm: int, reward: float) -> None:
    k = lines.slot[arm]
    if k >= 0:
        clock = lines.clock[0]
        behind = lines.behind[k] + (clock - lines.touched[k])
        lines.behind[k] = max(behind - reward / lines.targets[k], 0.0)
        lines.touched[k] = clock


@implements(choose, QueueFirstState)
def _(state: QueueFirstState, noise: Any) -> Decision:
    lines = state.lines
    n_arms, epsilon = lines.slot.size, lines.epsilon
    needy = _neediest(lines)
    arm = needy
    if uniform(noise, 0) < epsilon:
        arm = min(int(uniform(noise, 2) * n_arms), n_arms - 1)  # 1 is the residual learner's
    share = 1.0 - epsilon if needy < 0 else 0.0
    played = play(state.residual, arm, share, noise)
    floor = epsilon / n_arms
    if played.arm == needy:
        floor += 1.0 - epsilon
    lines.clock[0] += 1
    return mixed(played, floor, share, state.residual.known, lines.clock[0])


@implements(learn, QueueFirstState)
def _(state: QueueFirstState, decision: Decision, reward: float) -> None:
    _credit(state.lines, decision.arm, reward)
    learn(state.residual, decision, reward)


@implements(law, QueueFirstState)
def _(state: QueueFirstState, out: Floats) -> None:
    epsilon, needy = state.lines.epsilon, _neediest(state.lines)
    if needy < 0:
        law(state.residual.policy, out)
    else:
        all_on(needy, out)
    for arm in range(out.size):
        out[arm] = (1.0 - epsilon) * out[arm] + epsilon / out.size
