"""Policies that guarantee pulls, from the whole history: no running counts, no recursion of queues.

What arms lack is counted in exact fractions, and linear programmes go to a solver. A history is a list of
events, ("open", arm) and ("reward", arm, reward), with rewards in [0, 1].
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import brentq, linprog

from twins.plain_policies import ucb1


def arms_opened(events):
    return np.array([event[1] for event in events if event[0] == "open"], int)


def rewards_of(events, arm):
    return [event[2] for event in events if event[0] == "reward" and event[1] == arm]


def standing(events, arm):
    """Mean and count; openings count at mean 0 while no reward has come."""
    came = rewards_of(events, arm)
    return (np.mean(came), len(came)) if came else (0.0, int((arms_opened(events) == arm).sum()))


def debts(events, fractions):
    """Lindley's queue in closed form: the walk f t − n above its lowest point so far."""
    arms = arms_opened(events)
    steps = np.asarray(fractions) - (arms[:, None] == np.arange(len(fractions)))
    walk = np.vstack([np.zeros(len(fractions)), np.cumsum(steps, axis=0)])
    return walk[-1] - walk.min(axis=0)


def lfg_values(events, fractions, eta):
    """D + η u of each arm; the first maximiser is played."""
    opened, t = arms_opened(events), len(arms_opened(events)) + 1
    bounds = np.ones(len(fractions))
    for arm in np.unique(opened):
        mean, count = standing(events, arm)
        bounds[arm] = min(mean + np.sqrt(3 * np.log(t) / (2 * count)), 1.0)
    return debts(events, fractions) + eta * bounds


def lags(events, fractions, rounds):
    """How many pulls each arm lacks of its fraction of these rounds, exactly."""
    opened = arms_opened(events).tolist()
    return [Fraction(float(f)) * rounds - opened.count(arm) for arm, f in enumerate(fractions)]


def fair_learn(events, fractions, alpha):
    """The arm that lags most at the last round, if by more than alpha, or UCB1's."""
    behind = lags(events, fractions, len(arms_opened(events)))
    return behind.index(max(behind)) if max(behind) > alpha else ucb1(events, len(fractions))


def strict_rate(events, fractions):
    """The arm that would lag most at the coming round, if any would, or UCB1's."""
    behind = lags(events, fractions, len(arms_opened(events)) + 1)
    return behind.index(max(behind)) if max(behind) > 0 else ucb1(events, len(fractions))


def worst_lag(fractions, first):
    """Σ of the largest mean of k positive fractions, over k from ``first``, by trying all sets of k."""
    positive, total = [f for f in fractions if f > 0], 0.0
    for k in range(first, len(positive) + 1):
        total += max(sum(chosen) / k for chosen in combinations(positive, k))
    return total


def stochastic_rate_law(events, fractions):
    law = np.array(fractions, float)
    law[ucb1(events, len(fractions))] += 1.0 - sum(fractions)
    return law


class Bounds:
    """Laws whose mass on each group lies between bounds, as rows for a solver; free arms become groups."""

    def __init__(self, n_arms, lower, upper=None, groups=None):
        self.n_arms = n_arms
        groups = [[arm] for arm in range(n_arms)] if groups is None else [list(g) for g in groups]
        free = sorted(set(range(n_arms)).difference(*groups))
        self.groups = groups + [[arm] for arm in free]
        self.lower = np.r_[lower, np.zeros(len(free))]
        self.upper = np.r_[np.ones(len(groups)) if upper is None else upper, np.ones(len(free))]
        self.rows = np.array([[float(arm in g) for arm in range(n_arms)] for g in self.groups])

    def best(self, gains):
        """A law of the most gain, and the gain."""
        found = linprog(
            -np.asarray(gains),
            A_ub=np.vstack([self.rows, -self.rows]),
            b_ub=np.r_[self.upper, -self.lower],
            A_eq=np.ones((1, self.n_arms)),
            b_eq=[1.0],
        )
        assert found.status == 0
        return found.x, -found.fun

    def excess(self, law):
        """By how much a law breaks the bound that it breaks most."""
        masses = self.rows @ law
        return max((masses - self.upper).max(), (self.lower - masses).max())

    def reach(self):
        """The least and the greatest mass of each group."""
        return np.array([(-self.best(-row)[1], self.best(row)[1]) for row in self.rows]).T

    def inner_point(self):
        """Each group the same part of its way from least to greatest, found by Brent's method."""
        least, greatest = self.reach()
        part = 0.0
        if (greatest - least).sum() > 1e-12:
            part = brentq(lambda p: (least + p * (greatest - least)).sum() - 1.0, 0.0, 1.0, xtol=1e-15)
        masses = least + part * (greatest - least)
        return self.rows.T @ (masses / self.rows.sum(axis=1))


def means(events, n_arms):
    """Mean reward of each arm, 0 for one without rewards."""
    return np.array([np.mean(rewards_of(events, arm) or [0.0]) for arm in range(n_arms)])


def constrained_epsilon_greedy_law(events, bounds, inner, decay):
    """The mix of inner point and optimum; ties go to what is listed first, by a gain too small to count."""
    listed = [arm for group in bounds.groups for arm in group]
    gains = 1e4 * means(events, bounds.n_arms)
    gains[listed] -= 1e-4 * np.arange(bounds.n_arms)
    epsilon = min(1.0, decay / (inner[inner > 1e-12].min() * (len(arms_opened(events)) + 1)))
    return epsilon * inner + (1.0 - epsilon) * bounds.best(gains)[0]
