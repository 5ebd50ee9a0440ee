"""Euclidean projection onto the simplex."""

from typing import Any

from .compiling import REDUCTION, kernel


@kernel(fastmath=REDUCTION)
def _support(y: Any, threshold: float) -> tuple[float, int]:
    """Sum of y − threshold over the coordinates above the threshold, and their number."""
    total = 0.0
    count = 0
    for i in range(y.size):
        over = y[i] - threshold
        total += over if over > 0.0 else 0.0
        count += 1 if over > 0.0 else 0
    return total, count


@kernel
def project_to_simplex(y: Any, guess: float) -> float:
    """Project y in place: (y − τ)⁺ with Σ (y − τ)⁺ = 1; returns τ.

    Newton on the convex, piecewise linear Σ (y − τ)⁺ − 1: from any guess its first step lands at or
    left of the root, then it climbs, and it is done when the support stays the same.
    """
    threshold = guess
    total, count = _support(y, threshold)
    if count == 0:  # the guess is above every coordinate: start left of the root
        threshold = y.max() - 1.0
        total, count = _support(y, threshold)
    polish = 0  # steps on an unchanged support only remove rounding
    while True:
        before = count
        threshold += (total - 1.0) / count
        total, count = _support(y, threshold)
        if count == before:
            if abs(total - 1.0) <= 1e-13 or polish == 3:
                break
            polish += 1
    for i in range(y.size):
        over = y[i] - threshold
        y[i] = over if over > 0.0 else 0.0
    return threshold
