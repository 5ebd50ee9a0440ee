"""Nanoseconds a round on a machine that does other things as well.

The work of a stretch of rounds is the same every time it is played from the same mark, so the fastest of
several times is the one that was disturbed least. Stretches are kept apart until then, and averaged only
afterwards: work that comes now and then, such as a rebuild, is counted as often as it comes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .trial import Trial

_STRETCHES = 8
_MOST_ROUNDS = 2_000_000


@dataclass(frozen=True)
class Budget:
    """Seconds for a point: to play in, to wait for the first N rounds, and for each pass of the clock."""

    play_in: float = 0.15
    patience: float = 2.5
    passes: int = 4
    measured: float = 0.12


class Point(NamedTuple):
    """What was measured: nanoseconds a round, over ``rounds`` rounds after the first ``before``."""

    ns: float
    before: int
    rounds: int


class Prepared(NamedTuple):
    """A trial that has played in and is marked there; each of its first N rounds cost ``early_ns``."""

    trial: Trial
    before: int
    length: int  # rounds of a stretch
    early_ns: float | None = None


class TooSlow(Exception):
    """The first N rounds do not fit in the budget."""


def prepare(trial: Trial, n_arms: int, budget: Budget, *, settles: bool) -> Prepared:
    """Play in, past the first N rounds unless it ``settles`` before, and choose the length of a stretch.

    Stretches double while they are short, and start small again after N rounds, where a policy that
    plays each arm once begins its real work: a stretch of a million cheap rounds must not run on into
    dear ones.
    """
    played, spent, length, pace = 0, 0.0, 16, 0.0
    early_ns = None
    while played < _MOST_ROUNDS:
        if spent >= budget.play_in and (played > n_arms or spent >= budget.patience):
            break
        if settles and spent >= budget.play_in and (n_arms - played) * pace > budget.patience - spent:
            break  # it will not get there, and need not
        step = min(length, n_arms - played) if played < n_arms else length
        seconds = trial.play(step)
        played, spent, pace = played + step, spent + seconds, seconds / step
        if played == n_arms:
            length, early_ns = 16, 1e9 * spent / played
        elif seconds < 0.1 * budget.play_in:
            length *= 2
    if played <= n_arms and not settles:
        raise TooSlow(
            f"its first {n_arms:,} rounds, which may be unlike later ones, take over {budget.patience:g} s"
        )
    trial.mark()
    stretch = max(1, int(budget.measured / _STRETCHES / max(pace, 1e-10)))
    return Prepared(trial, played, stretch, early_ns)


def measure(prepared: Sequence[Prepared], budget: Budget) -> list[Point]:
    """Time trials against each other: their stretches alternate, so that a slow moment hits them all."""
    best = np.full((len(prepared), _STRETCHES), np.inf)
    for _ in range(budget.passes):
        for one in prepared:
            one.trial.back()
        for stretch in range(_STRETCHES):
            for k, one in enumerate(prepared):
                best[k, stretch] = min(best[k, stretch], one.trial.play(one.length))
    return [
        Point(1e9 * float(seconds.sum()) / (_STRETCHES * one.length), one.before, _STRETCHES * one.length)
        for one, seconds in zip(prepared, best, strict=True)
    ]
