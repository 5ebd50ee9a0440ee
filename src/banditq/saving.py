"""States to and from flat dictionaries of arrays."""

from typing import Any

import numpy as np

from .errors import InvalidInput


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
