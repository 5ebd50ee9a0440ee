"""Configurations: frozen dataclasses that find each other by name and turn into JSON."""

import ast
import re
from dataclasses import fields
from typing import Any, ClassVar, Self

from .errors import InvalidInput


class Config:
    """Base of learners, policies and reward models: frozen, comparable, saveable by name.

    Examples
    --------
    >>> import banditq as bq
    >>> policy = bq.Config.parse("banditq(learner=exp3ix, v=500)")
    >>> policy == bq.BanditQ(learner=bq.Exp3IX(), v=500)
    True
    >>> bq.Config.from_dict(policy.to_dict()) == policy
    True
    """

    _by_name: ClassVar[dict[str, type["Config"]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.__name__.startswith("_"):  # else it is the base of some, and none itself
            Config._by_name[cls.__name__] = cls

    def __str__(self) -> str:
        """What one would write to get it: the fields that are not as usual."""
        values = {f: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        told = [
            f"{f.name}={value if isinstance(value, Config) else repr(value)}"
            for f, value in values.items()
            if value != f.default
        ]
        return f"{type(self).__name__}({', '.join(told)})"

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

    @classmethod
    def parse(cls, text: str, kinds: tuple[type["Config"], ...] = ()) -> Self:
        """A configuration from what one would write in Python, such as ``BanditQ(v=500)``.

        Names are matched without regard to case, hyphens and underscores, and a bare name will do.
        ``kinds`` narrows what the outermost may be.
        """
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except SyntaxError:
            tree = ast.Name(text.strip())
        return cls._build(tree, text, kinds or (cls,))

    @classmethod
    def _build(cls, tree: ast.expr, text: str, kinds: tuple[type["Config"], ...]) -> Any:
        call = tree if isinstance(tree, ast.Call) else ast.Call(tree, [], [])
        name = call.func.id if isinstance(call.func, ast.Name) else ast.unparse(call.func)
        known = {
            k: c
            for k, c in Config._by_name.items()
            if issubclass(c, kinds) and hasattr(c, "__match_args__")
        }
        found = {_key(k): c for k, c in known.items()}.get(_key(name))
        if found is None:
            listed = ", ".join(sorted(known, key=str.lower))
            wanted = " or ".join(in_words(kind.__name__) for kind in kinds)
            raise InvalidInput(f"{name!r} is not a {wanted}; the known ones are {listed}")
        try:
            arguments = [_literal(argument, text) for argument in call.args]
            options = {str(k.arg): _literal(k.value, text) for k in call.keywords}
            return found(*arguments, **options)
        except TypeError as error:
            reason = str(error).replace("__init__() ", "").removeprefix(f"{found.__name__}.")
            raise InvalidInput(f"{text!r} does not work: {found.__name__} {reason}") from None


def in_words(name: str, between: str = " ") -> str:
    """A class name as words: EpsilonGreedy is epsilon greedy, ETCAnytime etc anytime, UCB1 ucb1."""
    return re.sub("(?<=[a-z])(?=[A-Z]{2})|(?<=.)(?=[A-Z][a-z])", between, name).lower()


def _key(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")


def _literal(tree: ast.expr, text: str) -> Any:
    if isinstance(tree, ast.Call) or (
        isinstance(tree, ast.Name) and _key(tree.id) in map(_key, Config._by_name)
    ):
        return Config._build(tree, text, (Config,))
    try:
        value = ast.literal_eval(tree)
    except ValueError:
        raise InvalidInput(
            f"{ast.unparse(tree)!r} in {text!r} must be a number, a string or a list"
        ) from None
    return tuple(value) if isinstance(value, list) else value


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
