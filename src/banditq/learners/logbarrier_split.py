"""LogBarrier's arms in two: a head, summed one by one, and a tail, of which the moments do.

Of the tail the moments of u = unit/gap at a reference point are kept: from them come all sums at a point
that lies ``offset`` units farther on, as long as |offset| ≤ REACH, and an arm that moves changes each of
them by a difference.

Errors: a difference rounds every moment by half a unit in the last place of M₁ at most, half an ulp ΣM₁
after many. A new point is set when ΣM₁ > N unit η. Since unit Σ 1/gap = unit η, the sum over all arms is
then off by at most N/2 ulp of itself, as it would be if N numbers were added up one by one.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.blocks import Blocks, add_up, no_weights, put_weight
from ..kernels.compiling import inlined, kernel
from ..kernels.lanes import WIDTH, load, store
from ..kernels.leaders import find_leaders
from ..kernels.moments import ORDER, REACH, WORK, collect_moments, move_moments, pole_moments
from ..kernels.protocol import Floats
from ..kernels.reductions import largest
from .logbarrier_poles import EPSILON, REBASE, TOP, TOTAL, Sums, pole_sums

Integers = npt.NDArray[np.int64]

_LEADERS = 24  # arms in a fresh head
_ROOM = 48  # and how many it may grow to
_MARGIN = 0.75  # a fresh unit, in units of the smallest gap in the tail: room for arms that catch up
_NEARLY = 0.9  # of the reach, whereupon the point is set anew

_HIGHEST, _UNIT, _DRIFT = 1, 2, 3  # in a point; ε comes first


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


def no_head(n_arms: int) -> Head:
    """Room for a head; :func:`set_point` fills it."""
    arms, place = np.full(_ROOM, -1, np.int64), np.full(n_arms, -1, np.int64)
    return Head(arms, np.full(_ROOM, -np.inf), np.zeros(1, np.int64), place, np.zeros(1))


def no_tail(n_arms: int) -> Tail:
    """Room for a tail; :func:`set_point` fills it."""
    return Tail(no_weights(n_arms), np.zeros(ORDER), np.zeros(4), np.zeros(WORK))


@kernel
def settle(scores: Floats, head: Head) -> None:
    """Write all scores as seen from the head's origin, for the plain form to work on."""
    base = head.base[0]
    for i in range(scores.size):
        scores[i] -= base
    for slot in range(head.size[0]):
        scores[head.arms[slot]] = head.scores[slot]
    head.base[0] = 0.0


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
    point, nearest = tail.point, largest(poles)
    point[EPSILON], point[_HIGHEST], point[_DRIFT] = epsilon, top, 0.0
    if nearest > 0.0:
        point[_UNIT] = _MARGIN / nearest
        collect_moments(poles, point[_UNIT], tail.work, tail.moments)
    else:  # no tail
        point[_UNIT] = np.inf
        for k in range(ORDER):
            tail.moments[k] = 0.0


@kernel
def renew(scores: Floats, memory: Floats, head: Head, tail: Tail) -> None:
    """Set the point anew where ε is now."""
    settle(scores, head)
    set_point(scores, memory, head, tail)


@inlined
def rebase_head(memory: Floats, head: Head, tail: Tail) -> None:
    """As the plain form's ``rebase``."""
    top = memory[TOP]
    if abs(top) > REBASE * memory[EPSILON]:
        for slot in range(head.size[0]):
            head.scores[slot] -= top
        head.base[0] += top
        tail.point[_DRIFT] += tail.moments[0]
        memory[TOP] = 0.0


@inlined
def offset_of(head: Head, tail: Tail, top: float, epsilon: float) -> float:
    """How far all gaps have grown since the point, in units."""
    point = tail.point
    return ((epsilon - point[EPSILON]) + ((top + head.base[0]) - point[_HIGHEST])) / point[_UNIT]


@inlined
def unit_of(tail: Tail) -> float:
    """The unit of offsets: no smaller than 1/u of any arm."""
    return tail.point[_UNIT]


@kernel
def head_rows(head: Head) -> int:
    """The size of the head in whole rows; a score of −∞ adds nothing to a sum of poles."""
    return (head.size[0] + WIDTH - 1) // WIDTH * WIDTH


@inlined
def with_tail(tail: Tail, sums: Sums, offset: float) -> Sums:
    """The pole sums over all arms, given those over the head."""
    first, second, third = pole_moments(tail.moments, offset)
    pole = 1.0 / tail.point[_UNIT]
    square = pole * pole
    return sums[0] + pole * first, sums[1] + square * second, sums[2] + square * pole * third


@inlined
def all_sums(head: Head, tail: Tail, top: float, epsilon: float) -> Sums:
    """Σ 1/gap, Σ 1/gap² and Σ 1/gap³ over all arms."""
    sums = pole_sums(head.scores, head_rows(head), top, epsilon)
    return with_tail(tail, sums, offset_of(head, tail, top, epsilon))


@kernel
def _gap_at_point(point: Floats, score: float) -> float:
    """The gap that a score of the tail has at the point."""
    return point[EPSILON] + (point[_HIGHEST] - score)


@inlined
def score_of(scores: Floats, head: Head, arm: int) -> float:
    """The score of an arm, as seen from the head's origin."""
    slot = head.place[arm]
    return head.scores[slot] if slot >= 0 else scores[arm] - head.base[0]


@inlined
def move_arm(scores: Floats, head: Head, tail: Tail, arm: int, estimate: float) -> None:
    """Add to an arm's score; one of the tail that comes too near joins the head, which must have room."""
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
def make_room(scores: Floats, memory: Floats, head: Head, tail: Tail, arm: int, estimate: float) -> None:
    """Set the point anew if an arm is about to join a full head."""
    full = head.size[0] == _ROOM and head.place[arm] < 0
    if full and _gap_at_point(tail.point, scores[arm] + estimate) < tail.point[_UNIT]:
        renew(scores, memory, head, tail)


@inlined
def top_after(head: Head, tail: Tail, old: float, score: float, old_top: float) -> tuple[float, bool]:
    """The largest score after one has changed, and whether the head is sure to have it."""
    if score >= old_top or old < old_top:
        return max(score, old_top), True
    top = largest(head.scores)
    return top, top + head.base[0] >= _gap_at_point(tail.point, tail.point[_UNIT])  # the tail is below this


@inlined
def is_worn(memory: Floats, head: Head, tail: Tail, n_arms: int) -> bool:
    """Whether to set the point anew: for its rounding errors, or as ε is about to leave its reach.

    Out of reach a round is played on all arms first, which costs more than the new point.
    """
    point = tail.point
    drifted = point[_DRIFT] * memory[TOTAL] > n_arms * point[_UNIT] * n_arms
    return drifted or abs(offset_of(head, tail, memory[TOP], memory[EPSILON])) > _NEARLY * REACH
