"""How a cost grows with the number of arms."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Growth(NamedTuple):
    """``ns ∝ N^exponent`` over [first, last], by least squares on logarithms, with its standard error."""

    exponent: float
    error: float
    first: int
    last: int


_LARGE = 100  # below it, what a round costs whatever N hides what grows


def growth(n_arms: Sequence[int], ns: Sequence[float], least: int = _LARGE) -> Growth | None:
    """The exponent over the sizes from ``least`` on; None with fewer than three of them."""
    sizes, costs = np.asarray(n_arms, float), np.asarray(ns, float)
    large = sizes >= least
    if large.sum() < 3:
        return None
    x, y = np.log(sizes[large]), np.log(costs[large])
    x = x - x.mean()
    slope = float(x @ y / (x @ x))
    rest = y - y.mean() - slope * x
    error = float(np.sqrt(rest @ rest / (x.size - 2) / (x @ x)))
    return Growth(slope, error, int(sizes[large].min()), int(sizes[large].max()))
