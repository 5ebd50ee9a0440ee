"""The data behind a figure: lines as numbers, written to CSV and read back."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from ..page.files import write_text
from .stats import half_width

Floats = npt.NDArray[np.float64]
Kind = Literal["curve", "level", "published"]

_COLUMNS = ("series", "kind", "colour", "round", "mean", "low", "high", "single", "half")


class Line(NamedTuple):
    """A curve with its band, a level (one number for all rounds), or a curve of the author's.

    ``low`` and ``high`` hold the middle 90 % of the runs and ``single`` is run 0, as in the paper; lines
    that have no runs repeat their mean. mean ± ``half`` is the 95 % confidence interval of the mean.
    """

    series: str
    kind: Kind
    colour: int
    rounds: Floats
    mean: Floats
    low: Floats
    high: Floats
    single: Floats
    half: Floats


def curve(series: str, colour: int, rounds: npt.ArrayLike, values: Floats) -> Line:
    """The mean over runs of values (run, round), the band and the first run."""
    low, high = np.quantile(values, [0.05, 0.95], axis=0)
    t = np.asarray(rounds, np.float64)
    return Line(series, "curve", colour, t, values.mean(axis=0), low, high, values[0], half_width(values))


def level(series: str, colour: int, value: float) -> Line:
    """A horizontal line."""
    at = np.array([value])
    return Line(series, "level", colour, np.zeros(1), at, at, at, at, np.zeros(1))


def published(series: str, colour: int, rounds: Floats, values: Floats) -> Line:
    """A curve read off the author's plots."""
    return Line(series, "published", colour, rounds, values, values, values, values, 0.0 * values)


def write_lines(path: Path, lines: Sequence[Line]) -> None:
    """One row a point."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for line in lines:
        columns = np.stack(line[3:], axis=1)
        writer.writerows((*line[:3], *(f"{x:.10g}" for x in row)) for row in columns)
    write_text(path, text.getvalue())


def read_lines(path: Path) -> list[Line]:
    """Inverse of :func:`write_lines`, to ten digits."""
    points: dict[tuple[str, Kind, int], list[list[float]]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        if tuple(next(rows, ())) != _COLUMNS:
            raise InvalidInput(f"{path} is no figure's data; its columns must be {', '.join(_COLUMNS)}")
        try:
            for series, kind, colour, *numbers in rows:
                key: tuple[str, Kind, int] = (series, kind, int(colour))  # type: ignore[assignment]
                points.setdefault(key, []).append([float(x) for x in numbers])
            return [Line(*key, *np.array(rows).T) for key, rows in points.items()]
        except (ValueError, TypeError):
            raise InvalidInput(
                f"{path} is damaged; delete it, and it is made again when asked for"
            ) from None
