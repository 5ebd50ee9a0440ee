"""What a policy is told before the first round: nothing about the means."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Terms:
    """Targets in units of reward, one an arm; ``rounds`` is None when nobody knows how many."""

    targets: npt.NDArray[np.float64]
    reward_max: float
    rounds: int | None

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return self.targets.size
