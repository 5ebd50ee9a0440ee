"""What a policy is told before the first round: nothing about the means."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Terms:
    """Targets in units of reward, one an arm; ``rounds`` is None when nobody knows how many.

    Examples
    --------
    A policy that needs the number of rounds says so when nobody knows it.

    >>> import banditq as bq
    >>> terms = bq.Terms(targets=np.array([0.1, 0.0]), reward_max=1.0, rounds=None)
    >>> terms.n_arms
    2
    >>> bq.BanditQ().state(terms)
    Traceback (most recent call last):
    banditq.errors.InvalidInput: rounds is not known, and V = sqrt(rounds) needs it: ...
    """

    targets: npt.NDArray[np.float64]
    reward_max: float
    rounds: int | None

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return self.targets.size
