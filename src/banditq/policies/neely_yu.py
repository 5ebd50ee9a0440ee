"""Neely and Yu's policy: a projected gradient step along (V + queue) × reward, and a virtual queue."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import real
from ..kernels.compiling import implements
from ..kernels.protocol import Allocation, Floats, allocate, law, learn
from ..kernels.simplex import simplex_threshold
from .base import Policy, Terms
from .horizon import known_rounds, reward_weight

_INSTEAD = "v=... and alpha=..."


@dataclass(frozen=True)
class NeelyYu(Policy):
    r"""Online convex optimisation with constraints that vary and count in the long run.

    .. math:: x_{t+1} = \Pi_\Delta\Bigl(x_t + \frac{(V + Q_t) \circ r_t}{2\alpha}\Bigr), \qquad
              Q_{t+1} = \bigl(Q_t + \lambda - r_t \circ x_{t+1}\bigr)^+,

    from the uniform :math:`x_1` and :math:`Q_1 = 0`, where :math:`Q_t` is the queue before round t. It is
    their algorithm for the losses :math:`-\langle r_t, x \rangle` and the constraints
    :math:`\lambda_i - r_{t,i} x_i \le 0`, which are linear: their linearised constraint at the new point
    is the constraint itself. The queue is therefore virtual: what it counts as paid is what the *next*
    point would have paid, and not the :math:`r_t \circ x_t` that was. When rewards are late the queue
    grows with each decision, and a step takes the queue that stood before its round.

    With rewards in units of ``reward_max`` and for every mix z that keeps the promises in each round,
    :math:`r_{t,i} z_i \ge \lambda_i` on the protected arms,

    .. math:: \sum_{t \le T} \langle r_t, z - x_t \rangle \le
              \frac{T |P|}{2V} + \frac{2\alpha}{V} + \frac{V}{4\alpha} \sum_t \lVert r_t \rVert^2, \qquad
              \lVert Q_{T+1} \rVert^2 \le 2T \Bigl(V + \frac{|P|}{2}\Bigr) + 4\alpha,

    on every path, so √T and T^¾ by default; for independent rewards the first holds in expectation against
    the benchmark. (Constants of ours, by their method.)

    Parameters
    ----------
    v
        V, the weight of reward against debt, in units of reward. By default √rounds, in units of
        ``reward_max``.
    alpha
        α, how strongly the next point is held to the last one, in squared units of reward. By default
        rounds, in squared units of ``reward_max``.

    References
    ----------
    Neely & Yu, "Online convex optimization with time-varying constraints", arXiv:1702.04783, 2017, with
    V = √T and α = T. Only its abstract could be read again; the update of the queue was checked against two
    public implementations of Yu, Neely & Wei, "Online convex optimization with stochastic constraints",
    NeurIPS 2017, the same algorithm.

    Examples
    --------
    A step of V/2α = ¼ along the reward of arm 1, from (½, ½) to (½, ¾), and its projection:

    >>> import banditq as bq
    >>> agent = bq.NeelyYu(v=1.0, alpha=2.0).start(targets=[0.0, 0.0])
    >>> agent.learn(agent.choose(), [0.0, 1.0])
    >>> agent.law()
    array([0.375, 0.625])
    """

    v: float | None = None
    alpha: float | None = None

    feedback = "full"

    def __post_init__(self) -> None:
        if self.v is not None:
            real("v", self.v, low=0.0)
        if self.alpha is not None:
            real("alpha", self.alpha, above=0.0)

    def state(self, terms: Terms) -> "NeelyYuState":
        if self.alpha is None:
            alpha = float(known_rounds(terms, "alpha = rounds", _INSTEAD))
        else:
            alpha = self.alpha / terms.reward_max**2
        n_arms = terms.n_arms
        return NeelyYuState(
            ahead=np.full(n_arms, 1.0 / n_arms),
            threshold=np.zeros(1),
            queue=np.zeros(n_arms),
            targets=terms.targets / terms.reward_max,
            clock=np.zeros(1, np.int64),
            weight=reward_weight(self.v, terms, _INSTEAD),
            step=0.5 / alpha,
            reward_max=float(terms.reward_max),
        )


class NeelyYuState(NamedTuple):
    """Queue and targets in units of ``reward_max``; the law is (ahead − threshold)⁺, never stored."""

    ahead: Floats
    threshold: Floats
    queue: Floats
    targets: Floats
    clock: npt.NDArray[np.int64]  # rounds opened
    weight: float  # V
    step: float  # 1/(2α)
    reward_max: float


@implements(allocate, NeelyYuState)
def _(state: NeelyYuState, out: Floats, queue: Floats) -> tuple[float, int]:
    law(state, out)
    for arm in range(out.size):
        queue[arm] = state.queue[arm]
        state.queue[arm] += state.targets[arm]
    state.clock[0] += 1
    return np.inf, state.clock[0]


@implements(learn, NeelyYuState)
def _(state: NeelyYuState, allocation: Allocation, rewards: Floats) -> None:
    ahead, queue, before = state.ahead, state.queue, state.threshold[0]
    for arm in range(ahead.size):
        gain = (state.weight + allocation.queue[arm]) * (rewards[arm] / state.reward_max)
        ahead[arm] = max(ahead[arm] - before, 0.0) + state.step * gain
    threshold = simplex_threshold(ahead, before)
    state.threshold[0] = threshold
    for arm in range(ahead.size):
        service = (rewards[arm] / state.reward_max) * max(ahead[arm] - threshold, 0.0)
        queue[arm] = max(queue[arm] - service, 0.0)


@implements(law, NeelyYuState)
def _(state: NeelyYuState, out: Floats) -> None:
    threshold = state.threshold[0]
    for arm in range(out.size):
        out[arm] = max(state.ahead[arm] - threshold, 0.0)
