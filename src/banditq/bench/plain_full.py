"""BanditQ with OGA as one would write it down: the yardstick in full information."""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ..kernels.compiling import allocating_kernel
from ..kernels.protocol import Floats, sample


class PlainFull(NamedTuple):
    """Everything that changes; ``squares`` holds S. Rewards are in units of ``reward_max``."""

    targets: Floats
    queue: Floats
    x: Floats
    rewards: Floats
    squares: Floats
    weight: float  # V
    reward_max: float


def plain_full(targets: Floats, reward_max: float, rounds: int) -> PlainFull:
    """The start: x uniform, queues empty."""
    n_arms = targets.size
    return PlainFull(
        targets=targets / reward_max,
        queue=np.zeros(n_arms),
        x=np.full(n_arms, 1.0 / n_arms),
        rewards=np.zeros(n_arms),
        squares=np.zeros(1),
        weight=sqrt(rounds),
        reward_max=float(reward_max),
    )


@allocating_kernel
def plain_projection(y: Floats) -> Floats:
    """The nearest point of the simplex, by sorting."""
    falling = np.sort(y)[::-1]
    threshold, total = 0.0, 0.0
    for k in range(y.size):
        total += falling[k]
        candidate = (total - 1.0) / (k + 1)
        if falling[k] > candidate:
            threshold = candidate
    return np.maximum(y - threshold, 0.0)


@allocating_kernel
def plain_learn_all(state: PlainFull) -> None:
    """Queues, surrogate gains, and a step of gradient ascent."""
    paid = state.rewards / state.reward_max
    gains = (state.queue + state.weight) * paid
    state.queue[:] = np.maximum(state.queue + state.targets - paid * state.x, 0.0)
    state.squares[0] += np.sum(gains * gains)
    if state.squares[0] > 0.0:
        state.x[:] = plain_projection(state.x + gains / sqrt(state.squares[0]))


@allocating_kernel
def plain_full_rounds(state: PlainFull, rewards: Any, reward_key: Any, first: int, last: int) -> float:
    """Play rounds first..last; returns the reward."""
    total = 0.0
    for t in range(first, last + 1):
        for i in range(state.x.size):
            state.rewards[i] = sample(rewards, reward_key, t, i)
        total += np.sum(state.x * state.rewards)
        plain_learn_all(state)
    return total
