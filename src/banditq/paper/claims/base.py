"""What a claim is, what it is checked with, and what was found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ...result import Result
from ..settings import Size

Rows = list[dict[str, Any]]
Verdict = Literal["holds", "does not hold", "cannot be told"]


@dataclass(frozen=True)
class Measurement:
    """Something measured that is no simulation: a solver's time, a learner's own regret, a loop as printed.

    ``make`` gives one row a number, of plain numbers and strings. ``config`` is everything the rows hang
    on besides the engine, so that they can be kept and found again.
    """

    name: str
    make: Callable[[Size], Rows]
    config: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """What was measured, in a sentence with its error, and what follows; ``evidence`` is the numbers."""

    measured: str
    verdict: Verdict
    evidence: Rows


@dataclass(frozen=True)
class Claim:
    """A row of the table: what the paper says where, and the check.

    ``check`` gets the results by the names in ``settings``, the rows by the names of ``measurements``, and
    the size that was played.
    """

    id: str
    source: str
    says: str
    check: Callable[[Mapping[str, Result], Mapping[str, Rows], Size], Finding]
    settings: tuple[str, ...] = ()
    measurements: tuple[Measurement, ...] = ()
