"""Exp3 for many arms: the same law at a cost that does not grow with their number.

A round moves one arm's loss, and η a little. Weights e^(−u) with u = rate (L̂ − base) are kept at a rate
below η, which falls towards it, and so are the moments that give Z, the sum of the true weights e^(−u(1+s))
for η = rate (1 + s); see :mod:`banditq.kernels.tilts`. An arm is proposed by its weight and accepted with
probability e^(−su), so that no bound on u is needed. Where this would not be exact a new point, of rate and
base, is set first, at the cost of two plain rounds; a million rounds take a hundred or two.

Errors, with LEAST ≤ Z: the series is off by less than 1e-16 N of Z. An arm whose weight counts as 0 has a
probability below e^(−FAR)/LEAST < 1e-302, and is not drawn. An update rounds Σ sᵏ P_k by one unit in the
last place at most, and that sum is at most P_0 (N/P_0)^(1/16) by the inequality of power means; ``drift``
adds up P_0, so that all updates together stay below 1e-10 of Z up to a million arms. By the same inequality
Σ e^(−u) ≤ Z (N/Z)^(1/17): a draw takes three proposals on average at the very worst.
"""

from math import exp
from typing import Any, NamedTuple

import numpy as np

from ..kernels.blocks import Blocks, add_up, find_weight, no_weights, put_weight, total_weight
from ..kernels.compiling import implements, inlined, kernel
from ..kernels.noise import uniform
from ..kernels.protocol import Floats, draw, law, learn
from ..kernels.reductions import smallest
from ..kernels.softmax import softmax
from ..kernels.tilts import (
    FAR,
    ORDER,
    REACH,
    WORK,
    collect_tilts,
    move_tilts,
    tilted_sum,
    weight_of,
)
from .exp3_plain import REBASE, rate_of

LEAST = 1.0 / 64.0  # of Z; at a new point it is at least 1, the leader's weight
WEAR = 2.0**17  # of drift / Z
_ABOVE = 0.9 * REACH  # where η starts; above it is room for bounds that fall


class Exp3TiltedState(NamedTuple):
    """``losses`` are L̂ less a common shift; ``memory`` holds ΣB²; ``point`` its rate, base and the drift.

    A rate of −1 calls for a new point. ``implicit`` is the weight of ηB in the divisor.
    """

    losses: Floats
    memory: Floats
    point: Floats
    weights: Blocks
    moments: Floats
    work: Floats
    implicit: float


_SQUARES = 0
RATE, BASE, DRIFT = 0, 1, 2


def tilted_state(n_arms: int, implicit: float) -> Exp3TiltedState:
    """Before the first round."""
    arrays = np.zeros(n_arms), np.zeros(1), np.array([-1.0, 0.0, 0.0])
    return Exp3TiltedState(*arrays, no_weights(n_arms), np.zeros(ORDER), np.zeros(WORK), implicit)


@kernel
def _set_point(
    losses: Floats, point: Floats, weights: Blocks, moments: Floats, work: Floats, eta: float
) -> None:
    """Compute all weights and sums, for rates from η on downwards."""
    base, rate = smallest(losses), eta / (1.0 + _ABOVE)
    if eta * abs(base) > REBASE:  # keep losses − base free of cancellation
        for i in range(losses.size):
            losses[i] -= base
        base = 0.0
    for i in range(losses.size):
        weights.weights[i] = weight_of(rate * (losses[i] - base))
    add_up(weights)
    collect_tilts(losses, base, rate, weights.weights, work, moments)
    point[RATE], point[BASE], point[DRIFT] = rate, base, 0.0


@inlined
def _tilt(point: Floats, eta: float) -> float:
    """The s for which η = rate (1 + s); without losses so far any rate will do."""
    return (eta - point[RATE]) / point[RATE] if point[RATE] > 0.0 else 0.0


@inlined
def _mass(point: Floats, moments: Floats, eta: float) -> float:
    """Σ e^(−u(1+s)), or 0 where the point does not give it exactly."""
    if not 0.0 <= eta - point[RATE] <= REACH * point[RATE]:
        return 0.0
    mass = tilted_sum(moments, _tilt(point, eta))
    return mass if mass >= LEAST and point[DRIFT] <= WEAR * mass else 0.0


@implements(law, Exp3TiltedState)
def _(state: Exp3TiltedState, bound: float, out: Floats) -> None:
    eta = rate_of(out.size, state.memory[_SQUARES] + bound * bound)
    softmax(state.losses, smallest(state.losses), -eta, out)


@implements(draw, Exp3TiltedState)
def _(state: Exp3TiltedState, bound: float, noise: Any) -> tuple[int, float]:
    losses, point, weights = state.losses, state.point, state.weights
    eta = rate_of(losses.size, state.memory[_SQUARES] + bound * bound)
    mass = _mass(point, state.moments, eta)
    if mass == 0.0:
        _set_point(losses, point, weights, state.moments, state.work, eta)
        mass = tilted_sum(state.moments, _tilt(point, eta))
    proposed, excess, used = total_weight(weights), eta - point[RATE], 0
    while True:
        arm = find_weight(weights, uniform(noise, used) * proposed)
        accepted = exp(-excess * (losses[arm] - point[BASE]))
        if not uniform(noise, used + 1) >= accepted:  # a bound that is no number ends here, too
            return arm, weights.weights[arm] * accepted / mass
        used += 2


@implements(learn, Exp3TiltedState)
def _(state: Exp3TiltedState, arm: int, probability: float, gain: float, bound: float) -> None:
    losses, memory, point, moments = state.losses, state.memory, state.point, state.moments
    memory[_SQUARES] += bound * bound
    if bound * bound == 0.0:
        return
    eta, rate, base = rate_of(losses.size, memory[_SQUARES]), point[RATE], point[BASE]
    before = losses[arm]
    losses[arm] += (bound - gain) / (probability + state.implicit * eta * bound)
    old, new = min(rate * (before - base), FAR), min(rate * (losses[arm] - base), FAR)
    if rate < 0.0 or new < 0.0:
        point[RATE] = -1.0
        return
    weight = weight_of(new)
    point[DRIFT] += moments[0] + weight
    move_tilts(moments, old, state.weights.weights[arm], new, weight)
    put_weight(state.weights, arm, weight)
