"""Configurations: frozen dataclasses that find each other by name and turn into JSON."""

from dataclasses import fields
from typing import Any, ClassVar, Self

from .errors import InvalidInput


class Config:
    """Base of learners, policies and reward models: frozen, comparable, saveable by name."""

    _by_name: ClassVar[dict[str, type["Config"]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Config._by_name[cls.__name__] = cls

    def to_dict(self) -> dict[str, Any]:
        """The class name and the fields, nested, as JSON can hold them."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"kind": type(self).__name__, **{name: _plain(v) for name, v in values.items()}}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Inverse of :meth:`to_dict`, for classes that have been imported."""
        kind = data.get("kind")
        found = Config._by_name.get(str(kind))
        if found is None or not issubclass(found, cls):
            raise InvalidInput(
                f"{kind!r} is not a known {cls.__name__.lower()}; import the module that defines it first"
            )
        return found(**{name: _rich(value) for name, value in data.items() if name != "kind"})


def _plain(value: Any) -> Any:
    if isinstance(value, Config):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise InvalidInput(
        f"{value!r} cannot be written down: derive its class from bq.Learner or bq.Policy as a frozen "
        "dataclass of numbers, strings and tuples"
    )


def _rich(value: Any) -> Any:
    if isinstance(value, dict) and "kind" in value:
        return Config.from_dict(value)
    if isinstance(value, list):
        return tuple(_rich(item) for item in value)
    return value
