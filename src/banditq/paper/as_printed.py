"""The paper's pseudo-code in plain NumPy, to the letter or put right: what the errata are shown with.

Nothing else uses it. The engine has its own forms, compiled and better conditioned.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_PATIENCE = 200  # Newton steps; the corrected form needs a dozen


class Point(NamedTuple):
    """What Algorithm 3 returns, after how many steps, and whether its error fell below the tolerance."""

    x: Floats
    steps: int
    converged: bool


def algorithm_3(r: Floats, *, printed: bool = False, tolerance: float = 1e-8) -> Point:
    """argmax of Σ log xᵢ + ⟨r, x⟩ on the simplex, by Newton's method on the multiplier μ.

    The corrected equation is Σ 1/(rᵢ + μ) + 1 = 0; the paper prints − 1, which has no root below −max r.
    """
    sign = -1.0 if printed else 1.0
    mu = -r.max() - 1.0
    for step in range(1, _PATIENCE + 1):
        inverse = 1.0 / (r + mu)
        mu += (inverse.sum() + sign) / (inverse**2).sum()
        error = abs((1.0 / (r + mu)).sum() + sign)
        if error <= tolerance:
            return Point(-1.0 / (r + mu), step, True)
        if not np.isfinite(mu):
            break
    return Point(-1.0 / (r + mu), step, False)


class Trace(NamedTuple):
    """Where a run as printed left the numbers, or None, and S at the rounds up to there."""

    failed: int | None
    sums: list[float]


@dataclass(frozen=True)
class Algorithm2:
    """The bandit form; ``lost`` leaves out the η inside the supremum, as the paper prints line 11."""

    means: tuple[float, ...]
    targets: tuple[float, ...]
    rounds: int
    lost: bool

    def run(self, seed: int, stop: int) -> Trace:
        """Play up to round ``stop`` of ``rounds``."""
        rng = np.random.default_rng(seed)
        means, targets = np.array(self.means), np.array(self.targets)
        n, weight = means.size, self.rounds**0.5
        queue, estimates, p = np.zeros(n), np.zeros(n), np.full(n, 1.0 / n)
        eta, gamma, total, sums = float(n), 0.5, 1.0, [1.0]
        for t in range(1, stop + 1):
            x = (1.0 - gamma) * p + gamma / n
            arm = int(rng.choice(n, p=x / x.sum()))
            paid = float(rng.random() < means[arm])
            queue = np.maximum(queue + targets - paid * (np.arange(n) == arm), 0.0)
            estimate = np.zeros(n)
            estimate[arm] = (queue[arm] + weight) * paid / x[arm]
            estimates += estimate
            gamma = min(0.5, (n / t) ** 0.5)
            total += self._gap(estimate, p, eta)
            eta = n / total
            sums.append(total)
            p = algorithm_3(eta * estimates, tolerance=1e-10).x
            if not (np.isfinite(total) and np.isfinite(p).all() and abs(p.sum() - 1.0) < 1e-3):
                return Trace(t, sums)
        return Trace(None, sums)

    def _gap(self, estimate: Floats, p: Floats, eta: float) -> float:
        """What S grows by: the supremum over q of ⟨r̃, q − p⟩ less the divergence, which is over η."""
        inner = 1.0 if self.lost else eta
        q = algorithm_3(inner * estimate - 1.0 / p, tolerance=1e-10).x
        divergence = float((-np.log(q / p) + q / p - 1.0).sum())
        gap = max(float(estimate @ (q - p)) - divergence / inner, 0.0)
        return gap / eta if self.lost else gap


def algorithm_1_without_reward(seed: int, means: Floats, targets: Floats, stop: int) -> int | None:
    """Algorithm 1 as printed with V = 0: the first round that divides 0 by 0, or None."""
    rng = np.random.default_rng(seed)
    n = means.size
    queue, x, total = np.zeros(n), np.full(n, 1.0 / n), 0.0
    for t in range(1, stop + 1):
        rewards = (rng.random(n) < means).astype(float)
        queue = np.maximum(queue + targets - rewards * x, 0.0)
        gains = queue * rewards
        total += float(gains @ gains)
        with np.errstate(invalid="ignore"):
            step = gains / np.sqrt(2.0 * total)
        if np.isnan(step).any():
            return t
        x = onto_simplex(x + step)
    return None


def onto_simplex(y: Floats) -> Floats:
    """The nearest distribution, by sorting."""
    u = np.sort(y)[::-1]
    excess = (np.cumsum(u) - 1.0) / np.arange(1, y.size + 1)
    return np.maximum(y - excess[np.flatnonzero(u > excess)[-1]], 0.0)
