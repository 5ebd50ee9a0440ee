"""Plays what the report needs, and finds it again: simulations and measurements by their configuration."""

import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..page.files import write_text
from ..result import Result
from ..store import Play, Store
from .measurement import Measurement, Rows
from .settings import Setting, Size

_PACKAGE = Path(__file__).resolve().parents[1]

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
        """The simulation of a setting; runs whose file is damaged are played again."""
        play, count = setting.play(self.size), setting.count(self.size)
        share = setting.work(self.size) / count

        def tell(played: int) -> None:
            self.tell(share * played, played)

        try:
            return self.store.result(play, count, tell)
        except Exception:
            if not self._set_aside_damaged(play):
                raise
            return self.store.result(play, count, tell)

    def _set_aside_damaged(self, play: Play) -> int:
        damaged = [path for path in self.store.parts(play).values() if not _readable(path)]
        for path in damaged:
            _set_aside(path, "its runs are played again")
        return len(damaged)

    def rows(self, measurement: Measurement) -> Rows:
        """The rows of a measurement."""
        path = self.folder / "measured" / f"{measurement.name}-{self._key(measurement)}.json"
        if path.exists():
            try:
                kept: Rows = json.loads(path.read_text(encoding="utf-8"))
                return kept
            except ValueError:
                _set_aside(path, "it is measured again")
        rows = measurement.make(self.size)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(rows, indent=1) + "\n"
        write_text(path, text)
        fresh: Rows = json.loads(text)
        return fresh

    def _key(self, measurement: Measurement) -> str:
        """Everything the rows hang on: configuration, size, and all sources, since any may be called."""
        told: list[Any] = [dict(measurement.config), self.size.name, sources_digest()]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def sources_digest(package: Path = _PACKAGE) -> str:
    """Fingerprint of every source file of the package."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _readable(path: Path) -> bool:
    try:
        Result.load(path)
    except OSError:  # that of the disk says nothing of the file
        raise
    except Exception:  # NumPy's reader raises whatever the damaged bytes lead it to
        return False
    return True


def _set_aside(path: Path, then: str) -> None:
    aside = path.with_name(path.name + ".damaged")
    path.replace(aside)
    print(f"banditq: {path} is damaged; it is kept as {aside.name}, and {then}", file=sys.stderr)
