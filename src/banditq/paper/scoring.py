"""From results to the numbers of the report: one CSV or JSON for each entry in its data folder."""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..page.files import read_json, write_json, write_text
from ..policies.base import Policy
from ..result import Result
from .claims.base import Claim
from .entries import Entry
from .errata import Erratum
from .figures import Figure
from .lines import write_lines
from .measurement import Rows
from .runner import Runner
from .settings import settings

PLAYED, SIZE = "played.json", "size.json"


def score(entry: Entry, runner: Runner, data: Path) -> None:
    """Play what an entry needs, unless it is there, and write its numbers."""
    known = settings()
    results = {name: runner.result(known[name]) for name in entry.settings}
    note_played(data, results)
    if isinstance(entry, Figure):
        write_lines(data / f"{entry.id}.csv", entry.lines(results))
        return
    rows = {m.name: runner.rows(m) for m in entry.measurements}
    seen: Any = entry.check(results, rows) if isinstance(entry, Claim) else entry.show(results, rows)
    told = {name: value for name, value in asdict(seen).items() if name != "evidence"}
    write_json(data / f"{entry.id}.json", _about(entry) | told)
    write_rows(data / f"{entry.id}.csv", seen.evidence)


def _about(entry: Claim | Erratum) -> dict[str, str]:
    names = (
        ("id", "source", "says", "rule")
        if isinstance(entry, Claim)
        else ("id", "where", "printed", "should_be")
    )
    return {name: getattr(entry, name) for name in names}


def write_rows(path: Path, rows: Rows) -> None:
    """Rows as CSV; a number keeps ten digits, and what a row lacks stays empty."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: f"{v:.10g}" if isinstance(v, float) else v for k, v in row.items()})
    write_text(path, text.getvalue())


def note_played(data: Path, results: Mapping[str, Result]) -> None:
    """Add what was simulated to the list that the report ends with."""
    path = data / PLAYED
    noted: dict[str, Any] = read_json(path) if path.exists() else {}
    fresh = {name: _described(run) for name, run in results.items()}
    if any(noted.get(name) != row for name, row in fresh.items()):
        write_json(path, noted | fresh)


def _described(run: Result) -> dict[str, Any]:
    policy = str(Policy.from_dict(run.info["policy"]))
    return {
        "policy": re.sub(r"\d+\.\d{4,}", lambda number: f"{float(number[0]):.4g}", policy),
        "arms": len(run.info["problem"]["means"]),
        "rounds": int(run.rounds[-1]),
        "runs": run.runs,
        "seed": run.info["seed"],
        "seconds": run.info["seconds"],
        "versions": run.info["versions"],
        "python": run.info["python"],
        "machine": run.info["machine"],
    }
