"""Who may lead, among many: upper bounds of all arms' values that stay true for a while."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.compiling import inlined, kernel
from ..kernels.lanes import WIDTH, lane, larger, load
from ..kernels.protocol import Floats

FAN = 8 * WIDTH


class Ranking(NamedTuple):
    """A bound for each arm, −∞ beyond the last; the maxima of each 64; and the maxima of those.

    ``marks`` holds the last round the bounds are true for and the first arm never played.
    """

    bounds: Floats
    peaks: Floats
    summits: Floats
    marks: npt.NDArray[np.int64]


UNTIL, UNPLAYED = 0, 1


def no_ranking(n_arms: int) -> Ranking:
    """Room for this many arms; for none, if nobody ranks them."""
    peaks = -(-n_arms // FAN)
    summits = -(-peaks // FAN)
    bounds, maxima = np.full(peaks * FAN, -np.inf), np.full(summits * FAN, -np.inf)
    return Ranking(bounds, maxima, np.full(summits, -np.inf), np.array([-1, 0]))


@kernel
def _peak(x: Floats, block: int) -> float:
    best = load(x, block * FAN)
    for i in range(block * FAN + WIDTH, (block + 1) * FAN, WIDTH):
        best = larger(best, load(x, i))
    result = lane(best, 0)
    for j in range(1, WIDTH):
        result = max(result, lane(best, j))
    return result


@inlined
def set_bound(ranking: Ranking, arm: int, bound: float) -> None:
    """Change one bound."""
    block, group = arm // FAN, arm // (FAN * FAN)
    ranking.bounds[arm] = bound
    ranking.peaks[block] = _peak(ranking.bounds, block)
    ranking.summits[group] = _peak(ranking.peaks, group)


@kernel
def find_peaks(ranking: Ranking) -> None:
    """Compute all maxima, after the bounds were written."""
    for block in range(ranking.bounds.size // FAN):
        ranking.peaks[block] = _peak(ranking.bounds, block)
    for group in range(ranking.summits.size):
        ranking.summits[group] = _peak(ranking.peaks, group)


@kernel
def _first_largest(x: Floats, start: int, stop: int) -> int:
    best = start
    for i in range(start + 1, stop):
        if x[i] > x[best]:
            best = i
    return best


@kernel
def highest(ranking: Ranking) -> int:
    """The arm of the largest bound."""
    group = _first_largest(ranking.summits, 0, ranking.summits.size)
    block = _first_largest(ranking.peaks, group * FAN, (group + 1) * FAN)
    return _first_largest(ranking.bounds, block * FAN, (block + 1) * FAN)
