"""Sums over many poles from their moments: what changes all of them alike costs the same for any number.

With numbers 0 ≤ u ≤ 1 and M_k = Σ uᵏ, every |x| ≤ REACH has Σ u/(1 + xu) = Σ_k M_k (−x)^(k−1). Cut after
ORDER moments that is off by at most REACH^ORDER < 1e-12 of itself, and the divergence of :func:`bend_sum`,
which has k/2 times the k-th power, by 1e-10. Both only at the end of the reach and if all u are 1; in the
middle of it they are exact to rounding.
"""

from .compiling import inlined, kernel
from .lanes import WIDTH, gather, load, spread, store
from .protocol import Floats

ORDER = 14
REACH = 0.125
WORK = ORDER * WIDTH  # numbers of work space

_INVERSES = tuple(1.0 / k for k in range(1, ORDER + 1))


@kernel
def collect_moments(numbers: Floats, unit: float, work: Floats, moments: Floats) -> None:
    """The moments of u = unit × numbers, a whole number of rows."""
    for k in range(0, WORK, WIDTH):
        store(work, k, spread(0.0))
    for i in range(0, numbers.size, WIDTH):
        u = unit * load(numbers, i)
        power = u
        for k in range(0, WORK, WIDTH):
            store(work, k, load(work, k) + power)
            power = power * u
    for k in range(ORDER):
        moments[k] = gather(load(work, k * WIDTH))


@inlined
def move_moments(moments: Floats, old: float, new: float) -> None:
    """Replace one number by another; 0 stands for none."""
    before, after = old, new
    for k in range(ORDER):
        moments[k] += after - before
        before *= old
        after *= new


@kernel
def pole_moments(moments: Floats, x: float) -> tuple[float, float, float]:
    """Σ v, Σ v² and Σ v³ for v = u / (1 + xu)."""
    first, second, third = 0.0, 0.0, 0.0  # a polynomial, its derivative and half the next, by Horner
    for k in range(ORDER - 1, -1, -1):
        third = second - x * third
        second = first - x * second
        first = moments[k] - x * first
    return first, second, third


@kernel
def bend_sum(moments: Floats, old: float, new: float) -> float:
    """Σ −log(1 − w) − w for w = (new − old) v, where v is u / (1 + xu) at x = new.

    It is (new − old)² Σ_k M_k b_k / k with b_2 = 1: the divided differences of x^(k−1), taken twice. Two
    powers of the difference stand outside, so that nothing cancels however small it is.
    """
    slope, bend, power, total = 1.0, 1.0, -old, 0.5 * moments[1]
    for k in range(2, ORDER):
        slope = power - new * slope
        bend = slope - new * bend
        total += moments[k] * bend * _INVERSES[k]
        power *= -old
    return (new - old) * (new - old) * total
