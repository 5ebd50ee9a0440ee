"""Plays a bandit learner on a table of gains, compiled or as plain Python, and keeps every law."""

from typing import NamedTuple

import numpy as np
from numba import njit

from banditq.kernels.compiling import python_form
from banditq.kernels.noise import scramble
from banditq.kernels.protocol import draw, law, learn


class Trace(NamedTuple):
    arms: np.ndarray
    probabilities: np.ndarray
    laws: np.ndarray  # (round, arm), each before its draw


@njit(error_model="numpy")
def _rounds(state, key, gains, bounds, arms, probabilities, laws):
    for t in range(bounds.size):
        law(state, bounds[t], laws[t])
        arms[t], probabilities[t] = draw(state, bounds[t], scramble(key, t))
        learn(state, arms[t], probabilities[t], gains[t, arms[t]], bounds[t])


@njit(error_model="numpy")
def _draws(state, bound, noises, arms, probabilities):
    for j in range(noises.size):
        arms[j], probabilities[j] = draw(state, bound, noises[j])


@njit(error_model="numpy")
def _long_run(state, key, gains, bounds, rounds):
    for t in range(rounds):
        row = t % bounds.size
        arm, probability = draw(state, bounds[row], scramble(key, t))
        learn(state, arm, probability, gains[row, arm], bounds[row])


def play(state, seed, gains, bounds, *, compiled=True):
    """One trajectory; row t of ``gains`` holds what each arm would pay."""
    rounds, n_arms = gains.shape
    trace = Trace(np.empty(rounds, np.int64), np.empty(rounds), np.empty((rounds, n_arms)))
    run = _rounds if compiled else python_form(_rounds)
    run(state, np.uint64(seed), gains, bounds, *trace)
    return trace


def play_long(state, seed, gains, bounds, rounds):
    """Many rounds over a table that repeats; keeps nothing but the state."""
    _long_run(state, np.uint64(seed), gains, bounds, rounds)


def draws(state, bound, noises):
    """What many draws without learning return."""
    arms, probabilities = np.empty(len(noises), np.int64), np.empty(len(noises))
    _draws(state, bound, np.array(noises, np.uint64), arms, probabilities)
    return arms, probabilities


def law_of(state, n_arms, bound):
    """The law, as an array."""
    out = np.full(n_arms, np.nan)
    law(state, bound, out)
    return out


def copy_of(state):
    """A state that shares no array."""
    return type(state)(*(x.copy() if isinstance(x, np.ndarray) else x for x in state))


def contents(state):
    """Everything a state holds, as bytes."""
    return [x.tobytes() if isinstance(x, np.ndarray) else x for x in state]


def scenario(seed, n_arms, rounds, *, scale=1.0, low=0.0):
    """Bounds that wander over a factor of 100, and gains between ``low`` times the bound and the bound.

    The first arm is good, the last pays its bound now and then, a sixth of all gains are 0.
    """
    rng = np.random.default_rng(seed)
    bounds = scale * 10.0 ** rng.uniform(-1, 1, rounds)
    fractions = rng.uniform(low, 1.0, (rounds, n_arms)) * rng.uniform(0.2, 1.0, n_arms)
    fractions[:, 0] = np.maximum(fractions[:, 0], rng.uniform(0.5, 1.0, rounds))
    fractions[rng.random((rounds, n_arms)) < 1 / 6] = 0.0
    fractions[rng.random(rounds) < 0.1, -1] = 1.0
    return fractions * bounds[:, None], bounds
