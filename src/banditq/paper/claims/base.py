"""What a claim is, what it is checked with, and what was found."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ...result import Result
from ..measurement import Measurement, Rows
from ..settings import HORIZONS
from ..stats import Growth, growth, half_width, standard_error

Floats = npt.NDArray[np.float64]
Results = Mapping[str, Result]
Verdict = Literal["holds", "does not hold", "cannot be told"]


@dataclass(frozen=True)
class Finding:
    """What was measured, in sentences with the errors, and what follows; ``evidence`` is the numbers."""

    measured: str
    verdict: Verdict
    evidence: Rows


@dataclass(frozen=True)
class Claim:
    """A row of the table: what the paper says where, the check, and by which rule it decides.

    ``check`` gets the results by the names in ``settings``, and the rows by the names of ``measurements``.
    """

    id: str
    source: str
    says: str
    rule: str
    check: Callable[[Results, Mapping[str, Rows]], Finding]
    settings: tuple[str, ...] = ()
    measurements: tuple[Measurement, ...] = ()

    @property
    def heading(self) -> str:
        """The entry in a line."""
        return f"{self.source}: {self.says}"


def at_horizons(*series: str) -> tuple[str, ...]:
    """The names of the settings of some series of horizons."""
    return tuple(f"{name}/{rounds}" for name in series for rounds in HORIZONS)


def by_horizon(results: Results, series: str) -> list[Result]:
    """The results of one series, the shortest first."""
    return [results[name] for name in at_horizons(series)]


def lengths(runs: Sequence[Result]) -> list[int]:
    """How long each result was played."""
    return [int(run.rounds[-1]) for run in runs]


def told(values: Floats, digits: int = 0) -> str:
    """A mean over runs and its standard error."""
    return f"{values.mean():,.{digits}f} ± {standard_error(values):,.{digits}f}"


def worst_shortfall(run: Result) -> Floats:
    """The shortfall at the end, one a run, of the arm that is owed most on average: its mean is V(T)."""
    shortfall = run.shortfall()[:, -1]
    worst: Floats = shortfall[:, int(shortfall.mean(axis=0).argmax())]
    return worst


def worst_queue(run: Result) -> Floats:
    """The queue at the end, one a run, of the arm whose queue is longest on average."""
    queue = run.queues()[:, -1]
    worst: Floats = queue[:, int(queue.mean(axis=0).argmax())]
    return worst


def below(samples: Floats, limit: Floats | float) -> Verdict:
    """Whether means over runs, the first axis, are at most a limit, by their 95 % intervals."""
    mean, half = samples.mean(axis=0), half_width(samples)
    if np.any(mean - half > limit):
        return "does not hold"
    return "holds" if np.all(mean + half <= limit) else "cannot be told"


def never_positive(samples: Iterable[Floats]) -> bool:
    """Whether all means are zero at most, and surely so."""
    return all(below(values, 0.0) == "holds" for values in samples)


def sign(values: Floats) -> int:
    """+1 or −1 if a mean over runs is surely above or below zero, 0 if that cannot be told."""
    mean = float(values.mean())
    return 0 if abs(mean) <= half_width(values) else int(np.sign(mean))


def no_faster(found: Growth | None, limit: float) -> Verdict:
    """Whether something grows no faster than Tᵃ with a = ``limit``, by its confidence interval."""
    if found is None or found.low <= limit < found.high:
        return "cannot be told"
    return "holds" if found.high <= limit else "does not hold"


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on a claim with several parts: it holds if every part does."""
    parts = list(verdicts)
    for verdict in ("does not hold", "cannot be told"):
        if verdict in parts:
            return verdict
    return "holds"


def trend(runs: Sequence[Result], samples: Sequence[Floats]) -> Growth | None:
    """The growth of something over the horizons of a series."""
    return growth(lengths(runs), samples)


def in_words(found: Growth | None) -> str:
    """The growth as a part of a sentence."""
    return "too close to zero for an exponent" if found is None else f"as {found}"
