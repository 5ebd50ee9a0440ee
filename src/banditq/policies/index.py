"""Index policies: play each arm once, then always the arm whose index is largest."""

from typing import Any

import numpy as np

from ..kernels.compiling import implements, kernel, verb
from ..kernels.protocol import Decision, Floats, choose, law, learn
from .counts import all_on, best_mean, book, first_unplayed, open_round, standing
from .overruled import learns_from_all


def _index(state: Any, mean: float, count: float, top: float) -> float:
    """The index of an arm from its mean and count; if it is below ``top``, anything below ``top``."""
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


def _choose(state: Any, noise: Any) -> Decision:
    return open_round(state.counts, best_arm(state), 1.0)


def _learn(state: Any, decision: Decision, reward: float) -> None:
    book(state.counts, decision.arm, reward)


def _law(state: Any, out: Floats) -> None:
    all_on(best_arm(state), out)


def plays_by_index(cls: type) -> None:
    """Let states of a class, which have ``counts`` and answer ``index``, play by it."""
    implements(choose, cls)(_choose)
    implements(learn, cls)(_learn)
    implements(law, cls)(_law)
    learns_from_all(cls)
