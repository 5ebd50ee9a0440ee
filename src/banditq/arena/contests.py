"""What is played: instances by name or family, from a file, or made in Python."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..checks import told as quoted
from ..checks import whole
from ..errors import Infeasible, InvalidInput
from ..instances import INSTANCES, Instance, instance
from ..problem import Problem
from ..rewards.base import RewardModel
from ..rewards.table import Table

Wanted = str | Path | Problem | Instance | Sequence[Any] | Mapping[str, Any]

_TABLES = (".csv", ".parquet", ".npy")
_KEYS = ("name", "means", "targets", "rewards", "reward_max", "rounds", "table", "columns")


class Contest(NamedTuple):
    """An instance under a name, at the length at which it is played."""

    name: str
    problem: Problem
    rounds: int

    @property
    def recorded(self) -> bool:
        """Whether the rewards are the same in every run, so that only the policies' own draws differ."""
        return isinstance(self.problem.rewards, Table)


def contests(
    wanted: Wanted,
    rounds: int | None = None,
    targets: Sequence[float] | None = None,
    *,
    named: int | None = None,
) -> list[Contest]:
    """The instances asked for, each once.

    Parameters
    ----------
    wanted
        Names with commas between them, or a list of them: instances (``paper-5``), families
        (``degenerate`` is all that begin with ``degenerate-``), paths of TOML files, paths of recorded
        tables (.csv, .parquet, .npy); in Python also an :class:`Instance` or a :class:`Problem`, or a dict
        from names to these.
    rounds
        How long each is played, or as long as a recorded table goes; each instance's own number without.
    targets
        Those of the recorded tables; all others have their own, and are refused with them.
    named
        The number of instances given by name, in place of their own.
    """
    items: Any = [wanted] if isinstance(wanted, Problem | Instance | Path) else wanted
    if isinstance(items, str):
        items = [part.strip() for part in items.split(",") if part.strip()]
    pairs = items.items() if isinstance(items, Mapping) else ((None, item) for item in items)
    found: dict[str, Contest] = {}
    for name, item in pairs:
        for contest in _contests(name, item, rounds, targets, named):
            if contest.name in found:
                raise InvalidInput(f"instances has {contest.name!r} twice; give one of them another name")
            found[contest.name] = contest
    if not found:
        raise InvalidInput(f"instances is {wanted!r}; name at least one, of {', '.join(INSTANCES)}")
    return list(found.values())


def _contests(
    name: str | None, item: Any, rounds: int | None, targets: Any, named: int | None
) -> list[Contest]:
    if targets is not None and not _is_table(item):
        raise InvalidInput(
            f"targets are given, and {quoted(item) if name is None else repr(name)} has its own: "
            f"they go with recorded tables only ({', '.join(_TABLES)})"
        )
    if isinstance(item, str) and (item in INSTANCES or not Path(item).suffix):
        members = (
            [item] if item in INSTANCES else [known for known in INSTANCES if known.startswith(f"{item}-")]
        )
        if not members:
            raise InvalidInput(
                f"instances has {item!r}; it must be of {', '.join(INSTANCES)}, the beginning of some of "
                "them, or the path of a .toml, .csv, .parquet or .npy file"
            )
        length = named if rounds is None else rounds
        return [_fitted(name or member, *instance(member, length), length) for member in members]
    if isinstance(item, str | Path):
        return [_from_file(name, Path(item), rounds, targets)]
    if isinstance(item, Problem):
        return [_fitted(name or "own", item, rounds or 100_000, rounds)]
    if isinstance(item, Instance):
        return [_fitted(name or "own", *item, rounds)]
    raise InvalidInput(f"instances has {item!r}; it must be a name, a path, bq.Instance or bq.Problem")


def _is_table(item: Any) -> bool:
    return isinstance(item, str | Path) and Path(item).suffix in _TABLES


def _fitted(name: str, problem: Problem, own_rounds: int, rounds: int | None) -> Contest:
    """No longer than the rewards are known, and feasible: an arena needs a benchmark."""
    length = whole("rounds", rounds or own_rounds, low=1)
    limit = problem.rewards.longest()
    if limit is not None:
        length = min(length, limit)
    averaged = problem.averaged(length)
    if not averaged.feasible:
        raise Infeasible(f"instance {name!r}: {averaged.refusal}")
    return Contest(name, problem, length)


def _from_file(name: str | None, path: Path, rounds: int | None, targets: Any) -> Contest:
    if path.suffix == ".toml":
        return _fitted(*_read_toml(name, path), rounds)
    if path.suffix not in _TABLES:
        raise InvalidInput(f"{path} must be a .toml file, or a recorded table: .csv, .parquet or .npy")
    if targets is None:
        raise InvalidInput(
            f"targets are missing: {path} holds rewards only; give one target an arm, 0 for none"
        )
    table = Table(str(path))
    return _fitted(name or path.stem, Problem(targets=targets, rewards=table), table.longest(), rounds)


def _read_toml(name: str | None, path: Path) -> tuple[str, Problem, int]:
    """Name, problem and rounds; what is wrong is told with the path in front."""
    try:
        told: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {path}; give the path of an instance's TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        hint = "; a number begins with a digit there, 0.3 and not .3" if "value" in str(error) else ""
        raise InvalidInput(f"{path} cannot be read as TOML: {error}{hint}") from None
    unknown = [key for key in told if key not in _KEYS]
    if unknown:
        raise InvalidInput(f"{path} has {unknown[0]!r}; an instance has {', '.join(_KEYS)}")
    try:
        problem = _made(told, path.parent)
        longest = problem.rewards.longest() or 100_000
        return (
            name or str(told.get("name", path.stem)),
            problem,
            whole("rounds", told.get("rounds", longest), low=1),
        )
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def _made(told: Mapping[str, Any], folder: Path) -> Problem:
    if "targets" not in told:
        raise InvalidInput("targets are missing: give each arm's promised reward, 0 for none")
    if "table" not in told:
        if "means" not in told:
            raise InvalidInput("means are missing: give the expected reward of each arm, or a table")
        rewards = RewardModel.parse(str(told.get("rewards", "bernoulli")))
        return Problem(told["means"], told["targets"], rewards, told.get("reward_max"))  # type: ignore[arg-type]
    extra = [key for key in ("means", "rewards") if key in told]
    if extra:
        raise InvalidInput(f"{extra[0]} and table cannot both be given: a table holds its rewards itself")
    table = Table(str(folder / str(told["table"])), told.get("columns"))
    return Problem(targets=told["targets"], rewards=table, reward_max=told.get("reward_max"))  # type: ignore[arg-type]
