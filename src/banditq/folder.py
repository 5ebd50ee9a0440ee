"""The folder of one simulation's result: tried before it is played, and never another's."""

import json
from collections.abc import Container
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from . import plots
from .errors import InvalidInput
from .policies.base import Policy
from .problem import Problem
from .result import Result
from .saving import write_whole

_TRIAL = bytes(1 << 16)  # enough that a full disk shows
_RESULT = "result.npz"


class ResultFolder:
    """Where ``result.npz``, ``summary.json`` and the plots go.

    Opening it makes the folder, tries whether it can be written, and refuses one that holds a result which
    the new one will not contain: that of another simulation, or of other runs.
    """

    def __init__(
        self, folder: Path, policy: Policy, problem: Problem, rounds: int, runs: int, seed: int
    ) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with TemporaryFile(dir=folder) as trial:
                trial.write(_TRIAL)
        except OSError as error:
            error.filename = str(folder)
            raise
        told = {"policy": policy.to_dict(), "problem": problem.to_dict(), "rounds": rounds, "seed": seed}
        self._require_contained(told, range(runs), rounds)

    def _require_contained(self, info: dict[str, Any], runs: Container[int], reached: int) -> None:
        path = self.folder / _RESULT
        if not path.exists():
            return
        try:
            old = Result.load(path)
        except InvalidInput as error:
            raise InvalidInput(f"{error}; remove it, or give another folder") from None
        new = json.loads(json.dumps(info))  # as the other one comes back
        differs = [
            name for name in ("policy", "problem", "rounds", "seed") if old.info.get(name) != new[name]
        ]
        if not differs and not all(run in runs for run in old.info["runs"]):
            differs = ["runs"]
        if not differs and old.rounds[-1] > reached:
            differs = ["the rounds that were reached"]
        if differs:
            raise InvalidInput(
                f"{self.folder} holds a result that differs in {', '.join(differs)}, and would be lost; "
                f"give another folder, or remove {path}"
            )

    def write(self, run: Result, report: dict[str, Any]) -> None:
        """Write everything, each file whole or not at all; an interrupted result replaces no fuller one."""
        self._require_contained(run.info, frozenset(run.info["runs"]), int(run.rounds[-1]))
        run.save(self.folder / _RESULT)
        text = json.dumps(report, indent=2) + "\n"
        write_whole(self.folder / "summary.json", lambda file: file.write(text.encode()))
        plots.save_all(run, self.folder, weight=plots.weight_of(run))
