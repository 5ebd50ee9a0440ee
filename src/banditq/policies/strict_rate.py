"""StrictRateUCB: UCB1 in the rounds in which no arm's rate of pulls is at stake."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from .base import Policy, Terms
from .floors import FlooredUCBState, floored, mean_of_largest
from .fractions import checked_fractions, promised_fractions

if TYPE_CHECKING:
    from ..problem import Problem


@dataclass(frozen=True)
class StrictRateUCB(Policy):
    r"""Pull every arm at its rate throughout, and leave to UCB1 the rounds that this does not need.

    .. math:: I_t = \arg\max_i f_i t - n_i(t-1)

    if that is above zero, that is if some arm would be short of :math:`n_i \ge f_i t` without a pull,
    otherwise UCB1's choice; ties go to the lowest arm. The paper has one rate v for all arms,
    ``fractions=[v] * n_arms``; here every arm may have its own, as a promise of λ takes the fraction λ/μ.
    The targets are ignored, and no pull waits for its reward.

    With :math:`\Phi_k` the mean of the k largest fractions and m arms of a positive one, at every round of
    every path

    .. math:: f_i t - n_i(t) \le \sum_{k=2}^{m} \Phi_k,

    which ``lag`` computes. (This is ours, by the argument given at :class:`FairLearn`; here the round's
    accrual comes before the choice, which saves the first term.) With one rate v ≤ 1/N for all arms it is
    (N − 1)v < 1: then n_i(t) ≥ ⌊vt⌋, and the rate is kept as strictly as whole pulls can keep it.

    Parameters
    ----------
    fractions
        The rate of pulls of each arm, 0 for none; they may sum to 1 at most.

    References
    ----------
    Claure, Chen, Modi, Jung & Nikolaidis, "Multi-armed bandits with fairness constraints for distributing
    resources to human teammates", HRI 2020, strict-rate-constrained UCB. Only the abstract could be
    re-read: that the minimum rate holds throughout is from there; which arm is pulled when several are
    behind, and that the UCB is UCB1, are our choice.

    Examples
    --------
    >>> import banditq as bq
    >>> policy = bq.StrictRateUCB(fractions=[0.25] * 3)
    >>> run = bq.simulate(policy, bq.Problem([0.2, 0.4, 0.8], [0.0, 0.0, 0.0]), 1_000, arms="all")
    >>> bool((run.played[0] >= run.rounds[:, None] // 4).all())
    True
    """

    fractions: Sequence[float]

    feedback = "bandit"
    logs_propensities = False
    deterministic = True
    needs = "pull fractions"

    def __post_init__(self) -> None:
        object.__setattr__(self, "fractions", checked_fractions(self.fractions))

    @property
    def lag(self) -> float:
        """The most pulls that an arm can ever be behind its rate."""
        return float(mean_of_largest(self.fractions)[1:].sum())

    @classmethod
    def on(cls, problem: "Problem") -> Self:
        """With the fractions λ/μ; the slack is UCB1's."""
        return cls(promised_fractions(problem))

    def state(self, terms: Terms) -> FlooredUCBState:
        return floored(self.fractions, terms, tolerance=0.0, ahead=1)
