"""The residual learner: a bandit that plays the rounds, or the part of each, that promises leave.

A policy that counts rewards learns from all of them, whoever chose the arm. One that divides by its
propensities is told of its own choices alone, with its own odds, and has its guarantee on these rounds.
To divide by the odds of the whole mixture would be unbiased, too, but they may be far below its own,
which the regularisers rely on: with a sixth of the rounds, TsallisInf's reduced-variance estimates make
it take a wrong arm for the best again and again.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidInput
from ..kernels.compiling import implements, kernel, verb
from ..kernels.noise import scramble
from ..kernels.protocol import Decision, Floats, choose, law, learn
from ..learners.base import Learner
from .alone import Alone
from .base import Policy, Terms
from .kl_ucb import KLUCB
from .overruled import is_told_of_all, overruled

DEFAULT: Policy = KLUCB()


class Residual(NamedTuple):
    """``policy`` is the learner's state, which may be a Python object; ``odds`` is work space.

    ``known``: its law is at hand in every round. ``told_of_all``: it learns from other arms than its own.
    """

    policy: Any
    odds: Floats
    known: bool
    told_of_all: bool


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
    return Residual(state, np.zeros(terms.n_arms), odds_are_known(residual), is_told_of_all(state))


def _play(residual: Residual, arm: int, share: float, noise: Any) -> Decision:
    """Play ``arm`` or, if that is −1, the residual learner's choice; ``noise`` is the whole round's.

    ``probability`` is the residual learner's own for the arm, looked up only if it has a share, and
    ``queue`` is that, too, if the choice was its own, else 0.
    """
    if arm < 0:
        drawn = choose(residual.policy, scramble(noise, 1))
        return Decision(drawn.arm, drawn.probability, drawn.probability, drawn.bound, drawn.round)
    own = 0.0
    if residual.known and share > 0.0:
        law(residual.policy, residual.odds)
        own = residual.odds[arm]
    overruled(residual.policy, arm)
    return Decision(arm, own, 0.0, 0.0, 0)


def _learn(residual: Residual, decision: Decision, reward: float) -> None:
    if residual.told_of_all or decision.queue > 0.0:
        own = Decision(decision.arm, decision.queue, 0.0, decision.bound, decision.round)
        learn(residual.policy, own, reward)


play = verb(_play, default=_play)
implements(learn, Residual)(_learn)


@kernel
def mixed(played: Decision, floor: float, share: float, known: bool, round: int) -> Decision:
    """The decision of the mixture floor + share · odds.

    It keeps the residual learner's own odds in ``queue``. Unknown ones make a probability of 1, which
    says nothing.
    """
    probability = floor + share * played.probability if known else 1.0
    return Decision(played.arm, probability, played.queue, played.bound, round)
