"""What both forms of LogBarrier share: sums over poles 1/gap, the root where they make η, the divergence.

An arm's gap is ε + top − score, with top the largest score, so that the leader's is ε to the last bit.
ε solves ``Σ 1/gap = η`` for η = N/S, and then ``p = 1/(η gap)``.
"""

from math import log, log1p, sqrt
from typing import Any

from ..kernels.compiling import kernel
from ..kernels.lanes import WIDTH, gather, load, spread
from ..kernels.protocol import Floats

# The step that follows this test cubes the error, times at most N.
TOLERANCE = 2e-6
SMALL = 0.0625  # ratios for which the series of `excess` is exact
REBASE = 64.0  # how far the leader may drift from 0, in units of its gap

Sums = tuple[float, float, float]

# what a learner's memory holds; the last two are Σ 1/gap² and Σ 1/gap³
EPSILON, TOTAL, ROUNDS, TOP, SECOND, THIRD = 0, 1, 2, 3, 4, 5


@kernel
def pole_sums(scores: Floats, count: int, top: float, epsilon: float) -> Sums:
    """Σ 1/gap, Σ 1/gap² and Σ 1/gap³ of the first ``count`` scores."""
    rows = count - count % WIDTH
    firsts, seconds, thirds = spread(0.0), spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        poles = 1.0 / (epsilon + (top - load(scores, i)))
        squares = poles * poles
        firsts += poles
        seconds += squares
        thirds += squares * poles
    first, second, third = gather(firsts), gather(seconds), gather(thirds)
    for i in range(rows, count):
        pole = 1.0 / (epsilon + (top - scores[i]))
        square = pole * pole
        first += pole
        second += square
        third += square * pole
    return first, second, third


@kernel
def newton_step(residual: float, sums: Sums) -> float:
    """How far ε is from the root, given Σ 1/gap / η − 1.

    Newton on 1/Σ, which is concave and, for a single pole, linear: monotone from the left, and from
    the right its first step lands on the left. Near the root it is bent to third order, as Halley's.
    """
    first, second, third = sums
    bend = residual * (first * third - second * second)
    square = second * second
    return residual * first * second / (square - bend if abs(bend) < 0.25 * square else square)


@kernel
def excess(w: float, old_gap: float, gap: float) -> float:
    """−log(1 − w) − w, without cancellation; 1 − w is old_gap / gap, which w near 1 has forgotten."""
    if abs(w) <= SMALL:
        return excess_series(w)
    return (log(gap / old_gap) if w > 0.5 else -log1p(-w)) - w


@kernel
def excess_series(w: Any) -> Any:
    """w²/2 + w³/3 + …, exact to rounding for |w| ≤ 1/16; a number or lanes."""
    tail = 1 / 10 + w * (1 / 11 + w * (1 / 12 + w * (1 / 13 + w * (1 / 14))))
    tail = 1 / 6 + w * (1 / 7 + w * (1 / 8 + w * (1 / 9 + w * tail)))
    return w * w * (1 / 2 + w * (1 / 3 + w * (1 / 4 + w * (1 / 5 + w * tail))))


@kernel
def small_excess_sum(
    scores: Floats, count: int, top: float, epsilon: float, shift: float
) -> tuple[float, Sums]:
    """Σ excess(shift / gap) where every ratio is at most 1/16 in size, and the pole sums by the way."""
    rows = count - count % WIDTH
    bends, firsts, seconds, thirds = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    for i in range(0, rows, WIDTH):
        poles = 1.0 / (epsilon + (top - load(scores, i)))
        squares = poles * poles
        bends += excess_series(shift * poles)
        firsts += poles
        seconds += squares
        thirds += squares * poles
    bend, first, second, third = gather(bends), gather(firsts), gather(seconds), gather(thirds)
    for i in range(rows, count):
        pole = 1.0 / (epsilon + (top - scores[i]))
        square = pole * pole
        bend += excess_series(shift * pole)
        first += pole
        second += square
        third += square * pole
    return bend, (first, second, third)


@kernel
def long_excess_sum(
    scores: Floats, count: int, but: int, top: float, epsilon: float, old_top: float, old_epsilon: float
) -> tuple[float, Sums]:
    """Σ excess(shift / gap) over all but one, after a shift of any length, and all pole sums by the way.

    Σ −log(1 − w) is the logarithm of a product: nothing cancels that matters, and one logarithm does for
    eight arms.
    """
    shift = (epsilon - old_epsilon) + (top - old_top)
    logs, product, linear = 0.0, 1.0, 0.0
    first, second, third = 0.0, 0.0, 0.0
    for i in range(count):
        gap = epsilon + (top - scores[i])
        pole = 1.0 / gap
        square = pole * pole
        first += pole
        second += square
        third += square * pole
        if i != but:
            product *= gap / (old_epsilon + (old_top - scores[i]))
            linear += shift * pole
        if i % 8 == 7:
            logs += log(product)
            product = 1.0
    return logs + log(product) - linear, (first, second, third)


@kernel
def moved_sums(memory: Floats, epsilon: float, floor: float, old_gap: float, new_gap: float) -> Sums:
    """The sums of the last root after one arm has moved: good for the first step.

    They are of no use if ε ≤ floor, when the arm has jumped past the root, nor if its gap has grown, when
    what is left would cancel: then the first is 0.
    """
    if epsilon <= floor or new_gap > old_gap:
        return 0.0, 0.0, 0.0
    old, new = 1.0 / old_gap, 1.0 / new_gap
    first = 1.0 / floor + (new - old)
    second = memory[SECOND] + (new * new - old * old)
    third = memory[THIRD] + (new * new * new - old * old * old)
    return first, second, third


@kernel
def exploration(memory: Floats, n_arms: int) -> float:
    """γ of the coming round: ½ before anything is learnt."""
    rounds = memory[ROUNDS]
    return 0.5 if rounds < 1.0 else min(0.5, sqrt(n_arms / rounds))


@kernel
def barrier_law(scores: Floats, memory: Floats, out: Floats) -> None:
    """The law of the coming round, normalised."""
    epsilon, top, n_arms = memory[EPSILON], memory[TOP], scores.size
    gamma = exploration(memory, n_arms)
    total, _, _ = pole_sums(scores, n_arms, top, epsilon)
    for i in range(n_arms):
        share = 1.0 / (total * (epsilon + (top - scores[i])))
        out[i] = (1.0 - gamma) * share + gamma / n_arms
