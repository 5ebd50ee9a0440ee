"""Which plain loop an entry is measured against."""

from time import perf_counter
from typing import Any

from ..kernels.noise import Stream, stream_key
from ..problem import Problem
from .plain_bandit import plain_bandit, plain_bandit_rounds
from .plain_full import plain_full, plain_full_rounds
from .plain_index import plain_index, plain_index_rounds
from .trial import HORIZON, copied

YARDSTICKS = ("BanditQ+LogBarrier", "BanditQ+OGA", "UCB1")


def _plain(name: str, problem: Problem) -> tuple[Any, Any]:
    """A fresh state and the loop that plays it."""
    terms = (problem.targets, problem.reward_max, HORIZON)
    if name == "BanditQ+LogBarrier":
        return plain_bandit(*terms), plain_bandit_rounds
    if name == "BanditQ+OGA":
        return plain_full(*terms), plain_full_rounds
    return plain_index(problem.n_arms, problem.reward_max), plain_index_rounds


class Plain:
    """A plain loop of the same algorithm on the same rewards, stretch by stretch."""

    def __init__(self, name: str, problem: Problem, seed: int = 0) -> None:
        choices, rewards = (stream_key(seed, 0, s) for s in (Stream.CHOICES, Stream.REWARDS))
        self.state, self._loop = _plain(name, problem)
        self._keys = (choices, rewards) if name == "BanditQ+LogBarrier" else (rewards,)  # who draws an arm
        self._problem = problem
        self._at = 0
        self.mark()

    def play(self, rounds: int) -> float:
        first, last = self._at + 1, self._at + rounds
        problem = self._problem
        block, _ = problem.rewards.block(problem.means, problem.reward_max, first, last)
        started = perf_counter()
        self._loop(self.state, block, *self._keys, first, last)
        seconds = perf_counter() - started
        self._at = last
        return seconds

    def mark(self) -> None:
        self._marked = self._at, copied(self.state)

    def back(self) -> None:
        self._at, state = self._marked
        self.state = copied(state)
