"""Gains to try learners on, with the bounds that announce them: (round, arm) and (round,)."""

import numpy as np

ROUNDS = 130


def _bernoulli(rng):
    """Surrogate gains as BanditQ makes them: the scale grows like a queue."""
    scale = 3 + np.cumsum(rng.random(ROUNDS))
    return (rng.random((ROUNDS, 5)) < [0.335, 0.203, 0.241, 0.781, 0.617]) * scale[:, None], scale


def _growing(rng):
    scale = np.arange(1.0, ROUNDS + 1) ** 3
    return rng.random((ROUNDS, 4)) * scale[:, None], scale


def _idle(rng):
    """Rounds in which nothing can be gained, the first ten among them."""
    scale = np.where(np.arange(ROUNDS) < 10, 0.0, rng.integers(0, 2, ROUNDS) * 1.5)
    return rng.random((ROUNDS, 3)) * scale[:, None], scale


def _jumps(rng):
    """The scale leaps by up to nineteen orders of magnitude, up and down."""
    scale = np.repeat(10.0 ** rng.uniform(-6, 13, ROUNDS // 10), 10)
    return rng.random((ROUNDS, 6)) * scale[:, None], scale


def _ties(rng):
    """Equal gains at first, then few different values."""
    gains = rng.integers(0, 3, (ROUNDS, 5)) / 2.0
    gains[:7] = gains[:7, :1]
    gains[:, 3] = gains[:, 2]
    return gains, np.ones(ROUNDS)


def _comeback(rng):
    """Two arms fall so far behind that their weight is no number any more, then one wins it all."""
    gains = np.zeros((ROUNDS, 3))
    gains[:60, 0] = 10.0 + rng.random(60)
    gains[60:, 1] = 90.0 * rng.random(ROUNDS - 60)
    gains[100, 2] = 1e7
    return gains, np.maximum(gains.max(axis=1), 90.0)


def _opposed(rng):
    """Three arms of which always exactly one gains, least often the last one."""
    winner = rng.choice(3, ROUNDS, p=[0.45, 0.4, 0.15])
    return np.eye(3)[winner], np.ones(ROUNDS)


def _crowd(rng):
    scale = np.full(ROUNDS, 2.0)
    return rng.random((ROUNDS, 40)) * scale[:, None], scale


def _single(rng):
    return rng.random((ROUNDS, 1)), np.ones(ROUNDS)


def _signed(rng):
    return rng.normal(size=(ROUNDS, 5)) * rng.lognormal(0, 2, (ROUNDS, 1)), np.full(ROUNDS, np.inf)


def _distant(rng):
    """Differences of order 1 on top of a million million."""
    return -1e12 + np.floor(rng.random((ROUNDS, 4)) * 1024) / 512, np.full(ROUNDS, np.inf)


def _build(makers):
    return {make.__name__[1:]: make(np.random.default_rng(20)) for make in makers}


RANGED = _build([_bernoulli, _growing, _idle, _jumps, _ties, _comeback, _opposed, _crowd, _single])
REAL = RANGED | _build([_signed, _distant])
