"""Files beside a page: text and JSON, written whole or not at all."""

import json
from pathlib import Path
from typing import Any


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """JSON that a person can read."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False, sort_keys=False) + "\n")


def read_json(path: Path) -> Any:
    """Inverse of :func:`write_json`."""
    return json.loads(path.read_text(encoding="utf-8"))


def number(value: float) -> str:
    """Four digits, or whole from a thousand on."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
