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


class Charge(NamedTuple):
    """The charged regret of a policy's runs, and what it hangs on that its arms be short or not.

    Whether an arm falls short on average is read off the runs themselves. An arm whose mean shortfall is
    within three standard errors of zero is in doubt: ``most`` charges those arms too, ``least`` spares
    them, and ``bias`` is how far they can put the mean of ``plain`` up. (The mean of the positive part of
    a normal estimate exceeds that of its expectation by e/√(2π) at most, e being its standard error.)
    """

    plain: Floats
    most: Floats
    least: Floats
    bias: float


def charge(regrets: Floats, shortfalls: Floats, price: Floats) -> Charge:
    """Regrets (run,) with shortfalls (run, arm) charged at their price."""
    means = shortfalls.mean(axis=0)
    errors = np.zeros_like(means)
    if len(regrets) > 1:
        errors = shortfalls.std(axis=0, ddof=1) / np.sqrt(len(regrets))
    doubtful = (np.abs(means) <= 3.0 * errors) & (errors > 0.0)
    short = means > 0.0

    def charged(arms: npt.NDArray[np.bool_]) -> Floats:
        total: Floats = regrets + shortfalls[:, arms] @ price[arms]
        return total

    bias = float((price[doubtful] * errors[doubtful]).sum() / np.sqrt(2.0 * np.pi))
    return Charge(charged(short), charged(short | doubtful), charged(short & ~doubtful), bias)


def priced_regret(regrets: Floats, shortfalls: Floats, price: Floats) -> Floats:
    """regret + Σ_i (E shortfall_i)⁺ · price_i: (round,)."""
    charged: Floats = charged_regret(regrets, shortfalls, price).mean(axis=0)
    return charged
