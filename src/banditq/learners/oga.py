"""The full-information learner that the paper uses: online gradient ascent."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..checks import real
from ..kernels.compiling import implements, kernel
from ..kernels.lanes import WIDTH, gather, load, positive, spread
from ..kernels.protocol import Floats, law, learn, uses_bound
from ..kernels.reductions import dot
from ..kernels.simplex import simplex_threshold
from .base import Learner


@dataclass(frozen=True)
class OGA(Learner):
    r"""Online gradient ascent on the simplex with scale-free steps.

    .. math:: S_t = S_{t-1} + \lVert g_t \rVert^2, \qquad
              x_{t+1} = \Pi_\Delta\bigl(x_t + \alpha\, g_t / \sqrt{S_t}\bigr).

    Parameters
    ----------
    alpha
        1 is the step :math:`D/\sqrt{2S}` of the theorem, since the simplex has diameter
        :math:`D = \sqrt 2`; the author's code takes :math:`1/\sqrt 2`.

    References
    ----------
    Orabona, "A modern introduction to online learning", Theorem 4.14; Sinha 2024, Algorithm 1.

    Examples
    --------
    Gains of (3, 4) have norm 5, in any unit: the step takes (½, ½) to (1.1, 1.3), which is 0.7 an arm
    too much.

    >>> import banditq as bq
    >>> for unit in (1.0, 1e-9):
    ...     state, x = bq.OGA().state(2), np.zeros(2)
    ...     bq.law(state, np.inf, x)
    ...     bq.learn(state, x, unit * np.array([3.0, 4.0]), np.inf)
    ...     bq.law(state, np.inf, x)
    ...     print(x)
    [0.4 0.6]
    [0.4 0.6]
    """

    alpha: float = 1.0

    feedback = "full"

    def __post_init__(self) -> None:
        real("alpha", self.alpha, above=0.0)

    def state(self, n_arms: int) -> "OGAState":
        return OGAState(np.full(n_arms, 1.0 / n_arms), np.zeros(2), float(self.alpha))


class OGAState(NamedTuple):
    """``ahead`` is the point before its projection; ``memory`` holds the threshold τ, and S.

    The law is (ahead − τ)⁺, never stored: it is the same to compute it where it is read.
    """

    ahead: Floats
    memory: Floats
    alpha: float


_THRESHOLD, _SQUARES = 0, 1


@implements(uses_bound, OGAState)
def _(state: OGAState) -> bool:
    return False


@implements(law, OGAState)
def _(state: OGAState, bound: float, out: Floats) -> None:
    threshold = state.memory[_THRESHOLD]
    for i in range(out.size):
        out[i] = max(state.ahead[i] - threshold, 0.0)


@kernel
def _ascend(ahead: Floats, threshold: float, gains: Floats, step: float) -> float:
    """Project and move along the gains; returns the next threshold if the support stays."""
    rows = ahead.size - ahead.size % WIDTH
    sums, counts = spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        inside = positive(load(ahead, i) - threshold)
        sums += inside * load(gains, i)
        counts += inside
    gained, count = gather(sums), gather(counts)
    for i in range(rows, ahead.size):
        inside = 1.0 if ahead[i] > threshold else 0.0
        gained += inside * gains[i]
        count += inside
    for i in range(ahead.size):
        ahead[i] = max(ahead[i] - threshold, 0.0) + step * gains[i]
    return step * (gained / count)


@implements(learn, OGAState)
def _(state: OGAState, played: Floats, gains: Floats, bound: float) -> None:
    ahead, memory = state.ahead, state.memory
    memory[_SQUARES] += dot(gains, gains)
    if memory[_SQUARES] > 0.0 and ahead.size > 1:
        guess = _ascend(ahead, memory[_THRESHOLD], gains, state.alpha / sqrt(memory[_SQUARES]))
        memory[_THRESHOLD] = simplex_threshold(ahead, guess)
