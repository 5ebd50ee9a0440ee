"""docs/speed.md: fixed prose around the numbers of a file of figures."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import plot
from .goals import OBSTACLES
from .telling import (
    SHOWN_SIZES,
    Table,
    author_table,
    duration,
    entry_table,
    goal_table,
    omissions,
    ratio,
    times,
    unreached,
    yardstick_table,
)

Figures = Mapping[str, Any]

_PAGE = Path(__file__).with_name("page.md")  # the fixed prose


def write_page(figures: Figures, peers_file: Path, folder: Path) -> list[Path]:
    """Write the page and its plot; returns what was written."""
    peers = json.loads(peers_file.read_text(encoding="utf-8")) if peers_file.exists() else {}
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "speed.md"
    page.write_text(page_text(figures, peers), encoding="utf-8")
    return [page, *plot.save(plot.draw(figures, peers), folder / "speed")]


def page_text(figures: Figures, peers: Figures) -> str:
    """The page."""
    sizes = [f"N = {n:,}" for n in SHOWN_SIZES]
    return _PAGE.read_text(encoding="utf-8").format(
        made=_made(figures["made"], figures["scope"]),
        goals=_markdown(["", "measured", "wanted", ""], goal_table(figures)),
        obstacles=_obstacles(figures),
        yardsticks=_markdown(["", "N", "ours", "plain loop", "faster"], yardstick_table(figures)),
        entries=_markdown(["", "feedback", *sizes, "k"], entry_table(figures)),
        omissions=_omissions(figures),
        peers=_peers(peers),
        author=_author(figures),
    )


def _markdown(head: Sequence[str], rows: Table) -> str:
    """A table, its first column to the left."""
    if not rows:
        return "*Not measured.*"
    rule = [":--", *["--:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, rule, *rows])


def _made(made: Figures, scope: str) -> str:
    part = "" if scope == "full" else f" This was a part of a bench only ({scope})."
    return (
        f"Measured on {made['on']}: {made['processor']}, {made['system']}, Python {made['python']}, "
        f"NumPy {made['numpy']}, Numba {made['numba']}, banditq {made['banditq']}.{part}"
    )


def _obstacles(figures: Figures) -> str:
    missed = unreached(figures)
    if not missed:
        return ""
    lines = [f"* **{goal.name}**: {OBSTACLES.get(goal.name, 'not explained yet.')}" for goal in missed]
    return "\n### What stands in the way\n\n" + "\n".join(lines) + "\n"


def _omissions(figures: Figures) -> str:
    lines = omissions(figures)
    return "\nLeft out:\n\n" + "\n".join(f"* {line}" for line in lines) + "\n" if lines else ""


def _peers(peers: Figures) -> str:
    if not peers.get("rows"):
        return "*Not measured: `make bench-peers`.*"
    rows = [
        [
            f"{row['peer']} {row['version']}, {row['policy']}",
            "its own loop" if row["how"] == "harness" else "choose + learn",
            f"{row['n_arms']:,}",
            duration(1e3 * row["us"]),
            f"{duration(1e3 * row['ours_us'])}, {row['ours'].removesuffix('()')}",
            times(ratio(row["us"], row["ours_us"])),
            duration(1e3 * row["banditq_us"]),
            times(ratio(row["us"], row["banditq_us"])),
        ]
        for row in peers["rows"]
    ]
    head = ["", "how", "N", "a round", "our nearest", "faster", "BanditQ", "faster"]
    failed = [f"* {row['peer']}: {row['why']}" for row in peers.get("failed", [])]
    told = "\n\nCould not be measured:\n\n" + "\n".join(failed) if failed else ""
    return (
        "Each in an environment of its own, with the nearest policy it has, taking turns with ours. None "
        "of them guarantees anything to an arm. *Choose + learn* is a loop in Python around single calls, "
        "ours around the live agent; *its own loop* is the package's simulator, ours `simulate` on one "
        "core.\n\n" + _markdown(head, rows) + told
    )


def _author(figures: Figures) -> str:
    rows = author_table(figures)
    how = (
        "His scripts run as they are in GNU Octave, with another T and N, up to the plots: "
        "`banditq bench --author FOLDER`, with a copy of "
        "[his repository](https://github.com/abhishek-sinha-tifr/BanditQ_UAI24) in FOLDER. The projection "
        "that they call is not in it; ours, by sorting, takes its place."
    )
    table = _markdown(["feedback", "N", "his", "ours", "faster"], rows)
    return f"{how}\n\n{table}"
