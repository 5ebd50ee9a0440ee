"""Rounds in which a policy has no say: another arm is played than its own, and it may learn from that."""

from typing import Any

from ..kernels.compiling import implements, verb
from .counts import open_round


def _unnoticed(state: Any, arm: int) -> None:
    """Open a round in which ``arm`` is played, whatever the policy would."""


overruled = verb(_unnoticed, default=_unnoticed)


def _counted(state: Any, arm: int) -> None:
    open_round(state.counts, arm, 1.0)


def learns_from_all(cls: type) -> None:
    """Let states of a class, which have ``counts``, take every round as one of their own.

    Whatever else divides by its propensities, or relies on its own choices, and is told of these alone.
    """
    implements(overruled, cls)(_counted)


def is_told_of_all(state: Any) -> bool:
    """Whether a state takes rounds in which it was overruled."""
    return type(state) in overruled.registry
