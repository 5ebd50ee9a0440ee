"""What is measured, as functions of arrays with axes (run, round[, arm]).

Shortfalls are signed: a surplus is negative. Expectations are means over runs.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Estimate(NamedTuple):
    """A mean over runs and its standard error, which is NaN for a single run or an infinite mean."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.6g}" if np.isnan(self.error) else f"{self.value:.6g} ± {self.error:.2g}"


def estimate(samples: Floats) -> Estimate:
    """Mean and standard error of one number a run."""
    runs = samples.size
    spread = runs > 1 and np.isfinite(samples).all()
    error = samples.std(ddof=1) / np.sqrt(runs) if spread else np.nan
    return Estimate(float(samples.mean()), float(error))


def regret(benchmark: Floats, reward: Floats) -> Floats:
    """Benchmark reward up to each round less what was earned: (run, round)."""
    return benchmark[None, :] - reward


def shortfall(rounds: Integers, targets: Floats, accrued: Floats) -> Floats:
    """λ_i t − Σ r_i X_i: (run, round, arm)."""
    promised: Floats = rounds[None, :, None] * targets[None, None, :]
    return promised - accrued


def rates(rounds: Integers, accrued: Floats) -> Floats:
    """Reward accrued per round: (run, round, arm)."""
    return accrued / rounds[None, :, None]


def violation(shortfalls: Floats) -> Floats:
    """The paper's V(T), max over arms of the mean shortfall over runs: (round,); 0 without arms."""
    if shortfalls.shape[-1] == 0:
        return np.zeros(shortfalls.shape[1])
    worst: Floats = shortfalls.mean(axis=0).max(axis=-1)
    return worst


def charged_regret(regrets: Floats, shortfalls: Floats, price: Floats) -> Floats:
    """Each run's regret plus its shortfalls at their price, for arms that fall short on average.

    Its mean over runs is the priced regret, and its spread gives the standard error. Axes (run, round).
    """
    short = shortfalls.mean(axis=0) > 0.0
    with np.errstate(invalid="ignore"):  # an infinite price on no shortfall charges nothing
        charge = np.where(short, shortfalls * price, 0.0)
    total: Floats = regrets + charge.sum(axis=-1)
    return total


def priced_regret(regrets: Floats, shortfalls: Floats, price: Floats) -> Floats:
    """regret + Σ_i (E shortfall_i)⁺ · price_i: (round,)."""
    charged: Floats = charged_regret(regrets, shortfalls, price).mean(axis=0)
    return charged
