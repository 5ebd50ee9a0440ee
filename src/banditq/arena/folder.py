"""The folder of an arena: nobody else's, and without what an earlier arena drew there."""

from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..page.files import read_json, write_json
from ..page.folder import refuse_foreign

_ABOUT = "arena.json"


def open_folder(out: Path) -> tuple[Path, Path]:
    """The folders of data and pictures, once it is clear that they can be written and hold nothing else."""
    data, figures = out / "data", out / "figures"
    if not (data / _ABOUT).exists():
        refuse_foreign(out, "an arena")
        data.mkdir(parents=True, exist_ok=True)
        write_json(data / _ABOUT, {})  # an arena that is stopped finds its folder again
    figures.mkdir(exist_ok=True)
    return data, figures


def write_about(data: Path, told: dict[str, Any]) -> None:
    """Note what was played."""
    write_json(data / _ABOUT, told)


def about(data: Path) -> dict[str, Any]:
    """What was played, by whom and where."""
    path = data / _ABOUT
    told: dict[str, Any] = read_json(path) if path.exists() else {}
    if not told:
        raise InvalidInput(f"{data.parent} holds no arena; run banditq arena --out {data.parent} first")
    return told


def keep_only(figures: Path, stems: set[str]) -> None:
    """Delete the pictures of instances that are no longer played."""
    for path in figures.iterdir():
        if path.suffix in (".png", ".svg") and path.stem not in stems:
            path.unlink()
