"""Plays contests: every entry, all runs, from the store as far as it has them."""

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import PolicyFailed
from ..page.files import counted
from ..progress import Progress
from ..result import Result
from ..store import Play, Store
from .contests import Contest
from .entries import Absent, Entry

CHECKPOINTS = 80

Fixture = tuple[Contest, list[Entry], list[Absent]]
Outcome = tuple[dict[str, Result], list[Absent]]


@dataclass
class Player:
    """Plays fixtures, from the store as far as it has them."""

    runs: int
    seed: int
    laws: bool
    jobs: int | None
    cache: Path | None

    def play(self, fixtures: Sequence[Fixture], progress: bool | None) -> dict[str, Outcome]:
        """Results and failures by instance."""
        if self.cache is not None:
            self.cache.mkdir(parents=True, exist_ok=True)
        left = {
            (contest.name, entry.name): self._left(self._play(contest, entry))
            for contest, entries, _ in fixtures
            for entry in entries
        }
        work = sum(left[contest.name, e.name] * contest.rounds for contest, es, _ in fixtures for e in es)
        with Progress(max(work, 1), max(sum(left.values()), 1), progress) as bar:
            told = [0, 0]

            def tell(rounds: int, played: int) -> None:
                told[0] += rounds * played
                told[1] += played
                bar.show(*told)

            return {
                contest.name: self._fixture(contest, entries, left, tell)
                for contest, entries, _ in fixtures
            }

    def _fixture(self, contest: Contest, entries: Sequence[Entry], left: Any, tell: Any) -> Outcome:
        missing = sum(left[contest.name, entry.name] for entry in entries)
        if missing and self.cache is not None and not sys.stderr.isatty():
            who, what = counted(len(entries), "policy", "policies"), counted(missing, "run")
            told = f"{contest.name}, {who}, {what} of {counted(contest.rounds, 'round')}"
            print(f"banditq: {told}", file=sys.stderr)
        results: dict[str, Result] = {}
        failed = []
        for entry in entries:
            try:
                results[entry.name] = self._result(contest, entry, tell)
            except PolicyFailed as error:
                failed.append(Absent(entry.name, str(error)))
        return results, failed

    def _result(self, contest: Contest, entry: Entry, tell: Any) -> Result:
        play = self._play(contest, entry)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what an entry warns of stands beside it
            if self.cache is not None:
                store = Store(self.cache, self.jobs)
                return store.result(play, self.runs, lambda played: tell(contest.rounds, played))
            result = play.simulate(range(self.runs), self.jobs)
        if result.info["interrupted"]:
            raise KeyboardInterrupt
        tell(contest.rounds, self.runs)
        return result

    def _left(self, play: Play) -> int:
        done = 0 if self.cache is None else Store(self.cache).done(play)
        return max(self.runs - done, 0)

    def _play(self, contest: Contest, entry: Entry) -> Play:
        return Play(entry.policy, contest.problem, contest.rounds, self.seed, CHECKPOINTS, laws=self.laws)
