"""Theorems 1 and 4: the learners' own regret on the surrogate gains that BanditQ feeds them."""

from collections.abc import Mapping

import numpy as np

from ... import theory
from ...instances import instance
from ...policies.banditq import BanditQ
from ..measurement import Measurement, Rows
from ..settings import HORIZONS, Size
from ..stats import growth
from ..surrogate import surrogate_regrets
from .base import Claim, Finding, Results, all_of, below, in_words, no_faster

_RUNS = 20


def _measure(feedback: str) -> Measurement:
    policy, problem = BanditQ(feedback), instance("paper-5").problem  # type: ignore[arg-type]

    def make(size: Size) -> Rows:
        rounds = [max(round(horizon * size.rounds), 50) for horizon in HORIZONS]
        marks = sorted({max(t, 10 + k) for k, t in enumerate(rounds)})
        runs = max(round(_RUNS * size.runs), 3)
        return [row for run in range(runs) for row in surrogate_regrets(policy, problem, marks, run, 7)]

    config = {"policy": policy.to_dict(), "problem": problem.to_dict(), "horizons": HORIZONS, "runs": _RUNS}
    return Measurement(f"surrogate-{feedback}", make, config)


def _theorem_1(results: Results, rows: Mapping[str, Rows]) -> Finding:
    evidence = [row | {"bound": float(theory.oga_regret(row["squares"]))} for row in rows["surrogate-full"]]
    ratios = np.array([row["regret"] / row["bound"] for row in evidence])
    verdict = "holds" if ratios.max() <= 1.0 else "does not hold"
    measured = (
        f"Surrogate regret is {ratios.mean():.0%} of 2 √Σ‖g‖² on average over runs and horizons, and "
        f"{ratios.max():.0%} at most; the bound is meant for every path, and was checked on {ratios.size}."
    )
    return Finding(measured, verdict, evidence)  # type: ignore[arg-type]


def _theorem_4(results: Results, rows: Mapping[str, Rows]) -> Finding:
    n_arms = instance("paper-5").problem.n_arms
    evidence = [
        row
        | {
            "bound": float(
                np.sqrt(n_arms * row["squares"]) + row["largest"] * np.sqrt(n_arms * row["round"])
            )
        }
        for row in rows["surrogate-bandit"]
    ]
    horizons = sorted({row["round"] for row in evidence})
    ratios = [
        np.array([row["regret"] / row["bound"] for row in evidence if row["round"] == t]) for t in horizons
    ]
    found = growth(horizons, ratios)
    level = all_of(below(values, 1.0) for values in ratios)
    verdict = level if level == "holds" else no_faster(found, 0.0)
    measured = (
        f"Mean surrogate regret is {ratios[0].mean():.2f} times √(N Σ‖g‖²) + max‖g‖ √(NT), without "
        f"constants and logarithms, at {horizons[0]:,} rounds and {ratios[-1].mean():.2f} times at "
        f"{horizons[-1]:,}; the ratio changes {in_words(found)}."
    )
    return Finding(measured, verdict, evidence)


def learner_claims() -> list[Claim]:
    """One for each learner of the paper."""
    return [
        Claim(
            "claim-theorem-1",
            "Theorem 1",
            "OGA's regret on any gains is at most 2 √Σ‖g‖², here on those of the surrogate problem.",
            "the bound has its constant and is meant for every path: holds if no run at any horizon is "
            "above it.",
            _theorem_1,
            measurements=(_measure("full"),),
        ),
        Claim(
            "claim-theorem-4",
            "Theorem 4",
            "LogBarrier's regret is Õ(√(N Σ‖g‖²) + max‖g‖ √(NT)) without knowing the scale, also on gains "
            "that hang on what was played.",
            "holds if the mean is surely below the bound without constants and logarithms at all horizons; "
            "else by whether the 95 % interval of the ratio's exponent lies at or below 0, or above.",
            _theorem_4,
            measurements=(_measure("bandit"),),
        ),
    ]
