"""Floors: each promise takes the share λ/index of a round, and a residual learner plays the rest."""

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import one_of, real
from ..kernels.compiling import implements, kernel
from ..kernels.divergence import kl_lower_near, kl_upper_near
from ..kernels.noise import uniform
from ..kernels.protocol import Decision, Floats, choose, law, learn
from ..learners.base import Learner
from .base import Policy, Terms
from .counts import Counts, all_on, book, no_counts, open_round, standing
from .residual import DEFAULT, Residual, check_residual, mixed, odds_are_known, open_residual, play

if TYPE_CHECKING:
    from ..problem import Problem

INDICES = ("mean", "upper", "lower")
_MEAN, _UPPER, _LOWER = range(3)


class _FloorForm(Policy):
    """What the general policy and its named forms have in common."""

    index: Any
    switch: Any
    residual: Policy | Learner
    width: float

    feedback = "bandit"

    def __post_init__(self) -> None:
        one_of("index", self.index, INDICES)
        check_residual(self.residual)
        real("width", self.width, above=0.0)

    @property
    def logs_propensities(self) -> bool:  # type: ignore[override]  # it depends on the residual
        """Whether the residual learner's probabilities are known, and with them the mixture's."""
        return odds_are_known(self.residual)

    def state(self, terms: Terms) -> "FloorState":
        targets = terms.targets / terms.reward_max
        own, optimistic, floors, draft = np.zeros((4, terms.n_arms))
        books = FloorBooks(
            counts=no_counts(terms.n_arms, terms.reward_max),
            targets=targets,
            protected=np.flatnonzero(targets > 0.0),
            kind=INDICES.index(self.index),
            switch=bool(self.switch),
            width=float(self.width),
            own=own,
            optimistic=optimistic,
            floors=floors,
            draft=draft,
        )
        return FloorState(open_residual(self.residual, terms), books)


@dataclass(frozen=True)
class FloorPlusLearner(_FloorForm):
    r"""Give each promise its estimated share of every round, and a bandit learner what is left.

    .. math:: x = q + \Bigl(1 - \sum_i q_i\Bigr)\, y, \qquad q_i = \lambda_i / m_i, \qquad
              m_i = \mathrm{clip}(\mathrm{index}_i,\, \lambda_i,\, 1),

    with rewards and targets in units of ``reward_max``, y the law of the residual learner, and the index

    .. math:: \hat\mu_i \quad\text{or}\quad
              \max \text{ or } \min\,\{m : n_i\, \mathrm{kl}(\hat\mu_i, m) \le w \ln t\}.

    Where Σq reaches 1, q is divided by it; with ``switch`` it is first tried again with the upper bounds.
    Each arm is played once first, in order. An arm whose first reward is still to come counts as having
    a mean of 0, its openings as observations.

    ======== =========== ======== ==================================================================
    name      index       switch   on i.i.d. rewards
    ======== =========== ======== ==================================================================
    GOC       mean        no       neither owes nor over-serves for long
    SGOC      mean        yes      as GOC, and hopeful while the means say that promises cannot be kept
    DOC       upper       no       earns more, and owes :math:`O(\sqrt{T \log T})`
    POC       lower       no       over-serves as much, and earns less
    SPOC      lower       yes      as POC, and hopeful while its bounds say so
    ======== =========== ======== ==================================================================

    Parameters
    ----------
    index
        ``"mean"``, ``"upper"`` or ``"lower"``.
    switch
        Whether to try the upper bounds before q is cut down.
    residual
        Any bandit policy without promises or oracle, or any bandit learner. The policies of this package
        learn from every reward; a learner, which divides by its odds, from its own choices alone.
    width
        w; 3.03 is that of their latest code, while the figures published beside it were made with 2. From
        more than 2 on the bounds fail O(1) times in all, in expectation.

    Notes
    -----
    On i.i.d. rewards the upper bounds fall short, while all of them hold, by no more than the sum of
    :math:`q_i (m_i - \mu_i)`, and q is at most the odds of a pull, so that for DOC

    .. math:: E[\text{shortfall}_i(T)] \le E\sqrt{8\, w\, n_i(T) \ln T} + \lambda_i B,

    with n the pulls and B the expected number of rounds in which a bound fails. (Our derivation.)

    References
    ----------
    Baudry, Merlis, Benjamin Molina, Richard & Perchet, "Multi-armed bandits with guaranteed revenue per
    arm", AISTATS 2024. Checked against the authors' code (DBaudry/Revenue_guaranteeing_bandits) and its
    early drafts, not against the paper's text. The code has ln t of the rounds played, not of the coming
    one, and its plots name our SGOC, DOC and SPOC: GOCK, DOCK and SPOCK. The upper bound as index is that
    of Agrawal & Devanur, "Bandits with concave rewards and convex knapsacks", EC 2014 (not re-read).

    Examples
    --------
    >>> import banditq as bq
    >>> problem = bq.instance("paper-5").problem
    >>> run = bq.simulate(bq.GOC(), problem, rounds=50_000)
    >>> bool((run.rates()[0, -1] > 0.95 * problem.targets[:2]).all())
    True
    """

    index: Literal["mean", "upper", "lower"] = "mean"
    switch: bool = False
    residual: Policy | Learner = DEFAULT
    width: float = 3.03

    @classmethod
    def entries(cls, problem: "Problem") -> dict[str, Policy]:
        """None: its named forms enter by themselves."""
        return {}


@dataclass(frozen=True)
class _Named(_FloorForm):
    """The fields of a named form."""

    residual: Policy | Learner = DEFAULT
    width: float = 3.03


class GOC(_Named):
    """:class:`FloorPlusLearner` on empirical means.

    Examples
    --------
    A quarter is promised to an arm whose only reward was a half, and takes half the rounds; the residual
    learner hopes for more from the other arm.

    >>> import banditq as bq
    >>> agent = bq.GOC().start(targets=[0.25, 0.0])
    >>> agent.learn(agent.choose(), 0.5)
    >>> agent.learn(agent.choose(), 1.0)
    >>> agent.law()
    array([0.5, 0.5])
    """

    index = "mean"
    switch = False


class SGOC(_Named):
    """:class:`FloorPlusLearner` on empirical means, on upper bounds while those cannot be met.

    Examples
    --------
    Means of a quarter ask for two rounds per round, but the bounds allow for better: the rounds that they
    leave go to one arm, where :class:`GOC` would cut both shares down to a half.

    >>> import banditq as bq
    >>> agent = bq.SGOC().start(targets=[0.25, 0.25])
    >>> for _ in range(2):
    ...     agent.learn(agent.choose(), 0.25)
    >>> share, rest = agent.law()
    >>> bool(share > 0.5 > rest > 0.25)
    True
    """

    index = "mean"
    switch = True


class DOC(_Named):
    """:class:`FloorPlusLearner` on upper confidence bounds.

    Examples
    --------
    After one reward of a half the bound is higher, and the share that a promise of a quarter takes is less
    than the half that it takes by the mean.

    >>> import banditq as bq
    >>> agent = bq.DOC().start(targets=[0.25, 0.0])
    >>> agent.learn(agent.choose(), 0.5)
    >>> agent.learn(agent.choose(), 1.0)
    >>> bool(0.25 < agent.law()[0] < 0.5)
    True
    """

    index = "upper"
    switch = False


class POC(_Named):
    """:class:`FloorPlusLearner` on lower confidence bounds.

    Examples
    --------
    After one reward the lower bound is below the promise, at which it is clipped: the arm gets everything.

    >>> import banditq as bq
    >>> agent = bq.POC().start(targets=[0.25, 0.0])
    >>> agent.learn(agent.choose(), 0.5)
    >>> agent.learn(agent.choose(), 1.0)
    >>> agent.law()
    array([1., 0.])
    """

    index = "lower"
    switch = False


class SPOC(_Named):
    """:class:`FloorPlusLearner` on lower confidence bounds, on upper ones while those cannot be met.

    Examples
    --------
    Where :class:`POC` would give the arm every round, the upper bound takes less than the mean would.

    >>> import banditq as bq
    >>> agent = bq.SPOC().start(targets=[0.25, 0.0])
    >>> agent.learn(agent.choose(), 0.5)
    >>> agent.learn(agent.choose(), 1.0)
    >>> bool(0.25 < agent.law()[0] < 0.5)
    True
    """

    index = "lower"
    switch = True


class FloorBooks(NamedTuple):
    """``own`` and ``optimistic`` hold the last bounds, from which the next are found; targets are scaled.

    ``floors`` holds the q of the round and stays 0 where nothing is promised; ``draft`` is for ``law``.
    """

    counts: Counts
    targets: Floats
    protected: npt.NDArray[np.int64]
    kind: int
    switch: bool
    width: float
    own: Floats
    optimistic: Floats
    floors: Floats
    draft: Floats


class FloorState(NamedTuple):
    """The residual learner, whose state may be a Python object, beside the books, which may not."""

    residual: Residual
    books: FloorBooks


@kernel
def _index(mean: float, budget: float, kind: int, near: float) -> float:
    """The index of an arm; ``near`` is a guess at it."""
    if kind == _UPPER:
        return kl_upper_near(mean, budget, near)
    if kind == _LOWER:
        return kl_lower_near(mean, budget, near)
    return mean


@kernel
def _demand(books: FloorBooks, kind: int, near: Floats, found: Floats, floors: Floats) -> float:
    """Write every q = λ / clip(index) and the indices; returns Σ q."""
    spread = books.width * log(books.counts.clock[0] + 1.0)
    total = 0.0
    for i in range(books.protected.size):
        arm = books.protected[i]
        mean, count = standing(books.counts, arm)
        found[arm] = _index(mean, spread / count, kind, near[arm])
        target = books.targets[arm]
        floors[arm] = target / min(max(found[arm], target), 1.0)
        total += floors[arm]
    return total


@kernel
def share_out(books: FloorBooks, own: Floats, optimistic: Floats, floors: Floats) -> float:
    """Write the q of the coming round; returns the share that they leave."""
    total = _demand(books, books.kind, books.own, own, floors)
    if total >= 1.0 and books.switch:
        hoped = _demand(books, _UPPER, books.optimistic, optimistic, floors)
        if hoped < 1.0:
            return 1.0 - hoped
        total = _demand(books, books.kind, books.own, own, floors)
    if total < 1.0:
        return 1.0 - total
    for i in range(books.protected.size):
        floors[books.protected[i]] /= total
    return 0.0


@kernel
def pick_floor(floors: Floats, protected: npt.NDArray[np.int64], share: float, target: float) -> int:
    """The arm whose floor a uniform draw falls on, or −1 if it falls on the share that is left."""
    arm = -1
    for i in range(protected.size):
        arm = protected[i]
        target -= floors[arm]
        if target < 0.0:
            return arm
    return -1 if share > 0.0 else arm


@implements(choose, FloorState)
def _(state: FloorState, noise: Any) -> Decision:
    books, clock = state.books, state.books.counts.clock[0]
    arm, floor, share = clock, 1.0, 0.0
    if clock < books.floors.size:
        played = play(state.residual, arm, share, noise)
    else:
        share = share_out(books, books.own, books.optimistic, books.floors)
        arm = pick_floor(books.floors, books.protected, share, uniform(noise, 0))
        played = play(state.residual, arm, share, noise)
        floor = books.floors[played.arm]
    opened = open_round(books.counts, played.arm, 1.0)
    return mixed(played, floor, share, state.residual.known, opened.round)


@implements(learn, FloorState)
def _(state: FloorState, decision: Decision, reward: float) -> None:
    book(state.books.counts, decision.arm, reward)
    learn(state.residual, decision, reward)


@implements(law, FloorState)
def _(state: FloorState, out: Floats) -> None:
    books, clock = state.books, state.books.counts.clock[0]
    if clock < out.size:
        all_on(clock, out)
        return
    for arm in range(out.size):
        out[arm] = 0.0
    share = share_out(books, books.draft, books.draft, out)
    if share > 0.0:
        odds = state.residual.odds
        law(state.residual.policy, odds)
        for arm in range(out.size):
            out[arm] += share * odds[arm]
