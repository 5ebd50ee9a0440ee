"""Files that come back bit for bit: arrays and a JSON header in one .npz; states as flat arrays."""

import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np

from .errors import InvalidInput


def write_file(path: Path, header: dict[str, Any], arrays: dict[str, Any], *, compressed: bool) -> Path:
    """Write header and arrays as one file, whole or not at all.

    Compressing takes some fifty times as long as writing: it is for what is kept, not for what is saved
    between two requests.
    """
    save = np.savez_compressed if compressed else np.savez
    note = np.array(json.dumps(header))
    return write_whole(path, lambda file: save(file, header=note, **arrays))


def write_whole(path: Path, write: Callable[[IO[bytes]], Any]) -> Path:
    """Let ``write`` fill a file that is there whole or not at all: a crash leaves the old one.

    What cannot be written raises an OSError that names the file, which the system does not when a disk
    is full.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("wb") as file:
            write(file)
        partial.replace(path)
    except BaseException as error:
        with suppress(OSError):
            partial.unlink()
        if isinstance(error, OSError):
            error.filename = str(path)
        raise
    return path


def read_file(path: Path, what: str, format: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays of a file, or why it is not ``what`` in this format."""
    content = path.read_bytes()
    try:
        arrays = _members(content)
        header: dict[str, Any] = json.loads(str(arrays.pop("header")))
        found, kind = header["format"], header["what"]
    except MemoryError:
        raise
    except Exception:  # bytes are in hand: whatever zip, zlib, NumPy or JSON raise, the bytes are wrong
        raise InvalidInput(f"{path} is not {what} saved by banditq, or it is damaged") from None
    if kind != what:
        raise InvalidInput(f"{path} is {kind} saved by banditq, not {what}")
    if found != format:
        raise InvalidInput(f"{path} has format {found}; this version reads format {format}")
    return header, arrays


def _members(content: bytes) -> dict[str, Any]:
    """The arrays of an .npz file; each is read to its end, checksum included, before it is believed."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return {
        name.removesuffix(".npy"): np.lib.format.read_array(BytesIO(member), allow_pickle=False)
        for name, member in members.items()
    }


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
