"""The report's first paragraph: what was found, from the data beside it."""

from pathlib import Path
from typing import Any

import numpy as np

from ..page.files import number, read_json
from .lines import Line, read_lines


def reading(lines: list[Line]) -> str:
    """Where the curves of a figure end."""
    ends = [
        f"{line.series} {number(line.mean[-1])} ({number(line.low[-1])} to {number(line.high[-1])})"
        for line in lines
        if line.kind == "curve"
    ]
    last = max(line.rounds[-1] for line in lines)
    return f"At round {last:,.0f}: {'; '.join(ends)}."


def settled(line: Line) -> float:
    """The mean of a curve over the second half of the rounds."""
    late = line.rounds >= 0.5 * line.rounds[-1]
    t, values = line.rounds[late], line.mean[late]
    return float(np.trapezoid(values, t) / (t[-1] - t[0]))


def brief(data: Path) -> list[str]:
    """A few sentences, each where its data are."""
    parts = [_targets(data), _standing(data), _negative(data), _author(data), _errata(data), _better(data)]
    return [part for part in parts if part]


def _lines(data: Path, name: str) -> dict[str, Line] | None:
    path = data / f"{name}.csv"
    return {line.series: line for line in read_lines(path)} if path.exists() else None


def _told(data: Path, name: str) -> Any:
    path = data / f"{name}.json"
    return read_json(path) if path.exists() else None


def _targets(data: Path) -> str | None:
    lines = _lines(data, "fig4")
    if lines is None:
        return None
    shares = [lines[f"arm {k}"].mean[-1] / lines[f"target of arm {k}"].mean[0] for k in (1, 2)]
    return (
        f"The promises are kept: in bandit feedback the two protected arms have received {shares[0]:.1%} "
        f"and {shares[1]:.1%} of their targets by round {lines['arm 1'].rounds[-1]:,.0f}. By themselves "
        "they would get nothing."
    )


def _standing(data: Path) -> str | None:
    lines = _lines(data, "fig5")
    if lines is None:
        return None
    pairs = [(settled(lines[f"arm {k}"]), lines[f"V · price of arm {k}"].mean[0]) for k in (1, 2)]
    said = " and ".join(f"{number(ours)} where theory says {number(theory)}" for ours, theory in pairs)
    return f"What they miss, they miss for ever: with V fixed the queues stand at V · price, {said}."


def _negative(data: Path) -> str | None:
    lines = _lines(data, "fig6")
    if lines is None:
        return None
    regret, priced = lines["regret"].mean[-1], lines["priced regret"].mean[-1]
    return (
        f"So the negative regret of the paper's figures ({number(regret)} here) is not a win: with the "
        f"debts at their price it is {number(priced)}, where zero is the benchmark."
    )


def _author(data: Path) -> str | None:
    claim = _told(data, "claim-thousand")
    return None if claim is None else f"The author's own curves, N = 1 000: {claim['measured']}"


def _errata(data: Path) -> str | None:
    erratum = _told(data, "erratum-algorithm-2")
    if erratum is None:
        return None
    seen = erratum["as_printed"]
    return f"The bandit pseudo-code does not run as printed: {seen} With one η put back it does."


def _better(data: Path) -> str | None:
    lines = _lines(data, "beyond-priced")
    if lines is None:
        return None
    base = lines["the paper's"]
    best = min((line for line in lines.values() if line.kind == "curve"), key=lambda line: line.mean[-1])
    return (
        f"There is room beyond: by priced regret “{best.series}” ends at {number(best.mean[-1])}, the "
        f"paper's own choice at {number(base.mean[-1])}."
    )
