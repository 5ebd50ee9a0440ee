"""Files that come back bit for bit: arrays and a JSON header in one .npz; states as flat arrays."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InvalidInput


def write_file(path: Path, header: dict[str, Any], arrays: dict[str, Any], *, compressed: bool) -> Path:
    """Write a file whole or not at all: a crash leaves the old one.

    Compressing takes some fifty times as long as writing: it is for what is kept, not for what is saved
    between two requests.
    """
    partial = path.with_name(path.name + ".partial")
    save = np.savez_compressed if compressed else np.savez
    try:
        with partial.open("wb") as file:
            save(file, header=np.array(json.dumps(header)), **arrays)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return path


def read_file(path: Path, what: str, format: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays of a file, or why it is not ``what`` in this format."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            arrays = {name: data[name] for name in data.files}
        header: dict[str, Any] = json.loads(str(arrays.pop("header")))
        found, kind = header["format"], header["what"]
    except (KeyError, ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile):
        raise InvalidInput(f"{path} is not {what} saved by banditq") from None
    if kind != what:
        raise InvalidInput(f"{path} is {kind} saved by banditq, not {what}")
    if found != format:
        raise InvalidInput(f"{path} has format {found}; this version reads format {format}")
    return header, arrays


def pack(name: str, value: Any) -> dict[str, Any]:
    """Arrays and numbers of a nested NamedTuple, each under its dotted path.

    A plain Python object takes part if it has ``to_arrays``, which returns a dictionary of arrays, and
    ``from_arrays``, which takes it back and returns the object.
    """
    if hasattr(value, "_fields"):
        arrays: dict[str, Any] = {}
        for field, member in zip(value._fields, value, strict=True):
            arrays |= pack(f"{name}.{field}", member)
        return arrays
    if hasattr(value, "dtype") or isinstance(value, bool | int | float):
        return {name: np.asarray(value)}
    if callable(getattr(value, "to_arrays", None)) and callable(getattr(value, "from_arrays", None)):
        return {f"{name}.{key}": np.asarray(member) for key, member in value.to_arrays().items()}
    raise InvalidInput(
        f"{type(value).__name__} cannot be saved: give it to_arrays() -> dict of arrays and "
        "from_arrays(dict) -> state"
    )


def unpack(name: str, template: Any, arrays: dict[str, Any]) -> Any:
    """Inverse of :func:`pack`, given a fresh value of the same kind."""
    if hasattr(template, "_fields"):
        members = zip(template._fields, template, strict=True)
        return type(template)(*[unpack(f"{name}.{field}", member, arrays) for field, member in members])
    if hasattr(template, "from_arrays"):
        prefix = f"{name}."
        return template.from_arrays(
            {key.removeprefix(prefix): value for key, value in arrays.items() if key.startswith(prefix)}
        )
    found = arrays[name]
    if isinstance(template, np.ndarray):
        if found.shape != template.shape or found.dtype != template.dtype:
            raise InvalidInput(f"{name} has shape {found.shape}, but {template.shape} is what fits here")
        return np.ascontiguousarray(found)
    return type(template)(found[()])
