"""Something measured for the report that is no simulation: a solver's time, a loop run as printed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .settings import Size

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Measurement:
    """``make`` gives one row a number, of plain numbers and strings.

    ``config`` is everything the rows hang on besides the engine, so that they can be kept and found again.
    """

    name: str
    make: Callable[[Size], Rows]
    config: Mapping[str, Any] = field(default_factory=dict)
