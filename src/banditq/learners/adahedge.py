"""Exponential weights whose rate follows from what they have lost by mixing."""

from dataclasses import dataclass
from math import expm1, log, log1p
from typing import NamedTuple

import numpy as np

from ..kernels.compiling import implements, kernel
from ..kernels.lanes import WIDTH, gather, load, spread
from ..kernels.protocol import Floats, law, learn, uses_bound
from ..kernels.reductions import largest
from ..kernels.softmax import add_gains, softmax
from .base import Learner

# A smaller Δ counts as none: it keeps ln N / Δ, and its product with any gain, within range.
_NEGLIGIBLE = 1e-280


@dataclass(frozen=True)
class AdaHedge(Learner):
    r"""Exponential weights at the rate :math:`\eta = \ln N / \Delta`; any real gains.

    Δ is the cumulative mixability gap, with G the cumulative gains of the rounds before:

    .. math:: w_i \propto e^{\eta G_i}, \qquad
              \Delta \mathrel{+}= \bigl(\tfrac1\eta \ln \langle w, e^{\eta g}\rangle
              - \langle w, g\rangle\bigr)^+,

    and uniform over the leaders while Δ = 0. Adding a constant to all gains of a round changes nothing,
    and neither does multiplying all gains by one. The regret is at most 2Δ.

    The gains of a law that was played before the last ones were learnt count as
    :math:`\langle \text{played}, g\rangle`, so that Δ also covers what the delay costs.

    References
    ----------
    de Rooij, van Erven, Grünwald & Koolen, "Follow the leader if you can, hedge if you must",
    JMLR 2014, section 2.

    Examples
    --------
    If one of two arms leads by c after a round, Δ = c/2, since half of c was lost by not following it;
    hence η c = 2 ln 2, and the odds are four to one, whatever the unit and the origin of the gains.

    >>> import banditq as bq
    >>> for gains in ([1.0, 0.0], [-40.0, -70.0]):
    ...     state, w = bq.AdaHedge().state(2), np.zeros(2)
    ...     bq.law(state, np.inf, w)
    ...     bq.learn(state, w, np.array(gains), np.inf)
    ...     bq.law(state, np.inf, w)
    ...     print(w)
    [0.8 0.2]
    [0.8 0.2]
    """

    feedback = "full"

    def state(self, n_arms: int) -> "AdaHedgeState":
        memory = np.array([0.0, 0.0, log(n_arms)])
        return AdaHedgeState(np.zeros(n_arms), np.full(n_arms, 1.0 / n_arms), memory)


class AdaHedgeState(NamedTuple):
    """``scores`` are cumulative gains less a common shift; ``point`` is the current law.

    ``memory`` holds max scores, Δ, and ln Σ exp(η (scores − max)) at the current η.
    """

    scores: Floats
    point: Floats
    memory: Floats


_TOP, _GAP, _LOG_MASS = 0, 1, 2


@kernel
def _rate(gap: float, n_arms: int) -> float:
    return log(n_arms) / gap if gap > _NEGLIGIBLE else np.inf


@kernel
def _average(weights: Floats, gains: Floats, origin: float) -> float:
    """Σ w (g − origin)."""
    rows = gains.size - gains.size % WIDTH
    sums = spread(0.0)
    for i in range(0, rows, WIDTH):
        sums += load(weights, i) * (load(gains, i) - origin)
    result = gather(sums)
    for i in range(rows, gains.size):
        result += weights[i] * (gains[i] - origin)
    return result


@kernel
def curvature(z: float) -> float:
    """e^z − 1 − z, without cancellation."""
    if abs(z) > 0.0625:
        return expm1(z) - z
    tail = 1.0 + z / 6.0 * (1.0 + z / 7.0 * (1.0 + z / 8.0 * (1.0 + z / 9.0 * (1.0 + z / 10.0))))
    return z * z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0 * (1.0 + z / 5.0 * tail)))


@kernel
def _average_curvature(weights: Floats, gains: Floats, origin: float, mean: float, rate: float) -> float:
    """Σ w (e^z − 1 − z), where z = rate · (g − origin − mean) has mean 0."""
    result = 0.0
    for i in range(gains.size):
        result += weights[i] * curvature(rate * ((gains[i] - origin) - mean))
    return result


@kernel
def _lead(scores: Floats, top: float, out: Floats) -> float:
    """The uniform law over the leaders; returns their number."""
    leaders = 0.0
    for i in range(scores.size):
        leaders += 1.0 if scores[i] == top else 0.0
    for i in range(scores.size):
        out[i] = 1.0 / leaders if scores[i] == top else 0.0
    return leaders


@kernel
def _follow(scores: Floats, top: float, rate: float, out: Floats) -> float:
    """Write the law at a rate; returns Σ exp(rate · (scores − top))."""
    return _lead(scores, top, out) if rate == np.inf else softmax(scores, top, rate, out)


@implements(uses_bound, AdaHedgeState)
def _(state: AdaHedgeState) -> bool:
    return False


@implements(law, AdaHedgeState)
def _(state: AdaHedgeState, bound: float, out: Floats) -> None:
    for i in range(out.size):
        out[i] = state.point[i]


@implements(learn, AdaHedgeState)
def _(state: AdaHedgeState, played: Floats, gains: Floats, bound: float) -> None:
    scores, point, memory = state.scores, state.point, state.memory
    rate = _rate(memory[_GAP], scores.size)
    origin = largest(gains)  # all gains of the round are counted from the best one
    paid = _average(played, gains, origin)
    mean = _average(point, gains, origin)
    top = add_gains(scores, memory[_TOP], gains)
    if rate == np.inf:
        mixed = top
    elif -rate * mean <= 1.0:
        mixed = mean + log1p(_average_curvature(point, gains, origin, mean, rate)) / rate
    else:  # weights too small to be numbers may matter, but nothing cancels
        mixed = top + (log(softmax(scores, top, rate, point)) - memory[_LOG_MASS]) / rate
    memory[_GAP] += max(mixed - paid, 0.0)
    memory[_TOP] = top
    rate = _rate(memory[_GAP], scores.size)
    memory[_LOG_MASS] = log(_follow(scores, top, rate, point))
