"""Simulations as data, and their results on disk: played once, found again, carried on."""

import hashlib
import json
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any

from .errors import InterruptedRun
from .policies.base import Policy
from .problem import Problem
from .result import Result
from .simulate import simulate

_PACKAGE = Path(__file__).resolve().parent
_ENGINE = (
    "kernels",
    "learners",
    "policies",
    "rewards",
    "loops.py",
    "schedule.py",
    "simulate.py",
    "problem.py",
)
_BATCH_SECONDS = 4.0  # what a cut-off loses at most, about


@dataclass(frozen=True)
class Play:
    """What :func:`simulate` is told, without the number of runs: two equal plays have equal results."""

    policy: Policy
    problem: Problem
    rounds: int
    seed: int = 0
    checkpoints: int | tuple[int, ...] = 1000
    windows: tuple[int, ...] = ()
    laws: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        return {
            "policy": self.policy.to_dict(),
            "problem": self.problem.to_dict(),
            "rounds": self.rounds,
            "seed": self.seed,
            "checkpoints": self.checkpoints
            if isinstance(self.checkpoints, int)
            else list(self.checkpoints),
            "windows": list(self.windows),
            "laws": self.laws,
        }

    @property
    def key(self) -> str:
        """A name for the play as this version of the engine plays it."""
        told = json.dumps(self.to_dict(), sort_keys=True) + self.problem.rewards.digest() + engine_digest()
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def simulate(self, runs: range, jobs: int | None = None) -> Result:
        """Play some runs."""
        return simulate(
            self.policy,
            self.problem,
            self.rounds,
            runs=runs,
            seed=self.seed,
            checkpoints=self.checkpoints,
            windows=self.windows,
            laws=self.laws,
            jobs=jobs,
            progress=False,
        )


@lru_cache(maxsize=1)
def engine_digest() -> str:
    """Fingerprint of the sources that a simulated number can depend on."""
    digest = hashlib.sha256()
    for name in _ENGINE:
        place = _PACKAGE / name
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(path.relative_to(_PACKAGE).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _ignore(played: int) -> None:
    """For when nobody wants to hear of it."""


class Store:
    """A folder of results: one folder a play, one file a batch of runs.

    Files are only ever added. A play that was cut off is carried on; one that is asked for with more
    runs plays those that are missing.
    """

    def __init__(self, folder: Path, jobs: int | None = None) -> None:
        self.folder = folder
        self.jobs = jobs

    def parts(self, play: Play) -> dict[range, Path]:
        """The batches of a play that are on disk and follow on each other from run 0."""
        found: dict[range, Path] = {}
        done = 0
        for path in sorted((self.folder / play.key).glob("runs-*.npz")):
            _, first, last = path.stem.split("-")
            if int(first) == done:  # two processes may have played the same runs
                found[range(done, int(last) + 1)] = path
                done = int(last) + 1
        return found

    def done(self, play: Play) -> int:
        """How many runs there are, from run 0 on."""
        return sum(map(len, self.parts(play)))

    def result(self, play: Play, runs: int, tell: Callable[[int], None] = _ignore) -> Result:
        """The first ``runs`` runs: read if they are there, played and kept if not.

        ``tell`` hears of every batch of runs that was played.
        """
        done, size = self.done(play), os.cpu_count() or 1
        while done < runs:
            batch = range(done, min(done + size, runs))
            started = perf_counter()
            self._keep(play, batch)
            tell(len(batch))
            done = batch.stop
            size = max(1, min(2 * size, int(size * _BATCH_SECONDS / (perf_counter() - started))))
        return self._read(play, runs)

    def _keep(self, play: Play, batch: range) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InterruptedRun)  # it is passed on as what it was
            result = play.simulate(batch, self.jobs)
        folder = self.folder / play.key
        folder.mkdir(parents=True, exist_ok=True)
        if result.info["interrupted"]:
            self._keep_finished(result, play, batch)
            raise KeyboardInterrupt
        note = folder / "play.json"
        if not note.exists():
            note.write_text(json.dumps(play.to_dict(), indent=1) + "\n")
        result.save(folder / _name(batch))

    def _keep_finished(self, result: Result, play: Play, batch: range) -> None:
        """Keep those runs of an interrupted batch that came to their end, as far as they are in order."""
        count = 0
        if result.rounds[-1] == play.rounds:
            while count < result.runs and result.info["runs"][count] == batch[count]:
                count += 1
        if count:
            result.first(count).save(self.folder / play.key / _name(batch[:count]))

    def _read(self, play: Play, runs: int) -> Result:
        wanted = [path for batch, path in self.parts(play).items() if batch.start < runs]
        return Result.joined([Result.load(path) for path in wanted]).first(runs)


def _name(batch: range) -> str:
    return f"runs-{batch.start:06d}-{batch.stop - 1:06d}.npz"
