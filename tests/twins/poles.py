"""Sums over poles and divergences, number by number in extended precision."""

import numpy as np


def pole_powers(numbers, x):
    """Σ v, Σ v², Σ v³ for v = u / (1 + xu)."""
    u = np.asarray(numbers, np.longdouble)
    v = u / (1 + np.longdouble(x) * u)
    return tuple(np.sum(v**k) for k in (1, 2, 3))


def divergence(numbers, old, new):
    """Σ −log(1 − w) − w for w = (new − old) v at x = new, Gauss on ∫ s/(1 − s) ds from 0 to w."""
    u = np.asarray(numbers, np.longdouble)
    w = (np.longdouble(new) - np.longdouble(old)) * u / (1 + np.longdouble(new) * u)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    s = 0.5 * w[:, None] * (1 + nodes.astype(np.longdouble))
    return np.sum(0.5 * w * np.sum(weights * s / (1 - s), axis=1))
