"""Algorithm 3 against a general convex solver."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ...kernels.compiling import kernel
from ..as_printed import algorithm_3
from ..measurement import Measurement, Rows
from ..settings import Size
from .base import Claim, Finding, Floats, Results, Verdict

_SIZES = (5, 1000)
_LEAST = 10**1.5  # half an order of magnitude below two
_NUMPY, _COMPILED = "Algorithm 3 in NumPy", "Algorithm 3 compiled"
_CHANGED, _ANEW = "CVXPY, parameter changed", "CVXPY, built anew"


@kernel
def _compiled(r: Floats, out: Floats) -> None:
    """Algorithm 3, corrected, as a compiled loop."""
    mu, error = -np.inf, 1.0
    for arm in range(r.size):
        mu = max(mu, r[arm])
    mu = -mu - 1.0
    while error > 1e-8:
        total, slope = 0.0, 0.0
        for arm in range(r.size):
            inverse = 1.0 / (r[arm] + mu)
            total += inverse
            slope += inverse * inverse
        mu += (total + 1.0) / slope
        error = abs(total + 1.0)
    for arm in range(r.size):
        out[arm] = -1.0 / (r[arm] + mu)


def _quartiles(solve: Callable[[], Any], repeats: int) -> Floats:
    """Lower quartile, median and upper quartile of the µs of some calls, after one to warm up."""
    solve()
    times = []
    for _ in range(repeats):
        started = perf_counter()
        solve()
        times.append(1e6 * (perf_counter() - started))
    return np.quantile(times, [0.25, 0.5, 0.75])


def _measure(size: Size) -> Rows:
    try:
        cvxpy: Any = import_module("cvxpy")
    except ImportError:
        return []
    rng, repeats, rows = np.random.default_rng(3), 20 if size.full else 5, []
    for n in _SIZES:
        r = rng.exponential(n, n)
        x, parameter = cvxpy.Variable(n), cvxpy.Parameter(n)
        shape = [cvxpy.sum(x) == 1]
        problem = cvxpy.Problem(cvxpy.Maximize(cvxpy.sum(cvxpy.log(x)) + parameter @ x), shape)
        parameter.value = r

        def model(n: int = n, r: Floats = r) -> Any:  # built anew, as CVX is used inside a loop
            fresh = cvxpy.Variable(n)
            objective = cvxpy.Maximize(cvxpy.sum(cvxpy.log(fresh)) + r @ fresh)
            return cvxpy.Problem(objective, [cvxpy.sum(fresh) == 1]).solve()

        out = np.zeros(n)
        solvers: dict[str, tuple[Callable[[], Any], int]] = {
            _NUMPY: (lambda r=r: algorithm_3(r), 10 * repeats),  # type: ignore[misc]
            _COMPILED: (lambda r=r, out=out: _compiled(r, out), 10 * repeats),  # type: ignore[misc]
            _CHANGED: (problem.solve, repeats),
            _ANEW: (model, repeats),
        }
        row: dict[str, Any] = {"arms": n}
        for name, (solve, times) in solvers.items():
            row |= dict(zip(_columns(name), map(float, _quartiles(solve, times)), strict=True))
        row["largest difference"] = float(np.abs(x.value - algorithm_3(r).x).max())
        rows.append(row | {"solver": str(problem.solver_stats.solver_name)})
    return rows


def _columns(name: str) -> list[str]:
    return [f"{name}, {part}, µs" for part in ("lower quartile", "median", "upper quartile")]


class _Ratio(NamedTuple):
    """How many times faster: between opposite quartiles, and of the medians."""

    low: float
    middle: float
    high: float

    def __str__(self) -> str:
        return f"{self.middle:,.0f} ({self.low:,.0f} to {self.high:,.0f})"


def _ratio(row: Mapping[str, Any], slow: str, fast: str) -> _Ratio:
    theirs, ours = ([row[column] for column in _columns(name)] for name in (slow, fast))
    return _Ratio(*(a / b for a, b in zip(theirs, ours[::-1], strict=True)))


def _order(ratios: Sequence[_Ratio]) -> Verdict:
    if any(ratio.high < _LEAST for ratio in ratios):
        return "does not hold"
    return "holds" if all(ratio.low >= _LEAST for ratio in ratios) else "cannot be told"


def _check(results: Results, rows: Mapping[str, Rows]) -> Finding:
    evidence = rows["solver"]
    if not evidence:
        return Finding(
            "CVXPY is not installed here: pip install 'banditq[all]' and run again.", "cannot be told", []
        )
    parts = [
        f"N = {row['arms']:,}: {_ratio(row, _ANEW, _NUMPY)} times as fast in NumPy, "
        f"{_ratio(row, _CHANGED, _NUMPY)} times if CVXPY keeps the problem and only a parameter changes, "
        f"{_ratio(row, _ANEW, _COMPILED)} times compiled"
        for row in evidence
    ]
    measured = (
        f"Against CVXPY with {evidence[0]['solver']}, the corrected Algorithm 3 is, at "
        f"{'; at '.join(parts)} (medians; from quartile to opposite quartile). Their solutions differ by "
        f"{max(row['largest difference'] for row in evidence):.1g} at most."
    )
    return Finding(measured, _order([_ratio(row, _ANEW, _NUMPY) for row in evidence]), evidence)


def solver_claims() -> list[Claim]:
    """The one on Algorithm 3."""
    measurement = Measurement("solver", _measure, {"sizes": _SIZES})
    return [
        Claim(
            "claim-solver",
            "Appendix: efficient implementation",
            "Newton's method on the multiplier is about two orders of magnitude faster than a general "
            "convex solver.",
            f"the times of NumPy and of CVXPY with the problem built anew: holds if the upper quartile "
            f"of the one and the lower of the other are {_LEAST:.0f} times apart (half an order short of "
            "two) for every N; does not hold if for some N the other two quartiles are not.",
            _check,
            measurements=(measurement,),
        )
    ]
