"""Problems by name: the paper's, and those that the literature compares on."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .checks import whole
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


def _paper_5(rounds: int = 2_000_000) -> Instance:
    """The paper's five arms, as printed."""
    return Instance(Problem(PAPER_MEANS, PAPER_TARGETS), rounds)


def _paper_5_exact(rounds: int = 2_000_000) -> Instance:
    """The paper's five arms with the four digits of its author's code: the fractions are ½ and ⅓."""
    means = (0.3352, 0.2031, 0.2411, 0.7816, 0.6177)
    targets = (means[0] / 2, means[1] / 3, 0.0, 0.0, 0.0)
    return Instance(Problem(means, targets), rounds)


def _paper_1000(rounds: int = 3_000_000) -> Instance:
    """The thousand arms behind the author's published plots."""
    means = np.random.RandomState(100).rand(1000)
    targets = np.zeros(1000)
    targets[:2] = means[0] / 2, means[1] / 3
    return Instance(Problem(means, targets, Uniform()), rounds)


def _gap(gap: float) -> Callable[..., Instance]:
    def make(rounds: int = 100_000) -> Instance:
        means = np.array([0.8, 0.9, 0.7])
        return Instance(Problem(means, (1 - gap) * means / 3), rounds)

    return make


def _drift(rounds: int = 2_000_000) -> Instance:
    """The paper's five arms, the best of which drops to 0.3 half way, however long that is."""
    after = (0.335, 0.203, 0.241, 0.3, 0.617)
    changes = {rounds // 2 + 1: after} if rounds > 1 else {}
    return Instance(Problem(PAPER_MEANS, PAPER_TARGETS, Drift(changes)), rounds)


def _plain(means: tuple[float, ...], targets: tuple[float, ...]) -> Callable[..., Instance]:
    def make(rounds: int = 100_000) -> Instance:
        return Instance(Problem(means, targets), rounds)

    return make


INSTANCES: dict[str, Callable[..., Instance]] = {
    "paper-5": _paper_5,
    "paper-5-exact": _paper_5_exact,
    "paper-1000": _paper_1000,
    "gap-0": _gap(0.0),
    "gap-10": _gap(0.1),
    "gap-50": _gap(0.5),
    "gap-90": _gap(0.9),
    "zero-slack": _gap(0.0),
    "drift": _drift,
    "degenerate-one-arm": _plain((0.5,), (0.2,)),
    "degenerate-all-protected": _plain((0.6, 0.4, 0.8), (0.15, 0.1, 0.2)),
    "degenerate-equal-means": _plain((0.5, 0.5, 0.5, 0.5), (0.1, 0.1, 0.0, 0.0)),
    "degenerate-sure-arm": _plain((1.0, 0.5, 0.3), (0.0, 0.2, 0.05)),
    "degenerate-protected-best": _plain((0.9, 0.4, 0.3), (0.3, 0.1, 0.0)),
}


def instance(name: str, rounds: int | None = None) -> Instance:
    """A named problem with its number of rounds, or at another length.

    Examples
    --------
    >>> import banditq as bq
    >>> bq.instance("paper-5").problem.n_arms
    5
    >>> bq.instance("drift", rounds=1_000).problem.rewards.changes[0][0]  # its change is half way
    501
    """
    if name not in INSTANCES:
        raise InvalidInput(f"instance is {name!r}; it must be one of {', '.join(INSTANCES)}")
    make = INSTANCES[name]
    return make() if rounds is None else make(whole("rounds", rounds, low=1))
