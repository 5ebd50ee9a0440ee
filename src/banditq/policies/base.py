"""What every policy's configuration has in common."""

from dataclasses import dataclass
from typing import Any

from ..config import Config
from ..kernels.protocol import Floats


@dataclass(frozen=True)
class Terms:
    """What a policy is told before the first round: nothing about the means.

    ``rounds`` is None when nobody knows how long the run will be. Targets are in units of reward.
    """

    targets: Floats
    reward_max: float
    rounds: int | None

    @property
    def n_arms(self) -> int:
        return self.targets.size


class Policy(Config):
    """A way to choose arms, round after round.

    A subclass is a frozen dataclass that has a ``feedback`` ("bandit" or "full") and makes a ``state``
    from the :class:`Terms`. The state answers the verbs of :mod:`banditq.kernels.protocol`.
    """

    feedback: str

    def state(self, terms: Terms) -> Any:
        """A fresh state under these terms."""
        raise NotImplementedError
