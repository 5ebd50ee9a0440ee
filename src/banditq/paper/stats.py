"""How fast something grows with the number of rounds, and how sure that is."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# Student's t at 97.5 % by degrees of freedom.
_STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306}


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
    half = _STUDENT[freedom] * sqrt(max(excess, 1.0) / spread)
    return Growth(slope, slope - half, slope + half)


def standard_error(values: Floats) -> float:
    """Of a mean over runs."""
    return float(values.std(ddof=1) / sqrt(values.size))
