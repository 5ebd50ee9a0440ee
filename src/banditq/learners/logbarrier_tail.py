"""LogBarrier for many arms: the same law at a cost that does not grow with their number.

A round moves one arm's score and then ε, a little. Arms near the leader, the *head*, are summed one by
one. Of the others, the *tail*, the moments of u = unit/gap at a reference point are kept: from them come
all sums at a point that lies ``offset`` farther on, as long as |offset| ≤ REACH × unit, and an arm that
moves changes each moment by a difference. Where that does not hold the round is played in the plain form,
on all arms, and the reference point is set anew.

Errors: a difference rounds a moment by half a unit in the last place, u ΣM₁ after many. A new point is
set when ΣM₁ > N unit η, and unit Σ 1/gap = unit η: the sum over all arms is then off by at most N u of itself,
which is what adding up N numbers one by one would cost.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.blocks import Blocks, add_up, find_weight, no_weights, put_weight, total_weight
from ..kernels.compiling import implements, inlined, kernel
from ..kernels.lanes import WIDTH, gather, load, store
from ..kernels.leaders import find_leaders
from ..kernels.moments import ORDER, REACH, WORK, bend_sum, collect_moments, move_moments, pole_moments
from ..kernels.noise import uniform
from ..kernels.protocol import Floats, draw, law, learn, uses_bound
from ..kernels.reductions import largest, total
from .logbarrier_plain import take
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
    excess,
    excess_series,
    exploration,
    long_excess_sum,
    moved_sums,
    newton_step,
    pole_sums,
    small_excess_sum,
)

Integers = npt.NDArray[np.int64]

_LEADERS = 24  # arms in a fresh head
_ROOM = 48  # and how many it may grow to
_MARGIN = 0.75  # a fresh unit, in units of the smallest gap in the tail: room for arms that catch up


class Head(NamedTuple):
    """The arms near the leader and their scores, −∞ where there is none; ``place`` maps back, or to −1.

    A leader of a small gap needs its origin moved often, so the head has one of its own: ``base``, seen
    from the tail's.
    """

    arms: Integers
    scores: Floats
    size: Integers
    place: Integers
    base: Floats


class Tail(NamedTuple):
    """The other arms: their 1/gap at the point, 0 for the head's, and the moments of those times unit.

    ``point`` holds ε and top there, the unit, and what the rounding errors amount to.
    """

    poles: Blocks
    moments: Floats
    point: Floats
    work: Floats


class LogBarrierTailState(NamedTuple):
    """``memory`` is that of the plain form, with ``top`` as the head has it; ``scores`` are the tail's."""

    scores: Floats
    memory: Floats
    head: Head
    tail: Tail


_TOP, _UNIT, _DRIFT = 1, 2, 3  # in a point; ε comes first


def tail_state(n_arms: int) -> LogBarrierTailState:
    """Before the first round."""
    arms, place = np.full(_ROOM, -1, np.int64), np.full(n_arms, -1, np.int64)
    head = Head(arms, np.full(_ROOM, -np.inf), np.zeros(1, np.int64), place, np.zeros(1))
    tail = Tail(no_weights(n_arms), np.zeros(ORDER), np.zeros(4), np.zeros(WORK))
    memory = np.array([1.0, 1.0, 0.0, 0.0, n_arms, n_arms])
    state = LogBarrierTailState(np.zeros(n_arms), memory, head, tail)
    set_point(state.scores, state.memory, head, tail)
    return state


@kernel
def _settle(scores: Floats, head: Head) -> None:
    """Write all scores as seen from the head's origin, for the plain form to work on."""
    base = head.base[0]
    for i in range(scores.size):
        scores[i] -= base
    for slot in range(head.size[0]):
        scores[head.arms[slot]] = head.scores[slot]
    head.base[0] = 0.0


@inlined
def _rebase_head(memory: Floats, head: Head, tail: Tail) -> None:
    """As the plain form's ``rebase``."""
    top = memory[TOP]
    if abs(top) > REBASE * memory[EPSILON]:
        for slot in range(head.size[0]):
            head.scores[slot] -= top
        head.base[0] += top
        tail.point[_DRIFT] += tail.moments[0]
        memory[TOP] = 0.0


@kernel
def _choose_head(scores: Floats, head: Head) -> None:
    for slot in range(head.size[0]):
        head.place[head.arms[slot]] = -1
    count = min(_LEADERS, scores.size)
    find_leaders(scores, count, head.arms, head.scores)
    for slot in range(count):
        head.place[head.arms[slot]] = slot
    for slot in range(count, _ROOM):
        head.arms[slot], head.scores[slot] = -1, -np.inf
    head.size[0] = count


@kernel
def set_point(scores: Floats, memory: Floats, head: Head, tail: Tail) -> None:
    """Sort the settled arms into head and tail, and refer the tail to where ε is now."""
    _choose_head(scores, head)
    epsilon, top, poles = memory[EPSILON], memory[TOP], tail.poles.weights
    rows = scores.size - scores.size % WIDTH
    for i in range(0, rows, WIDTH):
        store(poles, i, 1.0 / (epsilon + (top - load(scores, i))))
    for i in range(rows, scores.size):
        poles[i] = 1.0 / (epsilon + (top - scores[i]))
    for slot in range(head.size[0]):
        poles[head.arms[slot]] = 0.0
    add_up(tail.poles)
    unit = _MARGIN / largest(poles)  # infinite for an empty tail
    tail.point[EPSILON], tail.point[_TOP], tail.point[_UNIT], tail.point[_DRIFT] = epsilon, top, unit, 0.0
    if unit < np.inf:
        collect_moments(poles, unit, tail.work, tail.moments)
    else:
        for k in range(ORDER):
            tail.moments[k] = 0.0


@inlined
def _offset(head: Head, tail: Tail, top: float, epsilon: float) -> float:
    """How far all gaps have grown since the point, in units."""
    point = tail.point
    return ((epsilon - point[EPSILON]) + ((top + head.base[0]) - point[_TOP])) / point[_UNIT]


@kernel
def _rows(head: Head) -> int:
    """The size of the head in whole rows; a score of −∞ adds nothing to a sum of poles."""
    return (head.size[0] + WIDTH - 1) // WIDTH * WIDTH


@inlined
def _with_tail(tail: Tail, sums: Sums, offset: float) -> Sums:
    """The pole sums over all arms, given those over the head."""
    first, second, third = pole_moments(tail.moments, offset)
    pole = 1.0 / tail.point[_UNIT]
    square = pole * pole
    return sums[0] + pole * first, sums[1] + square * second, sums[2] + square * pole * third


@inlined
def _sums(head: Head, tail: Tail, top: float, epsilon: float) -> Sums:
    """Σ 1/gap, Σ 1/gap² and Σ 1/gap³ over all arms."""
    sums = pole_sums(head.scores, _rows(head), top, epsilon)
    return _with_tail(tail, sums, _offset(head, tail, top, epsilon))


@inlined
def _near_root(
    head: Head, tail: Tail, top: float, floor: float, start: float, sums: Sums
) -> tuple[float, Sums, bool]:
    """As the plain form's root, and whether it was found within reach."""
    epsilon = start
    for _ in range(100):
        residual = sums[0] * floor - 1.0
        epsilon = max(epsilon + newton_step(residual, sums), floor)
        if not abs(_offset(head, tail, top, epsilon)) <= REACH:
            return epsilon, sums, False
        if abs(residual) <= TOLERANCE:
            break
        sums = _sums(head, tail, top, epsilon)
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
    """As the plain form's; ``own`` is the gap of the drawn arm, and ``slot`` its place in the head or −1."""
    shift = (epsilon - old_epsilon) + (top - old_top)
    old, new = _offset(head, tail, old_top, old_epsilon), _offset(head, tail, top, epsilon)
    others = bend_sum(tail.moments, old, new)
    if slot < 0:
        others -= excess(shift / own, own - shift, own)
    if abs(shift) <= SMALL * epsilon:
        bend, sums = small_excess_sum(head.scores, _rows(head), top, epsilon, shift)
        if slot >= 0:
            others -= excess_series(shift / own)
    else:
        bend, sums = long_excess_sum(head.scores, head.size[0], slot, top, epsilon, old_top, old_epsilon)
    return bend + others + excess((own - old_gap) / own, old_gap, own), _with_tail(tail, sums, new)


@kernel
def _gap_at_point(point: Floats, score: float) -> float:
    """The gap that a score of the tail has at the point."""
    return point[EPSILON] + (point[_TOP] - score)


@inlined
def _score(scores: Floats, head: Head, arm: int) -> float:
    """The score of an arm, as seen from the head's origin."""
    slot = head.place[arm]
    return head.scores[slot] if slot >= 0 else scores[arm] - head.base[0]


@inlined
def _move(scores: Floats, head: Head, tail: Tail, arm: int, estimate: float) -> None:
    """Add to an arm's score; one of the tail that comes too near joins the head, where there must be room."""
    slot, poles, unit = head.place[arm], tail.poles, tail.point[_UNIT]
    if slot >= 0:
        head.scores[slot] += estimate
        return
    scores[arm] += estimate
    gap = _gap_at_point(tail.point, scores[arm])
    stays = gap >= unit
    pole = 1.0 / gap if stays else 0.0
    tail.point[_DRIFT] += tail.moments[0] + 1.0
    move_moments(tail.moments, unit * poles.weights[arm], unit * pole)
    put_weight(poles, arm, pole)
    if not stays:
        slot = head.size[0]
        head.arms[slot], head.scores[slot], head.place[arm] = arm, scores[arm] - head.base[0], slot
        head.size[0] = slot + 1


@inlined
def _top_after(head: Head, tail: Tail, old: float, score: float, old_top: float) -> tuple[float, bool]:
    """The largest score after one has changed, and whether the head is sure to have it."""
    if score >= old_top or old < old_top:
        return max(score, old_top), True
    top = largest(head.scores)
    return top, top + head.base[0] >= _gap_at_point(tail.point, tail.point[_UNIT])  # the tail is below this


@inlined
def _take_near(scores: Floats, memory: Floats, head: Head, tail: Tail, arm: int, estimate: float) -> bool:
    """As the plain form's ``take``, unless it leads out of reach: then nothing but the score has changed."""
    n_arms = scores.size
    old_epsilon, old_top, floor = memory[EPSILON], memory[TOP], memory[TOTAL] / n_arms
    old = _score(scores, head, arm)
    old_gap = old_epsilon + (old_top - old)
    _move(scores, head, tail, arm, estimate)
    score = _score(scores, head, arm)
    top, near = _top_after(head, tail, old, score, old_top)
    if not near:
        return False

    epsilon = old_epsilon - (top - old_top)
    sums = moved_sums(memory, epsilon, floor, old_gap, epsilon + (top - score))
    if sums[0] == 0.0:
        epsilon = max(epsilon, floor)
        if not abs(_offset(head, tail, top, epsilon)) <= REACH:
            return False
        sums = _sums(head, tail, top, epsilon)
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


@inlined
def _is_worn(memory: Floats, tail: Tail, n_arms: int) -> bool:
    """Whether the rounding errors call for a new point."""
    return tail.point[_DRIFT] * memory[TOTAL] > n_arms * tail.point[_UNIT] * n_arms


@implements(uses_bound, LogBarrierTailState)
def _(state: LogBarrierTailState) -> bool:
    return False


@inlined
def _make_room(scores: Floats, memory: Floats, head: Head, tail: Tail, arm: int, estimate: float) -> None:
    """Set a new point if an arm is about to join a full head."""
    if head.size[0] == _ROOM and head.place[arm] < 0:
        if _gap_at_point(tail.point, scores[arm] + estimate) < tail.point[_UNIT]:
            _settle(scores, head)
            set_point(scores, memory, head, tail)


@implements(learn, LogBarrierTailState)
def _(state: LogBarrierTailState, arm: int, probability: float, gain: float, bound: float) -> None:
    scores, memory, head, tail = state.scores, state.memory, state.head, state.tail
    memory[ROUNDS] += 1.0
    if gain == 0.0:
        return
    estimate = gain / probability
    _make_room(scores, memory, head, tail, arm, estimate)
    before = _score(scores, head, arm)
    if _take_near(scores, memory, head, tail, arm, estimate):
        _rebase_head(memory, head, tail)
        if _is_worn(memory, tail, scores.size):
            _settle(scores, head)
            set_point(scores, memory, head, tail)
    else:
        _settle(scores, head)
        scores[arm] = before
        take(scores, memory, arm, estimate)
        set_point(scores, memory, head, tail)


@inlined
def _find_in_head(head: Head, top: float, epsilon: float, target: float) -> tuple[int, float]:
    """The slot at which the running sum of 1/gap exceeds the target, or −1 and what is left of it."""
    for i in range(0, _rows(head), WIDTH):
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
    poles, unit = tail.poles, tail.point[_UNIT]
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
            arm = _find_in_tail(tail, _offset(head, tail, top, epsilon), left / mass, noise)
    gap = epsilon + (top - _score(scores, head, arm))
    return arm, (1.0 - gamma) / (eta * gap) + gamma / n_arms


@implements(law, LogBarrierTailState)
def _(state: LogBarrierTailState, bound: float, out: Floats) -> None:
    scores, head, epsilon, top = state.scores, state.head, state.memory[EPSILON], state.memory[TOP]
    gamma = exploration(state.memory, scores.size)
    for i in range(scores.size):
        out[i] = 1.0 / (epsilon + ((top + head.base[0]) - scores[i]))
    for slot in range(head.size[0]):
        out[head.arms[slot]] = 1.0 / (epsilon + (top - head.scores[slot]))
    mass = total(out)
    for i in range(scores.size):
        out[i] = (1.0 - gamma) * (out[i] / mass) + gamma / scores.size
