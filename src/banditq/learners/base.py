"""What every learner's configuration has in common."""

from typing import Any, ClassVar

from ..config import Config


class Learner(Config):
    """An adversarial bandit or expert learner: the black box inside :class:`~banditq.BanditQ`.

    A subclass is a frozen dataclass that names its ``feedback`` and makes a ``state`` for a number of
    arms. The state answers the verbs of :mod:`banditq.kernels.protocol`.

    Examples
    --------
    >>> import banditq as bq
    >>> learner = bq.Learner.parse("tsallis-inf")
    >>> learner == bq.TsallisInf(), learner.feedback
    (True, 'bandit')
    """

    feedback: ClassVar[str]

    def state(self, n_arms: int) -> Any:
        """A fresh state for this many arms."""
        raise NotImplementedError
