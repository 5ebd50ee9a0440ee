"""Exponential weights that need no range, scale-free by the norms seen so far."""

from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

import numpy as np

from ..kernels.compiling import implements
from ..kernels.protocol import Floats, law, learn, uses_bound
from ..kernels.reductions import largest, smallest
from ..kernels.softmax import add_gains, softmax
from .base import Learner


@dataclass(frozen=True)
class SoloFTRL(Learner):
    r"""Follow the regularised leader with an entropy that grows with the norms; any real gains.

    .. math:: w_i \propto \exp\Bigl(\sqrt{\ln N}\,\sum_{s<t} g_{s,i} \Big/
              \sqrt{\textstyle\sum_{s<t} \lVert g_s \rVert_\infty^2}\Bigr),

    and uniform while every gain is 0. Multiplying all gains by a constant changes nothing.

    References
    ----------
    Orabona & Pál, "Scale-free online learning", Theoretical Computer Science 2018, SOLO FTRL with the
    negative entropy over :math:`\sqrt{\ln N}` as its regulariser.

    Examples
    --------
    After one gain on one of two arms the odds are exp(√ln 2), whatever its size.

    >>> import banditq as bq
    >>> for gain in (1e-30, 1.0, 1e30):
    ...     state, w = bq.SoloFTRL().state(2), np.full(2, 0.5)
    ...     bq.learn(state, w, np.array([gain, 0.0]), np.inf)
    ...     bq.law(state, np.inf, w)
    ...     print(bool(np.isclose(w[0] / w[1], np.exp(sqrt(log(2))))))
    True
    True
    True
    """

    feedback = "full"

    def state(self, n_arms: int) -> "SoloFTRLState":
        return SoloFTRLState(np.zeros(n_arms), np.zeros(2))


class SoloFTRLState(NamedTuple):
    """``scores`` are cumulative gains less a common shift; ``memory``: their maximum, and Σ ‖g‖∞²."""

    scores: Floats
    memory: Floats


_TOP, _SQUARES = 0, 1


@implements(uses_bound, SoloFTRLState)
def _(state: SoloFTRLState) -> bool:
    return False


@implements(law, SoloFTRLState)
def _(state: SoloFTRLState, bound: float, out: Floats) -> None:
    squares = state.memory[_SQUARES]
    rate = sqrt(log(out.size) / squares) if squares > 0.0 else 0.0
    softmax(state.scores, state.memory[_TOP], rate, out)


@implements(learn, SoloFTRLState)
def _(state: SoloFTRLState, played: Floats, gains: Floats, bound: float) -> None:
    size = max(largest(gains), -smallest(gains))
    state.memory[_SQUARES] += size * size
    state.memory[_TOP] = add_gains(state.scores, state.memory[_TOP], gains)
