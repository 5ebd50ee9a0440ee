"""The bandit learner with the best constants: FTRL with Tsallis entropy, for gains of a known range."""

from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal, NamedTuple

import numpy as np

from ..checks import one_of
from ..kernels.compiling import implements, kernel
from ..kernels.lanes import WIDTH, gather, load, spread
from ..kernels.noise import uniform
from ..kernels.protocol import Floats, draw, law, learn
from ..kernels.reductions import smallest, total
from .base import Learner

# The step that follows this test squares the error, times at most 1.5 N^(1/3).
_TOLERANCE = 1e-8
_BLOCK = 8 * WIDTH  # arms skipped at a time while looking for the one that was drawn
_REBASE = 64.0  # how far the losses may drift from 0, in units of 2/η, before they are shifted


@dataclass(frozen=True)
class TsallisInf(Learner):
    r"""Tsallis-INF on the losses :math:`\ell = B_t - g`, where :math:`B_t` bounds the gain.

    .. math:: w = \arg\min_{q \in \Delta} \langle \hat L, q\rangle - \tfrac{4}{\eta_t} \sum_i \sqrt{q_i}
              \;\Longleftrightarrow\; w_i = \frac{4}{\eta_t^2 (\hat L_i - z)^2},\quad \sum_i w_i = 1.

    Parameters
    ----------
    estimator
        ``"rv"``, reduced variance: :math:`\eta_t = 4/\sqrt{\sum_{s \le t} B_s^2}` and
        :math:`\hat L_i` grows by :math:`b_i + 1[I=i]\,(\ell - b_i)/w_i`, with
        :math:`b_i = \tfrac12 B_t\, 1[w_i \ge (\eta_t B_t)^2]`.
        ``"iw"``, importance weighting: half the rate, and all :math:`b_i = 0`.

    References
    ----------
    Zimmert & Seldin, "Tsallis-INF: An optimal algorithm for stochastic and adversarial bandits",
    JMLR 22(28), 2021, Algorithm 1 and Theorem 1, where every :math:`B_t = 1`.

    Examples
    --------
    Bounds of 3 and 4 make η = 4/5, so that √w = 5/2 / (L̂ − z). Losses of 25/24 and 0 then have √w =
    3/5 and 4/5, at z = −25/8. The first comes from a loss of 25/48 with probability ½, when no weight
    is as large as (ηB)² = 16, so that every b is 0.

    >>> import banditq as bq
    >>> state, w = bq.TsallisInf().state(2), np.zeros(2)
    >>> bq.law(state, 3.0, w)
    >>> bq.learn(state, 0, w[0], 3.0 - 25 / 48, 3.0)
    >>> bq.law(state, 4.0, w)
    >>> w
    array([0.36, 0.64])
    """

    estimator: Literal["rv", "iw"] = "rv"

    feedback = "bandit"

    def __post_init__(self) -> None:
        one_of("estimator", self.estimator, ("rv", "iw"))

    def state(self, n_arms: int) -> "TsallisState":
        memory = np.array([sqrt(n_arms), 0.0, 0.0, 0.0])
        centred = self.estimator == "rv"
        return TsallisState(np.zeros(n_arms), memory, 2.0 if centred else 1.0, centred)


class TsallisState(NamedTuple):
    """``losses`` are L̂ less a common shift; ``memory`` holds y and k of the last draw, min losses, ΣB².

    With k = η/2 = ``rate`` / √ΣB², the weights are ``1 / (y + k (losses − min losses))²``.
    """

    losses: Floats
    memory: Floats
    rate: float
    centred: bool


_Y, _K, _LOW, _SQUARES = 0, 1, 2, 3


@kernel
def pole_power_sums(losses: Floats, low: float, k: float, y: float) -> tuple[float, float]:
    """Σ u² and Σ u³ for u = 1 / (y + k (losses − low))."""
    rows = losses.size - losses.size % WIDTH
    seconds, thirds = spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        poles = 1.0 / (y + k * (load(losses, i) - low))
        seconds += poles * poles
        thirds += poles * poles * poles
    second, third = gather(seconds), gather(thirds)
    for i in range(rows, losses.size):
        u = 1.0 / (y + k * (losses[i] - low))
        second += u * u
        third += u * u * u
    return second, third


@kernel
def tsallis_root(losses: Floats, low: float, k: float, start: float) -> float:
    """The y with Σ u² = 1, for low = min losses; it lies between 1 and √N.

    Newton on (Σ u²)^(−1/2), which is concave, as a mean of power −2 is, and for a single pole linear:
    monotone from the left, and from the right its first step lands on the left.
    """
    y = max(start, 1.0)
    for _ in range(100):
        second, third = pole_power_sums(losses, low, k, y)
        residual = sqrt(second) - 1.0
        y = max(y + residual * second / third, 1.0)
        if abs(residual) <= _TOLERANCE:
            break
    return y


@kernel
def _block_sum(losses: Floats, low: float, k: float, y: float, start: int) -> float:
    """Σ u² over a block of arms."""
    sums = spread(0.0)
    for i in range(start, start + _BLOCK, WIDTH):
        poles = 1.0 / (y + k * (load(losses, i) - low))
        sums += poles * poles
    return gather(sums)


@kernel
def _weight(losses: Floats, low: float, k: float, y: float, arm: int) -> float:
    u = 1.0 / (y + k * (losses[arm] - low))
    return u * u


@kernel
def _find(losses: Floats, low: float, k: float, y: float, target: float) -> int:
    """The first arm at which the running sum of the weights exceeds the target."""
    n_arms = losses.size
    arm = 0
    while arm + _BLOCK < n_arms:
        block = _block_sum(losses, low, k, y, arm)
        if block > target:
            break
        target -= block
        arm += _BLOCK
    while arm < n_arms - 1:
        target -= _weight(losses, low, k, y, arm)
        if target < 0.0:
            break
        arm += 1
    return arm


@implements(draw, TsallisState)
def _(state: TsallisState, bound: float, noise: Any) -> tuple[int, float]:
    losses, memory = state.losses, state.memory
    n_arms = losses.size
    squares = memory[_SQUARES] + bound * bound
    u = uniform(noise, 0)
    if squares == 0.0:
        return min(int(u * n_arms), n_arms - 1), 1.0 / n_arms
    low, k = memory[_LOW], state.rate / sqrt(squares)
    y = tsallis_root(losses, low, k, memory[_Y])
    memory[_Y], memory[_K] = y, k
    arm = _find(losses, low, k, y, u)
    return arm, _weight(losses, low, k, y, arm)


@kernel
def _add_baseline(losses: Floats, low: float, k: float, reach: float, baseline: float) -> None:
    for i in range(losses.size):
        losses[i] += baseline if k * (losses[i] - low) <= reach else 0.0


@kernel
def _centre(state: TsallisState, arm: int, bound: float) -> float:
    """Add b to every loss, and return that of one arm."""
    losses, memory = state.losses, state.memory
    low, k = memory[_LOW], memory[_K]
    # w ≥ (ηB)² for the weights of the last draw, less its y
    reach = sqrt(memory[_SQUARES]) / (2.0 * state.rate * bound) - memory[_Y]
    if reach < 0.0:
        return 0.0
    baseline = 0.5 * bound if k * (losses[arm] - low) <= reach else 0.0
    _add_baseline(losses, low, k, reach, 0.5 * bound)
    return baseline


@implements(learn, TsallisState)
def _(state: TsallisState, arm: int, probability: float, gain: float, bound: float) -> None:
    losses, memory = state.losses, state.memory
    memory[_SQUARES] += bound * bound
    if bound * bound == 0.0:
        return
    baseline = _centre(state, arm, bound) if state.centred else 0.0
    losses[arm] += (bound - gain - baseline) / probability
    low = smallest(losses)
    if abs(low) * memory[_K] > _REBASE:  # keep losses − low free of cancellation
        for i in range(losses.size):
            losses[i] -= low
        low = 0.0
    memory[_LOW] = low


@implements(law, TsallisState)
def _(state: TsallisState, bound: float, out: Floats) -> None:
    losses, memory = state.losses, state.memory
    squares = memory[_SQUARES] + bound * bound
    k = state.rate / sqrt(squares) if squares > 0.0 else 0.0
    y = tsallis_root(losses, memory[_LOW], k, memory[_Y])
    for i in range(out.size):
        out[i] = _weight(losses, memory[_LOW], k, y, i)
    mass = total(out)
    for i in range(out.size):
        out[i] /= mass
