"""The number of rounds, for policies that are tuned to it."""

from math import sqrt

from ..errors import InvalidInput
from .base import Terms


def known_rounds(terms: Terms, what: str, instead: str) -> int:
    """How many rounds there will be, which ``what`` needs; ``instead`` says what works without."""
    if terms.rounds is None:
        raise InvalidInput(
            f"rounds is not known, and {what} needs it: give rounds, or a policy with {instead}"
        )
    return terms.rounds


def reward_weight(v: float | None, terms: Terms, instead: str = "v=...") -> float:
    """V in units of ``reward_max``: as given in units of reward, or √rounds."""
    if v is not None:
        return v / terms.reward_max
    return sqrt(known_rounds(terms, "V = sqrt(rounds)", instead))
