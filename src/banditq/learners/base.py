"""What every learner's configuration has in common."""

from typing import Any, ClassVar

from ..checks import told
from ..config import Config
from ..errors import InvalidInput

_EXAMPLES = {"bandit": "TsallisInf()", "full": "Squint()"}


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


def check_learner(learner: Any, feedback: str | None = None) -> None:
    """Refuse what is not a learner, or learns from another feedback than the one there is."""
    known = ", ".join(f"bq.{example}" for kind, example in _EXAMPLES.items() if feedback in (kind, None))
    if isinstance(learner, type):
        raise InvalidInput(f"learner is the class {learner.__name__}; write {learner.__name__}()")
    if not isinstance(learner, Learner):
        raise InvalidInput(f"learner is {told(learner)}; it must be a learner such as {known}")
    if feedback not in (learner.feedback, None):
        raise InvalidInput(
            f"learner {learner} learns from {learner.feedback!r} feedback, but feedback is {feedback!r}; "
            f"give feedback={learner.feedback!r}, or a learner such as {known}"
        )
