"""Pull floors: the arm furthest behind its fraction when it is too far behind, and UCB1 otherwise."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..checks import finite_vector
from ..kernels.compiling import implements, kernel
from ..kernels.protocol import Decision, Floats, choose, law, learn
from .base import Terms
from .counts import Counts, all_on, book, no_counts, open_round
from .index import best_arm
from .ucb import UCB1State


class FlooredUCBState(NamedTuple):
    """What an arm lacks is counted up to the coming round if ``ahead`` is 1, up to the last if it is 0."""

    ucb: UCB1State
    fractions: Floats
    tolerance: float
    ahead: int


def floored(fractions: Sequence[float], terms: Terms, *, tolerance: float, ahead: int) -> FlooredUCBState:
    """A fresh state, if there is one fraction an arm."""
    vector = finite_vector("fractions", fractions, terms.n_arms)
    ucb = UCB1State(no_counts(terms.n_arms, terms.reward_max))
    return FlooredUCBState(ucb, vector, float(tolerance), ahead)


def mean_of_largest(fractions: Sequence[float]) -> Floats:
    """The mean of the k largest of the positive fractions, for k = 1, 2, …: Φ_k in the policies' bounds."""
    largest = np.sort([fraction for fraction in fractions if fraction > 0.0])[::-1]
    means: Floats = np.cumsum(largest) / np.arange(1, largest.size + 1)
    return means


@kernel
def _furthest_behind(counts: Counts, fractions: Floats, rounds: int) -> tuple[int, float]:
    """The arm that lacks most of its fraction of these rounds, and how many pulls; ties to the lowest."""
    arm, most = 0, -np.inf
    for i in range(fractions.size):
        lacking = fractions[i] * rounds - counts.opened[i]
        if lacking > most:
            arm, most = i, lacking
    return arm, most


@kernel
def _next_arm(state: FlooredUCBState) -> int:
    counts = state.ucb.counts
    arm, lacking = _furthest_behind(counts, state.fractions, counts.clock[0] + state.ahead)
    return arm if lacking > state.tolerance else best_arm(state.ucb)


@implements(choose, FlooredUCBState)
def _(state: FlooredUCBState, noise: Any) -> Decision:
    return open_round(state.ucb.counts, _next_arm(state), 1.0)


@implements(learn, FlooredUCBState)
def _(state: FlooredUCBState, decision: Decision, reward: float) -> None:
    book(state.ucb.counts, decision.arm, reward)


@implements(law, FlooredUCBState)
def _(state: FlooredUCBState, out: Floats) -> None:
    all_on(_next_arm(state), out)
