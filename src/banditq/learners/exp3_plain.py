"""Exp3 where a round looks at every arm: the faster form for a few arms."""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..kernels.compiling import implements, kernel
from ..kernels.protocol import Floats, draw, law, learn, pick
from ..kernels.reductions import smallest
from ..kernels.softmax import softmax

REBASE = 64.0  # how far the losses may drift from 0, in units of 1/η, before they are shifted


class Exp3State(NamedTuple):
    """``losses`` are L̂ less a common shift; ``memory`` holds their minimum and ΣB²; ``law`` is work space.

    ``implicit`` is the weight of ηB in the divisor.
    """

    losses: Floats
    memory: Floats
    law: Floats
    implicit: float


_LOW, _SQUARES = 0, 1


def plain_state(n_arms: int, implicit: float) -> Exp3State:
    """Before the first round."""
    return Exp3State(np.zeros(n_arms), np.zeros(2), np.empty(n_arms), implicit)


@kernel
def rate_of(n_arms: int, squares: float) -> float:
    """η, from ΣB²."""
    return sqrt(2.0 * log(n_arms) / (n_arms * squares)) if squares > 0.0 else 0.0


@implements(law, Exp3State)
def _(state: Exp3State, bound: float, out: Floats) -> None:
    eta = rate_of(out.size, state.memory[_SQUARES] + bound * bound)
    softmax(state.losses, state.memory[_LOW], -eta, out)


@implements(draw, Exp3State)
def _(state: Exp3State, bound: float, noise: Any) -> tuple[int, float]:
    law(state, bound, state.law)
    arm = pick(state.law, noise)
    return arm, state.law[arm]


@implements(learn, Exp3State)
def _(state: Exp3State, arm: int, probability: float, gain: float, bound: float) -> None:
    losses, memory = state.losses, state.memory
    memory[_SQUARES] += bound * bound
    if bound * bound == 0.0:
        return
    eta = rate_of(losses.size, memory[_SQUARES])
    before, low = losses[arm], memory[_LOW]
    losses[arm] += (bound - gain) / (probability + state.implicit * eta * bound)
    low = smallest(losses) if before == low else min(low, losses[arm])
    if eta * abs(low) > REBASE:  # keep losses − low free of cancellation
        for i in range(losses.size):
            losses[i] -= low
        low = 0.0
    memory[_LOW] = low
