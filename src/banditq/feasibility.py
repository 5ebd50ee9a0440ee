"""Can the targets be met? From estimates with an error, and from data."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from math import inf, log
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .checks import finite_or_none, finite_vector, real, within
from .errors import InvalidInput
from .kernels.divergence import kl_lower, kl_upper, log_mixture

Floats = npt.NDArray[np.float64]
Verdict = Literal["feasible", "infeasible", "unknown"]

ROUNDING = 1e-12  # room for the rounding of Σ λ/μ, so that targets which fill the load exactly pass


@dataclass(frozen=True)
class Feasibility:
    """Whether the targets can be met, whatever the means are within their bounds.

    Attributes
    ----------
    verdict
        ``"feasible"`` if they can be met with all means at their lower bounds, ``"infeasible"`` if they
        cannot with all means at their upper bounds, ``"unknown"`` in between.
    load, best_load, worst_load
        Rounds per round that the targets take, Σ λ/μ, with the means at their estimates, at their upper
        bounds and at their lower bounds; infinite if a protected mean is 0 there, or was never seen.
    lower, upper
        The bounds, one an arm.
    confidence
        How likely the bounds are to hold, for all protected arms and at all times together; None if that
        was taken for granted.

    Examples
    --------
    A mean between 0.05 and 0.15 makes a promise of 0.06 take between 0.4 and 1.2 rounds per round.

    >>> found = feasibility([0.06, 0], [0.1, 0.5], error=0.05)
    >>> found.verdict, round(found.best_load, 12), round(found.worst_load, 12)
    ('unknown', 0.4, 1.2)
    >>> round(found.sure_scaling * 1.2, 12)
    1.0
    """

    verdict: Verdict
    load: float
    best_load: float
    worst_load: float
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    confidence: float | None = None

    @property
    def sure_scaling(self) -> float:
        """The largest common factor on the targets, at most 1, that can be met in any case."""
        return largest_scaling(self.worst_load)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it; an infinite load is None."""
        return {
            "verdict": self.verdict,
            **{name: finite_or_none(getattr(self, name)) for name in ("load", "best_load", "worst_load")},
            "lower": list(self.lower),
            "upper": list(self.upper),
            "confidence": self.confidence,
            "sure_scaling": self.sure_scaling,
            "sentence": self.sentence,
        }

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        sure = "" if self.confidence is None else f", with confidence {self.confidence:g}"
        if self.verdict == "feasible":
            return f"the targets can be met: they need at most {self.worst_load:.4g} rounds per round{sure}"
        if self.best_load == inf:
            return "the targets cannot be met: an arm with a target never pays"
        if self.verdict == "infeasible":
            top = _rounded(largest_scaling(self.best_load), ROUND_CEILING)
            return (
                f"the targets cannot be met: they need at least {above_one(self.best_load)} rounds per "
                f"round{sure}; no common scaling above {top} can be met"
            )
        high = "any number of" if self.worst_load == inf else above_one(self.worst_load)
        advice = ""
        if self.worst_load < inf:
            advice = f"; scaled by {rounded_down(self.sure_scaling)} they can be met in any case"
        return (
            "it is not known whether the targets can be met: they need between "
            f"{self.best_load:.4g} and {high} rounds per round{sure}{advice}"
        )


def load_of(targets: Floats, means: Floats) -> float:
    """Σ λ/μ over the protected arms; infinite if one of them never pays."""
    protected = targets > 0.0
    with np.errstate(divide="ignore", over="ignore"):
        return float((targets[protected] / means[protected]).sum())


def largest_scaling(load: float) -> float:
    """θ = min(1, 1/load): the largest common factor on the targets that can be met."""
    return min(1.0, 1.0 / load) if load > 0.0 else 1.0


def above_one(load: float) -> str:
    """A load in as few digits, from four on, as show that it is above one."""
    texts = (f"{load:.{digits}g}" for digits in range(4, 18))
    return next((text for text in texts if float(text) > 1.0), f"{load:.4g}")


def rounded_down(scaling: float) -> str:
    """A scaling in four digits, not above itself: it is there to be used."""
    return _rounded(scaling, ROUND_FLOOR)


def _rounded(number: float, direction: str) -> str:
    nearest = float(f"{number:.4g}")
    if abs(nearest - number) > ROUNDING * number:
        nearest = float(Context(prec=4, rounding=direction).create_decimal(number))
    return f"{nearest:.4g}"


def feasibility(targets: Any, estimates: Any, error: Any = 0.0) -> Feasibility:
    r"""Whether the targets can be met, given means that are known to within an error.

    .. math:: \hat\mu_i > \epsilon_i \text{ and } \sum_i \frac{\lambda_i}{\hat\mu_i - \epsilon_i} \le 1
              \;\Rightarrow\; \text{feasible}, \qquad
              \sum_i \frac{\lambda_i}{\hat\mu_i + \epsilon_i} > 1 \;\Rightarrow\; \text{infeasible},

    over the protected arms. Neither can be weakened: the means may lie at either end.

    Parameters
    ----------
    targets
        Promised reward per round of each arm; 0 for none.
    estimates
        Estimated mean of each arm.
    error
        How far off they may be: one number, or one an arm. 0 for means that are known.

    Examples
    --------
    >>> print(feasibility([0.06, 0], [0.2, 0.5], error=0.05).sentence)
    the targets can be met: they need at most 0.4 rounds per round
    >>> feasibility([0.06, 0], [0.1, 0.5], error=0.05).verdict
    'unknown'
    """
    targets, estimates, errors = _estimated(targets, estimates, error)
    return _judge(targets, estimates, np.maximum(estimates - errors, 0.0), estimates + errors)


def first_order_load(targets: Any, estimates: Any, error: Any) -> float:
    r"""The left side of the paper's test for feasibility.

    .. math:: \sum_i \frac{\lambda_i}{\hat\mu_i} + \sum_i \epsilon_i \frac{\lambda_i}{\hat\mu_i^2}.

    References
    ----------
    Sinha 2024, equation (feasibility_test) in the appendix.

    Examples
    --------
    .25/.5 + .1 · .25/.25, where the worst case needs .25/.4:

    >>> import banditq as bq
    >>> round(bq.first_order_load(targets=[0.25], estimates=[0.5], error=0.1), 12)
    0.6
    """
    targets, estimates, errors = _estimated(targets, estimates, error)
    return load_of(targets, estimates) + load_of(targets * errors, estimates * estimates)


def first_order_feasibility(targets: Any, estimates: Any, error: Any) -> bool:
    r"""The paper's test, :func:`first_order_load` ≤ 1, which is **not** sufficient.

    It expands :math:`\sum_i \lambda_i / (\hat\mu_i - \epsilon)` to first order in ε. As that is convex,
    the expansion is too small. :func:`feasibility` decides.

    Examples
    --------
    >>> round(first_order_load([0.06], [0.1], 0.05), 12), first_order_feasibility([0.06], [0.1], 0.05)
    (0.9, True)
    >>> round(feasibility([0.06], [0.1], 0.05).worst_load, 12)
    1.2
    """
    return first_order_load(targets, estimates, error) <= 1.0 + ROUNDING


def feasibility_from_data(
    targets: Any, successes: Any, pulls: Any, *, confidence: float = 0.95, reward_max: float = 1.0
) -> Feasibility:
    r"""Whether the targets can be met, as far as the rewards seen so far can tell.

    Each protected arm's mean p, in units of ``reward_max``, is bounded by all the p with

    .. math:: M(p) = \int_0^1 \Bigl(\frac{q}{p}\Bigr)^{s} \Bigl(\frac{1-q}{1-p}\Bigr)^{n-s} dq
              = \frac{B(s+1, n-s+1)}{p^s (1-p)^{n-s}} < \frac{|P|}{1 - \text{confidence}},

    where s is the sum of its n rewards and :math:`|P|` counts the protected arms. The bounds hold at all
    times together: data may be collected by any policy and looked at as often as one likes.

    Parameters
    ----------
    targets
        Promised reward per round of each arm; 0 for none.
    successes, pulls
        Of each arm, the sum of its rewards and their number; neither matters for unprotected arms.
    confidence
        That all bounds hold.
    reward_max
        The largest reward.

    Notes
    -----
    Proof: for a reward x in [0, 1] of mean p given the past, :math:`a^x b^{1-x} \le x a + (1-x) b`
    (convexity), which for :math:`a = q/p,\ b = (1-q)/(1-p)` has mean 1, so that M(p) is a non-negative
    supermartingale started at 1 and exceeds :math:`1/\delta` with probability at most δ (Ville); a union
    bound over the protected arms does the rest. Rewards must keep their mean: drift voids the bounds.

    References
    ----------
    Robbins, "Statistical methods related to the law of the iterated logarithm", Annals of Mathematical
    Statistics 41, 1970.

    Examples
    --------
    >>> feasibility_from_data([0.2, 0.1, 0], successes=[420, 300, 0], pulls=[1000, 1000, 0]).verdict
    'feasible'
    """
    targets = _targets(targets)
    level = real("confidence", confidence, above=0.0)
    if level >= 1.0:
        raise InvalidInput(f"confidence is {level:g}; it must be less than 1")
    ceiling = real("reward_max", reward_max, above=0.0)
    sums, counts = _data(successes, pulls, targets.size, ceiling)
    lower, upper, middle = np.zeros(targets.size), np.full(targets.size, ceiling), np.zeros(targets.size)
    protected = np.flatnonzero(targets > 0.0)
    threshold = log(max(protected.size, 1) / (1.0 - level))
    for arm in protected:
        low, high = mean_bounds(sums[arm] / ceiling, counts[arm], threshold)
        lower[arm], upper[arm] = low * ceiling, high * ceiling
        middle[arm] = sums[arm] / max(counts[arm], 1.0)
    return _judge(targets, middle, lower, upper, level)


def mean_bounds(successes: float, pulls: float, threshold: float) -> tuple[float, float]:
    """The ends of {p : log M(p) ≤ threshold}, for rewards in [0, 1].

    With p̂ = s/n, log M(p) = n kl(p̂, p) + log M(p̂).
    """
    if pulls == 0.0:
        return 0.0, 1.0
    successes = min(successes, pulls)
    mean = successes / pulls
    budget = (threshold - log_mixture(successes, pulls - successes)) / pulls
    return kl_lower(mean, budget), kl_upper(mean, budget)


def _targets(targets: Any) -> Floats:
    return within("targets", finite_vector("targets", targets), 0.0, inf)


def _estimated(targets: Any, estimates: Any, error: Any) -> tuple[Floats, Floats, Floats]:
    targets = _targets(targets)
    n_arms = targets.size
    estimates = within("estimates", finite_vector("estimates", estimates, n_arms), 0.0, inf)
    if np.ndim(error) == 0:
        return targets, estimates, np.full(n_arms, real("error", error, low=0.0))
    return targets, estimates, within("error", finite_vector("error", error, n_arms), 0.0, inf)


def _data(successes: Any, pulls: Any, n_arms: int, reward_max: float) -> tuple[Floats, Floats]:
    sums = within("successes", finite_vector("successes", successes, n_arms), 0.0, inf)
    counts = within("pulls", finite_vector("pulls", pulls, n_arms), 0.0, inf)
    broken = np.flatnonzero(counts != np.floor(counts))
    if broken.size:
        raise InvalidInput(f"pulls[{broken[0]}] is {counts[broken[0]]:g}; it must be a whole number")
    over = np.flatnonzero(sums > counts * reward_max * (1.0 + 1e-9))
    if over.size:
        arm = over[0]
        raise InvalidInput(
            f"successes[{arm}] is {sums[arm]:g}, more than {counts[arm]:g} rewards of at most "
            f"{reward_max:g} sum to; it must be at most {counts[arm] * reward_max:g}"
        )
    return sums, counts


def _judge(
    targets: Floats, means: Floats, lower: Floats, upper: Floats, confidence: float | None = None
) -> Feasibility:
    best, worst = load_of(targets, upper), load_of(targets, lower)
    verdict: Verdict = "unknown"
    if worst <= 1.0 + ROUNDING:
        verdict = "feasible"
    elif best > 1.0 + ROUNDING:
        verdict = "infeasible"
    ends = tuple(lower.tolist()), tuple(upper.tolist())
    return Feasibility(verdict, load_of(targets, means), best, worst, *ends, confidence)
