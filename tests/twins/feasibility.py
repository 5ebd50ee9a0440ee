"""Benchmarks by linear programming, feasibility at corners, and the mixture by quadrature."""

from itertools import product

import numpy as np
from scipy import optimize, special


def benchmark(means, targets):
    """The best value of a distribution that meets the targets, or None if there is none."""
    n = len(means)
    answer = optimize.linprog(
        -np.asarray(means),
        A_ub=-np.diag(means),
        b_ub=-np.asarray(targets),
        A_eq=np.ones((1, n)),
        b_eq=[1.0],
        bounds=(0, 1),
        method="highs",
    )
    return None if answer.status == 2 else -answer.fun


def largest_scaling(means, targets):
    """max θ ≤ 1 with θ targets feasible, by linear programming over (x, θ)."""
    n = len(means)
    answer = optimize.linprog(
        [*np.zeros(n), -1.0],
        A_ub=np.hstack([-np.diag(means), np.asarray(targets, float)[:, None]]),
        b_ub=np.zeros(n),
        A_eq=[[*np.ones(n), 0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * (n + 1),
        method="highs",
    )
    return -answer.fun


def verdict(targets, estimates, errors):
    """By trying every corner of the box of means, with exact sums where possible."""
    loads = []
    for signs in product((-1, 1), repeat=len(targets)):
        means = [m + s * e for m, s, e in zip(estimates, signs, errors, strict=True)]
        parts = [(t, m) for t, m in zip(targets, means, strict=True) if t > 0]
        loads.append(np.inf if any(m <= 0 for _, m in parts) else sum(t / m for t, m in parts))
    if max(loads) <= 1:
        return "feasible"
    return "infeasible" if min(loads) > 1 else "unknown"


def log_martingale(p, successes, pulls):
    """log M(p) from log-Beta."""
    failures = pulls - successes
    return (
        special.betaln(successes + 1, failures + 1)
        - special.xlogy(successes, p)
        - special.xlog1py(failures, -p)
    )


def mean_bounds(successes, pulls, threshold):
    """The ends of {log M ≤ threshold} by bisection."""

    def end(low, high, rising):
        for _ in range(200):
            middle = 0.5 * (low + high)
            if (log_martingale(middle, successes, pulls) > threshold) == rising:
                high = middle
            else:
                low = middle
        return 0.5 * (low + high)

    mean = successes / pulls
    lower = 0.0 if successes == 0 else end(0.0, mean, rising=False)
    upper = 1.0 if successes == pulls else end(mean, 1.0, rising=True)
    return lower, upper
