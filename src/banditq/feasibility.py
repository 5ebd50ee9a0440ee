"""Can the promises be kept? From means, from estimates with an error, or from data."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import inf, lgamma, log
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .checks import finite_vector, real, within
from .errors import InvalidInput

Floats = npt.NDArray[np.float64]
Verdict = Literal["feasible", "infeasible", "unknown"]

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Feasibility:
    """An answer, with the load Σ λ/μ at the estimates and at both ends of what the means may be."""

    verdict: Verdict
    load: float
    best_load: float
    worst_load: float

    @property
    def sentence(self) -> str:
        """The answer for a person."""
        span = f"load {self.load:.4g}"
        if self.best_load != self.worst_load:
            span += f", between {self.best_load:.4g} and {self.worst_load:.4g}"
        if self.verdict == "feasible":
            spare = 1.0 - self.worst_load
            return (
                f"feasible ({span}): at least {max(spare, 0.0):.4g} of the rounds are left for the best arm"
            )
        if self.verdict == "infeasible":
            hint = f"; the largest common scaling of the targets that may do is {1.0 / self.best_load:.4g}"
            return f"infeasible ({span}){hint if self.best_load < inf else '; a promised arm never pays'}"
        return f"cannot be told ({span}): the means are not known well enough"

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; an infinite load is None."""
        answer = asdict(self) | {"sentence": self.sentence}
        return {name: None if value == inf else value for name, value in answer.items()}


def _load(targets: Floats, means: Floats) -> float:
    """Σ λ/μ over the promised arms; infinite if one of them cannot pay."""
    promised = targets > 0.0
    if (means[promised] <= 0.0).any():
        return inf
    return float((targets[promised] / means[promised]).sum())


def _judge(targets: Floats, estimates: Floats, low: Floats, high: Floats) -> Feasibility:
    load, best, worst = _load(targets, estimates), _load(targets, high), _load(targets, low)
    verdict: Verdict = "unknown"
    if worst <= 1.0 + _ROUNDING:
        verdict = "feasible"
    elif best > 1.0 + _ROUNDING:
        verdict = "infeasible"
    return Feasibility(verdict, load, best, worst)


def _vectors(targets: Any, estimates: Any) -> tuple[Floats, Floats]:
    promised = within("targets", finite_vector("targets", targets), 0.0, inf)
    means = within("means", finite_vector("means", estimates, promised.size), 0.0, inf)
    return promised, means


def feasibility(targets: Any, estimates: Any, error: Any = 0.0) -> Feasibility:
    r"""Whether targets can be met by every, by no or by some means within ``error`` of the estimates.

    Exact: feasible for all :math:`|\mu_i - \hat\mu_i| \le \varepsilon_i` if and only if every promised
    :math:`\hat\mu_i > \varepsilon_i` and :math:`\sum_i \lambda_i / (\hat\mu_i - \varepsilon_i) \le 1`.

    Parameters
    ----------
    targets, estimates
        Promised reward per round and estimated mean of each arm.
    error
        How far each mean may be from its estimate: a number for all arms, or one an arm.

    Examples
    --------
    >>> import banditq as bq
    >>> bq.feasibility([0.06], [0.1], error=0.03).verdict
    'feasible'
    >>> bq.feasibility([0.06], [0.1], error=0.05).verdict
    'unknown'
    """
    promised, means = _vectors(targets, estimates)
    spread = np.full(promised.size, real("error", error)) if np.ndim(error) == 0 else error
    errors = within("error", finite_vector("error", spread, promised.size), 0.0, inf)
    return _judge(promised, means, means - errors, means + errors)


def first_order_feasibility(targets: Any, estimates: Any, error: float) -> bool:
    r"""The paper's test, :math:`\sum \lambda/\hat\mu + \varepsilon \sum \lambda/\hat\mu^2 \le 1`.

    It is a first-order expansion of the exact one and **not sufficient**: here it passes at 0.9, but if
    the mean is 0.05 the load is 1.2. Use :func:`feasibility`.

    >>> import banditq as bq
    >>> bq.first_order_feasibility([0.06], [0.1], 0.05)
    True
    >>> bq.feasibility([0.06], [0.1], 0.05).worst_load.__round__(3)
    1.2

    References
    ----------
    Sinha 2024, appendix "On the feasibility assumption".
    """
    promised, means = _vectors(targets, estimates)
    epsilon = real("error", error, low=0.0)
    chosen = promised > 0.0
    if (means[chosen] <= 0.0).any():
        return False
    ratio = promised[chosen] / means[chosen]
    return bool(ratio.sum() + epsilon * (ratio / means[chosen]).sum() <= 1.0 + _ROUNDING)


def feasibility_from_data(
    targets: Any, successes: Any, pulls: Any, *, confidence: float = 0.95, reward_max: float = 1.0
) -> Feasibility:
    r"""Whether targets can be met, from what each arm has paid so far.

    With probability ``confidence`` the answer is right **at every moment at once**, however often it is
    asked for and whenever the sampling stops: feasible if :math:`\sum \lambda/\text{LCB} \le 1`,
    infeasible if :math:`\sum \lambda/\text{UCB} > 1`, otherwise unknown.

    The bounds invert Robbins' mixture martingale
    :math:`M_n(\mu) = \int_0^1 (q/\mu)^s ((1-q)/(1-\mu))^{n-s} dq`, with a share of the error for each
    promised arm. It serves any rewards in [0, reward_max], since each factor is convex in the reward and
    so has expectation at most 1.

    Parameters
    ----------
    successes, pulls
        Sum of the rewards of each arm, and how many there were.

    Examples
    --------
    >>> import banditq as bq
    >>> bq.feasibility_from_data([0.1, 0.0], successes=[300, 0], pulls=[1000, 0]).verdict
    'feasible'
    >>> bq.feasibility_from_data([0.1, 0.0], successes=[3, 0], pulls=[10, 0]).verdict
    'unknown'
    """
    ceiling = real("reward_max", reward_max, above=0.0)
    promised = within("targets", finite_vector("targets", targets), 0.0, inf) / ceiling
    tries = within("pulls", finite_vector("pulls", pulls, promised.size), 0.0, inf)
    won = within("successes", finite_vector("successes", successes, promised.size), 0.0, inf) / ceiling
    over = np.flatnonzero(won > tries * (1.0 + _ROUNDING))
    if over.size:
        raise InvalidInput(
            f"successes[{over[0]}] is {won[over[0]] * ceiling:g}, "
            f"more than {tries[over[0]]:g} pulls can pay"
        )
    level = real("confidence", confidence, above=0.0)
    if level >= 1.0:
        raise InvalidInput(f"confidence is {level:g}; it must be less than 1, such as 0.95")
    chosen = promised > 0.0
    error = (1.0 - level) / max(int(chosen.sum()), 1)
    bounds = [
        confidence_bounds(min(s, n), n, error) if c else (0.0, 1.0)
        for s, n, c in zip(won.tolist(), tries.tolist(), chosen.tolist(), strict=True)
    ]
    low, high = (np.array(side) for side in zip(*bounds, strict=True))
    estimates = np.divide(won, tries, out=np.ones_like(won), where=tries > 0.0)
    return _judge(promised, estimates, low, high)


def confidence_bounds(successes: float, pulls: float, error: float) -> tuple[float, float]:
    """The means in [0, 1] with M_n(mean) < 1/error: an interval right at all times but for ``error``."""
    if pulls == 0.0:
        return 0.0, 1.0
    failures = pulls - successes
    mixture = lgamma(successes + 1.0) + lgamma(failures + 1.0) - lgamma(pulls + 2.0)

    def outside(mean: float) -> bool:
        likelihood = successes * log(mean) if successes > 0.0 else 0.0
        likelihood += failures * log(1.0 - mean) if failures > 0.0 else 0.0
        return mixture - likelihood >= -log(error)

    centre = successes / pulls
    low = _boundary(outside, 0.0, centre) if successes > 0.0 else 0.0
    high = _boundary(outside, 1.0, centre) if failures > 0.0 else 1.0
    return low, high


def _boundary(outside: Callable[[float], bool], far: float, near: float) -> float:
    """Where ``outside`` changes between a point outside and one inside, on the outer side."""
    while abs(far - near) > 1e-14 and abs(far - near) > 1e-12 * min(far, near):
        middle = 0.5 * (far + near)
        if middle in (far, near):
            break
        if outside(middle):
            far = middle
        else:
            near = middle
    return far
