"""Sums of many exponentials at a rate that moves a little, which cost the same for any number of them.

With P_k = Σ e^(−u) uᵏ/k! over numbers u ≥ 0 and 0 ≤ s ≤ REACH, Σ e^(−u(1+s)) = Σ_k (−s)ᵏ P_k. Large u need
no care, however large su is: e^(−u) uᵏ/k!, a Poisson probability, is at most 1/√(2πk).

Errors, for N numbers whose sum at s is Z. Cut after ORDER terms the series is off by at most the first term
left out, below REACH^14/9.3 < 1.5e-18 a number. Its terms alternate, but Σ sᵏ P_k ≤ Σ e^(−u(1−s)), which by
the inequality of power means is at most (N/Z)^(2s/(1+s)) Z: seven times Z if N/Z is ten millions.
"""

from math import exp

from .compiling import inlined, kernel
from .lanes import WIDTH, gather, larger, load, spread, store
from .protocol import Floats

ORDER = 14
REACH = 1.0 / 16.0
WORK = ORDER * WIDTH  # numbers of work space
FAR = 700.0  # numbers that are larger count as this one, whose weight is 0: no subnormal weights

_INVERSES = tuple(1.0 / k for k in range(1, ORDER + 1))


@inlined
def weight_of(u: float) -> float:
    """e^(−u), or 0 from FAR on."""
    return exp(-u) if u < FAR else 0.0


@inlined
def move_tilts(moments: Floats, old: float, old_weight: float, new: float, new_weight: float) -> None:
    """Replace one number by another; a weight of 0 stands for none."""
    before, after = old_weight, new_weight
    for k in range(ORDER):
        moments[k] += after - before
        before *= old * _INVERSES[k]
        after *= new * _INVERSES[k]


@kernel
def collect_tilts(
    x: Floats, base: float, rate: float, weights: Floats, work: Floats, moments: Floats
) -> None:
    """The moments of u = rate × (x − base), of which the weights are given."""
    for k in range(0, WORK, WIDTH):
        store(work, k, spread(0.0))
    rows = x.size - x.size % WIDTH
    for i in range(0, rows, WIDTH):
        u = 0.0 - larger(spread(-FAR), rate * (base - load(x, i)))
        term = load(weights, i)
        for k in range(ORDER):
            store(work, k * WIDTH, load(work, k * WIDTH) + term)
            term = term * (u * _INVERSES[k])
    for k in range(ORDER):
        moments[k] = gather(load(work, k * WIDTH))
    for i in range(rows, x.size):
        move_tilts(moments, 0.0, 0.0, min(rate * (x[i] - base), FAR), weights[i])


@kernel
def tilted_sum(moments: Floats, s: float) -> float:
    """Σ e^(−u(1+s))."""
    result = 0.0
    for k in range(ORDER - 1, -1, -1):
        result = moments[k] - s * result
    return result
