"""Euclidean projection onto the simplex."""

from typing import Any

from .compiling import kernel
from .lanes import WIDTH, gather, larger, load, positive, spread
from .reductions import largest


@kernel
def _support(y: Any, threshold: float) -> tuple[float, float]:
    """Sum of y − threshold over the coordinates above the threshold, and their number."""
    rows = y.size - y.size % WIDTH
    sums, counts = spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        over = load(y, i) - threshold
        sums += larger(over, spread(0.0))
        counts += positive(over)
    total, count = gather(sums), gather(counts)
    for i in range(rows, y.size):
        over = y[i] - threshold
        total += max(over, 0.0)  # no branch: which arms are above is as good as random
        count += 1.0 if over > 0.0 else 0.0
    return total, count


@kernel
def simplex_threshold(y: Any, guess: float) -> float:
    """The τ with Σ (y − τ)⁺ = 1, so that (y − τ)⁺ is the projection of y.

    Newton on the convex, piecewise linear Σ (y − τ)⁺ − 1: from any guess its first step lands at or
    left of the root, then it climbs while the support shrinks.
    """
    threshold = guess
    total, count = _support(y, threshold)
    stalls = 0
    while abs(total - 1.0) > 1e-13 and stalls < 4:
        if count == 0:  # above every coordinate: start again left of the root
            threshold = largest(y) - 1.0
            total, count = _support(y, threshold)
        before = count
        threshold += (total - 1.0) / count
        total, count = _support(y, threshold)
        # Past the first step the support can only shrink; if it does not, rounding is all that is
        # left, and next to a tie it would go back and forth for ever.
        stalls += 1 if count >= before else 0
    return threshold
