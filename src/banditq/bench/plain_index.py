"""UCB1 as one would write it down: the yardstick of policies that play the largest index."""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..kernels.compiling import kernel
from ..kernels.protocol import Floats, sample


class PlainIndex(NamedTuple):
    """Pulls and gains of each arm, gains in units of ``reward_max``."""

    pulls: Floats
    gained: Floats
    reward_max: float


def plain_index(n_arms: int, reward_max: float) -> PlainIndex:
    """The start: nothing played."""
    return PlainIndex(np.zeros(n_arms), np.zeros(n_arms), float(reward_max))


@kernel
def plain_index_choice(state: PlainIndex, t: int) -> int:
    """Each arm once, then the largest mean + √(2 ln n / n_i), every index computed."""
    if t <= state.pulls.size:
        return t - 1
    best, largest = 0, -1.0
    for i in range(state.pulls.size):
        value = state.gained[i] / state.pulls[i] + sqrt(2.0 * log(t - 1) / state.pulls[i])
        if value > largest:
            best, largest = i, value
    return best


@kernel
def plain_index_rounds(state: PlainIndex, rewards: Any, reward_key: Any, first: int, last: int) -> float:
    """Play rounds first..last; returns the reward."""
    total = 0.0
    for t in range(first, last + 1):
        arm = plain_index_choice(state, t)
        reward = sample(rewards, reward_key, t, arm)
        state.pulls[arm] += 1.0
        state.gained[arm] += reward / state.reward_max
        total += reward
    return total
