"""What is timed: every learner inside BanditQ and every policy, found by themselves."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..config import Config
from ..errors import InvalidInput
from ..learners.base import Learner
from ..learners.logbarrier import LogBarrier
from ..learners.oga import OGA
from ..learners.tsallis import TsallisInf
from ..policies.alone import Alone
from ..policies.banditq import BanditQ
from ..policies.base import Policy
from ..problem import Problem
from ..rewards.uniform import Uniform

_SEED = 100  # the paper's N = 1 000, for any N
_VARIANTS: dict[type[Config], tuple[Learner, ...]] = {
    TsallisInf: (TsallisInf("rv"), TsallisInf("iw")),
}
_FIRST: tuple[Learner, ...] = (LogBarrier(), OGA())  # the paper's own


@dataclass(frozen=True)
class Entry:
    """One system on the page; ``make`` enters it for a problem.

    One that ``settles`` has no first N rounds unlike the others. A policy that plays each arm once has to
    get past that first, unless it has shown at a smaller size that this makes no difference.
    """

    name: str
    kind: str  # "BanditQ with this learner" or "policy"
    feedback: str
    make: Callable[[Problem], Policy]
    settles: bool = False


def bench_problem(n_arms: int) -> Problem:
    """The construction of the paper's N = 1 000 for any number of arms: two of them promised.

    Rewards are uniform on [0, 2μ], so that none is 0 and no round is free.
    """
    means = np.maximum(np.random.RandomState(_SEED).rand(max(n_arms, 2)), 0.01)
    targets = np.zeros(means.size)
    targets[:2] = means[0] / 2, means[1] / 3
    return Problem(means[:n_arms], targets[:n_arms], Uniform())


def _concrete(base: type[Config], package: str) -> Iterator[type[Config]]:
    """Every configuration that lives in a package, in the order of the alphabet."""
    whole = importlib.import_module(f"banditq.{package}")
    for module in pkgutil.iter_modules(whole.__path__):
        importlib.import_module(f"{whole.__name__}.{module.name}")
    for _, cls in sorted(Config._by_name.items()):
        inside = cls.__module__.startswith(f"{whole.__name__}.")
        if inside and issubclass(cls, base) and cls is not base and hasattr(cls, "__match_args__"):
            yield cls


def _learners() -> list[Learner]:
    found: list[Any] = []
    for cls in _concrete(Learner, "learners"):
        found += _VARIANTS.get(cls) or [cls()]
    return sorted(found, key=lambda learner: (learner not in _FIRST, learner.feedback))


def _with_learner(learner: Learner) -> Entry:
    policy = BanditQ("full" if learner.feedback == "full" else "bandit", learner)
    return Entry(f"BanditQ+{_short(learner)}", "learner", learner.feedback, lambda _: policy, settles=True)


def _short(config: Config) -> str:
    """A name that needs no quotes in a shell: ``TsallisInf-iw``."""
    return re.sub(r"\w+=|[')]", "", str(config)).rstrip("(").replace("(", "-").replace(", ", "-")


def entries() -> list[Entry]:
    """All of them, the paper's own first."""
    found = [_with_learner(learner) for learner in _learners()]
    for cls in _concrete(Policy, "policies"):
        if cls in (Alone, BanditQ):  # entered with their learners
            continue
        found.append(Entry(cls.__name__, "policy", str(cls.feedback), cls.on))  # type: ignore[attr-defined]
    return found


def chosen(only: str | None) -> list[Entry]:
    """The entries that a comma-separated list names, by name or by the part after the plus."""
    everything = entries()
    if only is None:
        return everything
    wanted = [name.strip().lower() for name in only.split(",") if name.strip()]
    names = {e.name.lower(): e for e in everything} | {
        e.name.lower().partition("+")[2]: e for e in everything if "+" in e.name
    }
    unknown = [name for name in wanted if name not in names]
    if unknown or not wanted:
        raise InvalidInput(
            f"only is {only!r}, which names {', '.join(unknown) or 'nothing'}; "
            f"the entries are {', '.join(e.name for e in everything)}"
        )
    return [e for e in everything if e in [names[name] for name in wanted]]
