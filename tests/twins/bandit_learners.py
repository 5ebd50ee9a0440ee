"""The bandit learners, written from their definitions: brackets and sums over all rounds, no speed.

A twin is asked for its ``law`` before each ``learn``, which is told the probability of the decision.
"""

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import softmax

EPS = np.finfo(float).eps


def root(function, low, high):
    """The root of a decreasing function that is known to lie between low and high."""
    return brentq(function, 0.99 * low, 1.01 * high, xtol=1e-300, rtol=4 * EPS, maxiter=1000)


class TsallisTwin:
    """FTRL with Tsallis entropy of power ½; its normalisation is bracketed, not iterated."""

    def __init__(self, n_arms, estimator):
        self.centred = estimator == "rv"
        self.losses = np.zeros(n_arms, np.longdouble)
        self.squares = 0.0
        self.eta = np.inf
        self.weights = np.full(n_arms, 1 / n_arms)

    def law(self, bound):
        squares = self.squares + bound**2
        if squares > 0:
            self.eta = (4 if self.centred else 2) / squares**0.5
            x = np.asarray(self.eta * (self.losses - self.losses.min()), float)
            y = root(lambda y: np.sum(4 / (x + y) ** 2) - 1, 2, 2 * x.size**0.5)
            self.weights = 4 / (x + y) ** 2
        return self.weights / self.weights.sum()

    def learn(self, arm, gain, bound, probability):
        self.squares += bound**2
        if bound == 0:
            return
        weights = self.weights / self.weights.sum()
        baseline = np.zeros(weights.size)
        if self.centred:
            eta = 4 / self.squares**0.5
            baseline[weights >= (eta * bound) ** 2] = bound / 2
        estimate = baseline.astype(np.longdouble)
        estimate[arm] += (bound - gain - baseline[arm]) / probability
        self.losses += estimate


class Exp3Twin:
    """Softmax of the losses; ``implicit`` is ½ for Exp3-IX."""

    def __init__(self, n_arms, implicit):
        self.implicit = implicit
        self.losses = np.zeros(n_arms, np.longdouble)
        self.squares = 0.0

    def eta(self, squares):
        n = self.losses.size
        return (2 * np.log(n) / n / squares) ** 0.5 if squares > 0 else 0.0

    def law(self, bound):
        exponents = self.eta(self.squares + bound**2) * (self.losses - self.losses.min())
        self.weights = softmax(-np.asarray(exponents, float))
        return self.weights

    def learn(self, arm, gain, bound, probability):
        self.squares += bound**2
        if bound > 0:
            divisor = probability + self.implicit * bound * self.eta(self.squares)
            self.losses[arm] += (bound - gain) / divisor


def bend(a):
    """−ln(1 − a) − a, infinite from a = 1 on."""
    small = np.abs(a) < 1e-3
    near = np.where(small, a, 0)
    near = near**2 / 2 + near**3 / 3 + near**4 / 4 + near**5 / 5 + near**6 / 6
    far = np.where(small | (a >= 1), 0, a)
    return np.where(small, near, np.where(a >= 1, np.inf, -np.log1p(-far) - far))


def least(function, low, high):
    """The least value of a convex function; its argument is found to a relative 1e-8."""
    if not low < high:
        return np.inf
    options = {"xatol": 0, "maxiter": 500}
    return minimize_scalar(function, bounds=(low, high), method="bounded", options=options).fun


def mixability_gap(p, arm, estimate, eta):
    """sup over q in the simplex of estimate (q_arm − p_arm) − D(q, p)/η, D the divergence of −Σ log.

    It is the least value of the dual: with ν the price of Σ q = 1, the sup over one q_i alone is
    bend(η p_i (estimate_i − ν)) / η. The price lies between 0 and the estimate, and above what would
    make some q_i infinite. Where it is near the estimate, their difference is what must be found.
    """
    if p.size == 1 or estimate == 0:
        return 0.0
    others = np.delete(p, arm)

    def dual(price, rest):  # price + rest = estimate
        return (np.sum(bend(-eta * others * price)) + bend(eta * p[arm] * rest)) / eta

    if estimate > 0:
        limit = min(estimate, 1 / (eta * p[arm]))
        near = least(lambda rest: dual(estimate - rest, rest), 0, limit)
        far = least(lambda price: dual(price, estimate - price), estimate - limit, estimate)
        return min(near, far)
    limit = min(-estimate, 1 / (eta * others.max()))
    near = least(lambda price: dual(-price, estimate + price), 0, limit)
    far = least(lambda rest: dual(estimate + rest, -rest), -estimate - limit, -estimate)
    return min(near, far)


class LogBarrierTwin:
    """Algorithm 1 of Putta and Agrawal, with the author's constants."""

    def __init__(self, n_arms):
        self.scores = np.zeros(n_arms, np.longdouble)
        self.total = 1.0  # S
        self.rounds = 0

    @property
    def eta(self):
        return self.scores.size / self.total

    def point(self):
        """argmax of ⟨scores, q⟩ + Σ log q / η."""
        n = self.scores.size
        x = np.asarray(self.eta * (self.scores.max() - self.scores), float)
        y = root(lambda y: np.sum(1 / (x + y)) - 1, 1, n)
        p = 1 / (x + y)
        return p / p.sum()

    def law(self, bound):
        n = self.scores.size
        gamma = 0.5 if self.rounds == 0 else min(0.5, (n / self.rounds) ** 0.5)
        self.p = self.point()
        self.weights = (1 - gamma) * self.p + gamma / n
        return self.weights

    def learn(self, arm, gain, bound, probability):
        self.rounds += 1
        estimate = gain / probability
        self.total += mixability_gap(self.point(), arm, estimate, self.eta)
        self.scores[arm] += np.longdouble(estimate)
