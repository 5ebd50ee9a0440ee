"""Constrained epsilon-greedy: the best law within bounds on groups, now and then one well inside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..checks import real
from ..kernels.compiling import implements, kernel
from ..kernels.protocol import Decision, Floats, choose, law, learn
from .base import Policy, Terms
from .counts import Counts, book, no_counts, open_drawn, standing
from .fractions import promised_fractions
from .groups import Groups, checked_groups, group_arms, inner_point

if TYPE_CHECKING:
    from ..problem import Problem


@dataclass(frozen=True)
class ConstrainedEpsilonGreedy(Policy):
    r"""Keep every group's share of the pulls between bounds, at every round, and earn the most within them.

    The law is :math:`x_t = \varepsilon_t\, q + (1 - \varepsilon_t)\, p_t`, with both q and :math:`p_t` in

    .. math:: C = \Bigl\{x \in \Delta : \ell_g \le \sum_{i \in g} x_i \le u_g
              \text{ for every group } g\Bigr\}, \qquad
              p_t \in \arg\max_{x \in C} \langle \hat\mu, x \rangle.

    Arms in no group are free. As groups are disjoint, the linear programme needs no solver: within a group
    all mass goes to the arm with the best mean, so only the masses y of the groups are open, with the value
    :math:`\sum_g y_g \max_{i \in g} \hat\mu_i`. Begin at y = ℓ and pour 1 − Σℓ into the groups in order of
    falling best mean, each up to u. Where a group has mass beyond its ℓ while a better one is short of its
    u, moving mass to the better one gains; only the pouring leaves no such pair, so it is the optimum. Ties
    go to the group, and within it to the arm, that is listed first; an arm without rewards has mean 0.

    The inner point q takes every group the same part of its way from the least to the greatest mass that C
    leaves it, and spreads it evenly over the group's arms. So no bound is tight at q that need not be, and
    an arm has :math:`q_i > 0` if any law in C plays it. With lower bounds alone it is ℓ plus an equal share
    of the slack for each group. The exploration is

    .. math:: \varepsilon_t = \min(1, c / (\eta t)), \qquad \eta = \min \{q_i : q_i > 0\},

    so that, once ε is below 1, each arm that C can play is explored with probability c/t at least, as in
    ε-greedy. The targets are ignored.

    Parameters
    ----------
    fractions
        ℓ, the least share of the pulls of each group; they may sum to 1 at most.
    upper
        u, the greatest share of each group; None for no limit.
    groups
        The arms of each group, no arm in two of them; None makes each arm its own group, in order.
    decay
        c. In their theorem it is 4/L², for an L in (0, 1] that is no more than the gap between the best
        vertex of C and the next; it makes the regret O(ln T).

    References
    ----------
    Celis, Kapoor, Salehi & Vishnoi, "Controlling polarization in personalization: an algorithmic
    framework", FAT* 2019, Constrained-ε-Greedy. Only the abstract of its preprint (arXiv:1802.08674) could
    be re-read: ε and its constant are recalled, and the choice of q among the inner points is ours.

    Examples
    --------
    >>> import banditq as bq
    >>> policy = bq.ConstrainedEpsilonGreedy([0.5], upper=[0.75], groups=[[0, 1]])
    >>> agent = policy.start(targets=[0.0, 0.0, 0.0])
    >>> agent.law()  # half way from ½ to ¾ for the pair
    array([0.3125, 0.3125, 0.375 ])
    """

    fractions: Sequence[float]
    upper: Sequence[float] | None = None
    groups: Sequence[Sequence[int]] | None = None
    decay: float = 4.0

    feedback = "bandit"
    logs_propensities = True
    needs = "pull fractions"

    def __post_init__(self) -> None:
        lower, upper, groups = checked_groups(self.fractions, self.upper, self.groups)
        for name, value in (("fractions", lower), ("upper", upper), ("groups", groups)):
            object.__setattr__(self, name, value)
        real("decay", self.decay, above=0.0)

    @classmethod
    def on(cls, problem: "Problem") -> Self:
        """With λ/μ as each arm's least share, and no greatest."""
        return cls(promised_fractions(problem))

    def state(self, terms: Terms) -> "ConstrainedState":
        groups = group_arms(terms.n_arms, self.fractions, self.upper, self.groups)
        inner = inner_point(groups)
        n_groups = groups.lower.size
        return ConstrainedState(
            counts=no_counts(terms.n_arms, terms.reward_max),
            groups=groups,
            inner=inner,
            pace=float(self.decay) / float(inner[inner > 0.0].min()),
            leader=groups.arms[groups.start[:-1]],
            value=np.zeros(n_groups),
            ranking=np.arange(n_groups),
            place=np.arange(n_groups),
            work=np.zeros(terms.n_arms),
        )


class ConstrainedState(NamedTuple):
    """``ranking`` lists the groups by falling ``value``, their ``leader``'s mean; ``place`` inverts it."""

    counts: Counts
    groups: Groups
    inner: Floats
    pace: float  # c/η
    leader: Any  # the arm of the best mean in each group
    value: Floats
    ranking: Any
    place: Any
    work: Floats


@kernel
def _mix(state: ConstrainedState, out: Floats) -> None:
    """ε times the inner point, and 1 − ε times the greedy fill."""
    groups, leader = state.groups, state.leader
    epsilon = min(1.0, state.pace / (state.counts.clock[0] + 1.0))
    for arm in range(out.size):
        out[arm] = epsilon * state.inner[arm]
    left = groups.slack
    for rank in range(leader.size):
        g = state.ranking[rank]
        poured = min(left, groups.upper[g] - groups.lower[g])
        left -= poured
        out[leader[g]] += (1.0 - epsilon) * (groups.lower[g] + poured)


@kernel
def _find_leader(state: ConstrainedState, g: int) -> None:
    """Look for the arm of the best mean in a group, the first listed if some tie."""
    groups = state.groups
    best, top = -1, -np.inf
    for k in range(groups.start[g], groups.start[g + 1]):
        mean, _ = standing(state.counts, groups.arms[k])
        if mean > top:
            best, top = groups.arms[k], mean
    state.leader[g] = best
    state.value[g] = top


@kernel
def _is_ahead(value: Floats, one: int, other: int) -> bool:
    return value[one] > value[other] or (value[one] == value[other] and one < other)


@kernel
def _rank(value: Floats, ranking: Any, place: Any, g: int) -> None:
    """Move one group to where its new value belongs; all others are in order."""
    rank = place[g]
    while rank > 0 and _is_ahead(value, g, ranking[rank - 1]):
        ranking[rank] = ranking[rank - 1]
        place[ranking[rank]] = rank
        rank -= 1
    while rank < ranking.size - 1 and _is_ahead(value, ranking[rank + 1], g):
        ranking[rank] = ranking[rank + 1]
        place[ranking[rank]] = rank
        rank += 1
    ranking[rank] = g
    place[g] = rank


@implements(choose, ConstrainedState)
def _(state: ConstrainedState, noise: Any) -> Decision:
    _mix(state, state.work)
    return open_drawn(state.counts, state.work, noise)


@implements(learn, ConstrainedState)
def _(state: ConstrainedState, decision: Decision, reward: float) -> None:
    book(state.counts, decision.arm, reward)
    g = state.groups.of[decision.arm]
    _find_leader(state, g)
    _rank(state.value, state.ranking, state.place, g)


@implements(law, ConstrainedState)
def _(state: ConstrainedState, out: Floats) -> None:
    _mix(state, out)
