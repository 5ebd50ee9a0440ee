"""Everything that is measured, step by step; what is done is kept when it is stopped."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import BanditqError, InvalidInput
from .author import author_rows
from .clock import Budget, TooSlow, measure, prepare
from .entries import Entry, bench_problem
from .experiments import experiment_seconds
from .figures import Figures
from .live import live_calls, saving
from .startup import first_call_seconds, import_seconds, memory, warm_call_seconds
from .trial import Ours
from .yardsticks import YARDSTICKS, Plain


@dataclass(frozen=True)
class Scope:
    """How much is measured."""

    name: str
    sizes: tuple[int, ...]
    budget: Budget
    sections: tuple[str, ...]
    author: tuple[tuple[str, int, int], ...]
    memory: tuple[tuple[int, int], ...]
    repeats: int
    headline: Budget = field(default_factory=Budget)  # for entries with a yardstick


SECTIONS = ("live", "saving", "startup", "experiments", "memory")
_DECADES = tuple(10**k for k in range(1, 7))

FULL = Scope(
    "full",
    sizes=(2, 5, *_DECADES),
    budget=Budget(play_in=0.1, patience=1.0, passes=3, measured=0.08),
    headline=Budget(play_in=0.4, patience=4.0, passes=5, measured=0.2),
    sections=SECTIONS,
    author=(("bandit", 5, 50_000), ("bandit", 1_000, 20_000), ("full", 5, 50_000), ("full", 1_000, 5_000)),
    memory=((5, 1_000_000), (5, 10_000_000), (1_000, 100_000), (1_000, 1_000_000)),
    repeats=3,
)
QUICK = Scope(
    "quick",
    sizes=(5, 100, 1_000, 100_000),
    budget=Budget(play_in=0.02, patience=0.4, passes=2, measured=0.02),
    headline=Budget(play_in=0.05, patience=0.6, passes=3, measured=0.04),
    sections=("live", "saving"),
    author=(("bandit", 5, 2_000), ("full", 5, 2_000)),
    memory=(),
    repeats=1,
)


# Of a policy: with more, to play each arm once, and sort out the ties, is all of any run that is played.
_MOST_ARMS = 10_000
_ALIKE = 0.7  # the clock of the first N rounds is read once only, and a busy machine adds to it


class Step(NamedTuple):
    """A piece of work that can be kept by itself; ``weight`` is about how many seconds it takes."""

    label: str
    weight: float
    run: Callable[[Figures], None]


def steps(scope: Scope, entries: list[Entry], sections: tuple[str, ...], author: Path | None) -> list[Step]:
    """What there is to do, the most telling first."""
    first = sorted(entries, key=lambda entry: entry.name not in YARDSTICKS)
    tops = [entry for entry in first if entry.name in YARDSTICKS]
    rest = [entry for entry in first if entry.name not in YARDSTICKS]
    found = [step for entry in tops for step in _entry_steps(entry, scope)]
    found += [step for name in sections for step in _section_steps(name, scope)]
    if author is not None:
        found += [_author_step(author, case) for case in scope.author]
    return found + [step for entry in rest for step in _entry_steps(entry, scope)]


def _entry_steps(entry: Entry, scope: Scope) -> Iterator[Step]:
    """One entry at every size, until it is too slow for the budget: then no larger one is tried."""
    budget = scope.headline if entry.name in YARDSTICKS else scope.budget
    for n_arms in scope.sizes:
        if entry.kind == "policy" and entry.name not in YARDSTICKS and n_arms > _MOST_ARMS:
            continue

        def run(figures: Figures, n_arms: int = n_arms) -> None:
            slow = [row for row in figures["left_out"] if row["entry"] == entry.name and row["slow"]]
            try:
                if slow:
                    raise TooSlow(slow[0]["why"])
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # a theorem may not hold here, but time passes
                    _measure_point(figures, entry, n_arms, budget)
            except (TooSlow, BanditqError, ArithmeticError) as error:
                _leave_out(figures, entry.name, n_arms, error)

        weight = (1 + budget.passes) * budget.measured + 2 * budget.play_in
        yield Step(f"{entry.name}, N = {n_arms:,}", weight, run)


def _leave_out(figures: Figures, name: str, n_arms: int, error: Exception) -> None:
    """Note what was not measured, and whether a larger one need not be tried."""
    row = {"entry": name, "n_arms": n_arms, "why": str(error), "slow": isinstance(error, TooSlow)}
    figures["left_out"].append(row)


def _measure_point(figures: Figures, entry: Entry, n_arms: int, budget: Budget) -> None:
    """Time an entry, in turns with its yardstick if it has one."""
    problem = bench_problem(n_arms)
    policy = entry.make(problem)
    Ours(policy, problem).play(1)  # compiles
    settles = entry.settles or _begins_as_it_goes_on(figures, entry)
    trials = [prepare(Ours(policy, problem), n_arms, budget, settles=settles)]
    if entry.name in YARDSTICKS:
        Plain(entry.name, problem).play(1)
        try:
            plain = Plain(entry.name, problem)
            trials.append(prepare(plain, n_arms, budget, settles=settles))
        except TooSlow as slow:
            _leave_out(figures, f"the plain loop of {entry.name}", n_arms, slow)
    points = measure(trials, budget)
    row = {"entry": entry.name, "kind": entry.kind, "feedback": entry.feedback, "n_arms": n_arms}
    row |= points[0]._asdict() | {"early_ns": trials[0].early_ns}
    if len(points) > 1:
        row["plain_ns"] = points[1].ns
    figures["rounds"].append(row)


def _begins_as_it_goes_on(figures: Figures, entry: Entry) -> bool:
    """Whether, at the largest size so far, the first N rounds cost what later ones did."""
    rows = [row for row in figures["rounds"] if row["entry"] == entry.name and row["n_arms"] >= 100]
    told = [row["early_ns"] / row["ns"] for row in rows if row["early_ns"] is not None]
    return bool(told) and told[-1] >= _ALIKE


def _section_steps(name: str, scope: Scope) -> Iterator[Step]:
    """The steps of one section, each of which gives rows under its heading."""

    def step(label: str, weight: float, make: Callable[[], list[dict[str, Any]]]) -> Step:
        return Step(label, weight, lambda figures: figures.setdefault(name, []).extend(make()))

    if name == "live":
        yield step("choose + learn", 1, live_calls)
    elif name == "saving":
        yield step("save and load", 1, saving)
    elif name == "startup":
        yield step("import", 3, import_seconds)
        yield step("a warm call", 5, warm_call_seconds)
        yield step("a first call", 12, first_call_seconds)
    elif name == "experiments":
        yield step("the paper's pair, N = 5", 2, lambda: experiment_seconds("paper-5", scope.repeats))
        yield step("the paper's pair, N = 1,000", 10, lambda: experiment_seconds("paper-1000", 1))
    elif name == "memory":
        for case in scope.memory:
            told = f"memory, N = {case[0]:,}, T = {case[1]:,}"
            yield step(told, 3, lambda case=case: memory((case,)))  # type: ignore[misc]


def _author_step(folder: Path, case: tuple[str, int, int]) -> Step:
    def run(figures: Figures) -> None:
        try:
            figures.setdefault("author", []).extend(author_rows(folder, (case,)))
        except InvalidInput as error:
            _leave_out(figures, f"the author's code, {case[0]}", case[1], error)

    return Step(f"the author's code, {case[0]}, N = {case[1]:,}", 10, run)
