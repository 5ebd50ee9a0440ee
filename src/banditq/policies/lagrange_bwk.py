"""LagrangeBwK: EXP3.P on a Lagrangian reward, against Hedge over the promises."""

from dataclasses import dataclass
from math import log, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import one_of, real, whole
from ..kernels.compiling import implements, kernel
from ..kernels.protocol import Decision, Floats, choose, law, learn, pick
from ..kernels.reductions import largest
from ..kernels.softmax import softmax
from .base import Policy, Terms
from .horizon import known_rounds

_REBASE = 64.0  # how far log weights may drift from 0 before they are shifted


@dataclass(frozen=True)
class LagrangeBwK(Policy):
    r"""A zero-sum game: one player picks arms, the other the promise that is worst kept.

    With rewards in units of ``reward_max``, m protected arms, :math:`\lambda_{\min}` the least promise,
    and :math:`r_t` the reward of the drawn arm :math:`I_t`, the constraints' slacks and their weights are

    .. math:: g_{t,k} = \lambda_{\min}\Bigl(\frac{r_t 1[I_t = k]}{\lambda_k} - 1\Bigr), \qquad
              \rho_{t,k} \propto \exp\Bigl(-\sqrt{\tfrac{\ln m}{T}} \sum_{s \le t} g_{s,k}\Bigr),

    the round's own slacks included, and the Lagrangian reward is

    .. math:: L_t = \frac{r_t + \eta \langle \rho_t, g_t \rangle}{1 + \eta \sum_k (1/\lambda_k - 1)}, \qquad
              \eta = \sqrt{T / \sqrt{N T \ln(N T)}},

    which can be negative. EXP3.P draws the arm from

    .. math:: x_i = (1 - \gamma)\, \frac{e^{w_i}}{\sum_j e^{w_j}} + \frac{\gamma}{N}, \qquad
              w_i \mathrel{+}= \frac{\gamma}{3N x_i} \Bigl( L_t 1[I_t = i] + \frac{a}{\sqrt{NT}} \Bigr),

    with :math:`\gamma = \min(3/5, 2\sqrt{3 N \ln N / 5T})` and :math:`a = 2\sqrt{\ln(N T^2)}`. It counts
    promises over the whole run and keeps no queue. Small promises make the divisor large and every step
    small: with :math:`\lambda = (.167, .067)` on five arms it still is near uniform after 10⁵ rounds.
    With a late reward the bonus is given at the decision and the rest when the reward comes.

    Parameters
    ----------
    eta
        η, the weight of the promises against a round's reward. What a promise weighs is η times its ρ.
    scale
        ``"published"``: :math:`L_t` as above. ``"unit"``:
        :math:`L_t = (r_t + \eta\langle\rho_t, g_t\rangle + \eta\lambda_{\min})/(1 + \eta)`, a shift and a
        divisor that put every :math:`L_t` into [0, 1], which is what EXP3.P was made for (ours).
    horizon
        T, which all the rates need. By default the number of rounds that ``simulate`` or ``start`` is told.

    References
    ----------
    Immorlica, Sankararaman, Schapire & Slivkins, "Adversarial bandits with knapsacks", JACM 2022 (the
    game); Auer, Cesa-Bianchi, Freund & Schapire, "The nonstochastic multiarmed bandit problem", SIAM
    Journal on Computing 2002, section 6 (EXP3.P, δ = 1/T); Baudry, Merlis, Molina, Richard & Perchet,
    "Multi-armed bandits with guaranteed revenue per arm", AISTATS 2024 (this adaptation). Their article
    could not be read; the equations are those of a public Python module with their experiments, which knows
    no arm without a promise: m in place of N in the rate of ρ, and sums over the protected arms alone, are
    ours. No bound of theirs for this form is known to us.

    Examples
    --------
    >>> import banditq as bq
    >>> agent = bq.LagrangeBwK().start(targets=[0.25, 0.0], rounds=1_000)
    >>> agent.law()
    array([0.5, 0.5])
    >>> agent.learn(agent.choose(), 1.0)
    >>> bool(agent.law().max() > 0.5)
    True
    """

    eta: float | None = None
    scale: Literal["published", "unit"] = "published"
    horizon: int | None = None

    feedback = "bandit"

    def __post_init__(self) -> None:
        if self.eta is not None:
            real("eta", self.eta, low=0.0)
        one_of("scale", self.scale, ("published", "unit"))
        if self.horizon is not None:
            object.__setattr__(self, "horizon", whole("horizon", self.horizon, low=1))

    def state(self, terms: Terms) -> "LagrangeBwKState":
        rounds = self.horizon or known_rounds(terms, "the rate of every step", "horizon=...")
        n_arms, targets = terms.n_arms, terms.targets / terms.reward_max
        protected = np.flatnonzero(targets > 0.0)
        slot = np.full(n_arms, -1, np.int64)
        slot[protected] = np.arange(protected.size)
        floor = float(targets[protected].min()) if protected.size else 0.0
        return LagrangeBwKState(
            scores=np.zeros(n_arms),
            law=np.zeros(n_arms),
            slot=slot,
            relief=floor / targets[protected],
            pressures=np.zeros(protected.size),
            weights=np.zeros(protected.size),
            clock=np.zeros(1, np.int64),
            rates=self._rates(n_arms, rounds, targets[protected]),
            floor=floor,
            reward_max=float(terms.reward_max),
        )

    def _rates(self, n_arms: int, rounds: int, promised: Floats) -> "Rates":
        cells, eta = n_arms * rounds, self.eta
        if eta is None:
            eta = sqrt(rounds / sqrt(max(cells * log(cells), 1.0)))  # one arm, one round: no logarithm
        shift, width = 0.0, 1.0 + eta * float(np.sum(1.0 / promised - 1.0))
        if self.scale == "unit" and promised.size:
            shift, width = eta * float(promised.min()), 1.0 + eta
        gamma = min(0.6, 2.0 * sqrt(0.6 * n_arms * log(n_arms) / rounds))
        step = gamma / (3 * n_arms)
        return Rates(
            eta=float(eta),
            shift=shift,
            width=width,
            gamma=gamma,
            step=step,
            bonus=step * 2.0 * sqrt(log(n_arms * float(rounds) ** 2) / cells),
            dual=sqrt(log(max(promised.size, 1)) / rounds),
        )


class Rates(NamedTuple):
    """The constants of a run."""

    eta: float
    shift: float  # what is added to a Lagrangian reward, and what it is then divided by
    width: float
    gamma: float
    step: float  # γ/3N
    bonus: float  # step · a/√(NT)
    dual: float  # √(ln m/T)


class LagrangeBwKState(NamedTuple):
    """``scores`` and ``pressures`` are log weights less a common shift: of arms, and of promises.

    ``slot`` maps an arm to its promise, or to −1; ``relief`` is λ_min/λ; ``law`` and ``weights`` are work
    space.
    """

    scores: Floats
    law: Floats
    slot: npt.NDArray[np.int64]
    relief: Floats
    pressures: Floats
    weights: Floats
    clock: npt.NDArray[np.int64]  # rounds opened
    rates: Rates
    floor: float  # λ_min
    reward_max: float


@kernel
def _centred(scores: Floats) -> float:
    """Shift scores that have drifted far from 0; returns their maximum."""
    top = largest(scores)
    if abs(top) > _REBASE:
        for i in range(scores.size):
            scores[i] -= top
        top = 0.0
    return top


@kernel
def _pressed(state: LagrangeBwKState, arm: int, reward: float) -> float:
    """Tell Hedge the slacks of a round; returns ⟨ρ, g⟩.

    All slacks have −λ_min in common, which no weight feels: only the drawn arm's promise is relieved.
    """
    k = state.slot[arm]
    if k < 0 or reward == 0.0:
        return -state.floor
    relief = state.relief[k] * reward
    state.pressures[k] -= state.rates.dual * relief
    softmax(state.pressures, _centred(state.pressures), 1.0, state.weights)
    return state.weights[k] * relief - state.floor


@implements(law, LagrangeBwKState)
def _(state: LagrangeBwKState, out: Floats) -> None:
    gamma = state.rates.gamma
    softmax(state.scores, largest(state.scores), 1.0, out)
    for arm in range(out.size):
        out[arm] = (1.0 - gamma) * out[arm] + gamma / out.size


@implements(choose, LagrangeBwKState)
def _(state: LagrangeBwKState, noise: Any) -> Decision:
    odds, scores = state.law, state.scores
    law(state, odds)
    arm = pick(odds, noise)
    for i in range(odds.size):
        scores[i] += state.rates.bonus / odds[i]
    _centred(scores)
    state.clock[0] += 1
    return Decision(arm, odds[arm], 0.0, state.reward_max, state.clock[0])


@implements(learn, LagrangeBwKState)
def _(state: LagrangeBwKState, decision: Decision, reward: float) -> None:
    rates, paid = state.rates, reward / state.reward_max
    lagrangian = (paid + rates.eta * _pressed(state, decision.arm, paid) + rates.shift) / rates.width
    state.scores[decision.arm] += rates.step * lagrangian / decision.probability
