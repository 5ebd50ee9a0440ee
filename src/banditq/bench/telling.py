"""Numbers in words: the lines that the terminal and the page share."""

from collections.abc import Mapping, Sequence
from typing import Any

from .figures import by_entry, ns_at
from .goals import GOALS, Goal
from .growth import Growth, growth
from .yardsticks import YARDSTICKS

Figures = Mapping[str, Any]
Table = list[list[str]]

SHOWN_SIZES = (5, 100, 1_000, 10_000, 100_000, 1_000_000)


def duration(ns: float | None) -> str:
    """Three digits and a unit."""
    if ns is None:
        return "–"
    for limit, unit in ((1e3, "ns"), (1e6, "µs"), (1e9, "ms")):
        if ns < 0.9995 * limit:
            return f"{_three(ns / (limit / 1e3))} {unit}"
    return f"{_three(ns / 1e9)} s"


def _three(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.3g}"


def quantity(value: float | None, unit: str) -> str:
    """A figure with the unit of its goal."""
    return "not measured" if value is None else f"{_three(value) if value >= 10 else f'{value:.3g}'} {unit}"


def times(ratio: float | None) -> str:
    """How many times as much."""
    return "–" if ratio is None else f"{_three(ratio)} ×"


def ratio(over: float | None, under: float | None) -> float | None:
    """A quotient of what may be missing."""
    return None if over is None or under is None else over / under


def goal_table(figures: Figures) -> Table:
    """Every goal that was measured: what was found, what was wanted, and whether it is reached."""
    return [
        [
            goal.name,
            quantity(goal.read(figures), goal.unit),
            f"≤ {quantity(goal.limit, goal.unit)}",
            _word(goal, figures),
        ]
        for goal in GOALS
        if goal.met(figures) is not None
    ]


def _word(goal: Goal, figures: Figures) -> str:
    return "reached" if goal.met(figures) else "not reached"


def unreached(figures: Figures) -> list[Goal]:
    """The goals that were measured and missed."""
    return [goal for goal in GOALS if goal.met(figures) is False]


def yardstick_table(figures: Figures) -> Table:
    """Against a plain loop of the same algorithm, at every size where that was measured."""
    rows: Table = []
    for name in YARDSTICKS:
        for row in by_entry(figures["rounds"]).get(name, []):
            ours, plain = row["ns"], row.get("plain_ns")
            size = f"{row['n_arms']:,}"
            rows.append([name, size, duration(ours), duration(plain), times(ratio(plain, ours))])
    return rows


def exponent(found: Growth | None) -> str:
    """N^0.02 ± 0.01."""
    if found is None:
        return "–"
    return f"{found.exponent:.2f} ± {max(found.error, 0.005):.2f}".replace("-", "−")


def entry_growth(rows: Sequence[Mapping[str, Any]], field: str = "ns") -> Growth | None:
    """The exponent of one entry's rows."""
    there = [row for row in rows if row.get(field) is not None]
    return growth([row["n_arms"] for row in there], [row[field] for row in there])


def entry_table(figures: Figures) -> Table:
    """Every entry: a round at some sizes, and the exponent from N = 100 on."""
    rows: Table = []
    for name, measured in by_entry(figures["rounds"]).items():
        costs = [duration(ns_at(figures, name, n)) for n in SHOWN_SIZES]
        rows.append([name, measured[0]["feedback"], *costs, exponent(entry_growth(measured))])
    return rows


def omissions(figures: Figures) -> list[str]:
    """What was not measured, and why; one line an entry, from its smallest size that was left out."""
    first: dict[str, tuple[int, str]] = {}
    for row in figures["left_out"]:
        first.setdefault(row["entry"], (row["n_arms"], row["why"]))
    return [f"{name} from N = {n:,} on: {why}" for name, (n, why) in first.items()]


def columns(head: Sequence[str], rows: Table) -> str:
    """A table for the terminal: text to the left, numbers to the right."""
    widths = [max(len(line[k]) for line in [list(head), *rows]) for k in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(w) if k == 0 else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    return "\n".join(line(cells) for cells in [head, *rows])


def report(figures: Figures) -> str:
    """What the terminal shows at the end."""
    sizes = [f"N={n:,}" for n in SHOWN_SIZES]
    parts = []
    if figures["rounds"]:
        parts += [columns(["a round", "feedback", *sizes, "N^"], entry_table(figures))]
    if yardstick_table(figures):
        head = ["against a plain loop", "N", "ours", "plain", "faster"]
        parts += [columns(head, yardstick_table(figures))]
    if goal_table(figures):
        parts += [columns(["goal", "measured", "wanted", ""], goal_table(figures))]
    if figures.get("author"):
        parts += [columns(["the author's code", "N", "a round", "ours", "faster"], author_table(figures))]
    if figures["left_out"]:
        parts += ["left out:\n" + "\n".join(f"  {line}" for line in omissions(figures))]
    return "\n\n".join(parts)


def author_table(figures: Figures) -> Table:
    """His code in Octave against ours."""
    ours = {"bandit": YARDSTICKS[0], "full": YARDSTICKS[1]}
    rows: Table = []
    for row in figures.get("author", []):
        mine = ns_at(figures, ours[row["feedback"]], row["n_arms"])
        size = f"{row['n_arms']:,}"
        rows.append(
            [row["feedback"], size, duration(row["ns"]), duration(mine), times(ratio(row["ns"], mine))]
        )
    return rows
