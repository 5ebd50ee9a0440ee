"""Anything up to twice the mean: the rewards of the published plots of BanditQ."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from ..kernels.compiling import implements
from ..kernels.noise import unit
from ..kernels.protocol import Floats
from .base import Emission, check_between, emit


@dataclass(frozen=True)
class Uniform(Emission):
    r"""Uniform on [0, 2μ], so that an arm of mean above ½ pays more than 1 now and then.

    .. math:: r = 2 \mu U, \qquad U \sim \mathrm{Uniform}[0, 1).

    ``reward_max`` is 2 by default, and must be at least twice the largest mean.

    References
    ----------
    The author's published code of Sinha, "BanditQ: Fair bandits with guaranteed rewards", UAI 2024.

    Examples
    --------
    >>> Uniform().default_max()
    2.0
    """

    def default_max(self) -> float:
        return 2.0

    def check(self, means: Floats, reward_max: float) -> None:
        hint = f"Uniform() pays up to twice the mean, so it must be between 0 and {reward_max / 2.0:.12g}, "
        hint += f"half of reward_max = {reward_max:.12g}"
        if means.size and 2.0 * means.max() > reward_max:
            hint += f" (reward_max = {2.0 * means.max():.12g} would do)"
        check_between(means, 0.0, 0.5 * reward_max, hint)

    def emission(self, reward_max: float) -> "UniformEmission":
        return UniformEmission(2.0)


class UniformEmission(NamedTuple):
    """How many means the range is wide."""

    width: float


@implements(emit, UniformEmission)
def _(emission: UniformEmission, mean: float, cell: Any) -> float:
    return emission.width * mean * unit(cell)
