"""Theorems 2 and 5: regret and violation grow no faster than T^¾."""

import numpy as np

from ... import theory
from ...metrics import charged_regret
from ...result import Result
from ..measurement import Rows
from .base import (
    Claim,
    Finding,
    Floats,
    Results,
    Verdict,
    all_of,
    at_horizons,
    by_horizon,
    in_words,
    lengths,
    never_positive,
    no_faster,
    told,
    trend,
    worst_queue,
    worst_shortfall,
)

_INSTANCES = {"five": "the paper's five arms", "gap": "three protected arms with 10 % of slack"}


def _regret(run: Result) -> Floats:
    last: Floats = run.regret()[:, -1]
    return last


def _charged(run: Result) -> Floats:
    return np.asarray(charged_regret(run.regret(), run.shortfall(), run.price)[:, -1])


def _rows(feedback: str, instance: str, runs: list[Result]) -> Rows:
    rows = []
    for run in runs:
        rounds, arms = int(run.rounds[-1]), len(run.info["problem"]["means"])
        row = {
            "instance": instance,
            "rounds": rounds,
            "runs": run.runs,
            "pseudo-regret": float(_regret(run).mean()),
            "priced pseudo-regret": float(_charged(run).mean()),
            "violation": float(worst_shortfall(run).mean()),
            "queue": float(worst_queue(run).mean()),
        }
        if feedback == "full":
            row["regret bound"] = theory.regret(arms, rounds, rounds**0.5)
            row["violation bound"] = theory.violation(arms, rounds, rounds**0.5)
        rows.append(row)
    return rows


def _regret_part(runs: list[Result]) -> tuple[str, Verdict]:
    regrets = [_regret(run) for run in runs]
    if never_positive(regrets):
        return f"pseudo-regret is below zero at every horizon ({told(regrets[-1])} at the last)", "holds"
    found = trend(runs, regrets)
    return f"pseudo-regret grows {in_words(found)}, to {told(regrets[-1])}", no_faster(found, 0.75)


def _on_instance(feedback: str, instance: str, results: Results) -> Finding:
    runs = by_horizon(results, f"{feedback}-{instance}")
    queue = trend(runs, [worst_queue(run) for run in runs])
    words, verdict = _regret_part(runs)
    priced = trend(runs, [_charged(run) for run in runs])
    measured = (
        f"On {_INSTANCES[instance]}: {words}; the longest mean queue, which the violation cannot exceed, "
        f"grows {in_words(queue)}, and the violation is {told(worst_shortfall(runs[-1]))} at the last; "
        f"priced pseudo-regret, of which nothing is claimed, grows {in_words(priced)}."
    )
    return Finding(measured, all_of([verdict, no_faster(queue, 0.75)]), _rows(feedback, instance, runs))


def _check(feedback: str, results: Results) -> Finding:
    parts = [_on_instance(feedback, instance, results) for instance in _INSTANCES]
    rows = [row for part in parts for row in part.evidence]
    measured = " ".join(part.measured for part in parts)
    if feedback == "full":
        tightest = max(row["violation"] / row["violation bound"] for row in rows)
        measured += f" With the proof's constants the violation is at most {tightest:.0%} of its bound."
    span = lengths(by_horizon(results, f"{feedback}-five"))
    measured += f" Horizons from {span[0]:,} to {span[-1]:,} rounds."
    return Finding(measured, all_of(part.verdict for part in parts), rows)


def theorem_claims() -> list[Claim]:
    """One for each feedback."""
    said = {
        "full": ("Theorem 2", "V = √T, full information: regret O(max(T^¾, √(NT))), violation O(T^¾)."),
        "bandit": ("Theorem 5", "V = √T, bandit feedback: regret Õ(N^¾ T^¾), violation Õ(N^¼ T^¾)."),
    }
    return [
        Claim(
            f"claim-{source.lower().replace(' ', '-')}",
            source,
            says,
            "holds if on both instances regret and queue grow with a 95 % interval of the exponent up to "
            "¾ at most, or regret is surely below zero at every horizon; does not hold if an interval lies "
            "above ¾. Priced regret does not decide.",
            lambda results, _, f=feedback: _check(f, results),  # type: ignore[misc]
            at_horizons(f"{feedback}-five", f"{feedback}-gap"),
        )
        for feedback, (source, says) in said.items()
    ]
