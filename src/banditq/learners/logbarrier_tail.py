"""LogBarrier for many arms: the same law at a cost that does not grow with their number.

A round moves one arm's score and then ε, a little. Sums over all arms come from a head and a tail, see
:mod:`banditq.learners.logbarrier_split`. Where they would not be exact, after a jump, the round is played
in the plain form, on all arms; most such rounds are among the first.
"""

from typing import Any, NamedTuple

from ..kernels.blocks import find_weight, total_weight
from ..kernels.compiling import implements, inlined, kernel
from ..kernels.lanes import WIDTH, gather, load
from ..kernels.moments import REACH, bend_sum
from ..kernels.noise import uniform
from ..kernels.protocol import Floats, draw, law, learn, uses_bound
from ..kernels.reductions import total
from .logbarrier_plain import plain_state, take
from .logbarrier_poles import (
    EPSILON,
    ROUNDS,
    SECOND,
    SMALL,
    THIRD,
    TOLERANCE,
    TOP,
    TOTAL,
    Sums,
    excess,
    excess_series,
    exploration,
    long_excess_sum,
    moved_sums,
    newton_step,
    small_excess_sum,
)
from .logbarrier_split import (
    Head,
    Tail,
    all_sums,
    head_rows,
    is_worn,
    make_room,
    move_arm,
    no_head,
    no_tail,
    offset_of,
    rebase_head,
    renew,
    score_of,
    set_point,
    settle,
    top_after,
    unit_of,
    with_tail,
)


class LogBarrierTailState(NamedTuple):
    """``memory`` is that of the plain form, with ``top`` as the head has it; ``scores`` are the tail's."""

    scores: Floats
    memory: Floats
    head: Head
    tail: Tail


def tail_state(n_arms: int) -> LogBarrierTailState:
    """Before the first round."""
    state = LogBarrierTailState(*plain_state(n_arms), no_head(n_arms), no_tail(n_arms))
    set_point(*state)
    return state


@inlined
def _near_root(
    head: Head, tail: Tail, top: float, floor: float, start: float, sums: Sums
) -> tuple[float, Sums, bool]:
    """As the plain form's root, and whether it was found within reach."""
    epsilon = start
    for _ in range(100):
        residual = sums[0] * floor - 1.0
        epsilon = max(epsilon + newton_step(residual, sums), floor)
        if not abs(offset_of(head, tail, top, epsilon)) <= REACH:
            return epsilon, sums, False
        if abs(residual) <= TOLERANCE:
            break
        sums = all_sums(head, tail, top, epsilon)
    return epsilon, sums, True


@inlined
def _curvature(
    head: Head,
    tail: Tail,
    slot: int,
    top: float,
    epsilon: float,
    old_top: float,
    old_epsilon: float,
    own: float,
    old_gap: float,
) -> tuple[float, Sums]:
    """As the plain form's; ``own`` is the drawn arm's gap, ``slot`` its place in the head or −1."""
    shift = (epsilon - old_epsilon) + (top - old_top)
    old, new = offset_of(head, tail, old_top, old_epsilon), offset_of(head, tail, top, epsilon)
    others = bend_sum(tail.moments, old, new)
    if slot < 0:
        others -= excess(shift / own, own - shift, own)
    if abs(shift) <= SMALL * epsilon:
        bend, sums = small_excess_sum(head.scores, head_rows(head), top, epsilon, shift)
        if slot >= 0:
            others -= excess_series(shift / own)
    else:
        bend, sums = long_excess_sum(head.scores, head.size[0], slot, top, epsilon, old_top, old_epsilon)
    return bend + others + excess((own - old_gap) / own, old_gap, own), with_tail(tail, sums, new)


@inlined
def _take_near(scores: Floats, memory: Floats, head: Head, tail: Tail, arm: int, estimate: float) -> bool:
    """As the plain form's ``take``, unless it leads out of reach: then only the score has changed."""
    n_arms = scores.size
    old_epsilon, old_top, floor = memory[EPSILON], memory[TOP], memory[TOTAL] / n_arms
    old = score_of(scores, head, arm)
    old_gap = old_epsilon + (old_top - old)
    move_arm(scores, head, tail, arm, estimate)
    score = score_of(scores, head, arm)
    top, near = top_after(head, tail, old, score, old_top)
    if not near:
        return False

    epsilon = old_epsilon - (top - old_top)
    sums = moved_sums(memory, epsilon, floor, old_gap, epsilon + (top - score))
    if sums[0] == 0.0:
        epsilon = max(epsilon, floor)
        if not abs(offset_of(head, tail, top, epsilon)) <= REACH:
            return False
        sums = all_sums(head, tail, top, epsilon)
    epsilon, sums, near = _near_root(head, tail, top, floor, epsilon, sums)
    if not near:
        return False
    gap = epsilon + (top - score)
    gained = estimate * (old_gap - gap) / (gap * old_gap)
    curvature, sums = _curvature(
        head, tail, head.place[arm], top, epsilon, old_top, old_epsilon, gap, old_gap
    )
    new_total = memory[TOTAL] + max((gained - curvature) * floor, 0.0)

    epsilon, sums, near = _near_root(head, tail, top, new_total / n_arms, epsilon, sums)
    if not near:
        return False
    memory[EPSILON], memory[TOTAL], memory[TOP] = epsilon, new_total, top
    memory[SECOND], memory[THIRD] = sums[1], sums[2]
    return True


@implements(uses_bound, LogBarrierTailState)
def _(state: LogBarrierTailState) -> bool:
    return False


@implements(learn, LogBarrierTailState)
def _(state: LogBarrierTailState, arm: int, probability: float, gain: float, bound: float) -> None:
    scores, memory, head, tail = state.scores, state.memory, state.head, state.tail
    memory[ROUNDS] += 1.0
    if gain == 0.0:
        return
    estimate = gain / probability
    make_room(scores, memory, head, tail, arm, estimate)
    before = score_of(scores, head, arm)
    if _take_near(scores, memory, head, tail, arm, estimate):
        rebase_head(memory, head, tail)
        if is_worn(memory, head, tail, scores.size):
            renew(scores, memory, head, tail)
    else:
        settle(scores, head)
        scores[arm] = before
        take(scores, memory, arm, estimate)
        set_point(scores, memory, head, tail)


@inlined
def _find_in_head(head: Head, top: float, epsilon: float, target: float) -> tuple[int, float]:
    """The slot at which the running sum of 1/gap exceeds the target, or −1 and what is left of it."""
    for i in range(0, head_rows(head), WIDTH):
        row = gather(1.0 / (epsilon + (top - load(head.scores, i))))
        if target < row:
            for slot in range(i, i + WIDTH):
                target -= 1.0 / (epsilon + (top - head.scores[slot]))
                if target < 0.0:
                    return slot, 0.0
            return min(i + WIDTH, head.size[0]) - 1, 0.0
        target -= row
    return -1, target


@kernel
def _find_in_tail(tail: Tail, offset: float, position: float, noise: Any) -> int:
    """Draw in proportion to 1/gap now: propose by 1/gap at the point, accept by the ratio.

    With u = unit / gap at the point the ratio is 1/(1 + offset u), which is largest at u = 0 or at u = 1.
    """
    poles, unit = tail.poles, unit_of(tail)
    mass = total_weight(poles)
    ceiling = min(1.0, 1.0 + offset)
    arm = find_weight(poles, position * mass)
    used = 1
    while uniform(noise, used) * (1.0 + offset * (unit * poles.weights[arm])) > ceiling:
        arm = find_weight(poles, uniform(noise, used + 1) * mass)
        used += 2
    return arm


@implements(draw, LogBarrierTailState)
def _(state: LogBarrierTailState, bound: float, noise: Any) -> tuple[int, float]:
    scores, memory, head, tail = state.scores, state.memory, state.head, state.tail
    epsilon, top, n_arms = memory[EPSILON], memory[TOP], scores.size
    eta = n_arms / memory[TOTAL]
    gamma = exploration(memory, n_arms)
    u = uniform(noise, 0)
    if u < gamma:
        arm = min(int(u / gamma * n_arms), n_arms - 1)
    else:
        target = (u - gamma) / (1.0 - gamma) * eta
        slot, left = _find_in_head(head, top, epsilon, target)
        if slot >= 0 or not total_weight(tail.poles) > 0.0:
            arm = head.arms[slot if slot >= 0 else head.size[0] - 1]
        else:
            mass = eta - (target - left)
            arm = _find_in_tail(tail, offset_of(head, tail, top, epsilon), left / mass, noise)
    gap = epsilon + (top - score_of(scores, head, arm))
    return arm, (1.0 - gamma) / (eta * gap) + gamma / n_arms


@implements(law, LogBarrierTailState)
def _(state: LogBarrierTailState, bound: float, out: Floats) -> None:
    scores, head, epsilon, top = state.scores, state.head, state.memory[EPSILON], state.memory[TOP]
    gamma = exploration(state.memory, scores.size)
    for i in range(scores.size):
        out[i] = 1.0 / (epsilon + (top - score_of(scores, head, i)))
    mass = total(out)
    for i in range(scores.size):
        out[i] = (1.0 - gamma) * (out[i] / mass) + gamma / scores.size
