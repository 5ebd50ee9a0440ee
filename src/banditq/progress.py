"""Progress on stderr: how far, how fast, how long still. Silent where nobody watches."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

_PATIENCE = 0.8  # seconds before a notice is worth printing


class Progress:
    """A bar over rounds, drawn by rich if it is there and stderr is a terminal.

    ``total`` counts the steps and ``runs`` what they are grouped in, which ``noun`` names.
    """

    def __init__(self, total: int, runs: int, wanted: bool | None, noun: str = "runs") -> None:
        self.total = total
        self.runs = runs
        self.noun = noun
        self._bar = self._make() if (sys.stderr.isatty() if wanted is None else wanted) else None

    def _make(self) -> Any:
        try:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar
        except ImportError:
            return None
        return Bar(
            TextColumn("{task.fields[done]}/{task.fields[runs]} " + self.noun),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%  {task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
            self._task = self._bar.add_task("", total=self.total, done=0, runs=self.runs, rate="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()

    def show(self, rounds: int, runs: int) -> None:
        """Rounds played so far over all runs, and runs finished."""
        if self._bar:
            speed = self._bar.tasks[0].speed or 0.0
            rate = f"{speed / 1e6:.3g} M rounds/s" if speed >= 1e5 else f"{speed:.3g} rounds/s"
            rate = rate if self.noun == "runs" else ""
            self._bar.update(self._task, completed=rounds, done=runs, rate=rate)

    @staticmethod
    @contextmanager
    def notice(text: str) -> Iterator[None]:
        """Say on a terminal what the wait is for, if there is one."""
        if not sys.stderr.isatty():
            yield
            return
        timer = threading.Timer(_PATIENCE, lambda: print(f"banditq: {text} …", file=sys.stderr))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
