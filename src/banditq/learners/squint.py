"""Exponential weights that mix over all learning rates: second-order and quantile bounds."""

from dataclasses import dataclass
from math import erf, exp, expm1, pi, sqrt
from typing import NamedTuple

import numpy as np

from ..kernels.compiling import implements, kernel
from ..kernels.protocol import Floats, law, learn
from ..kernels.reductions import dot, total
from .base import Learner


@dataclass(frozen=True)
class Squint(Learner):
    r"""Exponential weights mixed over all learning rates that are safe, with the improper prior dη/η.

    .. math:: w_i \propto \int_0^{1/(2B)} e^{\eta R_i - \eta^2 V_i}\, d\eta
              \propto \xi\Bigl(\frac{R_i}{B}, \frac{V_i}{B^2}\Bigr), \qquad
              \xi(R, V) = \int_0^{1/2} e^{\eta R - \eta^2 V}\, d\eta,

    where R and V sum :math:`r_i = g_i - \langle w, g\rangle` and its square. Gains lie between 0 and a
    bound known before each round, and B is the largest bound so far, the coming round's included.

    R and V are sums in units of gain; it is the rates that shrink, to today's 1/(2B). With each
    :math:`r_i` divided by the B of its day, and rates up to ½ throughout, the analysis for a known range
    would hold as it stands, but bound a regret whose unit changes: an arm that fell behind while gains were
    small would have to make up for it with as many large ones.

    The price is a logarithm. While each round is learnt before the next, the mean over arms of

    .. math:: \Phi_i = \int_0^{1/(2B)} \frac{e^{\eta R_i - \eta^2 V_i} - 1}{\eta}\, d\eta

    does not rise in a round, as :math:`e^{z - z^2} \le 1 + z` for :math:`z \ge -\frac12` and
    :math:`\sum_i w_i r_i = 0`; when B grows to B', each term loses rates at which its integrand is above
    :math:`-1/\eta`, so that it rises by less than :math:`\ln(B'/B)`. The mean thus is at most L, the
    logarithm of the last B over the first that is not 0, where it is at most 0 with a constant B. After T
    rounds no term is below :math:`-1 - \ln(1 + T)`, from which follows

    .. math:: R_i \le \max(8 B A, \sqrt{8 V_i A}), \qquad
              A = \ln\Bigl(1 + \frac{N (L + 1 + \ln(1 + T)) + \ln T}{\ln 2}\Bigr).

    References
    ----------
    Koolen & van Erven, "Second-order quantile methods for experts and combinatorial games", COLT 2015,
    for a known range. Mhammedi, Koolen & van Erven, "Lipschitz adaptivity with multiple learning rates in
    online learning", COLT 2019, update the set of rates too, for a range that is not even known before
    the round; of it only the abstract was re-read. The bound and its constants are derived here.

    Examples
    --------
    A first gain of 1 makes R = (½, −½) and V = (¼, ¼). The larger the bound of the next round, the less
    that lead counts; here the law is held against the midpoint rule.

    >>> import banditq as bq
    >>> state, w = bq.Squint().state(2), np.full(2, 0.5)
    >>> bq.learn(state, w, np.array([1.0, 0.0]), 1.0)
    >>> for bound in (1.0, 10.0):
    ...     bq.law(state, bound, w)
    ...     rates = (np.arange(1000) + 0.5) / (2000 * bound)
    ...     ahead, behind = (np.exp(rates * regret - rates**2 / 4).sum() for regret in (0.5, -0.5))
    ...     print(bool(np.isclose(w[0], ahead / (ahead + behind), rtol=1e-6)))
    True
    True
    """

    feedback = "full"

    def state(self, n_arms: int) -> "SquintState":
        return SquintState(np.zeros(n_arms), np.zeros(n_arms), np.zeros(1))


class SquintState(NamedTuple):
    """Each arm's R and V, in units of gain and its square; ``reach`` holds the largest bound so far."""

    regrets: Floats
    squares: Floats
    reach: Floats


_NODES = (0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363)
_WEIGHTS = (0.362683783378362, 0.31370664587788727, 0.22238103445337448, 0.10122853629037626)

# (1 + 2x) erfcx(x) as a polynomial in (x − 4)/(x + 4), highest power first: its Chebyshev series,
# of which the rest adds up to less than 1e-17.
_ERFCX = (
    -2.6595996902426876e-10,
    9.311744978232574e-10,
    3.169588191564816e-09,
    -1.234686604382353e-08,
    -2.0560649275699197e-08,
    1.0633855618594884e-07,
    7.746992727017941e-08,
    -8.210939042560568e-07,
    2.919733377963012e-07,
    5.706604414895734e-06,
    -1.1221287012353486e-05,
    -2.4397746422436416e-05,
    0.0001506214900124047,
    -0.00019925714661091188,
    -0.0007577732613730956,
    0.005031970067657489,
    -0.016197734059799265,
    0.03716751552655567,
    -0.06633036581218697,
    0.0937328349990944,
    -0.10103906603630056,
    0.06809705425466908,
    0.015379652102619604,
    -0.1396211168405623,
    1.2329951186255526,
)


@kernel
def erfcx(x: float) -> float:
    """exp(x²) erfc(x) for x ≥ 0."""
    t = (x - 4.0) / (x + 4.0)
    result = 0.0
    for k in range(len(_ERFCX)):
        result = result * t + _ERFCX[k]
    return result / (1.0 + 2.0 * x)


@kernel
def peak(regret: float, square: float) -> float:
    """The largest exponent ηR − η²V over 0 ≤ η ≤ ½."""
    if regret <= 0.0:
        return 0.0
    if regret >= square:
        return 0.5 * regret - 0.25 * square
    return regret / square * regret * 0.25


@kernel
def width(regret: float, square: float) -> float:
    """ξ(R, V) / exp(peak), which lies in (0, ½]: neither over- nor underflows."""
    if regret <= 0.0:
        return _descent(-regret, square)
    if regret >= square:  # the same seen from η = ½
        return _descent(regret - square, square)
    root = sqrt(square)
    return 0.5 * sqrt(pi) / root * (erf(0.5 * (square - regret) / root) + erf(0.5 * regret / root))


@kernel
def _descent(slope: float, square: float) -> float:
    """∫₀^{1/2} exp(−η slope − η² square) dη, both at least 0.

    The closed form takes the tail beyond ½ from the whole; it cancels where the integrand is flat, but
    there eight Gauss–Legendre nodes are exact to rounding.
    """
    drop = 0.5 * slope + 0.25 * square
    if drop < 0.5:
        return _quadrature(slope, square)
    if square == 0.0:
        return -expm1(-0.5 * slope) / slope
    root = sqrt(square)
    a = 0.5 * slope / root
    return 0.5 * sqrt(pi) / root * (erfcx(a) - exp(-drop) * erfcx(a + 0.5 * root))


@kernel
def _quadrature(slope: float, square: float) -> float:
    result = 0.0
    for k in range(len(_NODES)):
        near, far = 0.25 - 0.25 * _NODES[k], 0.25 + 0.25 * _NODES[k]
        pair = exp(-near * (slope + near * square)) + exp(-far * (slope + far * square))
        result += 0.25 * _WEIGHTS[k] * pair
    return result


@implements(law, SquintState)
def _(state: SquintState, bound: float, out: Floats) -> None:
    regrets, squares = state.regrets, state.squares
    reach = max(state.reach[0], bound)
    unit = 1.0 / reach if reach > 0.0 else 0.0
    top = 0.0
    for i in range(out.size):
        top = max(top, peak(regrets[i] * unit, squares[i] * unit * unit))
    for i in range(out.size):
        regret, square = regrets[i] * unit, squares[i] * unit * unit
        out[i] = width(regret, square) * exp(peak(regret, square) - top)
    mass = total(out)
    for i in range(out.size):
        out[i] /= mass


@implements(learn, SquintState)
def _(state: SquintState, played: Floats, gains: Floats, bound: float) -> None:
    state.reach[0] = max(state.reach[0], bound)
    paid = dot(played, gains)
    for i in range(gains.size):
        excess = gains[i] - paid
        state.regrets[i] += excess
        state.squares[i] += excess * excess
