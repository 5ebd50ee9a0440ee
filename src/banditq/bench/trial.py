"""One system on one problem, played a stretch at a time with the clock running."""

from time import perf_counter
from typing import Any, Protocol

import numpy as np

from ..kernels.ledger import open_ledger
from ..kernels.noise import Stream, stream_key
from ..kernels.watch import Unwatched
from ..loops import Recorder, bandit_rounds, full_rounds
from ..policies.base import Policy, Terms
from ..problem import Problem

HORIZON = 1_000_000  # the number of rounds that policies are told


class Trial(Protocol):
    """Something that can play on, and go back to where it was marked."""

    def play(self, rounds: int) -> float:
        """Play on for some rounds; returns the seconds it took."""

    def mark(self) -> None:
        """Remember this place."""

    def back(self) -> None:
        """Return to the mark, to play exactly the same rounds again."""


def copied(state: Any) -> Any:
    """A state that shares no array with this one."""
    if hasattr(state, "_fields"):
        return type(state)(*map(copied, state))
    return state.copy() if isinstance(state, np.ndarray) else state


class Ours:
    """A policy of the package in the loop that ``simulate`` runs."""

    def __init__(self, policy: Policy, problem: Problem, seed: int = 0) -> None:
        recorded = problem.protected.astype(np.int64)
        ledger = open_ledger(problem.n_arms, recorded, problem.targets, np.zeros(0, np.int64))
        self._books = policy.state(Terms(problem.targets, problem.reward_max, HORIZON)), ledger
        self._problem = problem
        self._keys = stream_key(seed, 0, Stream.CHOICES), stream_key(seed, 0, Stream.REWARDS)
        self._recorder = _no_recorder(problem.n_arms, recorded.size)
        self._loop = bandit_rounds if policy.feedback == "bandit" else full_rounds
        self._at = 0
        self.mark()

    def play(self, rounds: int) -> float:
        first, last = self._at + 1, self._at + rounds
        problem = self._problem
        rewards, until = problem.rewards.block(problem.means, problem.reward_max, first, last)
        if until < last:
            raise ValueError(f"{problem.rewards!r} comes in blocks, and the clock must not stop at one")
        state, ledger = self._books
        started = perf_counter()
        _, failed = self._loop(state, rewards, *self._keys, ledger, self._recorder, first, last, 0)
        seconds = perf_counter() - started
        if failed:
            raise ArithmeticError(f"the policy left the numbers in round {failed}")
        self._at = last
        return seconds

    @property
    def state(self) -> Any:
        """The policy's state as it stands."""
        return self._books[0]

    def mark(self) -> None:
        self._marked = self._at, tuple(map(copied, self._books))

    def back(self) -> None:
        self._at, books = self._marked
        state, ledger = map(copied, books)
        self._books = state, ledger


def _no_recorder(n_arms: int, k: int) -> Recorder:
    """A recorder that is never due."""
    row, table = np.zeros(1), np.zeros((1, k))
    work = np.zeros((3, n_arms))
    never = np.array([-1], np.int64)
    worst = np.zeros((1, 0, k))
    tables = {name: table.copy() for name in ("accrued", "played", "queue", "peak")}
    law, row_of_rewards, debt = work
    return Recorder(
        never,
        row,
        row.copy(),
        **tables,
        worst=worst,
        law=law,
        row=row_of_rewards,
        debt=debt,
        watcher=Unwatched(0),
    )
