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

# The step that follows this test cubes the error, times at most N.
_TOLERANCE = 2e-6
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

    Examples
    --------
    After one estimate r̃ of a gain so large that S = 1 is forgotten, S has grown to r̃/2. With two arms
    :math:`1/(c - \tilde r) + 1/c = \eta = 4/\tilde r`, hence :math:`p = (1 + \sqrt 5)/4`, and γ is ½
    still.

    >>> import banditq as bq
    >>> for gain in (1e20, 1e30):
    ...     state, x = bq.LogBarrier().state(2), np.zeros(2)
    ...     bq.learn(state, 0, 0.5, gain, np.inf)
    ...     bq.law(state, np.inf, x)
    ...     print(bool(np.isclose(x[0], 0.5 * (1 + sqrt(5)) / 4 + 0.25)))
    True
    True
    """

    feedback = "bandit"

    def state(self, n_arms: int) -> "LogBarrierState":
        return LogBarrierState(np.zeros(n_arms), np.array([1.0, 1.0, 0.0, 0.0, n_arms, n_arms]))


class LogBarrierState(NamedTuple):
    """``scores`` are R̃ less a common shift; ``memory`` holds ε, S, rounds learnt, max scores and two sums.

    An arm's gap is ε + max scores − score, so that the leader's is ε to the last bit; ε solves
    ``Σ 1/gap = η`` for η = N/S, and then ``p = 1/(η gap)``. The sums are Σ 1/gap² and Σ 1/gap³.
    """

    scores: Floats
    memory: Floats


Sums = tuple[float, float, float]

_EPSILON, _S, _ROUNDS, _TOP, _SECOND, _THIRD = 0, 1, 2, 3, 4, 5


@kernel
def pole_sums(scores: Floats, top: float, epsilon: float) -> Sums:
    """Σ 1/gap, Σ 1/gap² and Σ 1/gap³."""
    rows = scores.size - scores.size % WIDTH
    firsts, seconds, thirds = spread(0.0), spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        poles = 1.0 / (epsilon + (top - load(scores, i)))
        squares = poles * poles
        firsts += poles
        seconds += squares
        thirds += squares * poles
    first, second, third = gather(firsts), gather(seconds), gather(thirds)
    for i in range(rows, scores.size):
        pole = 1.0 / (epsilon + (top - scores[i]))
        square = pole * pole
        first += pole
        second += square
        third += square * pole
    return first, second, third


@kernel
def _block_pole_sum(scores: Floats, top: float, epsilon: float, start: int) -> float:
    """Σ 1/gap over a block of arms."""
    poles = spread(0.0)
    for i in range(start, start + _BLOCK, WIDTH):
        poles += 1.0 / (epsilon + (top - load(scores, i)))
    return gather(poles)


@kernel
def _step(residual: float, sums: Sums) -> float:
    """How far ε is from the root, given Σ 1/gap / η − 1.

    Newton on 1/Σ, which is concave and, for a single pole, linear: monotone from the left, and from
    the right its first step lands on the left. Near the root it is bent to third order, as Halley's.
    """
    first, second, third = sums
    bend = residual * (first * third - second * second)
    square = second * second
    return residual * first * second / (square - bend if abs(bend) < 0.25 * square else square)


@kernel
def barrier_root(scores: Floats, top: float, floor: float, start: float, sums: Sums) -> tuple[float, Sums]:
    """The ε with Σ 1/gap = η, and the sums near it, given those at the start.

    It is at least ``floor`` = 1/η, the leader's share alone.
    """
    epsilon = start
    for _ in range(100):
        residual = sums[0] * floor - 1.0
        epsilon = max(epsilon + _step(residual, sums), floor)
        if abs(residual) <= _TOLERANCE:
            break
        sums = pole_sums(scores, top, epsilon)
    return epsilon, sums


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
def _small_excess_sum(scores: Floats, top: float, epsilon: float, shift: float) -> tuple[float, Sums]:
    """Σ excess(shift / gap) where every ratio is at most 1/16 in size, and the pole sums by the way."""
    rows = scores.size - scores.size % WIDTH
    bends, firsts, seconds, thirds = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        poles = 1.0 / (epsilon + (top - load(scores, i)))
        squares = poles * poles
        bends += _series(shift * poles)
        firsts += poles
        seconds += squares
        thirds += squares * poles
    bend, first, second, third = gather(bends), gather(firsts), gather(seconds), gather(thirds)
    for i in range(rows, scores.size):
        pole = 1.0 / (epsilon + (top - scores[i]))
        square = pole * pole
        bend += _series(shift * pole)
        first += pole
        second += square
        third += square * pole
    return bend, (first, second, third)


@kernel
def _curvature(
    scores: Floats, top: float, epsilon: float, old_top: float, old_epsilon: float, arm: int, old_gap: float
) -> tuple[float, Sums]:
    """Σ excess((gap − old gap) / gap), which is η times the divergence of p from q; and the pole sums.

    All gaps but the drawn arm's have grown by the same shift. After a long one, Σ −log(1 − w) is the
    logarithm of a product: nothing cancels that matters, and one logarithm does for eight arms.
    """
    shift = (epsilon - old_epsilon) + (top - old_top)
    own = epsilon + (top - scores[arm])
    if abs(shift) <= _SMALL * epsilon:
        others, sums = _small_excess_sum(scores, top, epsilon, shift)
        return others - _series(shift / own) + excess((own - old_gap) / own, old_gap, own), sums
    logs, product, linear = 0.0, own / old_gap, (own - old_gap) / own
    first, second, third = 0.0, 0.0, 0.0
    for i in range(scores.size):
        gap = epsilon + (top - scores[i])
        pole = 1.0 / gap
        square = pole * pole
        first += pole
        second += square
        third += square * pole
        if i != arm:
            product *= gap / (old_epsilon + (old_top - scores[i]))
            linear += shift * pole
        if i % 8 == 7:
            logs += log(product)
            product = 1.0
    return logs + log(product) - linear, (first, second, third)


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


@kernel
def _moved_sums(
    state: LogBarrierState, arm: int, top: float, floor: float, old_gap: float
) -> tuple[float, Sums]:
    """Where to look for the root after one arm has moved, and the sums there.

    The sums of the last root and the one pole that changed make do for the first step.
    """
    scores, memory = state.scores, state.memory
    epsilon = memory[_EPSILON] - (top - memory[_TOP])
    old, new = 1.0 / old_gap, 1.0 / (epsilon + (top - scores[arm]))
    if epsilon <= floor or new < old:  # it has jumped past the root, or what is left would cancel
        epsilon = max(epsilon, floor)
        return epsilon, pole_sums(scores, top, epsilon)
    first = 1.0 / floor + (new - old)
    second = memory[_SECOND] + (new * new - old * old)
    third = memory[_THIRD] + (new * new * new - old * old * old)
    return epsilon, (first, second, third)


@implements(learn, LogBarrierState)
def _(state: LogBarrierState, arm: int, probability: float, gain: float, bound: float) -> None:
    scores, memory = state.scores, state.memory
    memory[_ROUNDS] += 1.0
    if gain == 0.0:
        return
    n_arms = scores.size
    old_epsilon, old_top, floor = memory[_EPSILON], memory[_TOP], memory[_S] / n_arms
    estimate = gain / probability
    old_gap = old_epsilon + (old_top - scores[arm])
    scores[arm] += estimate
    top = max(old_top, scores[arm]) if gain > 0.0 else largest(scores)

    # the same equation at the old rate gives the optimum q of the mixability gap
    epsilon, sums = _moved_sums(state, arm, top, floor, old_gap)
    epsilon, sums = barrier_root(scores, top, floor, epsilon, sums)
    gap = epsilon + (top - scores[arm])
    gained = estimate * (old_gap - gap) / (gap * old_gap)  # η times r̃ (q_I − p_I)
    curvature, sums = _curvature(scores, top, epsilon, old_top, old_epsilon, arm, old_gap)
    memory[_S] += max((gained - curvature) * floor, 0.0)

    epsilon, sums = barrier_root(scores, top, memory[_S] / n_arms, epsilon, sums)
    memory[_SECOND], memory[_THIRD] = sums[1], sums[2]
    if abs(top) > _REBASE * epsilon:  # keep the scores near the leader's small, hence exact
        for i in range(n_arms):
            scores[i] -= top
        top = 0.0
    memory[_EPSILON], memory[_TOP] = epsilon, top


@implements(law, LogBarrierState)
def _(state: LogBarrierState, bound: float, out: Floats) -> None:
    scores, epsilon, top = state.scores, state.memory[_EPSILON], state.memory[_TOP]
    gamma = exploration(state)
    total, _, _ = pole_sums(scores, top, epsilon)
    for i in range(scores.size):
        share = 1.0 / (total * (epsilon + (top - scores[i])))
        out[i] = (1.0 - gamma) * share + gamma / scores.size
