"""The author's own curves, read off his published plots, and how far ours are from them.

The ten curves of ``published_curves.csv`` were digitised from the figures published with the paper's code
(Sinha, "BanditQ: Fair bandits with guaranteed rewards", UAI 2024): one run each, N = 1 000 arms,
T = 3·10⁶ rounds, V = √T, means from NumPy's ``RandomState(100).rand(1000)``, targets μ₁/2 and μ₂/3, rewards
uniform on [0, 2μ].
"""

import csv
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from ..result import Result
from .stats import next_run

Floats = npt.NDArray[np.float64]

SETTLED = 0.1  # of the rounds: from 3·10⁵ on


@lru_cache(maxsize=1)
def published_curves() -> dict[tuple[str, str, str], tuple[Floats, Floats]]:
    """Rounds and values by (feedback, quantity, arm); arms count from 1, and regret has none."""
    rows: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    text = files(__package__).joinpath("published_curves.csv").read_text()
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        key = (row["feedback"], row["quantity"], row["arm"])
        rows.setdefault(key, []).append((float(row["round"]), float(row["value"])))
    return {key: (np.array(points)[:, 0], np.array(points)[:, 1]) for key, points in rows.items()}


def published_rounds() -> list[int]:
    """The rounds at which the curves were read off, the same for all."""
    rounds, _ = next(iter(published_curves().values()))
    return [int(t) for t in rounds]


def average_over_time(rounds: Any, values: Floats) -> Floats:
    """The mean of a curve over the last nine tenths of its rounds, which are the last axis."""
    t = np.asarray(rounds, np.float64)
    late = t >= SETTLED * t[-1]
    t = t[late]
    mean: Floats = np.trapezoid(values[..., late], t, axis=-1) / (t[-1] - t[0])
    return mean


def distances(feedback: str, run: Result) -> list[dict[str, Any]]:
    """One row for each of the five quantities: the published number, ours, and where one more run falls.

    The author's regret is of rewards received, so ours is too. The interval is at 99.5 %: the ten numbers
    of both settings all fall into theirs with 95 % or more.
    """
    rows = []
    for (setting, quantity, arm), (rounds, values) in published_curves().items():
        if setting != feedback:
            continue
        if quantity == "regret":
            theirs, ours = values[-1], run.regret(realised=True)[:, -1]
            what = "realised regret at the end"
        else:
            curves = run.queues() if quantity == "queue" else run.rates()
            theirs = average_over_time(rounds, values)
            ours = average_over_time(run.rounds, curves[:, :, int(arm) - 1])
            what = f"mean {quantity} of arm {arm} after a tenth of the rounds"
        low, high = next_run(ours, 0.995)
        rows.append(
            {
                "feedback": feedback,
                "what": what,
                "published": float(theirs),
                "ours": float(ours.mean()),
                "spread": float(ours.std(ddof=1)),
                "runs": run.runs,
                "low": low,
                "high": high,
                "inside": bool(low <= theirs <= high),
            }
        )
    return rows
