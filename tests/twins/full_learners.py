"""The full-information learners, written down as the literature has them.

The exponential weights calculate in 50-digit decimals, where nothing cancels or overflows; Squint
integrates over its learning rates by quadrature.
"""

from decimal import Context, Decimal, localcontext

import numpy as np
from scipy.special import softmax

_LONG = Context(prec=50, Emax=10**17, Emin=-(10**17), traps=[])


def laws_of(twin, gains, bounds, *, delay=0):
    """The laws played, (round, arm), when what round t paid is learnt at the end of round t + delay."""
    played = []
    with localcontext(_LONG):
        for t in range(len(gains)):
            played.append(twin.law(float(bounds[t])))
            if t >= delay:
                twin.learn(played[t - delay], gains[t - delay], float(bounds[t - delay]))
    return np.array(played, dtype=np.float64)


class _Weights:
    """w ∝ exp(rate · cumulative gains)."""

    def __init__(self, n_arms):
        self.gains = [Decimal(0)] * n_arms
        self.log_arms = Decimal(n_arms).ln(_LONG)
        self.squares = Decimal(0)

    def weights(self, rate):
        top = max(self.gains)
        terms = [(rate * (g - top)).exp() for g in self.gains]
        return [term / sum(terms) for term in terms]

    def uniform_over(self, chosen):
        return [Decimal(int(c)) / sum(chosen) for c in chosen]

    def add(self, gains):
        self.gains = [total + Decimal(float(g)) for total, g in zip(self.gains, gains, strict=True)]


class HedgeTwin(_Weights):
    def law(self, bound):
        squares = self.squares + Decimal(bound) ** 2
        if squares == 0:
            return self.uniform_over([True] * len(self.gains))
        return self.weights(2 * (self.log_arms / squares).sqrt())

    def learn(self, played, gains, bound):
        self.squares += Decimal(bound) ** 2
        self.add(gains)


class SoloTwin(_Weights):
    def law(self, bound):
        if self.squares == 0:
            return self.uniform_over([True] * len(self.gains))
        return self.weights(self.log_arms.sqrt() / self.squares.sqrt())

    def learn(self, played, gains, bound):
        self.squares += max(abs(Decimal(float(g))) for g in gains) ** 2
        self.add(gains)


class AdaHedgeTwin(_Weights):
    gap = Decimal(0)

    def law(self, bound):
        if self.gap == 0:
            return self.uniform_over([g == max(self.gains) for g in self.gains])
        return self.weights(self.log_arms / self.gap)

    def learn(self, played, gains, bound):
        current = self.law(bound)
        row = [Decimal(float(g)) for g in gains]
        before = max(self.gains)
        rate = self.log_arms / self.gap if self.gap else None
        self.add(gains)
        if rate is None:
            mixed = max(self.gains) - before
        else:
            mixed = sum(w * (rate * g).exp() for w, g in zip(current, row, strict=True)).ln() / rate
        paid = sum(w * g for w, g in zip(played, row, strict=True))
        if mixed - paid > Decimal("1e-40") * max(map(abs, row)):  # less is rounding of the decimals
            self.gap += mixed - paid


def log_evidence(regret, square):
    """ln ∫₀^{1/2} exp(ηR − η²V) dη by composite Gauss–Legendre around the mode."""
    mode = float(np.clip(0.5 * regret / square, 0.0, 0.5)) if square > 0 else 0.5 * (regret > 0)
    inside = 0.0 < mode < 0.5
    slope = 0.0 if inside else regret - 2.0 * mode * square
    height = regret**2 / (4.0 * square) if inside else mode * (regret - mode * square)
    scale = 1.0 / max(abs(slope), np.sqrt(square), 2.0)
    edges = np.unique(np.clip(scale * np.arange(-50, 51), -mode, 0.5 - mode))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half = 0.5 * np.diff(edges)[:, None]
    away = edges[:-1, None] + half * (1.0 + nodes)
    return height + np.log(np.sum(half * weights * np.exp(away * (slope - away * square))))


class SquintTwin:
    """Keeps every round and sums them afresh, in units of the largest bound."""

    def __init__(self, n_arms):
        self.rounds = [np.zeros(n_arms)]
        self.reach = 0.0

    def law(self, bound):
        reach = max(self.reach, bound)
        r = np.array(self.rounds) / (reach if reach > 0 else 1.0)
        sums = zip(r.sum(axis=0), (r**2).sum(axis=0), strict=True)
        return softmax([log_evidence(regret, square) for regret, square in sums])

    def learn(self, played, gains, bound):
        self.reach = max(self.reach, bound)
        self.rounds.append(gains - played @ gains)


class OGATwin:
    """Projects by bisection, and sums the squares afresh."""

    def __init__(self, n_arms, alpha=1.0):
        self.point = np.full(n_arms, 1.0 / n_arms)
        self.alpha = alpha
        self.rounds = []

    def law(self, bound):
        return self.point

    def learn(self, played, gains, bound):
        self.rounds.append(gains)
        squares = np.sum(np.square(self.rounds))
        if squares > 0:
            self.point = bisected(self.point + self.alpha * gains / np.sqrt(squares))


def bisected(y):
    """The projection onto the simplex: halve the bracket of τ until Σ (y − τ)⁺ = 1 or it is a point."""
    low, high = y.max() - 1.0, y.max()
    for _ in range(200):
        middle = 0.5 * (low + high)
        if np.maximum(y - middle, 0.0).sum() > 1.0:
            low = middle
        else:
            high = middle
    return np.maximum(y - 0.5 * (low + high), 0.0)
