"""The probability of each of several Beta variables to be the largest, by quadrature.

With f and F the densities and distribution functions, variable i is the largest with probability
∫ f_i ∏_{j≠i} F_j. The integral is a sum of Gauss–Legendre rules over panels from left to right, and
each F is the sum of its f so far, so that no incomplete Beta function is needed.
"""

from math import exp, floor

import numpy as np

from ..kernels.compiling import kernel
from ..kernels.divergence import bernoulli_kl, kl_lower, kl_upper, log_mixture
from ..kernels.protocol import Floats

_CUT = 40.0  # the support: where a density is at least e^-40 of its peak
_PANELS = 16.0  # in a support: about one a standard deviation
_NODES = 10  # in a panel, exact to rounding there
_GRADING = 1e-6  # of a panel: where the grading towards a non-integer power starts

# columns of the work space: support, peak, F at the start of the panel, whether a power is not an integer
_LOW, _HIGH, _PEAK, _BELOW, _SHARP, _DENSITY = 0, 1, 2, 3, 4, 5
_CUMULATIVE = _DENSITY + _NODES
WORK_COLUMNS = _CUMULATIVE + _NODES


def _rule() -> tuple[Floats, Floats, Floats]:
    """Points and weights on [0, 1], and the integrals from 0 to each point of what interpolates there."""
    x, weights = np.polynomial.legendre.leggauss(_NODES)
    values = np.polynomial.legendre.legvander(x, _NODES)
    primitives = np.empty((_NODES, _NODES))  # of the Legendre polynomials from −1, at the points
    primitives[:, 0] = x + 1.0
    for k in range(1, _NODES):
        primitives[:, k] = (values[:, k + 1] - values[:, k - 1]) / (2 * k + 1)
    inner = primitives @ np.linalg.inv(values[:, :_NODES])
    return 0.5 * (x + 1.0), 0.5 * weights, np.ascontiguousarray(0.5 * inner)


_POINTS, _WEIGHTS, _INNER = _rule()


@kernel
def largest_law(successes: Floats, trials: Floats, work: Floats, out: Floats) -> None:
    """The probability of each Beta(1 + successes, 1 + trials − successes) to be the largest.

    ``work`` has a row for each variable and one more, of ``WORK_COLUMNS`` zeros, and is left so.
    """
    start, threshold, end = _set_up(successes, trials, work)
    for arm in range(out.size):
        out[arm] = 0.0
    x = start
    while x < end:
        width = _panel_width(work, threshold, x, end)
        if x + width <= x:
            break
        _add_densities(successes, trials, work, threshold, x, width)
        _add_panel(work, threshold, x, width, out)
        x += width
    mass = 0.0
    for arm in range(out.size):
        mass += out[arm]
    for row in range(work.shape[0]):
        for column in range(WORK_COLUMNS):
            work[row, column] = 0.0
    if mass > 0.0:
        for arm in range(out.size):
            out[arm] /= mass
    else:  # narrower than the spacing of numbers
        out[_best_mean(successes, trials)] = 1.0


@kernel
def _best_mean(successes: Floats, trials: Floats) -> int:
    best = 0
    for arm in range(1, trials.size):
        if successes[arm] * trials[best] > successes[best] * trials[arm]:
            best = arm
    return best


@kernel
def _set_up(successes: Floats, trials: Floats, work: Floats) -> tuple[float, float, float]:
    """Supports and peaks; returns where to start, the highest lower end, and where to stop.

    A variable whose support is all below the highest lower end is never the largest.
    """
    start, threshold, end = 1.0, 0.0, 0.0
    for arm in range(trials.size):
        n, s = trials[arm], successes[arm]
        work[arm, _HIGH], work[arm, _PEAK] = 1.0, 1.0
        if n > 0.0:
            work[arm, _LOW] = kl_lower(s / n, _CUT / n)
            work[arm, _HIGH] = kl_upper(s / n, _CUT / n)
            work[arm, _PEAK] = exp(-log_mixture(s, n - s))
        work[arm, _SHARP] = 0.0 if s == floor(s) else 1.0
        threshold = max(threshold, work[arm, _LOW])
        end = max(end, work[arm, _HIGH])
    for arm in range(trials.size):
        if work[arm, _HIGH] > threshold:
            start = min(start, work[arm, _LOW])
    return start, threshold, end


@kernel
def _panel_width(work: Floats, threshold: float, x: float, end: float) -> float:
    """As wide as the narrowest density allows from x on.

    A density xˢ with s not an integer is not smooth at 0: panels double from there, and halve towards 1.
    """
    width = end - x
    for arm in range(work.shape[0] - 1):
        low, high = work[arm, _LOW], work[arm, _HIGH]
        if high <= threshold or high <= x:
            continue
        own = (high - low) / _PANELS
        width = min(width, max(own, low - x))
        if work[arm, _SHARP] > 0.0 and x >= low:
            width = min(width, max(x, _GRADING * own), max(0.5 * (1.0 - x), _GRADING * own))
    return width


@kernel
def _add_densities(
    successes: Floats, trials: Floats, work: Floats, threshold: float, x: float, width: float
) -> None:
    """Every f and F at the nodes of a panel, and the product of all F in the last row."""
    product = work.shape[0] - 1
    for k in range(_NODES):
        work[product, k] = 1.0
    for arm in range(trials.size):
        low, high = work[arm, _LOW], work[arm, _HIGH]
        if high <= threshold or high <= x:
            continue
        n, mode = trials[arm], successes[arm] / max(trials[arm], 1.0)
        for k in range(_NODES):
            node = x + width * _POINTS[k]
            inside = low < node < high
            kl = bernoulli_kl(mode, node) if inside and n > 0.0 else 0.0
            work[arm, _DENSITY + k] = work[arm, _PEAK] * exp(-n * kl) if inside else 0.0
        below, gain = work[arm, _BELOW], 0.0
        for k in range(_NODES):
            inner = 0.0
            for m in range(_NODES):
                inner += _INNER[k, m] * work[arm, _DENSITY + m]
            cumulative = min(max(below + width * inner, 0.0), 1.0)
            work[arm, _CUMULATIVE + k] = cumulative
            work[product, k] *= cumulative
            gain += _WEIGHTS[k] * work[arm, _DENSITY + k]
        work[arm, _BELOW] = below + width * gain


@kernel
def _add_panel(work: Floats, threshold: float, x: float, width: float, out: Floats) -> None:
    """Add ∫ f_i ∏_{j≠i} F_j over a panel."""
    product = work.shape[0] - 1
    for arm in range(out.size):
        high = work[arm, _HIGH]
        if high <= threshold or high <= x:
            continue
        share = 0.0
        for k in range(_NODES):
            cumulative = work[arm, _CUMULATIVE + k]
            if cumulative > 0.0:
                share += _WEIGHTS[k] * work[arm, _DENSITY + k] * (work[product, k] / cumulative)
        out[arm] += width * share
