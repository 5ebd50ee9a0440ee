"""Result: what a run returns."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from . import metrics
from .checks import finite_or_none
from .errors import InvalidInput
from .metrics import Estimate
from .saving import read_file, write_file

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_WHAT, _FORMAT = "a result", 2
_WATCHED = ("excess", "lacking")
_PER_RUN = ("reward", "expected", "accrued", "played", "queue", "peak", "worst", *_WATCHED, "seconds")
_SHARED = ("rounds", "arms", "windows", "targets", "price", "benchmark")
_SAME = ("policy", "problem", "rounds", "seed")  # of a simulation's info


@dataclass(frozen=True, eq=False)
class Result:
    """Checkpoints of one policy on one problem, over several runs.

    The arm axis holds the recorded arms, which ``arms`` names: the protected ones, unless
    ``arms="all"`` was asked for. Shapes: R runs, C checkpoints, K recorded arms, W windows.

    Attributes
    ----------
    rounds
        The rounds of the checkpoints, (C,); the last round always among them.
    benchmark
        What the best fixed mix that meets the targets earns up to each checkpoint, (C,).
    reward, expected
        Rewards received up to each checkpoint, and their expectation given the arms, (R, C).
    accrued, played, queue, peak
        Reward, plays, queue length and largest queue so far of each recorded arm, (R, C, K).
    worst
        Largest shortfall so far over any window of each watched length, (R, C, W, K).
    excess, lacking
        Behind :meth:`excess_regret` and :meth:`lack`, (R, C) and (R, C, K); without laws C is 0.
    seconds
        Processor time that each run's thread spent on its rounds, without compiling and waiting, (R,).
    info
        Policy, problem, rounds, seed, versions, machine and wall time: what it takes to run it again.
        ``rounds`` is how many were asked for, and an interrupted result has fewer.

    Examples
    --------
    A policy that gives every round to the best arm and none to the protected one, which pays ½ and was
    promised ¼. The benchmark earns ¾ a round and the policy 1, but it owes ¼, at a price of 1/½ − 1 =
    1.

    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.5, 1.0], targets=[0.25, 0.0])
    >>> run = bq.simulate(bq.FixedMix([0, 1]), problem, rounds=100, checkpoints=[40, 100])
    >>> run.regret()
    array([[-10., -25.]])
    >>> run.shortfall()[:, :, 0]
    array([[10., 25.]])
    >>> run.priced_regret()
    array([0., 0.])
    """

    rounds: Integers
    arms: Integers
    windows: Integers
    targets: Floats
    price: Floats
    benchmark: Floats
    reward: Floats
    expected: Floats
    accrued: Floats
    played: Floats
    queue: Floats
    peak: Floats
    worst: Floats
    excess: Floats
    lacking: Floats
    seconds: Floats
    info: dict[str, Any]

    @property
    def runs(self) -> int:
        """The number of runs."""
        return self.reward.shape[0]

    def regret(self, *, realised: bool = False) -> Floats:
        """Benchmark less reward, (run, round): of the means of what was played, or as received."""
        return metrics.regret(self.benchmark, self.reward if realised else self.expected)

    def shortfall(self) -> Floats:
        """Promised less received, signed, (run, round, arm)."""
        return metrics.shortfall(self.rounds, self.targets, self.accrued)

    def violation(self) -> Floats:
        """The largest mean shortfall over runs, (round,)."""
        return metrics.violation(self.shortfall())

    def queues(self) -> Floats:
        """Queue lengths, (run, round, arm): the largest shortfall over windows ending now."""
        return self.queue

    def rates(self) -> Floats:
        """Reward received per round, (run, round, arm)."""
        return metrics.rates(self.rounds, self.accrued)

    def pulls(self) -> Floats:
        """Plays so far, (run, round, arm); in full information the shares summed."""
        return self.played

    def worst_window(self, length: int | None = None) -> Floats:
        """The largest shortfall so far over any window, or any of a watched length, (run, round, arm)."""
        if length is None:
            return self.peak
        found = np.flatnonzero(self.windows == length)
        if not found.size:
            raise InvalidInput(
                f"length is {length}, but the windows watched were {self.windows.tolist()}; "
                f"run simulate(..., windows=({length},))"
            )
        return self.worst[:, :, found[0], :]

    def excess_regret(self) -> Floats:
        r"""Σ_t (⟨x* − x_t, μ_t⟩)⁺, (run, round): regret of every round's law, never made good later."""
        return self._watched("excess")

    def lack(self) -> Floats:
        r"""Σ_t (λ_i − μ_{i,t} x_{i,t})⁺, (run, round, arm): what each round's law fails to promise."""
        return self._watched("lacking")

    def _watched(self, name: str) -> Floats:
        values: Floats = getattr(self, name)
        if values.shape[1] != self.rounds.size:
            raise InvalidInput(f"{name} was not watched; run simulate(..., laws=True)")
        return values

    def priced_regret(self) -> Floats:
        """Regret plus the mean shortfalls at their price, (round,): what the guarantee really cost."""
        return metrics.priced_regret(self.regret(), self.shortfall(), self.price)

    def summary(self) -> "Summary":
        """The figures of the last round, each with its standard error over runs."""
        regret, shortfall = self.regret()[:, -1], self.shortfall()[:, -1]
        charged = metrics.charged_regret(self.regret(), self.shortfall(), self.price)[:, -1]
        total = {
            "reward per round": metrics.estimate(self.reward[:, -1] / self.rounds[-1]),
            "regret": metrics.estimate(regret),
            "realised regret": metrics.estimate(self.regret(realised=True)[:, -1]),
            "priced regret": metrics.estimate(charged),
        }
        if self.arms.size:
            worst = int(shortfall.mean(axis=0).argmax())
            total["violation"] = metrics.estimate(shortfall[:, worst])
        rates = self.rates()[:, -1]
        per_arm = {
            int(arm): {
                "target": float(self.targets[k]),
                "rate": metrics.estimate(rates[:, k]),
                "shortfall": metrics.estimate(shortfall[:, k]),
                "queue": metrics.estimate(self.queue[:, -1, k]),
                "peak queue": metrics.estimate(self.peak[:, -1, k]),
                "plays": metrics.estimate(self.played[:, -1, k] / self.rounds[-1]),
            }
            for k, arm in enumerate(self.arms)
        }
        return Summary(int(self.rounds[-1]), self.runs, total, per_arm)

    def to_frame(self, per: Literal["round", "arm"] = "round") -> Any:
        """A polars DataFrame with a row a run and checkpoint, or a row a run, checkpoint and arm."""
        from .frames import result_frame

        return result_frame(self, per)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The runs of several results of the same simulation, as one; their wall times add up."""
        first = parts[0]
        numbers = [run for part in parts for run in part.info["runs"]]
        if len(set(numbers)) < len(numbers):
            raise InvalidInput(f"parts hold runs {sorted(numbers)}, some of them twice")
        for part in parts[1:]:
            differs = [name for name in _SAME if part.info.get(name) != first.info.get(name)]
            differs += [
                name for name in _SHARED if not np.array_equal(getattr(part, name), getattr(first, name))
            ]
            if differs:
                raise InvalidInput(f"parts differ in {differs[0]}; join runs of one simulation only")
        arrays = {name: getattr(first, name) for name in _SHARED}
        arrays |= {name: np.concatenate([getattr(part, name) for part in parts]) for name in _PER_RUN}
        seconds = sum(part.info["seconds"] for part in parts)
        played = sum(part.runs for part in parts) * int(first.rounds[-1])
        info = first.info | {
            "runs": numbers,
            "seconds": round(seconds, 3),
            "rounds per second": round(played / max(seconds, 1e-9)),
            "interrupted": any(part.info["interrupted"] for part in parts),
        }
        return cls(info=info, **arrays)

    def first(self, runs: int) -> Self:
        """The first so many of the runs."""
        cut = {name: getattr(self, name)[:runs] for name in _PER_RUN}
        return replace(self, **cut, info=self.info | {"runs": self.info["runs"][:runs]})

    def save(self, path: str | Path) -> Path:
        """Write everything to one .npz file; returns where it went."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "info"}
        header = {"what": _WHAT, "format": _FORMAT, "info": self.info}
        return write_file(Path(path), header, arrays, compressed=True)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Inverse of :meth:`save`."""
        header, arrays = read_file(Path(path), _WHAT, _FORMAT)
        names = {f.name for f in fields(cls)}
        members = {name: value for name, value in (header | arrays).items() if name in names}
        if len(members) < len(names):
            missing = ", ".join(sorted(names - set(members)))
            raise InvalidInput(f"{path} lacks {missing}, which a result needs")
        return cls(**members)


@dataclass(frozen=True)
class Summary:
    """The last round of a result in figures; ``print`` it, or take :meth:`to_dict`.

    Examples
    --------
    The example of :class:`Result`, where nothing is left to chance:

    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.5, 1.0], targets=[0.25, 0.0])
    >>> print(bq.simulate(bq.FixedMix([0, 1]), problem, rounds=100).summary())
    round 100, 1 run
    <BLANKLINE>
      reward per round  1
      regret            -25
      realised regret   -25
      priced regret     0
      violation         25
    <BLANKLINE>
      arm  target  rate  shortfall  queue  peak queue  plays
        0    0.25     0         25     25          25      0
    """

    rounds: int
    runs: int
    total: dict[str, Estimate]
    arms: dict[int, dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers as JSON can hold them: None for a standard error that a single run cannot give, and
        for a figure that is infinite, as the price of an arm that never pays makes it.
        """

        def plain(value: Any) -> Any:
            if not isinstance(value, Estimate):
                return value
            return {name: finite_or_none(number) for name, number in value._asdict().items()}

        return {
            "rounds": self.rounds,
            "runs": self.runs,
            "total": {name: plain(value) for name, value in self.total.items()},
            "arms": {
                str(arm): {name: plain(value) for name, value in row.items()}
                for arm, row in self.arms.items()
            },
        }

    def __str__(self) -> str:
        spread = ", ± one standard error" if self.runs > 1 else ""
        lines = [f"round {self.rounds:,}, {self.runs} run{'s' * (self.runs != 1)}{spread}", ""]
        lines += [f"  {name:<18}{value}" for name, value in self.total.items()]
        if self.arms:
            names = list(next(iter(self.arms.values())))
            cells = [
                ["arm", *names],
                *(
                    [str(arm), *(f"{v:g}" if isinstance(v, float) else str(v) for v in row.values())]
                    for arm, row in self.arms.items()
                ),
            ]
            widths = [max(len(row[j]) for row in cells) for j in range(len(cells[0]))]
            lines.append("")
            lines += [
                "  " + "  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in cells
            ]
        return "\n".join(lines)
