"""The folder of a report: of one size, and nobody else's."""

import json
from pathlib import Path

from ..errors import InvalidInput
from ..page.files import write_json
from ..page.folder import refuse_foreign
from .scoring import SIZE
from .settings import SIZES, Size


def open_folder(out: Path, size: Size) -> tuple[Path, Path]:
    """The folders of a report, once it is clear that they can be written and hold nothing else."""
    data, figures = out / "data", out / "figures"
    if (data / SIZE).exists():
        noted = noted_size(data)
        if noted is not size:
            raise InvalidInput(
                f"out is {out}, which holds a report of {noted.name} size; give another folder for one of "
                f"{size.name} size"
            )
    else:
        refuse_foreign(out, "a report")
    data.mkdir(parents=True, exist_ok=True)
    write_json(data / SIZE, size.name)
    for folder in (figures, out / "cache"):
        folder.mkdir(exist_ok=True)
    return data, figures


def noted_size(data: Path) -> Size:
    """The size of the report in a folder."""
    try:
        return SIZES[json.loads((data / SIZE).read_text(encoding="utf-8"))]
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(
            f"{data / SIZE} is damaged: it must hold the size of the report, "
            f"{' or '.join(json.dumps(name) for name in SIZES)}; write it there, or give another folder"
        ) from None
