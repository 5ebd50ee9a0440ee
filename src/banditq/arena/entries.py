"""Who plays: every policy of the package in each of its forms, or those that are asked for."""

import importlib
import pkgutil
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from .. import policies as _package
from ..config import Config, in_words
from ..errors import InvalidInput
from ..learners.base import Learner
from ..policies.alone import Alone
from ..policies.base import Policy
from ..problem import Problem
from ..saving import pack
from ..terms import Terms

IGNORES = "ignores the targets"

Wanted = str | Sequence[Any] | Mapping[str, Any] | None


class Entry(NamedTuple):
    """A policy under the name that tables give it.

    ``notes`` are what it warned of, and ``needs`` is what it is told that nobody knows. ``aside`` says why
    it stands outside the ranking, if it does: it is told such a thing, or it has no eye for the targets.
    """

    name: str
    policy: Policy
    notes: tuple[str, ...] = ()
    aside: str = ""
    needs: str = ""


class Absent(NamedTuple):
    """Who does not play an instance, and why."""

    name: str
    reason: str


def policy_classes() -> list[Any]:
    """Every public policy that lives in :mod:`banditq.policies`, in the order of their names."""
    for module in pkgutil.iter_modules(_package.__path__):
        importlib.import_module(f"{_package.__name__}.{module.name}")
    return [
        found
        for _, found in sorted(Config._by_name.items())
        if issubclass(found, Policy)
        and found.__module__.startswith(f"{_package.__name__}.")
        and is_dataclass(found)
        and not found.__name__.startswith("_")
    ]


def enter(
    problem: Problem, rounds: int, wanted: Wanted = None, settings: Mapping[str, Any] = MappingProxyType({})
) -> tuple[list[Entry], list[Absent]]:
    """The entries for a problem of so many rounds, and those that refuse it.

    An oracle is told what is true on average over all the rounds, as the benchmark is. ``settings`` hold
    for every entry that has a field of the name; a policy that is given, or written out, stays as it is.
    """
    averaged = problem.averaged(rounds)
    known, refused = _all_forms(averaged)
    known = {name: (_set(policy, settings), told) for name, (policy, told) in known.items()}
    candidates, absent = (known, refused) if wanted is None else _chosen(wanted, known, refused)
    terms = Terms(problem.targets, problem.reward_max, rounds)
    entries = []
    for name, (policy, told) in candidates.items():
        try:
            state, warned = _warnings_of(lambda policy=policy: policy.state(terms))
            needs = _needs(policy, averaged)
            aside = f"is told {needs}" if needs else _aside(policy, state, terms)
        except InvalidInput as error:
            absent[name] = str(error)
        else:
            entries.append(Entry(name, policy, tuple(dict.fromkeys((*told, *warned))), aside, needs))
    return entries, [Absent(*pair) for pair in absent.items()]


def _set(policy: Policy, settings: Mapping[str, Any]) -> Policy:
    """The policy with those of the settings that it has."""
    names = {field.name for field in fields(policy)} & settings.keys()  # type: ignore[arg-type]
    return replace(policy, **{name: settings[name] for name in names})  # type: ignore[type-var]


def _needs(policy: Policy, problem: Problem) -> str:
    """What it is told that nobody knows. The benchmark's mix says which arm is best, as λ/μ does not."""
    if not policy.needs or not problem.feasible:
        return str(policy.needs)
    mix = problem.benchmark().mix
    given = [getattr(policy, field.name) for field in fields(policy)]  # type: ignore[arg-type]
    vectors = [value for value in given if isinstance(value, tuple) and len(value) == mix.size]
    told = any(np.allclose(np.asarray(value, np.float64), mix, rtol=0.0, atol=1e-12) for value in vectors)
    return "the benchmark's mix" if told else str(policy.needs)


def _aside(policy: Policy, state: Any, terms: Terms) -> str:
    """Why a policy is not ranked: one that starts the same without targets cannot keep them."""
    if not terms.targets.any():
        return ""
    bare = _warnings_of(lambda: policy.state(replace(terms, targets=np.zeros_like(terms.targets))))[0]
    return IGNORES if _same(state, bare) else ""


def _same(one: Any, other: Any) -> bool:
    """Whether two states hold the same; a plain Python object that cannot tell is taken to differ."""
    try:
        first, second = pack("", one), pack("", other)
    except InvalidInput:
        return False
    return first.keys() == second.keys() and all(np.array_equal(first[k], second[k]) for k in first)


_Candidates = dict[str, tuple[Policy, tuple[str, ...]]]


def _all_forms(problem: Problem) -> tuple[_Candidates, dict[str, str]]:
    found: _Candidates = {}
    refused: dict[str, str] = {}
    for cls in policy_classes():
        try:
            forms, told = _warnings_of(lambda cls=cls: cls.entries(problem))
        except InvalidInput as error:
            refused[in_words(cls.__name__, "-")] = str(error)
            continue
        twice = found.keys() & forms.keys()
        if twice:
            raise TypeError(f"{cls.__name__}.entries gives {min(twice)!r}, a name that is taken")
        found |= {name: (policy, told) for name, policy in forms.items()}
    return found, refused


def _warnings_of(make: Any) -> tuple[Any, tuple[str, ...]]:
    """What a call returns, and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = make()
    return made, tuple(str(warning.message) for warning in caught)


def _chosen(
    wanted: Any, known: _Candidates, refused: Mapping[str, str]
) -> tuple[_Candidates, dict[str, str]]:
    """Those that are asked for, and those of them that refuse."""
    items = [wanted] if isinstance(wanted, Policy | Learner) else wanted
    if isinstance(items, str):
        items = _split(items)
    pairs = items.items() if isinstance(items, Mapping) else ((None, item) for item in items)
    chosen: _Candidates = {}
    absent = {}
    for name, item in pairs:
        entry = item.strip().lower() if isinstance(item, str) else ""
        if entry in refused:
            absent[name or entry] = refused[entry]
        else:
            label, candidate = (entry, known[entry]) if entry in known else _own(item, known)
            chosen[name or label] = candidate
    if not chosen and not absent:
        raise InvalidInput(f"policies is {wanted!r}; name at least one, of {', '.join(known)}")
    return chosen, absent


def _own(item: Any, known: _Candidates) -> tuple[str, tuple[Policy, tuple[str, ...]]]:
    """A policy or learner itself, or an expression such as ``BanditQ(v=500)``."""
    policy = item
    if isinstance(item, str):
        try:
            policy = Config.parse(item, (Policy, Learner))
        except InvalidInput as error:
            told = ", ".join(known)
            raise InvalidInput(
                f"policies has {item.strip()!r}, and the entries are {told}; {error}"
            ) from None
    if isinstance(policy, Learner):
        policy = Alone(policy)
    if not isinstance(policy, Policy):
        raise InvalidInput(f"policies has {item!r}; it must be a policy, a learner or the name of an entry")
    return item.strip() if isinstance(item, str) else str(policy), (policy, ())


def _split(text: str) -> list[str]:
    """Parts between commas that stand in no parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]
