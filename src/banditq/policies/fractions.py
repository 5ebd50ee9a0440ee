"""Fractions of the pulls, promised to arms: the input of the policies that guarantee pulls, not rewards."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..checks import finite_vector, within
from ..errors import Infeasible, InvalidInput

if TYPE_CHECKING:
    from ..problem import Problem

_TOLERANCE = 1e-9


def checked_fractions(fractions: Sequence[float]) -> tuple[float, ...]:
    """One fraction an arm, 0 for an arm without a promise, if all of them can be kept together."""
    vector = within("fractions", finite_vector("fractions", fractions), 0.0, 1.0)
    if vector.sum() > 1.0 + _TOLERANCE:
        raise InvalidInput(
            f"fractions sum to {vector.sum():.12g}; a round has one pull, so they may sum to 1 at most"
        )
    return tuple(vector.tolist())


def promised_fractions(problem: "Problem") -> tuple[float, ...]:
    """λ/μ of the protected arms, and no slack on any: the least pulls that keep a problem's promises."""
    if not problem.feasible:
        raise Infeasible(problem.refusal)
    fractions = np.zeros(problem.n_arms)
    kept = problem.protected
    fractions[kept] = problem.targets[kept] / problem.means[kept]
    return tuple(fractions.tolist())
