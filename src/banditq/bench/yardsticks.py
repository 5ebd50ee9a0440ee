"""Which plain loop an entry is measured against."""

from time import perf_counter
from typing import Any

from ..kernels.noise import Stream, stream_key
from ..problem import Problem
from .plain_bandit import plain_bandit, plain_bandit_rounds
from .plain_full import plain_full, plain_full_rounds
from .plain_index import plain_index, plain_index_rounds
from .trial import HORIZON, copied


class Plain:
    """A plain loop of the same algorithm on the same rewards, stretch by stretch."""

    def __init__(self, name: str, problem: Problem, seed: int = 0) -> None:
        choices, rewards = (stream_key(seed, 0, s) for s in (Stream.CHOICES, Stream.REWARDS))
        terms = (problem.targets, problem.reward_max, HORIZON)
        self._keys: tuple[Any, ...] = (rewards,)
        if name == "BanditQ+LogBarrier":
            self.state, self._loop, self._keys = plain_bandit(*terms), plain_bandit_rounds, (choices, rewards)
        elif name == "BanditQ+OGA":
            self.state, self._loop = plain_full(*terms), plain_full_rounds
        else:
            self.state, self._loop = plain_index(problem.n_arms, problem.reward_max), plain_index_rounds
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


YARDSTICKS = ("BanditQ+LogBarrier", "BanditQ+OGA", "UCB1")
