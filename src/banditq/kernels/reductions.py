"""Sums and extremes over arms, vectorised and without allocation."""

from .compiling import REDUCTION, kernel
from .protocol import Floats


@kernel(fastmath=REDUCTION)
def total(x: Floats) -> float:
    """Σ x."""
    result = 0.0
    for i in range(x.size):
        result += x[i]
    return result


@kernel(fastmath=REDUCTION)
def squared_norm(x: Floats) -> float:
    """Σ x²."""
    result = 0.0
    for i in range(x.size):
        result += x[i] * x[i]
    return result


@kernel(fastmath=REDUCTION)
def largest(x: Floats) -> float:
    """The maximum of x."""
    result = x[0]
    for i in range(1, x.size):
        result = x[i] if x[i] > result else result
    return result


@kernel(fastmath=REDUCTION)
def smallest(x: Floats) -> float:
    """The minimum of x."""
    result = x[0]
    for i in range(1, x.size):
        result = x[i] if x[i] < result else result
    return result
