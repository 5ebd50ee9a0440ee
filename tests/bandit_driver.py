"""Plays a bandit learner on a table of gains, compiled or as plain Python, and keeps every law.

Also the tables and the checks that all bandit learners share.
"""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numba import njit

from banditq.kernels.compiling import python_form
from banditq.kernels.noise import scramble
from banditq.kernels.protocol import draw, law, learn
from twins.splitmix import seed_for_uniform


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
def _long_run(state, key, gains, bounds, rounds, sign, high, low):
    for t in range(rounds):
        row = t % bounds.size
        arm, probability = draw(state, bounds[row], scramble(key, t))
        gain = gains[row, arm]
        learn(state, arm, probability, gain, bounds[row])
        estimate = (gain if sign > 0 else bounds[row] - gain) / probability
        total = high[arm] + estimate  # and what rounding took away, as Knuth has it
        part = total - high[arm]
        low[arm] += (high[arm] - (total - part)) + (estimate - part)
        high[arm] = total


def play(state, seed, gains, bounds, *, compiled=True):
    """One trajectory; row t of ``gains`` holds what each arm would pay."""
    rounds, n_arms = gains.shape
    trace = Trace(np.empty(rounds, np.int64), np.empty(rounds), np.empty((rounds, n_arms)))
    run = _rounds if compiled else python_form(_rounds)
    run(state, np.uint64(seed), gains, bounds, *trace)
    return trace


def play_long(state, seed, gains, bounds, rounds, *, sign=-1):
    """Many rounds over a table that repeats.

    Returns the sums of the importance-weighted losses, or gains if the sign is +1, to twice the precision.
    """
    high, low = np.zeros(gains.shape[1]), np.zeros(gains.shape[1])
    _long_run(state, np.uint64(seed), gains, bounds, rounds, sign, high, low)
    return high.astype(np.longdouble) + low


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
    if isinstance(state, tuple):
        return type(state)(*map(copy_of, state))
    return state.copy() if isinstance(state, np.ndarray) else state


def contents(state):
    """Everything a state holds, as bytes."""
    if isinstance(state, tuple):
        return [contents(member) for member in state]
    return state.tobytes() if isinstance(state, np.ndarray) else state


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


EXTREMES = {  # (arms, rounds) -> gains, bounds
    "nothing to win": lambda n, r: (np.zeros((r, n)), np.zeros(r)),
    "nothing to win at first": lambda n, r: (np.zeros((r, n)), np.repeat([0.0, 1.0], r // 2)),
    "nothing won": lambda n, r: (np.zeros((r, n)), np.full(r, 1e13)),
    "one arm wins all": lambda n, r: (1e13 * np.eye(n)[np.zeros(r, int)], np.full(r, 1e13)),
    "scales jump": lambda n, r: (np.zeros((r, n)), np.tile([1e-3, 1e13, 0.0, 1.0], r // 4)),
    "no arm loses": lambda n, r: (np.outer(1.5 + np.arange(r) % 7, np.ones(n)), 1.5 + np.arange(r) % 7),
}


# lists of (bound, fractions of it that the arms would pay)
tables = st.integers(1, 7).flatmap(
    lambda n: st.lists(
        st.tuples(
            st.sampled_from([0.0, 1e-3, 1.0, 2.5, 7e12]) | st.floats(1e-2, 1e2),
            st.lists(st.sampled_from([0.0, 1.0]) | st.floats(0, 1), min_size=n, max_size=n),
        ),
        min_size=1,
        max_size=40,
    )
)


def arrays(table):
    """Gains and bounds of a drawn table."""
    bounds = np.array([bound for bound, _ in table])
    return np.array([fractions for _, fractions in table]) * bounds[:, None], bounds


def assert_follows(trace, twin, gains, bounds):
    """Every law is the twin's, along the arms and the probabilities of a trace.

    With probabilities of its own the twin would leave the trace in time, however exact both are: an arm
    that is thought a little likelier is charged a little less, and becomes likelier still.
    """
    laws = np.empty_like(trace.laws)
    for t, arm in enumerate(trace.arms):
        laws[t] = twin.law(bounds[t])
        twin.learn(arm, gains[t, arm], bounds[t], trace.probabilities[t])
    np.testing.assert_allclose(trace.laws, laws, rtol=1e-9, atol=1e-300)
    drawn = laws[np.arange(trace.arms.size), trace.arms]
    np.testing.assert_allclose(trace.probabilities, drawn, rtol=1e-9)


def assert_no_order(fresh, table, random):
    """Numbering the arms differently numbers the law differently, and changes nothing else."""
    gains, bounds = arrays(table)
    rounds, n_arms = gains.shape
    order = list(range(n_arms))
    random.shuffle(order)
    place = np.argsort(order)
    one, other = fresh(n_arms), fresh(n_arms)
    for t in range(rounds):
        arm, probability = draw(one, bounds[t], np.uint64(t))
        draw(other, bounds[t], np.uint64(t))
        learn(one, arm, probability, gains[t, arm], bounds[t])
        learn(other, place[arm], probability, gains[t, arm], bounds[t])
        expected = law_of(one, n_arms, bounds[t])[order]
        np.testing.assert_allclose(law_of(other, n_arms, bounds[t]), expected, rtol=1e-9, atol=1e-300)


def assert_scale_free(fresh, table, power):
    """Gains and bounds in another unit change no arm and no bit of a law."""
    gains, bounds = arrays(table)
    n_arms = gains.shape[1]
    plain = play(fresh(n_arms), 1, gains, bounds, compiled=False)
    scaled = play(fresh(n_arms), 1, gains * 2.0**power, bounds * 2.0**power, compiled=False)
    for one, other in zip(plain, scaled, strict=True):
        np.testing.assert_array_equal(one, other)


def assert_splits_unit_interval(state, n_arms, bound):
    """The first uniform number decides: arm after arm takes its share of the interval."""
    expected = law_of(state, n_arms, bound)
    edges = np.concatenate([[0], np.cumsum(expected)])
    grid = (np.arange(4000) + 0.5) / 4000
    wide = expected > 1e-10
    corners = np.concatenate([edges[:-1][wide] + 1e-11, edges[1:][wide] - 1e-11])
    points = np.clip(np.concatenate([grid, corners, [0.0, 1.0]]), 0, 1 - 2.0**-53)
    arms, probabilities = draws(state, bound, [seed_for_uniform(u) for u in points])
    split = np.searchsorted(edges, points, side="right") - 1
    np.testing.assert_array_equal(arms, np.clip(split, 0, n_arms - 1))
    np.testing.assert_allclose(probabilities, expected[arms], rtol=1e-9)
