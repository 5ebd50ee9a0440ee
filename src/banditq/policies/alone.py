"""A learner by itself: no targets, no queues."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..learners.base import Learner
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
    """

    learner: Learner

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
