"""Files beside a page: text and JSON, written whole or not at all."""

import json
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..saving import write_whole


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    write_whole(path, lambda file: file.write(text.encode()))


def write_json(path: Path, value: Any) -> None:
    """JSON that a person can read."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False, sort_keys=False) + "\n")


def read_json(path: Path) -> Any:
    """Inverse of :func:`write_json`."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise InvalidInput(f"{path} is damaged; delete it, and it is made again when asked for") from None


def number(value: float) -> str:
    """Four digits, or whole from a thousand on."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def counted(number: int, one: str, many: str = "") -> str:
    """1 policy, 2 policies; 1 run, 1,000 runs."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
