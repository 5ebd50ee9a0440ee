"""Exponential weights on scores that are kept relative to the leader."""

from math import exp

from .compiling import kernel
from .protocol import Floats
from .reductions import largest, total


@kernel
def add_gains(scores: Floats, top: float, gains: Floats) -> float:
    """Add gains to scores, both less their maximum, of which ``top`` is the scores'; returns the new one.

    Neither a long run nor a gain that all arms share can then drown the differences.
    """
    best = largest(gains)
    for i in range(scores.size):
        scores[i] = (scores[i] - top) + (gains[i] - best)
    return largest(scores)


@kernel
def softmax(scores: Floats, top: float, rate: float, out: Floats) -> float:
    """Write w ∝ exp(rate · scores); returns Σ exp(rate · (scores − top)), which lies in [1, N]."""
    for i in range(scores.size):
        out[i] = exp(rate * (scores[i] - top))
    mass = total(out)
    for i in range(scores.size):
        out[i] /= mass
    return mass
