"""The report: plays and scores what was asked for, draws it, and writes the page from the data."""

import csv
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..page import render
from ..page.files import number, read_json, write_text
from ..page.pictures import for_page, save
from ..progress import Progress
from .brief import brief
from .claims.base import Claim
from .drawing import draw
from .entries import Entry, chosen, entries, needed
from .errata import Erratum
from .figures import Figure
from .folder import noted_size, open_folder
from .lines import read_lines
from .remarks import reading
from .runner import Runner
from .scoring import PLAYED, score
from .settings import FULL, Setting, Size

_TEMPLATE = Path(__file__).with_name("report.html")
_SECTIONS = {
    "Five arms": (
        "five",
        "Figures 1 to 7 of the paper: two of five arms are protected, V = √T. Arms are counted from 1, as "
        "there.",
        re.compile(r"fig[1-7](-.*)?$"),
    ),
    "A thousand arms": (
        "thousand",
        "Figures 8 to 13, with the code that its author published to the letter (updated queue, OGA step "
        "1/√(2S)), on the instance of his published plots, and those plots on top.",
        re.compile(r"fig([89]|1[0-3])$"),
    ),
    "Beyond the paper": (
        "beyond",
        "The same five arms, bandit feedback and rewards, with better choices. Look at priced regret "
        "beside regret: a policy that owes its protected arms earns more than the benchmark may. Both are "
        "of the means of what was played (pseudo-regret), which leaves out the luck of the rewards.",
        re.compile(r"beyond-"),
    ),
}


def make_report(
    out: Path, size: Size = FULL, only: str | None = None, jobs: int | None = None
) -> dict[str, str]:
    """Write the page and what lies beside it; returns the verdicts on the claims that were asked for.

    What was played before is found again, and a report of another size is not overwritten.
    """
    wanted = chosen(only)
    data, figures = open_folder(out, size)
    runner = Runner(out / "cache", size, jobs)
    _play(runner, needed(wanted))
    pictures = [entry for entry in wanted if isinstance(entry, Figure)]
    with Progress(len(wanted) + len(pictures), len(wanted), None, "entries") as bar:
        for k, entry in enumerate(wanted):
            score(entry, runner, data)
            bar.show(k + 1, k + 1)
        for k, figure in enumerate(pictures):
            _draw(figure, data, figures)
            bar.show(len(wanted) + k + 1, len(wanted))
    write_page(out)
    told = {entry.id: entry for entry in wanted if isinstance(entry, Claim)}
    return {name: read_json(data / f"{name}.json")["verdict"] for name in told}


def _play(runner: Runner, wanted: list[Setting]) -> None:
    """The simulations that are not there yet: one bar over all, or a line each without a terminal."""
    work, runs = runner.missing(wanted)
    played = [0.0, 0]
    with Progress(max(round(work), 1), runs, None) as bar:

        def tell(more_work: float, more_runs: int) -> None:
            played[0] += more_work
            played[1] += more_runs
            bar.show(round(played[0]), int(played[1]))

        runner.tell = tell
        for setting in wanted:
            _, missing = runner.missing([setting])
            if missing and not sys.stderr.isatty():
                rounds = setting.play(runner.size).rounds
                print(f"banditq: {setting.name}, {missing} runs of {rounds:,} rounds", file=sys.stderr)
            if missing:
                runner.result(setting)


def _draw(figure: Figure, data: Path, folder: Path) -> None:
    lines = read_lines(data / f"{figure.id}.csv")
    for look, stem in _looks(figure).items():
        save(draw(figure, lines, look), folder / stem)  # type: ignore[arg-type]


def _scored(entry: Entry, data: Path) -> bool:
    """Whether the numbers of an entry are there."""
    ends = (".csv",) if isinstance(entry, Figure) else (".csv", ".json")
    return all((data / f"{entry.id}{end}").exists() for end in ends)


def _drawn(figure: Figure, out: Path) -> bool:
    """Whether a figure is drawn from the data that are there: a run may have been stopped in between."""
    made = (out / "data" / f"{figure.id}.csv").stat().st_mtime_ns
    pictures = [out / "figures" / f"{stem}.svg" for stem in _looks(figure).values()]
    return all(path.exists() and path.stat().st_mtime_ns >= made for path in pictures)


def _looks(figure: Figure) -> dict[str, str]:
    """File names by look; only the paper's own figures come as one run too."""
    looks = {"mean": figure.id}
    if figure.id.startswith("fig"):
        looks["single"] = f"{figure.id}-single"
    return looks


def write_page(out: Path) -> Path:
    """The page, from the data and figures that are there."""
    data, known = out / "data", entries()
    there = {name: entry for name, entry in known.items() if _scored(entry, data)}
    size = noted_size(data)
    claims = [read_json(data / f"{name}.json") for name, entry in there.items() if isinstance(entry, Claim)]
    errata = [
        read_json(data / f"{name}.json") for name, entry in there.items() if isinstance(entry, Erratum)
    ]
    drawn = [entry for entry in there.values() if isinstance(entry, Figure)]
    for figure in drawn:
        if not _drawn(figure, out):
            _draw(figure, data, out / "figures")
    page = render(
        _TEMPLATE,
        full=size.full,
        reduction=_reduction(size),
        tally=_tally(claims),
        brief=brief(data),
        sections=_sections(drawn, out),
        claims=claims,
        errata=errata,
        missing=[name for name in known if name not in there],
        **_played(data),
    )
    path = out / "index.html"
    write_text(path, page)
    return path


def _reduction(size: Size) -> str:
    return (
        f"{size.rounds:.0%} of the rounds and {size.runs:.0%} of the runs; with a thousand arms all "
        "rounds, without which there is nothing to compare with, and two runs."
    )


def _tally(claims: list[dict[str, str]]) -> str:
    if not claims:
        return ""
    count = Counter(claim["verdict"] for claim in claims)
    if count["holds"] == len(claims):
        return f"All {len(claims)} claims hold."
    parts = [f"{count[word]} {words}" for word, words in _VERDICTS.items() if count[word]]
    return f"Of {len(claims)} claims " + ", ".join(parts) + "."


_VERDICTS = {"holds": "hold", "does not hold": "do not hold", "cannot be told": "cannot be told from this"}


def _sections(drawn: list[Figure], out: Path) -> list[dict[str, Any]]:
    sections = []
    for title, (anchor, text, pattern) in _SECTIONS.items():
        figures = [_shown(figure, out) for figure in drawn if pattern.match(figure.id)]
        if figures:
            distances = _distances(out / "data") if anchor == "thousand" else []
            sections.append(
                {"title": title, "anchor": anchor, "text": text, "figures": figures, "distances": distances}
            )
    return sections


def _shown(figure: Figure, out: Path) -> dict[str, Any]:
    looks = {
        look: for_page((out / "figures" / f"{stem}.svg").read_text(encoding="utf-8"), stem)
        for look, stem in _looks(figure).items()
    }
    lines = read_lines(out / "data" / f"{figure.id}.csv")
    return {
        "id": figure.id,
        "title": _numbered(figure),
        "caption": f"{figure.caption} {figure.remark(lines)}".rstrip(),
        "reading": reading(lines),
        "looks": looks,
    }


def _numbered(figure: Figure) -> str:
    found = re.match(r"fig(\d+)", figure.id)
    return f"Figure {found[1]}. {figure.title}" if found else figure.title


def _distances(data: Path) -> list[dict[str, str]]:
    path = data / "claim-thousand.csv"
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names: dict[str, Callable[[dict[str, str]], str]] = {
        "feedback": lambda row: row["feedback"],
        "what": lambda row: row["what"],
        "published": lambda row: _five_digits(row["published"]),
        "ours": lambda row: _five_digits(row["ours"]),
        "spread": lambda row: number(float(f"{float(row['spread']):.3g}")),
        "runs": lambda row: row["runs"],
        "low": lambda row: _five_digits(row["low"]),
        "high": lambda row: _five_digits(row["high"]),
        "inside": lambda row: {"True": "inside", "False": "outside"}[row["inside"]],
    }
    return [{name: tell(row) for name, tell in names.items()} for row in rows]


def _five_digits(text: str) -> str:
    value = float(text)
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.5g}"


def _played(data: Path) -> dict[str, Any]:
    path = data / PLAYED
    noted = read_json(path) if path.exists() else {}
    rows = [{"name": name, **row} for name, row in noted.items()]
    seconds = sum(row["seconds"] for row in rows)
    kinds = {
        "machine": "; ".join(dict.fromkeys(row["machine"] for row in rows)),
        "versions": "; ".join(
            dict.fromkeys(
                ", ".join(
                    [f"Python {row['python']}", *(f"{name} {v}" for name, v in row["versions"].items())]
                )
                for row in rows
            )
        ),
    }
    total = sum(row["rounds"] * row["runs"] for row in rows)
    return kinds | {
        "played": rows,
        "seconds": f"{number(seconds)} seconds" if seconds < 120 else f"{seconds / 60:.1f} minutes",
        "rounds": f"{total:,}",
    }
