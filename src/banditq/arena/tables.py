"""League tables as a person reads them: in a terminal, in Markdown, and the cells of the page."""

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..page.files import counted, number, write_text
from ..verdict import line
from . import scores
from .folder import about

_ENOUGH = 0.9  # of a promise; who delivers less has that beside his name in a verdict
_WIDE = 170  # characters that all columns take
_NARROW = ("priced_regret", "regret", "delivered", "worst_mean_shortfall")
FEEDBACK = {"bandit": "bandit feedback", "full": "full information"}
_DUST = 1e-8  # of rounding, where every run comes to the same
_MARK = re.compile(
    r"(?P<head><!-- arena: (?P<name>\S[^\r\n]*?) -->(?P<end>\r?\n)).*?(?P<tail><!-- /arena -->)", re.DOTALL
)


def with_error(value: float, error: float | None) -> str:
    """A figure and its standard error, to the error's second digit."""
    if error is None or not math.isfinite(error) or error <= _DUST * max(abs(value), 1.0):
        return number(round(value, 8) + 0.0)
    digits = 1 - math.floor(math.log10(error))
    if digits <= 0:
        return f"{round(value, digits) + 0.0:,.0f} ± {round(error, digits):,.0f}"  # 0.0 for −0.0
    return f"{round(value, digits) + 0.0:,.{digits}f} ± {error:.{digits}f}"


def headings(laws: bool) -> list[str]:
    """Of the columns."""
    return ["", "policy", "feedback", "needs", *(figure.heading for figure in scores.figures(laws))]


def cells(row: dict[str, Any], laws: bool) -> list[str]:
    """Of one policy's row in the league frame."""
    told = []
    for figure in scores.figures(laws):
        value, error = row[figure.key], row.get(f"{figure.key}_error")
        if figure.key == "delivered":
            told.append(f"{value:.1%}")
        elif figure.key == "nanoseconds":
            told.append(f"{value:,.0f}")
        else:
            told.append(with_error(value, error))
    place = str(row["place"]) if row["place"] is not None else "–"
    return [place, row["policy"], row["feedback"], row["needs"], *told]


def verdict_lines(rows: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """The lines of each feedback's verdict, from the league frame's rows."""
    found: dict[str, list[str]] = {}
    for feedback in ("bandit", "full"):
        groups: dict[int, list[str]] = {}
        for row in rows:
            if row["feedback"] == feedback and row["place"] is not None:
                groups.setdefault(row["place"], []).append(_noted(row))
        if groups:
            found[feedback] = [line(place, names) for place, names in sorted(groups.items())]
    return found


def _noted(row: dict[str, Any]) -> str:
    """A policy's name, with what it delivered if that is little."""
    short = row["delivered"] < _ENOUGH
    return f"{row['policy']} ({row['delivered']:.0%} delivered)" if short else str(row["policy"])


def rich_table(title: str, rows: Iterable[dict[str, Any]], laws: bool, wide: bool) -> Any:
    """A table for a terminal; one that is narrow gets the most important columns."""
    from rich.markup import escape
    from rich.table import Table

    chosen = [f for f in scores.figures(laws) if wide or f.key in _NARROW]
    kept = [k for k, f in enumerate(scores.figures(laws), 4) if f in chosen]
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("policy", no_wrap=True)
    for figure in chosen:
        table.add_column(figure.heading, justify="right", no_wrap=wide)
    for row in rows:
        told = cells(row, laws)
        aside = (row["needs"] and f"needs {row['needs']}") or row["unranked"]
        extra = [word for word in ("full" if row["feedback"] == "full" else "", aside) if word]
        name = escape(f"{told[1]} ({', '.join(extra)})" if extra else told[1])
        table.add_row(told[0], name, *(told[k] for k in kept), style=None if row["place"] else "dim")
    return table


def markdown(rows: Sequence[dict[str, Any]], laws: bool) -> str:
    """A table in Markdown, and under it the verdict."""
    head = headings(laws)
    body = [cells(row, laws) for row in rows]
    lines = ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *body)]
    told = [
        f"* {FEEDBACK[feedback]}: {'; '.join(groups)}" for feedback, groups in verdict_lines(rows).items()
    ]
    why = [f"* not ranked: {row['policy']} ({row['unranked']})" for row in rows if row["unranked"]]
    return "\n".join([*lines, "", *told, *why]) + "\n"


def print_tables(data: Path) -> None:
    """Every league that was written to a folder, for a terminal."""
    from rich.console import Console

    from .report import rows_of

    told = about(data)
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console = Console(markup=False, highlight=False, width=2 * _WIDE)
    for name, rows in rows_of(data).items():
        size = told["instances"][name]
        played = f"{counted(size['rounds'], 'round')}, {counted(size['runs'], 'run')}"
        title = f"{name}: {played}, ± one standard error"
        console.print(rich_table(title, rows, told["laws"], console.width >= _WIDE))
        for feedback, lines in verdict_lines(rows).items():
            console.print(
                f"\n{FEEDBACK[feedback]}, {told['confidence']:.0%} confidence for all pairs at once:",
                style="bold",
            )
            for words in lines:
                console.print(f"  {words}")
        console.print()


def markdown_tables(data: Path) -> dict[str, str]:
    """Every league that was written to a folder, in Markdown, by instance."""
    from .report import rows_of

    laws = about(data)["laws"]
    return {name: markdown(rows, laws) for name, rows in rows_of(data).items()}


def check_places(path: Path, names: Sequence[str]) -> None:
    """Refuse a page with no place for a table, or with one for an instance that is not among the names."""
    _pages_text(path, names)


def fill(path: Path, tables: dict[str, str]) -> None:
    """Put tables in the places that a page has for them; the rest of it stays as it is."""

    def filled(mark: re.Match[str]) -> str:
        return f"{mark['head']}\n{tables[mark['name']]}\n".replace("\r\n", "\n").replace(
            "\n", mark["end"]
        ) + str(mark["tail"])

    write_text(path, _MARK.sub(filled, _pages_text(path, list(tables))))


def _pages_text(path: Path, names: Sequence[str]) -> str:
    """What a page holds, ends of lines as they are, if all of its places are for one of these names."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} must be text in UTF-8: {error}") from None
    found = [mark["name"] for mark in _MARK.finditer(text)]
    if not found:
        raise InvalidInput(f"{path} has no place for a table: <!-- arena: instance --> … <!-- /arena -->")
    unknown = [name for name in found if name not in names]
    if unknown:
        raise InvalidInput(f"{path} has a place for {unknown[0]!r}; what is played is {', '.join(names)}")
    return text
