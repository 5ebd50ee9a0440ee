"""Watchers of a run: what is added up at every round, and only when somebody asks.

Which one it is is decided by its type, so that a loop without one compiles to nothing in its place.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .compiling import implements, verb
from .protocol import Floats, law, mean


class Unwatched(NamedTuple):
    """Nobody looks. (The number is there because Numba has no empty tuples with a name.)"""

    idle: int


class LawWatch(NamedTuple):
    """Positive parts of what each round's law lacks, in row j those of the rounds after checkpoint j − 1.

    ``excess`` adds up (⟨x* − x_t, μ_t⟩)⁺ with x* the benchmark's mix, (checkpoint,), and ``lacking``
    adds up (λ_i − μ_{i,t} x_{i,t})⁺ for the recorded arms, (checkpoint, arm).
    """

    law: Floats  # work space, one number an arm
    mix: Floats  # x*
    arms: npt.NDArray[np.int64]
    targets: Floats  # of the recorded arms
    excess: Floats
    lacking: Floats


def _nothing(state: Any, policy: Any, rewards: Any, round: int, j: int) -> None:
    """Look at a policy before a round, on the way to checkpoint j."""


watch = verb(_nothing, default=_nothing)


@implements(watch, LawWatch)
def _(state: LawWatch, policy: Any, rewards: Any, round: int, j: int) -> None:
    law(policy, state.law)
    gap = 0.0
    for arm in range(state.law.size):
        if state.mix[arm] != state.law[arm]:
            gap += (state.mix[arm] - state.law[arm]) * mean(rewards, round, arm)
    state.excess[j] += max(gap, 0.0)
    for k in range(state.arms.size):
        arm = state.arms[k]
        state.lacking[j, k] += max(state.targets[k] - state.law[arm] * mean(rewards, round, arm), 0.0)
