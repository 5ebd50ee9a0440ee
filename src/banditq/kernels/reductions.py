"""Sums and extremes over arms."""

from .compiling import inlined, kernel
from .lanes import WIDTH, gather, lane, larger, load, spread
from .protocol import Floats


@kernel
def total(x: Floats) -> float:
    """Σ x."""
    rows = x.size - x.size % WIDTH
    sums = spread(0.0)
    for i in range(0, rows, WIDTH):
        sums += load(x, i)
    result = gather(sums)
    for i in range(rows, x.size):
        result += x[i]
    return result


@inlined
def dot(x: Floats, y: Floats) -> float:
    """Σ x y."""
    rows = x.size - x.size % WIDTH
    sums = spread(0.0)
    for i in range(0, rows, WIDTH):
        sums += load(x, i) * load(y, i)
    result = gather(sums)
    for i in range(rows, x.size):
        result += x[i] * y[i]
    return result


@kernel
def largest(x: Floats) -> float:
    """The maximum of x."""
    rows = x.size - x.size % WIDTH
    result = x[0]
    if rows:
        best = load(x, 0)
        for i in range(WIDTH, rows, WIDTH):
            best = larger(best, load(x, i))
        for j in range(WIDTH):
            result = max(result, lane(best, j))
    for i in range(rows, x.size):
        result = max(result, x[i])
    return result


@kernel
def smallest(x: Floats) -> float:
    """The minimum of x."""
    rows = x.size - x.size % WIDTH
    result = x[0]
    if rows:
        best = 0.0 - load(x, 0)
        for i in range(WIDTH, rows, WIDTH):
            best = larger(best, 0.0 - load(x, i))
        for j in range(WIDTH):
            result = min(result, -lane(best, j))
    for i in range(rows, x.size):
        result = min(result, x[i])
    return result
