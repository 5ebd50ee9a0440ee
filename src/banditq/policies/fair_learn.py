"""FairLearn: UCB1, unless an arm has fallen behind its fraction of the pulls."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from ..checks import real
from ..errors import Unproven
from .base import Policy, Terms
from .floors import FlooredUCBState, floored, mean_of_largest
from .fractions import checked_fractions, promised_fractions

if TYPE_CHECKING:
    from ..problem import Problem

_ROUNDING = 1e-12


@dataclass(frozen=True)
class FairLearn(Policy):
    r"""FAIR-UCB: give every arm its fraction of the *pulls* at every round, and UCB1 the rest.

    .. math:: I_t = \arg\max_i f_i (t-1) - n_i(t-1)

    if that maximum is above α, otherwise UCB1's choice; ties go to the lowest arm. The targets are
    ignored: a promise of λ takes the fraction λ/μ, which nobody knows while μ is unknown. No pull waits
    for its reward, so late rewards cost no arm its fraction.

    Their theorem is that no arm is ever α + 1 pulls behind its fraction, whatever the rewards, provided
    that each :math:`f_i \le 1/(N-1)`. Ours needs no such condition: with :math:`\Phi_k` the mean of the k
    largest fractions, m arms of a positive one, and at every round of every path,

    .. math:: f_i t - n_i(t) \le \alpha + \sum_{k=1}^{\min(m, N-1)} \Phi_k,

    which ``lag`` computes. Under their condition the sum is 1 at most, and it often is without; fractions
    for which it is more draw the warning :class:`Unproven`, and with some an arm does fall further behind.
    (Proof: let :math:`c_k` bound, after any round, by how much the k arms furthest behind exceed α in the
    mean. If no arm exceeded α before the round, that is :math:`\Phi_k` at most. Otherwise the arm furthest
    behind is pulled. If it is still among the k, their sum has not grown, as Σf ≤ 1; if not, it was no less
    behind than they were, so :math:`c_k \le c_{k+1} + \Phi_k`. It is always among the m, and all N arms
    together are never behind, which ends the recursion.)

    Parameters
    ----------
    fractions
        The fraction of pulls of each arm, 0 for none; they may sum to 1 at most.
    alpha
        α, how many pulls an arm may be behind before it is given one.

    References
    ----------
    Patil, Ghalme, Nair & Narahari, "Achieving fairness in the stochastic multi-armed bandit problem", JMLR
    22(174), 2021. Rule, theorem and condition are as recalled; of the paper itself only the abstract and
    the opening of the introduction were re-read.

    Examples
    --------
    >>> import banditq as bq
    >>> policy = bq.FairLearn(fractions=[0.2, 0.3, 0.0])
    >>> run = bq.simulate(policy, bq.Problem([0.2, 0.4, 0.8], [0.0, 0.0, 0.0]), 1_000, arms="all")
    >>> bool((run.rounds[:, None] * policy.fractions - run.played[0] <= policy.lag).all())
    True
    """

    fractions: Sequence[float]
    alpha: float = 0.0

    feedback = "bandit"
    logs_propensities = False
    deterministic = True
    needs = "pull fractions"

    def __post_init__(self) -> None:
        object.__setattr__(self, "fractions", checked_fractions(self.fractions))
        real("alpha", self.alpha, low=0.0)
        if self.lag > self.alpha + 1.0 + _ROUNDING:
            warnings.warn(
                f"fractions as uneven as these, of which the largest is {max(self.fractions):g}, are not "
                f"known to keep every arm within alpha + 1 = {self.alpha + 1.0:g} pulls of its fraction, "
                f"only within {self.lag:.3g}; it would do if none were above 1/(n_arms - 1) = "
                f"{1.0 / (len(self.fractions) - 1):.3g}",
                Unproven,
                stacklevel=3,
            )

    @property
    def lag(self) -> float:
        """The most pulls that an arm can ever be behind its fraction."""
        means = mean_of_largest(self.fractions)[: len(self.fractions) - 1]
        return float(self.alpha + means.sum())

    @classmethod
    def on(cls, problem: "Problem") -> Self:
        """With the fractions λ/μ; the slack is UCB1's."""
        return cls(promised_fractions(problem))

    def state(self, terms: Terms) -> FlooredUCBState:
        return floored(self.fractions, terms, tolerance=self.alpha, ahead=0)
