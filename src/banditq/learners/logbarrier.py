"""The scale-free bandit learner that the paper uses: FTRL with a logarithmic barrier."""

from dataclasses import dataclass
from math import log, log1p, sqrt
from typing import Any, NamedTuple

import numpy as np

from ..kernels.compiling import implements, kernel
from ..kernels.lanes import WIDTH, gather, load, spread
from ..kernels.noise import uniform
from ..kernels.protocol import Floats, draw, law, learn, uses_bound
from ..kernels.reductions import largest
from .base import Learner

# Newton's error is squared by the step that follows this test, which leaves 1e-16.
_TOLERANCE = 1e-8
_SMALL = 0.0625  # ratios for which the series of `excess` is exact
_REBASE = 64.0  # how far the leader may drift from 0, in units of its gap
_BLOCK = 8 * WIDTH  # arms skipped at a time while looking for the one that was drawn


@dataclass(frozen=True)
class LogBarrier(Learner):
    r"""Follow the regularised leader with a log barrier and adaptive rate; any real gains.

    With :math:`\tilde R` the cumulative importance-weighted gains,

    .. math:: p = \arg\max_{q \in \Delta} \langle \tilde R, q\rangle
              + \tfrac{1}{\eta} \sum_i \log q_i, \qquad
              x = (1-\gamma) p + \gamma / N,

    where :math:`\eta = N/S`, S grows by the mixability gap of each round and
    :math:`\gamma = \min(\frac12, \sqrt{N/t})`.

    References
    ----------
    Putta & Agrawal, "Scale-free adversarial multi-armed bandits", ALT 2022, Algorithm 1.
    """

    feedback = "bandit"

    def state(self, n_arms: int) -> "LogBarrierState":
        return LogBarrierState(np.zeros(n_arms), np.array([1.0, 1.0, 0.0, 0.0]))


class LogBarrierState(NamedTuple):
    """``scores`` are R̃ less a common shift; ``memory`` holds ε, S, rounds learnt and max scores.

    An arm's gap is ε + max scores − score, so that the leader's is ε to the last bit; ε solves
    ``Σ 1/gap = η`` for η = N/S, and then ``p = 1/(η gap)``.
    """

    scores: Floats
    memory: Floats


_EPSILON, _S, _ROUNDS, _TOP = 0, 1, 2, 3


@kernel
def pole_sums(scores: Floats, top: float, epsilon: float) -> tuple[float, float]:
    """Σ 1/gap and Σ 1/gap²."""
    rows = scores.size - scores.size % WIDTH
    firsts, seconds = spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        poles = 1.0 / (epsilon + (top - load(scores, i)))
        firsts += poles
        seconds += poles * poles
    first, second = gather(firsts), gather(seconds)
    for i in range(rows, scores.size):
        pole = 1.0 / (epsilon + (top - scores[i]))
        first += pole
        second += pole * pole
    return first, second


@kernel
def _block_pole_sum(scores: Floats, top: float, epsilon: float, start: int) -> float:
    """Σ 1/gap over a block of arms."""
    poles = spread(0.0)
    for i in range(start, start + _BLOCK, WIDTH):
        poles += 1.0 / (epsilon + (top - load(scores, i)))
    return gather(poles)


@kernel
def barrier_root(scores: Floats, top: float, eta: float, start: float) -> float:
    """The ε with Σ 1/gap = η; it is at least 1/η, the leader's share alone.

    Newton on 1/Σ, which is concave and, for a single pole, linear: monotone from the left, and from
    the right its first step lands on the left.
    """
    floor = 1.0 / eta
    epsilon = max(start, floor)
    for _ in range(100):
        first, second = pole_sums(scores, top, epsilon)
        residual = first / eta - 1.0
        epsilon = max(epsilon + residual * first / second, floor)
        if abs(residual) <= _TOLERANCE:
            break
    return epsilon


@kernel
def excess(w: float, old_gap: float, gap: float) -> float:
    """−log(1 − w) − w, without cancellation; 1 − w is old_gap / gap, which w near 1 has forgotten."""
    if abs(w) <= _SMALL:
        return _series(w)
    return (log(gap / old_gap) if w > 0.5 else -log1p(-w)) - w


@kernel
def _series(w: Any) -> Any:
    """w²/2 + w³/3 + …, exact to rounding for |w| ≤ 1/16; a number or lanes."""
    tail = 1 / 10 + w * (1 / 11 + w * (1 / 12 + w * (1 / 13 + w * (1 / 14))))
    tail = 1 / 6 + w * (1 / 7 + w * (1 / 8 + w * (1 / 9 + w * tail)))
    return w * w * (1 / 2 + w * (1 / 3 + w * (1 / 4 + w * (1 / 5 + w * tail))))


@kernel
def _small_excess_sum(scores: Floats, top: float, epsilon: float, shift: float) -> float:
    """Σ excess(shift / gap) where every ratio is at most 1/16 in size."""
    rows = scores.size - scores.size % WIDTH
    sums = spread(0.0)
    for i in range(0, rows, WIDTH):
        sums += _series(shift / (epsilon + (top - load(scores, i))))
    total = gather(sums)
    for i in range(rows, scores.size):
        total += _series(shift / (epsilon + (top - scores[i])))
    return total


@kernel
def _excess_sum(
    scores: Floats, top: float, epsilon: float, old_level: float, shift: float, arm: int
) -> float:
    """Σ excess(shift / gap) over all arms but one; ``old_level`` is c before the shift."""
    if abs(shift) <= _SMALL * epsilon:
        own = _series(shift / (epsilon + (top - scores[arm])))
        return _small_excess_sum(scores, top, epsilon, shift) - own
    total = 0.0
    for i in range(scores.size):
        if i != arm:
            gap = epsilon + (top - scores[i])
            total += excess(shift / gap, old_level - scores[i], gap)
    return total


@implements(uses_bound, LogBarrierState)
def _(state: LogBarrierState) -> bool:
    return False


@kernel
def exploration(state: LogBarrierState) -> float:
    """γ of the coming round: ½ before anything is learnt."""
    rounds = state.memory[_ROUNDS]
    return 0.5 if rounds < 1.0 else min(0.5, sqrt(state.scores.size / rounds))


@implements(draw, LogBarrierState)
def _(state: LogBarrierState, bound: float, noise: Any) -> tuple[int, float]:
    scores, epsilon, top = state.scores, state.memory[_EPSILON], state.memory[_TOP]
    n_arms = scores.size
    eta = n_arms / state.memory[_S]
    gamma = exploration(state)
    u = uniform(noise, 0)
    if u < gamma:
        arm = min(int(u / gamma * n_arms), n_arms - 1)
    else:
        left = (u - gamma) / (1.0 - gamma) * eta
        arm = 0
        while arm + _BLOCK < n_arms:
            block = _block_pole_sum(scores, top, epsilon, arm)
            if block > left:
                break
            left -= block
            arm += _BLOCK
        while arm < n_arms - 1:
            left -= 1.0 / (epsilon + (top - scores[arm]))
            if left < 0.0:
                break
            arm += 1
    return arm, (1.0 - gamma) / (eta * (epsilon + (top - scores[arm]))) + gamma / n_arms


@implements(learn, LogBarrierState)
def _(state: LogBarrierState, arm: int, probability: float, gain: float, bound: float) -> None:
    scores, memory = state.scores, state.memory
    memory[_ROUNDS] += 1.0
    if gain == 0.0:
        return
    n_arms = scores.size
    old_epsilon, old_top, eta = memory[_EPSILON], memory[_TOP], n_arms / memory[_S]
    estimate = gain / probability
    old_gap = old_epsilon + (old_top - scores[arm])
    scores[arm] += estimate
    top = max(old_top, scores[arm]) if gain > 0.0 else largest(scores)

    # the same equation at the old rate gives the optimum q of the mixability gap
    epsilon = barrier_root(scores, top, eta, old_epsilon - (top - old_top))
    shift = (epsilon - old_epsilon) + (top - old_top)
    gap = epsilon + (top - scores[arm])
    moved = (old_gap - gap) / gap  # q_I / p_I − 1
    curvature = _excess_sum(scores, top, epsilon, old_epsilon + old_top, shift, arm) + excess(
        -moved, old_gap, gap
    )
    memory[_S] += max((estimate * moved / old_gap - curvature) / eta, 0.0)

    epsilon = barrier_root(scores, top, n_arms / memory[_S], epsilon)
    if abs(top) > _REBASE * epsilon:  # keep the scores near the leader's small, hence exact
        for i in range(n_arms):
            scores[i] -= top
        top = 0.0
    memory[_EPSILON], memory[_TOP] = epsilon, top


@implements(law, LogBarrierState)
def _(state: LogBarrierState, bound: float, out: Floats) -> None:
    scores, epsilon, top = state.scores, state.memory[_EPSILON], state.memory[_TOP]
    gamma = exploration(state)
    total, _ = pole_sums(scores, top, epsilon)
    for i in range(scores.size):
        share = 1.0 / (total * (epsilon + (top - scores[i])))
        out[i] = (1.0 - gamma) * share + gamma / scores.size
