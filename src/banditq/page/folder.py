"""The folder of a page: nobody else's."""

from pathlib import Path

from ..errors import InvalidInput


def refuse_foreign(out: Path, owner: str) -> None:
    """Refuse a folder with files, which are not ``owner``'s; hidden files may be."""
    if not out.is_dir():
        return
    for path in sorted(out.iterdir()):
        inside = path.rglob("*") if path.is_dir() else [path]
        if not path.name.startswith(".") and any(not found.is_dir() for found in inside):
            raise InvalidInput(
                f"out is {out}, which holds {path.name} and is not the folder of {owner}; give a new or "
                "an empty one"
            )
