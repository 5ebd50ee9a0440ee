"""Problems by name: the paper's, and those that the literature compares on."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .errors import InvalidInput
from .problem import Problem
from .rewards.drift import Drift
from .rewards.uniform import Uniform


class Instance(NamedTuple):
    """A problem and how long it is played.

    Examples
    --------
    ``gap-10`` leaves a tenth of the rounds free.

    >>> import banditq as bq
    >>> problem, rounds = bq.instance("gap-10")
    >>> round(problem.load, 12), rounds
    (0.9, 100000)
    """

    problem: Problem
    rounds: int


PAPER_MEANS = (0.335, 0.203, 0.241, 0.781, 0.617)
PAPER_TARGETS = (0.167, 0.067, 0.0, 0.0, 0.0)


def _paper_5() -> Instance:
    """The paper's five arms, as printed."""
    return Instance(Problem(PAPER_MEANS, PAPER_TARGETS), 2_000_000)


def _paper_5_exact() -> Instance:
    """The paper's five arms with the four digits of its author's code: the fractions are ½ and ⅓."""
    means = (0.3352, 0.2031, 0.2411, 0.7816, 0.6177)
    targets = (means[0] / 2, means[1] / 3, 0.0, 0.0, 0.0)
    return Instance(Problem(means, targets), 2_000_000)


def _paper_1000() -> Instance:
    """The thousand arms behind the author's published plots."""
    means = np.random.RandomState(100).rand(1000)
    targets = np.zeros(1000)
    targets[:2] = means[0] / 2, means[1] / 3
    return Instance(Problem(means, targets, Uniform()), 3_000_000)


def _gap(gap: float) -> Callable[[], Instance]:
    def make() -> Instance:
        means = np.array([0.8, 0.9, 0.7])
        return Instance(Problem(means, (1 - gap) * means / 3), 100_000)

    return make


def _drift() -> Instance:
    """The paper's five arms, the best of which drops to 0.3 half way."""
    after = (0.335, 0.203, 0.241, 0.3, 0.617)
    rounds = 2_000_000
    return Instance(Problem(PAPER_MEANS, PAPER_TARGETS, Drift({rounds // 2 + 1: after})), rounds)


INSTANCES: dict[str, Callable[[], Instance]] = {
    "paper-5": _paper_5,
    "paper-5-exact": _paper_5_exact,
    "paper-1000": _paper_1000,
    "gap-0": _gap(0.0),
    "gap-10": _gap(0.1),
    "gap-50": _gap(0.5),
    "gap-90": _gap(0.9),
    "drift": _drift,
}


def instance(name: str) -> Instance:
    """A named problem with its number of rounds.

    Examples
    --------
    >>> import banditq as bq
    >>> bq.instance("paper-5").problem.n_arms
    5
    """
    if name not in INSTANCES:
        raise InvalidInput(f"instance is {name!r}; it must be one of {', '.join(INSTANCES)}")
    return INSTANCES[name]()
