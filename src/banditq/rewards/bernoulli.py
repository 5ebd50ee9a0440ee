"""All or nothing."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..kernels.compiling import implements
from ..kernels.noise import unit
from ..kernels.protocol import Floats
from .base import Emission, check_between, emit


@dataclass(frozen=True)
class Bernoulli(Emission):
    """``reward_max`` with probability ``mean / reward_max``, otherwise 0: a click, a sale."""

    def check(self, means: Floats, reward_max: float) -> None:
        check_between(means, 0.0, reward_max, f"it must be between 0 and reward_max = {reward_max:g}")

    def emission(self, reward_max: float) -> "BernoulliEmission":
        return BernoulliEmission(float(reward_max))


class BernoulliEmission(NamedTuple):
    """What a success pays."""

    prize: float


@implements(emit, BernoulliEmission)
def _(emission: BernoulliEmission, mean: float, cell: Any) -> float:
    return emission.prize if unit(cell) * emission.prize < mean else 0.0
