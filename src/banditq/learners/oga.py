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
from ..kernels.simplex import project_to_simplex
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
    """

    alpha: float = 1.0

    feedback = "full"

    def __post_init__(self) -> None:
        real("alpha", self.alpha, above=0.0)

    def state(self, n_arms: int) -> "OGAState":
        return OGAState(np.full(n_arms, 1.0 / n_arms), np.zeros(1), float(self.alpha))


class OGAState(NamedTuple):
    """The law, and S in an array."""

    point: Floats
    squares: Floats
    alpha: float


@implements(uses_bound, OGAState)
def _(state: OGAState) -> bool:
    return False


@implements(law, OGAState)
def _(state: OGAState, bound: float, out: Floats) -> None:
    for i in range(out.size):
        out[i] = state.point[i]


@kernel
def _ascend(point: Floats, gains: Floats, step: float) -> float:
    """Move along the gains; returns the threshold that projects back if the support stays."""
    rows = point.size - point.size % WIDTH
    sums, counts = spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        inside = positive(load(point, i))
        sums += inside * load(gains, i)
        counts += inside
    gained, count = gather(sums), gather(counts)
    for i in range(rows, point.size):
        inside = 1.0 if point[i] > 0.0 else 0.0
        gained += inside * gains[i]
        count += inside
    for i in range(point.size):
        point[i] += step * gains[i]
    return step * (gained / count)


@implements(learn, OGAState)
def _(state: OGAState, played: Floats, gains: Floats, bound: float) -> None:
    state.squares[0] += dot(gains, gains)
    if state.squares[0] > 0.0 and state.point.size > 1:
        guess = _ascend(state.point, gains, state.alpha / sqrt(state.squares[0]))
        project_to_simplex(state.point, guess)
