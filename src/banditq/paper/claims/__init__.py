"""The paper's claims, as checks."""

from .base import Claim
from .experiments import experiment_claims
from .intervals import interval_claims
from .learners import learner_claims
from .refinements import refinement_claims
from .solver import solver_claims
from .theorems import theorem_claims


def claims() -> list[Claim]:
    """All of them, in the order of the table."""
    return [
        *theorem_claims(),
        *learner_claims(),
        *interval_claims(),
        *refinement_claims(),
        *experiment_claims(),
        *solver_claims(),
    ]
