"""The inequalities of the proofs, solved by root finding, by iteration and on given paths."""

import numpy as np
from scipy import optimize


def largest_energy(n, t, v):
    """The largest R with R² ≤ Σ_{τ ≤ t} of the right side of (ineq1) at t, OGA's constant written out."""

    def excess(r):
        return r**2 - t * (2 * (v + 1) * t + 4 * np.sqrt(2 * r**2) + 4 * v * np.sqrt(2 * n * t))

    high = 1.0
    while excess(high) <= 0:
        high *= 2
    return optimize.brentq(excess, 0.5 * high, high, xtol=1e-12, rtol=1e-15)


def worst_queues(n, rounds, v):
    """Queues S_1, S_2, … each as large as (ineq1) lets it be, given those before it."""
    queues, energy = np.empty(rounds), 0.0
    for t in range(1, rounds + 1):
        constant = 2 * (v + 1) * t + 4 * v * np.sqrt(2 * n * t)
        square = constant
        for _ in range(200):  # a contraction once square is this large
            before, square = square, constant + 4 * np.sqrt(2 * (energy + square))
            if abs(square - before) <= 1e-13 * square:
                break
        energy += square
        queues[t - 1] = np.sqrt(square)
    return queues


def regrets_allowed(queues, n, v):
    """The largest regret after each round that (main-ineq3) allows on a path of queues."""
    t = np.arange(1, queues.size + 1)
    energies = np.cumsum(queues**2)
    return (2 * t + 4 * np.sqrt(2 * energies) + 4 * v * np.sqrt(2 * n * t) - queues**2) / (2 * v)


def ascent(gains, alpha):
    """Regret of online gradient ascent against the best arm, and Σ‖g‖²; projection by sorting."""
    n = gains.shape[1]
    x, squares, earned = np.full(n, 1 / n), 0.0, 0.0
    for g in gains:
        earned += x @ g
        squares += g @ g
        y = x + alpha * g / np.sqrt(squares)
        u = np.sort(y)[::-1]
        thresholds = (np.cumsum(u) - 1) / np.arange(1, n + 1)
        x = np.maximum(y - thresholds[np.flatnonzero(u > thresholds)[-1]], 0)
    return gains.sum(axis=0).max() - earned, squares


def tsallis_sum(n, bounds):
    """Price of the regulariser at the last rate, plus all stability terms at uniform weights."""
    squares = np.cumsum(bounds**2)
    rates = 2 / np.sqrt(squares)
    regulariser = 4 * (n * np.sqrt(1 / n) - 1)
    return regulariser / rates[-1] + (rates / 2 * bounds**2 * n * np.sqrt(1 / n)).sum()


def bandit_orders(n, t, v):
    """Queue and regret from the bandit inequalities with every hidden constant 1."""
    terms = 2 * (v + 1) * t + n * v * np.sqrt(t) + np.sqrt(n) * t**1.5
    energy = _root(np.sqrt(n) * t, t * terms)
    queue = np.sqrt(terms + np.sqrt(n) * energy)
    surrogate = np.sqrt(n) * energy + n * v * np.sqrt(t) + v * np.sqrt(n * t) + np.sqrt(n * t) * queue
    return queue, (2 * t + surrogate) / (2 * v)


def bandit_queue_without_reward(n, t):
    """The same at V = 0, with the maximum of the queues put in."""
    peak = n**0.25 * t**0.75
    terms = 2 * t + np.sqrt(n * t) * peak
    return np.sqrt(terms + np.sqrt(n) * _root(np.sqrt(n) * t, t * terms))


def _root(b, c):
    """The R > 0 with R² = b R + c."""
    high = b + np.sqrt(c) + 1.0
    return optimize.brentq(lambda r: r * r - b * r - c, 0.0, 2 * high, rtol=1e-14)
