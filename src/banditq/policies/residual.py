"""The residual learner: a bandit that plays what the promises leave, and learns from every round."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidInput
from ..kernels.compiling import implements, kernel, verb
from ..kernels.noise import scramble
from ..kernels.protocol import Decision, Floats, choose, law, learn
from ..learners.base import Learner
from .alone import Alone
from .banditq import BanditQ
from .base import Policy, Terms
from .kl_ucb import KLUCB
from .overruled import overruled

DEFAULT: Policy = KLUCB()


class Residual(NamedTuple):
    """``policy`` is the learner's state, which may be a Python object; ``odds`` is work space.

    ``known``: its law is at hand in every round. ``weighs``: it divides by propensities, and so learns
    nothing from a round in which its arms had none.
    """

    policy: Any
    odds: Floats
    known: bool
    weighs: bool


def check_residual(residual: Any) -> None:
    """Refuse what cannot serve as a residual learner."""
    if not isinstance(residual, Policy | Learner) or residual.feedback != "bandit":
        raise InvalidInput(
            f"residual is {residual}; it must be a bandit policy or learner, such as bq.KLUCB() or "
            "bq.TsallisInf()"
        )
    if isinstance(residual, Policy) and residual.needs:
        raise InvalidInput(
            f"residual is {residual}, which needs {residual.needs}; it must get by without an oracle"
        )
    if hasattr(residual, "residual"):
        raise InvalidInput(f"residual is {residual}, which has a residual of its own; give that one")


def odds_are_known(residual: Policy | Learner) -> bool:
    """Whether the probability of each arm is at hand in every round."""
    return isinstance(residual, Learner) or residual.logs_propensities or residual.deterministic


def open_residual(residual: Policy | Learner, terms: Terms) -> Residual:
    """Its state: a learner plays on the plain rewards, and nobody has a promise."""
    policy = Alone(residual) if isinstance(residual, Learner) else residual
    state = policy.state(replace(terms, targets=np.zeros(terms.n_arms)))
    weighs = isinstance(policy, Alone | BanditQ)
    return Residual(state, np.zeros(terms.n_arms), odds_are_known(residual), weighs)


def _play(residual: Residual, arm: int, share: float, noise: Any) -> Decision:
    """Open a round in which ``arm`` is played or, if that is −1, the residual learner's choice.

    ``probability`` is the residual learner's own for the arm, looked up only if it has a share; ``noise``
    is the whole round's, of which it gets a key of its own.
    """
    key = scramble(noise, 1)
    if arm < 0:
        return choose(residual.policy, key)
    own = 0.0
    if residual.known and share > 0.0:
        law(residual.policy, residual.odds)
        own = residual.odds[arm]
    opened = overruled(residual.policy, arm, key)
    return Decision(arm, own, opened.queue, opened.bound, opened.round)


def _learn(residual: Residual, decision: Decision, reward: float) -> None:
    if decision.bound > 0.0 or not residual.weighs:
        learn(residual.policy, decision, reward)


play = verb(_play, default=_play)
implements(learn, Residual)(_learn)


@kernel
def mixed(played: Decision, floor: float, share: float, known: bool) -> Decision:
    """The decision of the mixture floor + share · odds, of which the residual learner learns too.

    Its bound is 0 where the residual learner had no share. Unknown odds are reported as 1, which says
    nothing.
    """
    probability = floor + share * played.probability if known else 1.0
    bound = played.bound if share > 0.0 else 0.0
    return Decision(played.arm, probability, played.queue, bound, played.round)
