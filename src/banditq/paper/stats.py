"""How sure a mean over runs is, where one more run will fall, and how fast something grows."""

from collections.abc import Sequence
from functools import lru_cache
from math import cos, pi, sin, sqrt, tan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def _within(angle: float, freedom: int) -> float:
    """P(|t| ≤ √ν tan θ) for Student's t with ν degrees of freedom, a finite sum for whole ν.

    References
    ----------
    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    """
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for k in range(odd, freedom - 1, 2):
        total += term
        term *= (k + 1) / (k + 2) * cos(angle) ** 2
    return 2.0 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


@lru_cache
def student(freedom: int, confidence: float = 0.95) -> float:
    """The t that Student's t stays below in absolute value with some probability, by bisection."""
    low, high = 0.0, 0.5 * pi
    for _ in range(60):
        middle = 0.5 * (low + high)
        if _within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return sqrt(freedom) * tan(low)


class Growth(NamedTuple):
    """The exponent a of c·Tᵃ with its 95 % confidence interval."""

    exponent: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"T^{self.exponent:.2f} (95 % interval {self.low:.2f} to {self.high:.2f})"


def growth(horizons: Sequence[float], samples: Sequence[Floats]) -> Growth | None:
    """Fit means over runs by c·Tᵃ; None if a mean is not positive, where there is no such fit.

    Weighted least squares of log mean on log T. If the points lie off the line by more than their
    standard errors explain, so that it is bent, the interval is widened by as much (Birge's ratio).
    """
    means = np.array([values.mean() for values in samples])
    if (means <= 0.0).any():
        return None
    errors = np.array([values.std(ddof=1) / sqrt(values.size) for values in samples]) / means
    weights = 1.0 / np.maximum(errors, 1e-9) ** 2
    x, y = np.log(np.asarray(horizons, np.float64)), np.log(means)
    x = x - np.average(x, weights=weights)
    y = y - np.average(y, weights=weights)
    spread = float((weights * x**2).sum())
    slope = float((weights * x * y).sum()) / spread
    freedom = len(means) - 2
    excess = float((weights * (y - slope * x) ** 2).sum()) / freedom
    half = student(freedom) * sqrt(max(excess, 1.0) / spread)
    return Growth(slope, slope - half, slope + half)


def standard_error(values: Floats) -> float:
    """Of a mean over runs."""
    return float(values.std(ddof=1) / sqrt(values.size))


def half_width(values: Floats) -> Floats:
    """Of the 95 % confidence interval of a mean over runs, which are the first axis."""
    runs = values.shape[0]
    half: Floats = student(runs - 1) * values.std(axis=0, ddof=1) / sqrt(runs)
    return half


def next_run(values: Floats, confidence: float) -> tuple[float, float]:
    """Where one more run falls with this probability: mean ± t s √(1 + 1/n)."""
    half = student(values.size - 1, confidence) * values.std(ddof=1) * sqrt(1.0 + 1.0 / values.size)
    return float(values.mean() - half), float(values.mean() + half)
