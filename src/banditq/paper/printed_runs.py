"""The paper's pseudo-code played as printed and put right: what the errata's numbers are read off."""

import numpy as np

from ..instances import PAPER_MEANS, PAPER_TARGETS, instance
from .as_printed import Algorithm2, algorithm_1_without_reward, algorithm_3
from .measurement import Rows
from .settings import T5, Size


def lost_eta(size: Size) -> Rows:
    """Algorithm 2 with line 11 as printed and corrected: when it leaves the numbers."""
    rows = []
    for lost, seeds, stop in ((True, 20, 5_000), (False, 5, 5_000)):
        play = Algorithm2(PAPER_MEANS, PAPER_TARGETS, T5, lost)
        for seed in range(seeds if size.full else 2):
            with np.errstate(all="ignore"):
                trace = play.run(seed, stop if size.full else 500)
            finite = [s for s in trace.sums if np.isfinite(s)]
            rows.append(
                {
                    "form": "printed" if lost else "corrected",
                    "seed": seed,
                    "rounds": len(trace.sums) - 1,
                    "failed in round": trace.failed,
                    "S before": finite[-1],
                }
            )
    return rows


def newton_sign(size: Size) -> Rows:
    """Algorithm 3 with either sign on random instances: whether it converges, and how fast."""
    rng, rows = np.random.default_rng(0), []
    for n in (5, 1000):
        for _ in range(20):
            r = rng.exponential(n, n)
            right = algorithm_3(r)
            with np.errstate(all="ignore"):
                wrong = algorithm_3(r, printed=True)
            rows.append(
                {
                    "arms": n,
                    "printed converged": wrong.converged,
                    "printed steps": wrong.steps,
                    "corrected converged": right.converged,
                    "corrected steps": right.steps,
                    "corrected sum": float(right.x.sum()),
                }
            )
    return rows


def zero_over_zero(size: Size) -> Rows:
    """Algorithm 1 with V = 0: when it divides 0 by 0."""
    problem = instance("paper-5").problem
    return [
        {
            "seed": seed,
            "divides 0 by 0 in round": algorithm_1_without_reward(
                seed, problem.means, problem.targets, 1_000
            ),
        }
        for seed in range(50)
    ]
