"""All or nothing."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..kernels.compiling import implements
from ..kernels.noise import unit
from ..kernels.protocol import Floats
from .base import Emission, check_payable, emit


@dataclass(frozen=True)
class Bernoulli(Emission):
    r"""``reward_max`` with probability ``mean / reward_max``, otherwise 0: a click, a sale.

    .. math:: r = M\, 1[U M < \mu], \qquad U \sim \mathrm{Uniform}[0, 1), \quad M = \text{reward\_max}.

    Examples
    --------
    >>> Bernoulli().to_dict()
    {'kind': 'Bernoulli'}
    """

    def check(self, means: Floats, reward_max: float) -> None:
        check_payable(means, reward_max)

    def emission(self, reward_max: float) -> "BernoulliEmission":
        return BernoulliEmission(float(reward_max))


class BernoulliEmission(NamedTuple):
    """What a success pays."""

    prize: float


@implements(emit, BernoulliEmission)
def _(emission: BernoulliEmission, mean: float, cell: Any) -> float:
    return emission.prize if unit(cell) * emission.prize < mean else 0.0
