"""Index policies: play each arm once, then always the arm whose index is largest.

One arm's index changes in a round and the others grow with the clock, a little. Among many arms the index
at a later round is kept as a bound: in every round until then only arms whose bound is above the leader's
index are looked at. The next such span costs as much as a round that looks at all. While indices are kept
level, as here they are, a span of √N rounds leaves about √N arms to look at.
"""

from math import sqrt
from typing import Any

import numpy as np

from ..kernels.compiling import implements, kernel, verb
from ..kernels.protocol import Decision, Floats, choose, law, learn
from .counts import Counts, all_on, best_mean, book, first_unplayed, no_counts, open_round, standing
from .overruled import overruled
from .ranking import FAN, UNPLAYED, UNTIL, find_peaks, highest, set_bound

# From here on it is faster to rank the arms.
CROSSOVER = 48
_SPAN = 8.0  # rounds for which bounds are made, in units of √N
_ROUNDING = 1e-9  # how much a bound is raised, lest the index fall by a rounding as the clock runs


def _index(state: Any, mean: float, count: float, top: float) -> float:
    """The index of an arm from its mean and count; if it is below ``top``, anything below ``top``.

    It must not fall as ``state.counts.clock`` runs.
    """
    return float(state.index(mean, count, top))


index = verb(_index)


@kernel
def best_arm(state: Any) -> int:
    """The first arm never played, or the one with the largest index; ties go to the lowest arm.

    The best mean comes first: few of the others reach its index, and few need theirs worked out.
    """
    counts = state.counts
    unplayed = first_unplayed(counts)
    if unplayed >= 0:
        return unplayed
    leader = best_mean(counts)
    mean, count = standing(counts, leader)
    best, top = leader, index(state, mean, count, -np.inf)
    for arm in range(counts.seen.size):
        if arm != leader:
            mean, count = standing(counts, arm)
            value = index(state, mean, count, top)
            if value > top or (value == top and arm < best):
                best, top = arm, value
    return best


def index_counts(n_arms: int, reward_max: float) -> Counts:
    """Counts before the first round of an index policy."""
    return no_counts(n_arms, reward_max, ranked=n_arms >= CROSSOVER)


@kernel
def _value(state: Any, arm: int) -> float:
    mean, count = standing(state.counts, arm)
    return index(state, mean, count, -np.inf)


@kernel
def _bound(state: Any, arm: int) -> float:
    """What an arm's index may be until the bounds end."""
    counts = state.counts
    now = counts.clock[0]
    counts.clock[0] = counts.ranking.marks[UNTIL]
    value = _value(state, arm)
    counts.clock[0] = now
    return value + _ROUNDING * abs(value)


@kernel
def _bound_all(state: Any) -> None:
    counts, ranking = state.counts, state.counts.ranking
    n_arms = counts.seen.size
    ranking.marks[UNTIL] = counts.clock[0] + int(_SPAN * sqrt(n_arms))
    for arm in range(n_arms):
        ranking.bounds[arm] = _bound(state, arm)
    find_peaks(ranking)


@kernel
def _are_alike(counts: Counts, arm: int, best: int) -> bool:
    """Whether an arm after the best has had just its fortune; such ties are many at first."""
    if counts.ranking.bounds[arm] != counts.ranking.bounds[best] or arm < best:
        return False
    same = counts.seen[arm] == counts.seen[best] and counts.gained[arm] == counts.gained[best]
    return same and counts.opened[arm] == counts.opened[best]


@kernel
def _leader(state: Any) -> int:
    """The arm with the largest index, ties to the lowest, by way of the bounds."""
    ranking = state.counts.ranking
    best = highest(ranking)
    top = _value(state, best)
    for group in range(ranking.summits.size):
        if ranking.summits[group] < top:
            continue
        for block in range(group * FAN, (group + 1) * FAN):
            if ranking.peaks[block] < top:
                continue
            for arm in range(block * FAN, (block + 1) * FAN):
                if ranking.bounds[arm] >= top and not _are_alike(state.counts, arm, best):
                    value = _value(state, arm)
                    if value > top or (value == top and arm < best):
                        best, top = arm, value
    return best


@kernel
def _ranked_arm(state: Any) -> int:
    """As :func:`best_arm`, with bounds that are kept up to date."""
    counts, marks = state.counts, state.counts.ranking.marks
    n_arms = counts.seen.size
    while marks[UNPLAYED] < n_arms:
        arm = marks[UNPLAYED]
        if counts.opened[arm] == 0.0 and counts.seen[arm] == 0.0:
            return arm
        marks[UNPLAYED] += 1
    if marks[UNTIL] < counts.clock[0]:
        _bound_all(state)
    return _leader(state)


@kernel
def _bound_again(state: Any, arm: int) -> None:
    """Renew the bound of an arm whose counts have changed, if there are bounds."""
    ranking = state.counts.ranking
    if ranking.marks[UNTIL] >= 0:
        set_bound(ranking, arm, _bound(state, arm))


def _choose(state: Any, noise: Any) -> Decision:
    if state.counts.ranking.bounds.size == 0:
        return open_round(state.counts, best_arm(state), 1.0)
    decision = open_round(state.counts, _ranked_arm(state), 1.0)
    _bound_again(state, decision.arm)
    return decision


def _learn(state: Any, decision: Decision, reward: float) -> None:
    book(state.counts, decision.arm, reward)
    _bound_again(state, decision.arm)


def _overruled(state: Any, arm: int) -> None:
    open_round(state.counts, arm, 1.0)
    _bound_again(state, arm)


def _law(state: Any, out: Floats) -> None:
    all_on(best_arm(state), out)


def plays_by_index(cls: type) -> None:
    """Let states of a class, which have ``counts`` and answer ``index``, play by it."""
    implements(choose, cls)(_choose)
    implements(learn, cls)(_learn)
    implements(law, cls)(_law)
    implements(overruled, cls)(_overruled)
