"""The scale-free bandit learner that the paper uses: FTRL with a logarithmic barrier."""

from dataclasses import dataclass
from math import log1p, sqrt
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
        memory = np.array([1.0, 1.0, 0.0, 0.0])
        return LogBarrierState(np.zeros(n_arms), memory)


class LogBarrierState(NamedTuple):
    """``scores`` are R̃ less a common shift; ``memory`` holds c, S, rounds learnt and max scores.

    ``c`` solves ``Σ 1/(c − scores) = N/S``, so that ``p = S / (N (c − scores))``.
    """

    scores: Floats
    memory: Floats


_C, _S, _ROUNDS, _TOP = 0, 1, 2, 3


@kernel
def pole_sums(scores: Floats, c: float) -> tuple[float, float]:
    """Σ 1/(c − scores) and Σ 1/(c − scores)²."""
    rows = scores.size - scores.size % WIDTH
    firsts, seconds = spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        poles = 1.0 / (c - load(scores, i))
        firsts += poles
        seconds += poles * poles
    first, second = gather(firsts), gather(seconds)
    for i in range(rows, scores.size):
        pole = 1.0 / (c - scores[i])
        first += pole
        second += pole * pole
    return first, second


@kernel
def _block_pole_sum(scores: Floats, c: float, start: int) -> float:
    """Σ 1/(c − scores) over a block of arms."""
    poles = spread(0.0)
    for i in range(start, start + _BLOCK, WIDTH):
        poles += 1.0 / (c - load(scores, i))
    return gather(poles)


@kernel
def barrier_root(scores: Floats, top: float, eta: float, start: float) -> float:
    """The c > top with Σ 1/(c − scores) = eta.

    Newton on 1/Σ, which is concave and, for a single pole, linear: monotone from the left, and from
    the right its first step lands on the left.
    """
    floor = top + 1.0 / eta
    c = max(start, floor)
    for _ in range(100):
        first, second = pole_sums(scores, c)
        residual = first / eta - 1.0
        c = max(c + residual * first / second, floor)
        if abs(residual) <= _TOLERANCE:
            break
    return c


@kernel
def excess(w: float) -> float:
    """−log(1 − w) − w for w < 1, without cancellation."""
    if abs(w) > 0.0625:
        return -log1p(-w) - w
    return _series(w)


@kernel
def _series(w: Any) -> Any:
    """w²/2 + w³/3 + …, exact to rounding for |w| ≤ 1/16; a number or lanes."""
    tail = 1 / 10 + w * (1 / 11 + w * (1 / 12 + w * (1 / 13 + w * (1 / 14))))
    tail = 1 / 6 + w * (1 / 7 + w * (1 / 8 + w * (1 / 9 + w * tail)))
    return w * w * (1 / 2 + w * (1 / 3 + w * (1 / 4 + w * (1 / 5 + w * tail))))


@kernel
def _small_excess_sum(scores: Floats, c: float, shift: float) -> float:
    """Σ excess(shift / (c − scores)) where every ratio is at most 1/16 in size."""
    rows = scores.size - scores.size % WIDTH
    sums = spread(0.0)
    for i in range(0, rows, WIDTH):
        sums += _series(shift / (c - load(scores, i)))
    total = gather(sums)
    for i in range(rows, scores.size):
        total += _series(shift / (c - scores[i]))
    return total


@kernel
def _excess_sum(scores: Floats, c: float, shift: float, top: float, arm: int) -> float:
    """Σ excess(shift / (c − scores)) over all arms but one."""
    if abs(shift) <= 0.0625 * (c - top):
        return _small_excess_sum(scores, c, shift) - _series(shift / (c - scores[arm]))
    total = 0.0
    for i in range(scores.size):
        if i != arm:
            total += excess(shift / (c - scores[i]))
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
    scores, c = state.scores, state.memory[_C]
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
            block = _block_pole_sum(scores, c, arm)
            if block > left:
                break
            left -= block
            arm += _BLOCK
        while arm < n_arms - 1:
            left -= 1.0 / (c - scores[arm])
            if left < 0.0:
                break
            arm += 1
    return arm, (1.0 - gamma) / (eta * (c - scores[arm])) + gamma / n_arms


@implements(learn, LogBarrierState)
def _(state: LogBarrierState, arm: int, probability: float, gain: float, bound: float) -> None:
    scores, memory = state.scores, state.memory
    memory[_ROUNDS] += 1.0
    if gain == 0.0:
        return
    n_arms = scores.size
    c, eta = memory[_C], n_arms / memory[_S]
    estimate = gain / probability
    gap = c - scores[arm]
    scores[arm] += estimate
    top = max(memory[_TOP], scores[arm]) if gain > 0.0 else largest(scores)

    # the same equation at the old rate gives the optimum q of the mixability gap
    c1 = barrier_root(scores, top, eta, c)
    shift = c1 - c
    new_gap = c1 - scores[arm]
    moved = (estimate - shift) / new_gap  # q_I / p_I − 1
    curvature = _excess_sum(scores, c1, shift, top, arm) + excess(-moved)
    mixability = (estimate * moved / gap - curvature) / eta
    memory[_S] += max(mixability, 0.0)

    eta = n_arms / memory[_S]
    c = barrier_root(scores, top, eta, c1)
    if abs(top) > 64.0 * (c - top):  # keep c − scores free of cancellation
        for i in range(n_arms):
            scores[i] -= top
        c -= top
        top = 0.0
    memory[_C], memory[_TOP] = c, top


@implements(law, LogBarrierState)
def _(state: LogBarrierState, bound: float, out: Floats) -> None:
    scores, c = state.scores, state.memory[_C]
    gamma = exploration(state)
    total, _ = pole_sums(scores, c)
    for i in range(scores.size):
        out[i] = (1.0 - gamma) / (total * (c - scores[i])) + gamma / scores.size
