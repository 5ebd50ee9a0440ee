"""The report's first paragraph: what was found, from the data beside it."""

from pathlib import Path
from typing import Any

from ..page.files import number, read_json
from .lines import Line, read_lines
from .remarks import apart, curves, end, near, settled, sign


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


def _interval(line: Line) -> str:
    mean, half = end(line)
    return f"{number(mean)} (95 % interval {number(mean - half)} to {number(mean + half)})"


_KEPT = {
    "holds": "The promises are kept: in",
    "does not hold": "Not every promise was kept: in",
    "cannot be told": "Whether the promises are kept cannot be told from what was played. In",
}


def _targets(data: Path) -> str | None:
    lines, claim = _lines(data, "fig4"), _told(data, "claim-targets-met")
    if lines is None:
        return None
    shares = [lines[f"arm {k}"].mean[-1] / lines[f"target of arm {k}"].mean[0] for k in (1, 2)]
    return (
        f"{'In' if claim is None else _KEPT[claim['verdict']]} bandit feedback the two protected arms have "
        f"received {shares[0]:.1%} and {shares[1]:.1%} of their targets by round "
        f"{lines['arm 1'].rounds[-1]:,.0f}. Without targets the best policy would give them nothing."
    )


def _standing(data: Path) -> str | None:
    lines = _lines(data, "fig5")
    if lines is None:
        return None
    pairs = [(settled(lines[f"arm {k}"]), lines[f"V · price of arm {k}"].mean[0]) for k in (1, 2)]
    said = " and ".join(f"{number(ours)} where theory says {number(theory)}" for ours, theory in pairs)
    if all(near(ours, theory) for ours, theory in pairs):
        return f"What they miss, they miss for ever: with V fixed the queues stand at V · price, {said}."
    return (
        "With V fixed the queues should in the long run stand at V · price; over the second half of these "
        f"rounds they average {said}."
    )


def _negative(data: Path) -> str | None:
    lines = _lines(data, "fig6")
    if lines is None:
        return None
    regret, priced = lines["pseudo-regret"], lines["priced pseudo-regret"]
    told = f"{_interval(priced)}, where zero is the benchmark"
    if sign(regret) < 0 <= sign(priced):
        return (
            f"So the negative regret of the paper's figures, here a pseudo-regret of "
            f"{_interval(regret)}, is not a win: with the debts at their price it is {told}."
        )
    return f"Pseudo-regret is {_interval(regret)} here; with the debts at their price it is {told}."


def _author(data: Path) -> str | None:
    claim = _told(data, "claim-thousand")
    return None if claim is None else f"The author's own curves, N = 1 000: {claim['measured']}"


def _errata(data: Path) -> str | None:
    erratum = _told(data, "erratum-algorithm-2")
    if erratum is None:
        return None
    return (
        f"The bandit pseudo-code, run as printed: {erratum['as_printed']} Put right: {erratum['corrected']}"
    )


def _better(data: Path) -> str | None:
    lines = _lines(data, "beyond-priced")
    if lines is None:
        return None
    base = lines["the paper's"]
    best = min(curves(list(lines.values())), key=lambda line: line.mean[-1])
    if best is base:
        return (
            f"By priced pseudo-regret no variant ends below the paper's own choice, at {_interval(base)}."
        )
    told = f"“{best.series}” ends at {_interval(best)}, the paper's own choice at {_interval(base)}"
    if apart(best, base):
        return f"There is room beyond: by priced pseudo-regret {told}."
    return f"By priced pseudo-regret {told}; which is lower cannot be told from these runs."
