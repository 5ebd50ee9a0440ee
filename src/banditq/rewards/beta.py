"""A share of the largest reward: a rating, a throughput, a fraction watched."""

from dataclasses import dataclass
from math import cos, exp, log, log1p, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..checks import real
from ..kernels.compiling import implements, kernel
from ..kernels.noise import scramble, uniform
from ..kernels.protocol import Floats
from .base import Emission, check_payable, emit

_ATTEMPTS = 64  # each succeeds with probability > 0.95: none of 64 does once in 10^83 cells


@dataclass(frozen=True)
class Beta(Emission):
    r"""A Beta variable with the given mean, stretched to [0, reward_max].

    With :math:`m = \mu / M`, :math:`M = \text{reward\_max}` and concentration κ,

    .. math:: r = M\, \mathrm{Beta}(m \kappa, (1 - m) \kappa), \qquad
              \mathrm{Var}\, r = M^2\, \frac{m (1 - m)}{\kappa + 1}.

    κ → 0 is Bernoulli, κ → ∞ the mean itself; means of exactly 0 and M are always paid as such.

    Parameters
    ----------
    concentration
        κ, greater than 0.

    References
    ----------
    Marsaglia & Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000).

    Examples
    --------
    >>> Beta(concentration=4.0).to_dict()
    {'kind': 'Beta', 'concentration': 4.0}
    """

    concentration: float = 10.0

    def __post_init__(self) -> None:
        concentration = real("concentration", self.concentration, above=0.0)
        object.__setattr__(self, "concentration", concentration)

    def check(self, means: Floats, reward_max: float) -> None:
        check_payable(means, reward_max)

    def emission(self, reward_max: float) -> "BetaEmission":
        return BetaEmission(self.concentration, float(reward_max))


class BetaEmission(NamedTuple):
    """κ and the largest reward."""

    concentration: float
    prize: float


@kernel
def _normal(word: Any) -> float:
    """A standard normal draw (Box & Muller)."""
    return sqrt(-2.0 * log(1.0 - uniform(word, 0))) * cos(2.0 * pi * uniform(word, 1))


@kernel
def _gamma(shape: float, word: Any) -> float:
    """A Gamma(shape) draw for shape ≥ 1: d v with v = (1 + w)³ and w a small normal, or try again."""
    d = shape - 1.0 / 3.0
    c = 1.0 / (3.0 * sqrt(d))
    for attempt in range(_ATTEMPTS):
        fresh = scramble(word, attempt)
        x = _normal(fresh)
        w = c * x
        if w <= -1.0:
            continue
        u = 1.0 - uniform(fresh, 2)
        # d (1 − v + log v), in a form that a large shape does not cancel
        slack = d * (3.0 * (log1p(w) - w) - w * w * (3.0 + w))
        if u < 1.0 - 0.0331 * x * x * x * x or log(u) < 0.5 * x * x + slack:
            v = 1.0 + w
            return d * v * v * v
    return d


@kernel
def _log_boost(shape: float, word: Any) -> float:
    """The log of what takes Gamma(shape + 1) to Gamma(shape): U^(1/shape), which may underflow."""
    if shape >= 1.0:
        return 0.0
    return max(log(1.0 - uniform(word, 0)) / shape, -1e308)


@kernel
def _beta(a: float, b: float, word: Any) -> float:
    """A Beta(a, b) draw: X / (X + Y) with X and Y two gammas, each boosted in logs if its shape is < 1."""
    x = _gamma(a if a >= 1.0 else a + 1.0, scramble(word, 0))
    y = _gamma(b if b >= 1.0 else b + 1.0, scramble(word, 1))
    boost = _log_boost(b, scramble(word, 2)) - _log_boost(a, scramble(word, 3))
    return 1.0 / (1.0 + y / x * exp(min(max(boost, -700.0), 700.0)))


@implements(emit, BetaEmission)
def _(emission: BetaEmission, mean: float, cell: Any) -> float:
    prize, mean = emission.prize, float(mean)
    a = emission.concentration * (mean / prize)
    b = emission.concentration * ((prize - mean) / prize)
    if a <= 0.0:
        return 0.0
    if b <= 0.0:
        return prize
    return prize * _beta(a, b, np.uint64(cell))
