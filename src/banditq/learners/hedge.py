"""Exponential weights that are told the range of each round beforehand."""

from dataclasses import dataclass
from math import log, sqrt
from typing import NamedTuple

import numpy as np

from ..kernels.compiling import implements
from ..kernels.protocol import Floats, law, learn
from ..kernels.softmax import add_gains, softmax
from .base import Learner


@dataclass(frozen=True)
class Hedge(Learner):
    r"""Exponential weights for gains that lie between 0 and a bound known before each round.

    .. math:: w_i \propto \exp\Bigl(\eta_t \sum_{s<t} g_{s,i}\Bigr), \qquad
              \eta_t = 2\sqrt{\ln N \big/ \textstyle\sum_{s \le t} B_s^2},

    and uniform while every bound is 0. On any gains at all its regret is at most
    :math:`\sqrt{\ln N \sum_t B_t^2}`.

    References
    ----------
    Freund & Schapire, "A decision-theoretic generalization of on-line learning and an application to
    boosting", JCSS 1997; Cesa-Bianchi & Lugosi, "Prediction, learning, and games", 2006, section 2.3.

    Examples
    --------
    Two bounds of √(2 ln 2) on two arms make η = 1, so that a lead of ln 3 gives odds of three to one.

    >>> import banditq as bq
    >>> state, w, bound = bq.Hedge().state(2), np.zeros(2), sqrt(2 * log(2))
    >>> bq.law(state, bound, w)
    >>> bq.learn(state, w, np.array([log(3), 0.0]), bound)
    >>> bq.law(state, bound, w)
    >>> w
    array([0.75, 0.25])
    """

    feedback = "full"

    def state(self, n_arms: int) -> "HedgeState":
        return HedgeState(np.zeros(n_arms), np.zeros(2))


class HedgeState(NamedTuple):
    """``scores`` are cumulative gains less a common shift; ``memory``: their maximum, and Σ B²."""

    scores: Floats
    memory: Floats


_TOP, _SQUARES = 0, 1


@implements(law, HedgeState)
def _(state: HedgeState, bound: float, out: Floats) -> None:
    squares = state.memory[_SQUARES] + bound * bound
    rate = 2.0 * sqrt(log(out.size) / squares) if squares > 0.0 else 0.0
    softmax(state.scores, state.memory[_TOP], rate, out)


@implements(learn, HedgeState)
def _(state: HedgeState, played: Floats, gains: Floats, bound: float) -> None:
    state.memory[_SQUARES] += bound * bound
    state.memory[_TOP] = add_gains(state.scores, state.memory[_TOP], gains)
