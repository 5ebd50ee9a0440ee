"""What a plain policy remembers of its arms: how often each was opened and what came back."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.compiling import kernel
from ..kernels.protocol import Decision, Floats, pick
from .ranking import Ranking, no_ranking


class Counts(NamedTuple):
    """Per arm: rounds opened, rewards that came, and their sum in units of ``reward_max``.

    A reward may come late, so an arm is ``opened`` at the decision and ``seen`` when its reward is.
    """

    opened: Floats
    seen: Floats
    gained: Floats
    clock: npt.NDArray[np.int64]  # rounds opened, of all arms
    reward_max: float
    ranking: Ranking  # of no arms, unless the policy plays by an index and they are many


def no_counts(n_arms: int, reward_max: float, ranked: bool = False) -> Counts:
    """Counts before the first round."""
    opened, seen, gained = np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms)
    ranking = no_ranking(n_arms if ranked else 0)
    return Counts(opened, seen, gained, np.zeros(1, np.int64), float(reward_max), ranking)


@kernel
def open_round(counts: Counts, arm: int, probability: float) -> Decision:
    """Count a decision, and say what must be kept of it."""
    counts.clock[0] += 1
    counts.opened[arm] += 1.0
    return Decision(arm, probability, 0.0, counts.reward_max, counts.clock[0])


@kernel
def open_drawn(counts: Counts, law: Floats, noise: Any) -> Decision:
    """Draw an arm from a law, count the decision, and say what must be kept of it."""
    arm = pick(law, noise)
    return open_round(counts, arm, law[arm])


@kernel
def book(counts: Counts, arm: int, reward: float) -> None:
    """Count a reward. Dividing, and not multiplying by 1/reward_max, keeps every share at most 1."""
    counts.seen[arm] += 1.0
    counts.gained[arm] += reward / counts.reward_max


@kernel
def first_unplayed(counts: Counts) -> int:
    """The first arm that was never opened, or −1."""
    for arm in range(counts.opened.size):
        if counts.opened[arm] == 0.0 and counts.seen[arm] == 0.0:
            return arm
    return -1


@kernel
def standing(counts: Counts, arm: int) -> tuple[float, float]:
    """Mean reward of an arm, and the count its uncertainty goes by.

    While no reward of the arm has come its openings count, at mean 0: it is not played for ever before
    its first reward is back, and still comes round now and then if that is lost.
    """
    if counts.seen[arm] > 0.0:
        return counts.gained[arm] / counts.seen[arm], counts.seen[arm]
    return 0.0, counts.opened[arm]


@kernel
def best_mean(counts: Counts) -> int:
    """The first arm with the largest mean."""
    best, top = 0, -1.0
    for arm in range(counts.seen.size):
        mean, _ = standing(counts, arm)
        if mean > top:
            best, top = arm, mean
    return best


@kernel
def all_on(arm: int, out: Floats) -> None:
    """The distribution that plays one arm."""
    for i in range(out.size):
        out[i] = 0.0
    out[arm] = 1.0
