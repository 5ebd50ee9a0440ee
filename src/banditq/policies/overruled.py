"""Rounds in which a policy has no say: another arm is played than its own, and it may learn from it."""

from typing import Any

from ..kernels.compiling import implements, verb
from ..kernels.protocol import Decision, choose
from .counts import open_round


def _choice_dropped(state: Any, arm: int, noise: Any) -> Decision:
    """Open a round in which ``arm`` is played, whatever the policy would; it may choose for nothing."""
    return choose(state, noise)


overruled = verb(_choice_dropped, default=_choice_dropped)


def _round_counted(state: Any, arm: int, noise: Any) -> Decision:
    return open_round(state.counts, arm, 1.0)


def counts_rounds(cls: type) -> None:
    """Let states of a class, which have ``counts``, count such a round as if the arm were their own."""
    implements(overruled, cls)(_round_counted)
