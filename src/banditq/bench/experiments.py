"""Whole experiments of the paper, on one core."""

from typing import Any

from ..instances import instance
from ..policies.banditq import BanditQ
from ..simulate import simulate

Rows = list[dict[str, Any]]


def experiment_seconds(name: str, repeats: int, rounds: int | None = None) -> Rows:
    """Both feedback settings of an instance, one run each, checkpoints and all; the fastest of some."""
    problem, told = instance(name)
    length = told if rounds is None else rounds
    row: dict[str, Any] = {"instance": name, "n_arms": problem.n_arms, "rounds": length}
    for policy in (BanditQ(), BanditQ("full")):
        simulate(policy, problem, 10, jobs=1, progress=False)  # compiles
        runs = [simulate(policy, problem, length, jobs=1, progress=False) for _ in range(repeats)]
        row[policy.feedback] = min(run.info["seconds"] for run in runs)
    return [row | {"pair": row["bandit"] + row["full"]}]
