"""The live agent: a call from Python, and coming back from disk."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from ..agent import Agent
from ..policies.banditq import BanditQ
from .entries import bench_problem
from .trial import HORIZON

Rows = list[dict[str, Any]]

_BATCHES, _SAVES = 20, 7


def opened(n_arms: int, policy: Any = None) -> Agent:
    """A live agent on the bench's problem."""
    problem = bench_problem(n_arms)
    chosen = BanditQ() if policy is None else policy
    agent: Agent = chosen.start(problem.targets, reward_max=problem.reward_max, rounds=HORIZON)
    return agent


def call_microseconds(agent: Agent, calls: int) -> float:
    """Choosing and learning, the fastest of some batches."""
    choose, learn = agent.choose, agent.learn
    best = float("inf")
    for _ in range(_BATCHES):
        started = perf_counter()
        for k in range(calls):
            learn(choose(), 1.0 if k & 1 else 0.5)
        best = min(best, perf_counter() - started)
    return 1e6 * best / calls


def live_calls(sizes: tuple[int, ...] = (5, 1_000), calls: int = 2_000) -> Rows:
    """Choose + learn at these numbers of arms."""
    rows = []
    for n_arms in sizes:
        agent = opened(n_arms)
        call_microseconds(agent, max(calls // 10, 1))
        rows.append({"n_arms": n_arms, "microseconds": call_microseconds(agent, calls)})
    return rows


def _milliseconds(work: Callable[[], Any]) -> float:
    best = float("inf")
    for _ in range(_SAVES):
        started = perf_counter()
        work()
        best = min(best, perf_counter() - started)
    return 1e3 * best


def saving(n_arms: int = 100_000, rounds: int = 100) -> Rows:
    """Save and load an agent that has played for a while."""
    agent = opened(n_arms)
    for _ in range(rounds):
        agent.learn(agent.choose(), 1.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent.npz"
        saved = _milliseconds(lambda: agent.save(path))
        loaded = _milliseconds(lambda: Agent.load(path))
        size = path.stat().st_size
    return [{"n_arms": n_arms, "save_ms": saved, "load_ms": loaded, "mebibytes": size / 2**20}]
