"""What is played for the paper: every simulation an entry with a name, a configuration and a seed."""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from ..instances import instance
from ..learners.oga import OGA
from ..learners.tsallis import TsallisInf
from ..policies.banditq import BanditQ
from ..policies.base import Policy
from ..policies.lfg import LFG
from ..problem import Problem
from ..store import Play
from .published import published_rounds


@dataclass(frozen=True)
class Size:
    """How much of the full experiments is played: shares of their rounds and runs."""

    name: str
    rounds: float
    runs: float

    @property
    def full(self) -> bool:
        """Whether nothing was reduced."""
        return self.rounds == self.runs == 1.0


FULL = Size("full", 1.0, 1.0)
QUICK = Size("quick", 0.05, 0.2)
TINY = Size("tiny", 0.0005, 0.1)  # for the tests: does everything run?
SIZES = {size.name: size for size in (FULL, QUICK, TINY)}


@dataclass(frozen=True)
class Setting:
    """One simulation at full size.

    ``windows`` are given as powers of the number of rounds, and ``weight``, which is BanditQ's V if given,
    in units of √rounds, so that both mean the same at every size. ``whole``: a quick version keeps the
    number of rounds, without which there is nothing to compare with, and plays two runs.
    """

    name: str
    policy: Policy
    problem: Problem
    rounds: int
    runs: int
    seed: int = 0
    windows: tuple[float, ...] = ()
    checkpoints: int | tuple[int, ...] = 1000
    whole: bool = False
    weight: float | None = None

    def play(self, size: Size) -> Play:
        """The simulation at this size."""
        rounds = (
            self.rounds if self.whole and size is not TINY else max(round(self.rounds * size.rounds), 50)
        )
        marks = self.checkpoints
        if not isinstance(marks, int):
            marks = tuple(mark for mark in marks if mark < rounds) or 100
        windows = tuple(max(round(rounds**power), 1) for power in self.windows)
        return Play(self._policy(rounds), self.problem, rounds, self.seed, marks, windows)

    def _policy(self, rounds: int) -> Policy:
        if self.weight is None or not isinstance(self.policy, BanditQ):
            return self.policy
        return replace(self.policy, v=self.weight * sqrt(rounds))

    def count(self, size: Size) -> int:
        """The number of runs at this size."""
        if self.whole and not size.full:
            return 2
        return max(round(self.runs * size.runs), 3)

    def work(self, size: Size) -> float:
        """How long it takes, in units of rounds with a few arms."""
        arms = 1.0 + self.problem.n_arms / 150
        return self.play(size).rounds * self.count(size) * arms


T5, T1000 = 2_000_000, 3_000_000
HORIZONS = (20_000, 60_000, 200_000, 600_000, 2_000_000)


def _paper(name: str) -> Problem:
    return instance(name).problem


def _figures() -> list[Setting]:
    five, thousand = _paper("paper-5"), _paper("paper-1000")
    fractions = tuple(five.benchmark().mix.tolist())
    marks = tuple(published_rounds())
    rows = [
        Setting("five-full", BanditQ("full"), five, T5, 20),
        Setting("five-bandit", BanditQ(), five, T5, 20),
        Setting("five-lfg", LFG(fractions=fractions, eta=100.0), five, T5, 20),
    ]
    for feedback in ("full", "bandit"):
        policy = BanditQ.as_published(feedback)
        name = f"thousand-{feedback}"
        rows.append(Setting(name, policy, thousand, T1000, 10, checkpoints=marks, whole=True))
    return rows


def _beyond() -> list[Setting]:
    five = _paper("paper-5")
    stands = tuple(five.price.tolist())
    better: dict[str, tuple[Policy, float | None]] = {
        "tsallis": (BanditQ(learner=TsallisInf()), None),
        "backlog": (BanditQ(backlog=stands), None),
        "anytime": (BanditQ(horizon=None), None),
        "small-v": (BanditQ(), 0.1),
        "all-three": (BanditQ(learner=TsallisInf(), backlog=stands), 0.1),
    }
    return [
        Setting(f"beyond-{name}", policy, five, T5, 20, weight=weight)
        for name, (policy, weight) in better.items()
    ]


def _horizons(name: str, make: Any, problem: Problem, runs: int, **options: Any) -> list[Setting]:
    """The same policy at five horizons over two decades, each on rewards of its own."""
    return [
        Setting(f"{name}/{rounds}", make(), problem, rounds, runs, seed=k + 1, checkpoints=100, **options)
        for k, rounds in enumerate(HORIZONS)
    ]


def _series() -> list[Setting]:
    five, gap, tight = _paper("paper-5"), _paper("gap-10"), _paper("gap-0")
    free = Problem(five.means, [0.0] * five.n_arms)
    rows: list[Setting] = []
    for feedback in ("full", "bandit"):
        rows += _horizons(f"{feedback}-five", lambda f=feedback: BanditQ(f), five, 40, windows=(0.8, 0.9))
        rows += _horizons(f"{feedback}-gap", lambda f=feedback: BanditQ(f), gap, 160)
        rows += _horizons(f"{feedback}-v0", lambda f=feedback: BanditQ(f, v=0.0), five, 40)
        rows += _horizons(f"{feedback}-v0-tight", lambda f=feedback: BanditQ(f, v=0.0), tight, 160)
        rows += _horizons(f"{feedback}-free", lambda f=feedback: BanditQ(f), free, 40)
    rows.append(Setting("full-tight", BanditQ("full"), tight, T5, 40))
    return rows


def _errata() -> list[Setting]:
    """The variants between which the paper's text, pseudo-code and code disagree."""
    five = _paper("paper-5")
    half = OGA(alpha=sqrt(0.5))
    return [
        Setting("erratum-step", BanditQ("full", learner=half), five, T5, 20),
        Setting("erratum-queue", BanditQ(queue="after"), five, T5, 20),
    ]


def settings() -> dict[str, Setting]:
    """All simulations by name."""
    return {setting.name: setting for setting in [*_figures(), *_beyond(), *_series(), *_errata()]}
