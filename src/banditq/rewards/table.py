"""Rewards that were recorded: a table of rounds × arms, replayed."""

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from ..kernels.compiling import implements
from ..kernels.protocol import Floats, mean, sample
from .base import (
    RewardModel,
    array_note,
    check_arms,
    check_cells,
    fingerprint,
    refuse_note,
    rounds_by_arms,
    running_sums,
)

Columns = tuple[str | int, ...]


@dataclass(frozen=True)
class Table(RewardModel):
    """Each reward as it was recorded, the same in every run: row t is round t, a column is an arm.

    A cell is both the reward and its mean, so that pseudo-regret and realised regret agree. The means
    given with a problem only say how many arms there are.

    Parameters
    ----------
    values
        An array of rounds × arms, or the path of a ``.npy``, ``.csv`` or ``.parquet`` file that holds one.
        A CSV file may begin with a line of names; a first line of numbers counts as round 1. An array is
        copied, and only its shape and SHA-256 are written down with the configuration.
    columns
        The columns to use, in the order of the arms: names, or numbers from 0. All of them by default.

    Examples
    --------
    >>> table = Table([[0.0, 1.0], [0.5, 0.0]])
    >>> table.longest(), table.own_means()
    (2, array([0.25, 0.5 ]))
    """

    values: Any = field(compare=False, repr=False)
    columns: Columns | None = None
    source: str = field(init=False)  # path or SHA-256: what makes two tables equal
    _cells: Floats = field(init=False, compare=False, repr=False)
    _labels: Columns = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        refuse_note("values", self.values)
        columns = None if self.columns is None else _as_columns(self.columns)
        if isinstance(self.values, str | os.PathLike):
            values: Any = os.fspath(self.values)
            source = values
            cells, labels = _read(values, columns)
        else:
            values = rounds_by_arms("values", self.values)
            source = fingerprint(values)
            cells, labels = _take("values", values, columns)
            values = values.view()
            values.flags.writeable = False
        names = ("values", "columns", "source", "_cells", "_labels")
        for name, value in zip(names, (values, columns, source, cells, labels), strict=True):
            object.__setattr__(self, name, value)
        check_cells(cells, self._place)

    def __reduce__(self) -> tuple[type[Self], tuple[Any, ...]]:
        return type(self), (self.values, self.columns)

    def to_dict(self) -> dict[str, Any]:
        stored = isinstance(self.values, str)
        values = self.values if stored else array_note(self.values, self.source)
        return {"kind": "Table", "values": values, "columns": self.columns and list(self.columns)}

    def default_max(self) -> float:
        """1, or the largest cell if that is more."""
        return max(1.0, float(self._cells.max()))

    def check(self, means: Floats, reward_max: float) -> None:
        check_arms("the table", self._cells.shape[1], means.size)
        highest = float(self._cells.max())
        if highest > reward_max:
            row, column = (int(k) for k in np.argwhere(self._cells > reward_max)[0])
            raise InvalidInput(
                f"{self._place(row, column)} is {self._cells[row, column]:.12g}, more than "
                f"reward_max = {reward_max:.12g}; reward_max = {highest:.12g} would do"
            )

    def own_means(self) -> Floats:
        return self._cells.mean(axis=0)

    def average(self, means: Floats, rounds: int) -> Floats:
        return self.cumulative(means, np.array([rounds]))[0] / rounds

    def cumulative(self, means: Floats, rounds: npt.NDArray[np.int64]) -> Floats:
        self._require(int(rounds.max()))
        return running_sums(lambda first, last: self._cells[first - 1 : last], rounds)

    def digest(self) -> str:
        return fingerprint(self._cells)

    def longest(self) -> int:
        return self._cells.shape[0]

    def block(self, means: Floats, reward_max: float, first: int, last: int) -> tuple[Any, int]:
        self._require(first)
        return TableState(self._cells), min(last, self.longest())

    def _require(self, round: int) -> None:
        if round > self.longest():
            raise InvalidInput(
                f"round {round} is beyond the table, which has {self.longest()} rows; "
                f"play at most {self.longest()} rounds"
            )

    def _place(self, row: int, column: int) -> str:
        if isinstance(self.values, str):
            return _place(self.values, row, self._labels[column])
        return f"values[{row}, {self._labels[column]}]"


class TableState(NamedTuple):
    """All cells, (round − 1, arm)."""

    rewards: Floats


@implements(mean, TableState)
def _(state: TableState, round: int, arm: int) -> float:
    return state.rewards[round - 1, arm]


@implements(sample, TableState)
def _(state: TableState, key: Any, round: int, arm: int) -> float:
    return state.rewards[round - 1, arm]


def _place(path: str, row: int, label: str | int) -> str:
    return f"{path}, row {row + 1}, column {label!r}"


def _as_columns(columns: Any) -> Columns:
    """Column names and numbers as a tuple."""
    wrong = isinstance(columns, str) or not isinstance(columns, Sequence) or not columns
    if wrong or not all(isinstance(c, str | int) and not isinstance(c, bool) for c in columns):
        raise InvalidInput(f"columns is {columns!r}; it must be a list of names, or of numbers from 0")
    return tuple(columns)


def _positions(where: str, columns: Columns | None, names: Sequence[str], width: int) -> list[int]:
    """Which columns of the source the arms are."""
    positions = []
    for column in range(width) if columns is None else columns:
        if isinstance(column, int) and 0 <= column < width:
            positions.append(column)
        elif column in names:
            positions.append(names.index(str(column)))
        else:
            called = f", called {', '.join(map(repr, names))}" if names else " without names"
            raise InvalidInput(
                f"columns asks for {column!r}, but {where} has columns 0 to {width - 1}{called}"
            )
    return positions


def _take(where: str, values: Floats, columns: Columns | None) -> tuple[Floats, Columns]:
    """The columns of an array that are arms, and their numbers."""
    positions = _positions(where, columns, (), values.shape[1])
    cells = values if columns is None else np.ascontiguousarray(values[:, positions])
    return cells, tuple(positions)


def _read(path: str, columns: Columns | None) -> tuple[Floats, Columns]:
    """The columns of a file that are arms, and their names or numbers."""
    file = Path(path).expanduser()
    suffix = file.suffix.lower()
    if suffix not in (".npy", ".csv", ".parquet"):
        raise InvalidInput(f"{path} must be a .npy, .csv or .parquet file, or pass an array")
    if not file.is_file():
        raise InvalidInput(f"there is no file {path}; give the path of a table, or pass an array")
    if suffix == ".npy":
        return _take(path, rounds_by_arms(path, _load_npy(path, file)), columns)
    return _read_frame(path, file, columns)


def _load_npy(path: str, file: Path) -> Any:
    try:
        return np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise InvalidInput(
            f"{path} cannot be read as an array of numbers; write it with np.save(path, array)"
        ) from None


def _read_frame(path: str, file: Path, columns: Columns | None) -> tuple[Floats, Columns]:
    """CSV and Parquet, through polars."""
    try:
        import polars
    except ImportError:
        raise InvalidInput(
            f"{path} needs polars to be read: pip install banditq[frames], or save it as .npy"
        ) from None
    named = file.suffix.lower() == ".parquet" or _has_header(file)
    try:
        if file.suffix.lower() == ".parquet":
            frame = polars.read_parquet(file)
        else:
            frame = polars.read_csv(file, has_header=named, infer_schema=False)
    except (polars.exceptions.PolarsError, OSError) as error:
        reason = _ragged(file) or str(error).partition("\n")[0]
        raise InvalidInput(f"{path} cannot be read as a table: {reason}") from None
    if not frame.height:
        raise InvalidInput(f"{path} has no rows; it must have a row a round")
    names = frame.columns if named else ()
    positions = _positions(path, columns, names, frame.width)
    labels: Columns = tuple(names[k] if named else k for k in positions)
    cells = np.empty((frame.height, len(positions)))
    for column, (position, label) in enumerate(zip(positions, labels, strict=True)):
        cells[:, column] = _numbers(path, frame.to_series(position), label)
    return cells, labels


def _numbers(path: str, series: Any, label: str | int) -> Floats:
    """A column of a polars frame as numbers."""
    import polars

    if series.dtype == polars.String:
        numbers = series.str.strip_chars().cast(polars.Float64, strict=False)
    elif series.dtype.is_numeric() or series.dtype in (polars.Boolean, polars.Null):
        numbers = series.cast(polars.Float64)
    else:
        raise InvalidInput(
            f"{path}, column {label!r} holds {series.dtype}, not numbers; choose other columns=[...]"
        )
    if numbers.null_count():
        row = int(numbers.is_null().arg_true()[0])
        found = "empty" if series[row] is None else repr(series[row])
        raise InvalidInput(
            f"{_place(path, row, label)} is {found}; it must be a number (or choose other columns=[...])"
        )
    return numbers.to_numpy()


def _has_header(file: Path) -> bool:
    """Whether the first line of a CSV file has anything but numbers."""
    with file.open(newline="", encoding="utf-8-sig", errors="replace") as lines:
        return not all(_is_number(cell) for cell in next(csv.reader(lines), ()))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _ragged(file: Path) -> str:
    """Which row of a CSV file is longer than the first, if that is what is wrong with it."""
    if file.suffix.lower() != ".csv":
        return ""
    header = _has_header(file)
    with file.open(newline="", encoding="utf-8-sig", errors="replace") as lines:
        rows = csv.reader(lines)
        width = len(next(rows, ()))
        for row, cells in enumerate(rows, 1 if header else 2):
            if len(cells) > width:
                return f"row {row} has {len(cells)} values, but the first line has {width}"
    return ""
