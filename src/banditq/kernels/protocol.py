"""The verbs: what a learner, a policy and a reward model answer, and nothing else.

Every state is a ``NamedTuple`` of arrays and numbers, one type for each learner, policy and reward
model, and registers its answers with ``@implements(verb, State)``. A plain Python object with
methods of the same names answers too, uncompiled.

=============  ==========================================================================
bandit learner  ``draw(state, bound, noise) -> (arm, probability)``,
                ``learn(state, arm, probability, gain, bound)``, ``law(state, bound, out)``
full learner    ``law(state, bound, out)``, ``learn(state, law, gains, bound)``
bandit policy   ``choose(state, noise) -> Decision``, ``learn(state, decision, reward)``,
                ``law(state, out)``
full policy     ``allocate(state, law, queue) -> (bound, round)``, which fills both arrays,
                ``learn(state, allocation, rewards)``, ``law(state, out)``;
                before each round ``foresee(state, rewards)``, which most need not answer
reward model    ``sample(state, key, round, arm) -> reward``, ``mean(state, round, arm)``
=============  ==========================================================================

``bound`` is at least as large as any gain of the round, and known before it. A learner that has no
use for it says so with ``uses_bound``.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InvalidInput
from .compiling import kernel, verb
from .noise import uniform

Floats = npt.NDArray[np.float64]


class Decision(NamedTuple):
    """What must be kept of a bandit decision until its reward arrives."""

    arm: int
    probability: float
    queue: float  # the arm's control queue before the round
    bound: float  # the largest surrogate gain possible in the round
    round: int


class Allocation(NamedTuple):
    """What must be kept of a full-information decision until its rewards arrive."""

    law: Floats  # the share of each arm
    queue: Floats  # the control queues before the round; only protected arms are written
    bound: float
    round: int


def method(state: Any, name: str) -> Any:
    """A method of a plain Python object, which answers where no verb is registered."""
    found = getattr(state, name, None)
    if found is None:
        kind = type(state).__name__
        raise InvalidInput(
            f"{kind} has no answer to {name!r}: register one with @bq.implements(bq.{name}, {kind}), "
            f"or give it a method of that name"
        )
    return found


@verb
def draw(state: Any, bound: float, noise: Any) -> tuple[int, float]:
    """Draw an arm; returns it with its probability.

    Examples
    --------
    >>> import banditq as bq
    >>> arm, probability = bq.draw(bq.Exp3().state(4), 1.0, np.uint64(7))
    >>> 0 <= arm < 4, float(probability)
    (True, 0.25)
    """
    drawn: tuple[int, float] = method(state, "draw")(bound, noise)
    return drawn


@verb
def learn(state: Any, *args: Any) -> None:
    """Learn what a round paid.

    Examples
    --------
    Rewards may come in any order. Greedy without exploring plays arms 0 and 1 first, then what paid
    better.

    >>> import banditq as bq
    >>> state, x = bq.EpsilonGreedy(epsilon=0.0).state(bq.Terms(np.zeros(2), 1.0, None)), np.zeros(2)
    >>> first, second = (bq.choose(state, np.uint64(k)) for k in range(2))
    >>> bq.learn(state, second, 0.4)
    >>> bq.learn(state, first, 0.3)
    >>> bq.law(state, x)
    >>> x
    array([0., 1.])
    """
    method(state, "learn")(*args)


@verb
def law(state: Any, *args: Any) -> None:
    """Write the distribution the next arm is drawn from into the last argument; changes nothing.

    Examples
    --------
    >>> import banditq as bq
    >>> x = np.zeros(4)
    >>> bq.law(bq.Exp3().state(4), 1.0, x)
    >>> x
    array([0.25, 0.25, 0.25, 0.25])
    """
    method(state, "law")(*args)


@verb
def choose(state: Any, noise: Any) -> Decision:
    """Open a round: draw an arm, let the targets accrue.

    Examples
    --------
    A first round owes nothing yet, so that a reward of 1 counts for V.

    >>> import banditq as bq
    >>> policy = bq.BanditQ(learner=bq.Exp3(), v=3.0)
    >>> decision = bq.choose(policy.state(bq.Terms(np.array([0.25, 0.0]), 1.0, None)), np.uint64(7))
    >>> tuple(float(kept) for kept in decision[1:])  # probability, queue, bound and round
    (0.5, 0.0, 3.0, 1.0)
    """
    decision: Decision = method(state, "choose")(noise)
    return decision


@verb
def allocate(state: Any, law: Floats, queue: Floats) -> tuple[float, int]:
    """Open a round: fix the shares of all arms, let the targets accrue; returns bound and round.

    Examples
    --------
    If nobody is paid in round 1, then round 2 owes arm 0 its target and a reward of 1 counts for V + λ.

    >>> import banditq as bq
    >>> policy = bq.BanditQ("full", bq.Hedge(), v=3.0)
    >>> state, x, queue = policy.state(bq.Terms(np.array([0.25, 0.0]), 1.0, None)), np.zeros(2), np.zeros(2)
    >>> bound, round = bq.allocate(state, x, queue)
    >>> bq.learn(state, bq.Allocation(x, queue, bound, round), np.zeros(2))
    >>> bound, round = bq.allocate(state, x, queue)
    >>> float(bound), int(round), queue
    (3.25, 2, array([0.25, 0.  ]))
    """
    opened: tuple[float, int] = method(state, "allocate")(law, queue)
    return opened


@verb
def sample(state: Any, key: Any, round: int, arm: int) -> float:
    """The reward in one cell of the table.

    Examples
    --------
    >>> import banditq as bq
    >>> state, until = bq.Bernoulli().block(np.array([0.0, 1.0]), 1.0, 1, 1000)
    >>> [bq.sample(state, np.uint64(7), 500, arm) for arm in range(2)]
    [0.0, 1.0]
    """
    reward: float = method(state, "sample")(key, round, arm)
    return reward


@verb
def mean(state: Any, round: int, arm: int) -> float:
    """The expectation of one cell of the table.

    Examples
    --------
    >>> import banditq as bq
    >>> state, until = bq.Drift({3: [0.5]}).block(np.array([0.25]), 1.0, 1, 1000)
    >>> [float(bq.mean(state, round, 0)) for round in (1, 2, 3, 4)]
    [0.25, 0.25, 0.5, 0.5]
    """
    value: float = method(state, "mean")(round, arm)
    return value


def _uses_bound(state: Any) -> bool:
    """Whether a learner looks at the bound; True unless it says otherwise.

    Examples
    --------
    >>> import banditq as bq
    >>> bq.uses_bound(bq.Hedge().state(2)), bq.uses_bound(bq.AdaHedge().state(2))
    (True, False)
    """
    return bool(getattr(state, "uses_bound", True))


def _expected(state: Any, round: int, law: Floats) -> float:
    """The expectation of a round's reward under a law; a model may know a faster way."""
    total = 0.0
    for arm in range(law.size):
        total += law[arm] * mean(state, round, arm)
    return total


def _foresee(state: Any, rewards: Floats) -> None:
    """Show a policy the rewards of the coming round; most look away.

    Examples
    --------
    >>> import banditq as bq
    >>> state = bq.MaxWeightGenie(v=1.0).state(bq.Terms(np.zeros(2), 1.0, None))
    >>> bq.foresee(state, np.array([0.2, 0.8]))
    >>> out = np.zeros(2)
    >>> bq.law(state, out)
    >>> out
    array([0., 1.])
    """
    look = getattr(state, "foresee", None)
    if look is not None:
        look(rewards)


def _look_away(state: Any, rewards: Floats) -> None:
    pass


uses_bound = verb(_uses_bound, default=lambda _: True)
foresee = verb(_foresee, default=_look_away)
expected = verb(_expected, default=_expected)


def foresees(state: Any) -> bool:
    """Whether a policy is shown the rewards of a round before it allocates the round."""
    return foresee.dispatch(type(state)) is not _foresee or hasattr(state, "foresee")


@kernel
def pick(law: Floats, noise: Any) -> int:
    """Draw an arm from a distribution.

    Examples
    --------
    >>> import banditq as bq
    >>> bq.pick(np.array([0.0, 1.0, 0.0]), np.uint64(7))
    1
    """
    target = uniform(noise, 0)
    last = 0
    for arm in range(law.size):
        if law[arm] > 0.0:
            last = arm
            target -= law[arm]
            if target < 0.0:
                break
    return last
