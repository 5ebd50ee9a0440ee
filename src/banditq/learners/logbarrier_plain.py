"""LogBarrier where a round looks at every arm: the faster form for a few arms, and the other's resort."""

from typing import Any, NamedTuple

import numpy as np

from ..kernels.compiling import implements, kernel
from ..kernels.lanes import WIDTH, gather, load, spread
from ..kernels.noise import uniform
from ..kernels.protocol import Floats, draw, law, learn, uses_bound
from ..kernels.reductions import largest
from .logbarrier_poles import (
    EPSILON,
    REBASE,
    ROUNDS,
    SECOND,
    SMALL,
    THIRD,
    TOLERANCE,
    TOP,
    TOTAL,
    Sums,
    barrier_law,
    excess,
    excess_series,
    exploration,
    long_excess_sum,
    moved_sums,
    newton_step,
    pole_sums,
    small_excess_sum,
)

_BLOCK = 8 * WIDTH  # arms skipped at a time while looking for the one that was drawn


class LogBarrierState(NamedTuple):
    """``scores`` are R̃ less a common shift; ``memory`` holds ε, S, rounds learnt, top and the two sums."""

    scores: Floats
    memory: Floats


def plain_state(n_arms: int) -> LogBarrierState:
    """Before the first round."""
    return LogBarrierState(np.zeros(n_arms), np.array([1.0, 1.0, 0.0, 0.0, n_arms, n_arms]))


@kernel
def _block_pole_sum(scores: Floats, top: float, epsilon: float, start: int) -> float:
    """Σ 1/gap over a block of arms."""
    poles = spread(0.0)
    for i in range(start, start + _BLOCK, WIDTH):
        poles += 1.0 / (epsilon + (top - load(scores, i)))
    return gather(poles)


@kernel
def _barrier_root(scores: Floats, top: float, floor: float, start: float, sums: Sums) -> tuple[float, Sums]:
    """The ε with Σ 1/gap = η, and the sums near it, given those at the start.

    It is at least ``floor`` = 1/η, the leader's share alone.
    """
    epsilon = start
    for _ in range(100):
        residual = sums[0] * floor - 1.0
        epsilon = max(epsilon + newton_step(residual, sums), floor)
        if abs(residual) <= TOLERANCE:
            break
        sums = pole_sums(scores, scores.size, top, epsilon)
    return epsilon, sums


@kernel
def _curvature(
    scores: Floats, top: float, epsilon: float, old_top: float, old_epsilon: float, arm: int, old_gap: float
) -> tuple[float, Sums]:
    """Σ excess((gap − old gap) / gap), which is η times the divergence of p from q; and the pole sums.

    All gaps but the drawn arm's have grown by the same shift.
    """
    shift = (epsilon - old_epsilon) + (top - old_top)
    own = epsilon + (top - scores[arm])
    if abs(shift) <= SMALL * epsilon:
        others, sums = small_excess_sum(scores, scores.size, top, epsilon, shift)
        others -= excess_series(shift / own)
    else:
        others, sums = long_excess_sum(scores, scores.size, arm, top, epsilon, old_top, old_epsilon)
    return others + excess((own - old_gap) / own, old_gap, own), sums


@implements(uses_bound, LogBarrierState)
def _(state: LogBarrierState) -> bool:
    return False


@implements(draw, LogBarrierState)
def _(state: LogBarrierState, bound: float, noise: Any) -> tuple[int, float]:
    scores, epsilon, top = state.scores, state.memory[EPSILON], state.memory[TOP]
    n_arms = scores.size
    eta = n_arms / state.memory[TOTAL]
    gamma = exploration(state.memory, n_arms)
    u = uniform(noise, 0)
    if u < gamma:
        arm = min(int(u / gamma * n_arms), n_arms - 1)
    else:
        left = (u - gamma) / (1.0 - gamma) * eta
        arm = 0
        while arm + _BLOCK < n_arms:
            block = _block_pole_sum(scores, top, epsilon, arm)
            if block > left:
                break
            left -= block
            arm += _BLOCK
        while arm < n_arms - 1:
            left -= 1.0 / (epsilon + (top - scores[arm]))
            if left < 0.0:
                break
            arm += 1
    return arm, (1.0 - gamma) / (eta * (epsilon + (top - scores[arm]))) + gamma / n_arms


@kernel
def rebase(scores: Floats, memory: Floats) -> None:
    """Keep the scores near the leader's small, hence exact."""
    top = memory[TOP]
    if abs(top) > REBASE * memory[EPSILON]:
        for i in range(scores.size):
            scores[i] -= top
        memory[TOP] = 0.0


@kernel
def take(scores: Floats, memory: Floats, arm: int, estimate: float) -> None:
    """Add an estimated gain to an arm's score, and find S and ε."""
    n_arms = scores.size
    old_epsilon, old_top, floor = memory[EPSILON], memory[TOP], memory[TOTAL] / n_arms
    old_gap = old_epsilon + (old_top - scores[arm])
    scores[arm] += estimate
    top = max(old_top, scores[arm]) if estimate > 0.0 else largest(scores)

    # the same equation at the old rate gives the optimum q of the mixability gap
    epsilon = old_epsilon - (top - old_top)
    sums = moved_sums(memory, epsilon, floor, old_gap, epsilon + (top - scores[arm]))
    if sums[0] == 0.0:
        epsilon = max(epsilon, floor)
        sums = pole_sums(scores, n_arms, top, epsilon)
    epsilon, sums = _barrier_root(scores, top, floor, epsilon, sums)
    gap = epsilon + (top - scores[arm])
    gained = estimate * (old_gap - gap) / (gap * old_gap)  # η times r̃ (q_I − p_I)
    curvature, sums = _curvature(scores, top, epsilon, old_top, old_epsilon, arm, old_gap)
    memory[TOTAL] += max((gained - curvature) * floor, 0.0)

    epsilon, sums = _barrier_root(scores, top, memory[TOTAL] / n_arms, epsilon, sums)
    memory[EPSILON], memory[TOP] = epsilon, top
    memory[SECOND], memory[THIRD] = sums[1], sums[2]
    rebase(scores, memory)


@implements(learn, LogBarrierState)
def _(state: LogBarrierState, arm: int, probability: float, gain: float, bound: float) -> None:
    state.memory[ROUNDS] += 1.0
    if gain != 0.0:
        take(state.scores, state.memory, arm, gain / probability)


@implements(law, LogBarrierState)
def _(state: LogBarrierState, bound: float, out: Floats) -> None:
    barrier_law(state.scores, state.memory, out)
