"""What a bench found: plain rows under headings, kept in one JSON file."""

import json
import os
import platform
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..errors import InvalidInput

Figures = dict[str, Any]
Row = dict[str, Any]

_FORMAT = 1


def no_figures(scope: str) -> Figures:
    """A file's frame: what made it, and no rows yet."""
    return {
        "what": "banditq bench",
        "format": _FORMAT,
        "scope": scope,
        "made": {
            "on": datetime.now(UTC).strftime("%Y-%m-%d"),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
            **{name: version(name) for name in ("banditq", "numpy", "numba", "llvmlite")},
        },
        "rounds": [],
        "left_out": [],
    }


def _processor() -> str:
    """The processor's name, as far as the system tells."""
    told = Path("/proc/cpuinfo")
    if told.exists():
        for line in told.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or sys.platform


def write_figures(path: Path, figures: Mapping[str, Any]) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(path.name + ".writing")
    try:
        partial.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def read_figures(path: Path) -> Figures:
    """A file of figures, or why it is none."""
    try:
        figures = json.loads(path.read_text(encoding="utf-8"))
        known = figures["what"] == "banditq bench" and figures["format"] == _FORMAT
    except FileNotFoundError:
        raise InvalidInput(f"{path} does not exist; `banditq bench --out {path}` writes it") from None
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise InvalidInput(f"{path} was not written by this version of banditq bench")
    return dict(figures)


def ns_at(figures: Mapping[str, Any], entry: str, n_arms: int, field: str = "ns") -> float | None:
    """What an entry's round costs at a number of arms, if that was measured."""
    for row in figures["rounds"]:
        if row["entry"] == entry and row["n_arms"] == n_arms:
            value: float | None = row.get(field)
            return value
    return None


def by_entry(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each entry, sizes rising."""
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: int(row["n_arms"])):
        found.setdefault(row["entry"], []).append(row)
    return found
