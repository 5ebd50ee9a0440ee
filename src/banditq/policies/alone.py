"""A learner by itself: no targets, no queues."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..learners.base import Learner, check_learner
from ..learners.tsallis import TsallisInf
from .banditq import BanditQ
from .base import Policy, Terms

if TYPE_CHECKING:
    from ..problem import Problem


@dataclass(frozen=True)
class Alone(Policy):
    """Play a learner on the plain rewards, whatever the targets are.

    It is BanditQ without targets and with V one unit of reward, so that the learner's gains are the
    rewards over ``reward_max`` and its bound is 1.

    Examples
    --------
    No promise ever becomes a debt, and no gain is above 1.

    >>> import banditq as bq
    >>> policy = bq.Alone(bq.Exp3())
    >>> state = policy.state(bq.Terms(np.array([0.9, 0.0]), reward_max=5.0, rounds=None))
    >>> for noise in range(3):
    ...     decision = bq.choose(state, np.uint64(noise))
    ...     bq.learn(state, decision, 0.0)
    >>> float(decision.queue), float(decision.bound)
    (0.0, 1.0)
    """

    learner: Learner

    def __post_init__(self) -> None:
        check_learner(self.learner)

    @property
    def feedback(self) -> str:  # type: ignore[override]  # it is the learner's
        """The learner's."""
        return self.learner.feedback

    @classmethod
    def entries(cls, problem: "Problem") -> dict[str, Policy]:
        """One learner, for comparison with what is built on it."""
        return {"tsallis-inf-alone": cls(TsallisInf())}

    def state(self, terms: Terms) -> Any:
        inner = BanditQ(self.learner.feedback, self.learner, v=terms.reward_max)  # type: ignore[arg-type]
        return inner.state(replace(terms, targets=np.zeros(terms.n_arms)))
