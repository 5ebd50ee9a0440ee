"""What ``banditq bench`` does."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput
from ..progress import Progress
from .author import HOW, ready
from .entries import Entry, chosen, entries
from .figures import Figures, no_figures, read_figures, write_figures
from .measuring import FULL, QUICK, SECTIONS, Scope, Step, steps
from .telling import report


@dataclass(frozen=True)
class Wishes:
    """The command's options."""

    quick: bool = False
    only: str | None = None
    out: Path | None = None
    docs: Path | None = None
    redraw: bool = False
    author: Path | None = None
    as_json: bool = False


def names() -> str:
    """What ``--only`` can name."""
    told = [f"{entry.name:<24}{entry.kind}, {entry.feedback} feedback" for entry in entries()]
    return "\n".join([*told, *(f"{name:<24}section" for name in SECTIONS)])


def run_bench(wishes: Wishes) -> bool:
    """Measure and report; returns whether it came to its end."""
    if wishes.redraw:
        if wishes.out is None or wishes.docs is None:
            raise InvalidInput("redraw needs --out, the file to read, and --docs, the folder to draw in")
        _draw(read_figures(wishes.out), wishes)
        return True
    scope = QUICK if wishes.quick else FULL
    figures = no_figures(scope.name if wishes.only is None else f"{scope.name}, only {wishes.only}")
    _check_out(wishes.out, figures)
    todo = _todo(scope, wishes)
    finished = _measure(todo, figures, wishes.out)
    if wishes.out is not None and finished:
        write_figures(wishes.out, figures)
        _beside(wishes.out).unlink(missing_ok=True)
    print(json.dumps(figures, indent=1, ensure_ascii=False) if wishes.as_json else report(figures))
    if not finished:
        kept = f"; what was measured is in {_beside(wishes.out)}" if wishes.out is not None else ""
        print(f"banditq: stopped by Ctrl-C{kept}", file=sys.stderr)
    elif wishes.out is not None:
        print(f"written to {wishes.out}", file=sys.stderr)
        if wishes.docs is not None:
            _draw(figures, wishes)
    if finished and wishes.author is None and wishes.only is None and not wishes.as_json:
        print(HOW, file=sys.stderr)
    return finished


def _todo(scope: Scope, wishes: Wishes) -> list[Step]:
    """The steps that were asked for: some entries, some sections, or everything in scope."""
    if wishes.docs is not None and wishes.out is None:
        raise InvalidInput("docs needs --out: the page is drawn from the file of figures")
    if wishes.author is not None:
        ready(wishes.author)
    if wishes.only is None:
        everything = entries() if not wishes.quick else [e for e in entries() if _is_headline(e)]
        return steps(scope, everything, scope.sections, wishes.author)
    asked = [name.strip() for name in wishes.only.split(",") if name.strip()]
    sections = tuple(name for name in SECTIONS if name in map(str.lower, asked))
    others = ",".join(name for name in asked if name.lower() not in SECTIONS)
    wanted: Sequence[Entry] = chosen(others) if others or not sections else []
    return steps(scope, list(wanted), sections, wishes.author)


def _is_headline(entry: Entry) -> bool:
    """What the quick bench has time for: what compiles in the time of a coffee."""
    return entry.name in ("BanditQ+LogBarrier", "BanditQ+OGA", "UCB1")


def _check_out(out: Path | None, figures: Figures) -> None:
    """Refuse to put a part in the place of a whole."""
    if out is None:
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.exists() and read_figures(out)["scope"] == FULL.name != figures["scope"]:
        raise InvalidInput(f"{out} holds a full bench, and this is only a part of one; give another --out")


def _beside(out: Path | None) -> Path:
    """Where figures are kept until all are there."""
    return Path(f"{out}.partial")


def _measure(todo: Sequence[Step], figures: Figures, out: Path | None) -> bool:
    """All steps in order; False if Ctrl-C came first."""
    total = sum(step.weight for step in todo)
    spent = 0.0
    try:
        with Progress(round(total), len(todo), None, "figures") as bar:
            for done, step in enumerate(todo):
                bar.show(round(spent), done)
                step.run(figures)
                spent += step.weight
                if out is not None:
                    write_figures(_beside(out), figures)
    except KeyboardInterrupt:
        if not any(figures[name] for name in figures if isinstance(figures[name], list)):
            raise
        return False
    return True


def _draw(figures: Figures, wishes: Wishes) -> None:
    from .page import write_page

    if wishes.docs is not None and wishes.out is not None:
        for path in write_page(figures, wishes.out.parent / "peers.json", wishes.docs):
            print(f"written to {path}", file=sys.stderr)
