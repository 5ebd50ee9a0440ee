"""The full-information learner that the paper uses: online gradient ascent."""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np

from ..checks import real
from ..kernels.compiling import implements
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
        return OGAState(np.full(n_arms, 1.0 / n_arms), np.zeros(2), float(self.alpha))


class OGAState(NamedTuple):
    """The law, and ``memory``: S and the last threshold of the projection."""

    point: Floats
    memory: Floats
    alpha: float


@implements(uses_bound, OGAState)
def _(state: OGAState) -> bool:
    return False


@implements(law, OGAState)
def _(state: OGAState, bound: float, out: Floats) -> None:
    for i in range(out.size):
        out[i] = state.point[i]


@implements(learn, OGAState)
def _(state: OGAState, played: Floats, gains: Floats, bound: float) -> None:
    point, memory = state.point, state.memory
    memory[0] += dot(gains, gains)
    if memory[0] == 0.0:
        return
    step = state.alpha / sqrt(memory[0])
    for i in range(point.size):
        point[i] += step * gains[i]
    memory[1] = project_to_simplex(point, memory[1])
