"""Rates over every interval, and the queue's maximum over time."""

import numpy as np

from ...result import Result
from ..measurement import Rows
from .base import (
    Claim,
    Finding,
    Floats,
    Results,
    at_horizons,
    by_horizon,
    in_words,
    lengths,
    no_faster,
    told,
    trend,
)


def _missed(run: Result, power: int) -> Floats:
    """The share of its target that the worst arm missed in its worst window of a length, one a run."""
    length = int(run.windows[power])
    worst = run.worst_window(length)[:, -1] / (length * run.targets)
    share: Floats = worst[:, int(worst.mean(axis=0).argmax())]
    return share


def _intervals(feedback: str, results: Results) -> Finding:
    runs = by_horizon(results, f"{feedback}-five")
    peaks = [run.peak[:, -1].max(axis=1) for run in runs]
    found = trend(runs, peaks)
    rows: Rows = []
    parts = []
    for power, name in enumerate(("T^0.8", "T^0.9")):
        missed = [_missed(run, power) for run in runs]
        rows += [
            {"rounds": int(run.rounds[-1]), "window": int(run.windows[power]), "missed share": share.mean()}
            for run, share in zip(runs, missed, strict=True)
        ]
        parts.append(
            f"{told(100 * missed[0], 1)} % of its target in windows of {name} rounds at T = "
            f"{lengths(runs)[0]:,}, and {told(100 * missed[-1], 1)} % at {lengths(runs)[-1]:,}"
        )
    excess, verdict = max(_excess(run) for run in runs), no_faster(found, 0.75)
    vanishes = ": divided by a length beyond T^¾ it vanishes" if verdict == "holds" else ""
    measured = (
        f"The largest shortfall of any window, of any length and in either arm, grows {in_words(found)}"
        f"{vanishes}. The worst window of a run misses {'; '.join(parts)}. "
    )
    if excess > 1e-6:
        measured += f"A window's shortfall exceeds the largest queue by {excess:.3g}, which cannot be."
        return Finding(measured, "does not hold", rows)
    measured += "No watched window's shortfall exceeds the largest queue, on any path."
    return Finding(measured, verdict, rows)


def _excess(run: Result) -> float:
    """By how much a watched window was worse than the largest queue; the paper says never."""
    return float(np.max(run.worst[:, -1] - run.peak[:, -1][:, None, :]))


def _maximum(results: Results) -> Finding:
    runs = by_horizon(results, "bandit-five")
    peaks = [run.peak[:, -1].max(axis=1) for run in runs]
    found = trend(runs, peaks)
    rows = [
        {
            "rounds": int(run.rounds[-1]),
            "mean of the largest queue": peak.mean(),
            "largest mean queue at the end": run.queues()[:, -1].mean(axis=0).max(),
        }
        for run, peak in zip(runs, peaks, strict=True)
    ]
    measured = (
        f"The largest queue of a run grows {in_words(found)}, to {told(peaks[-1])} at "
        f"{lengths(runs)[-1]:,} rounds. (The proof uses the learner's expected regret on every path and "
        "at all times at once, which its theorem does not say.)"
    )
    return Finding(measured, no_faster(found, 0.75), rows)


def interval_claims() -> list[Claim]:
    """Intervals in both settings, and the maximum."""
    said = {
        "full": ("Proposition 1", "full information"),
        "bandit": ("Proposition 1, in Section 4", "bandit feedback"),
    }
    intervals = [
        Claim(
            f"claim-intervals-{feedback}",
            source,
            f"With V = √T, {words}: over every interval longer than T^¾ the rate of each protected arm "
            "reaches its target.",
            "holds if the 95 % interval of the exponent ends at ¾ at most, does not hold if it lies "
            "above, or if any window is worse than the largest queue.",
            lambda results, _, f=feedback: _intervals(f, results),  # type: ignore[misc]
            at_horizons(f"{feedback}-five"),
        )
        for feedback, (source, words) in said.items()
    ]
    maximum = Claim(
        "claim-queue-maximum",
        "Proposition 5",
        "Bandit feedback: the expected maximum of all queues over time is Õ(N^¼ T^¾) for V = √T.",
        "holds if the 95 % interval of the exponent ends at ¾ at most, does not hold if it lies above.",
        lambda results, _: _maximum(results),
        at_horizons("bandit-five"),
    )
    return [*intervals, maximum]
