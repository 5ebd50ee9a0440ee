"""Plays what the report needs, and finds it again: simulations and measurements by their configuration."""

import hashlib
import inspect
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..page.files import write_text
from ..result import Result
from ..store import Store, engine_digest
from .measurement import Measurement, Rows
from .settings import Setting, Size

Tell = Callable[[float, int], None]


def _silent(work: float, runs: int) -> None:
    """For when nobody wants to hear of it."""


class Runner:
    """Results of one size, from the folder where they are kept or played now."""

    def __init__(self, folder: Path, size: Size, jobs: int | None = None, tell: Tell = _silent) -> None:
        self.folder = folder
        self.size = size
        self.store = Store(folder, jobs)
        self.tell = tell

    def missing(self, settings: Iterable[Setting]) -> tuple[float, int]:
        """Work and runs that are still to be played."""
        work, runs = 0.0, 0
        for setting in settings:
            count = setting.count(self.size)
            left = max(count - self.store.done(setting.play(self.size)), 0)
            work += setting.work(self.size) * left / count
            runs += left
        return work, runs

    def result(self, setting: Setting) -> Result:
        """The simulation of a setting."""
        count = setting.count(self.size)
        share = setting.work(self.size) / count
        return self.store.result(
            setting.play(self.size), count, lambda played: self.tell(share * played, played)
        )

    def rows(self, measurement: Measurement) -> Rows:
        """The rows of a measurement."""
        path = self.folder / "measured" / f"{measurement.name}-{self._key(measurement)}.json"
        if not path.exists():
            rows = measurement.make(self.size)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps(rows, indent=1) + "\n")
        kept: Rows = json.loads(path.read_text())
        return kept

    def _key(self, measurement: Measurement) -> str:
        """Everything the rows hang on: configuration, size, engine, and the file that measures."""
        source = Path(inspect.getsourcefile(measurement.make) or "").read_text()
        told: list[Any] = [dict(measurement.config), self.size.name, engine_digest(), source]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]
