import threading

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from banditq.kernels.compiling import python_form
from banditq.kernels.simplex import simplex_threshold
from twins.full_learners import bisected

EPS = np.finfo(float).eps
GUESSES = (0.0, -1.0, 1.0, -1e3, 1e3, -1e9, 1e9, -1e17, 1e17, -1e300, 1e300)


def projected(y, guess=0.0):
    x = np.array(y, dtype=np.float64)
    threshold = simplex_threshold(x, guess)
    return np.maximum(x - threshold, 0.0), threshold


def tolerance(y):
    """A threshold can be no finer than the numbers it is compared with."""
    return 1e-13 + 4 * EPS * len(y) * np.abs(y).max()


numbers = st.floats(-5, 5) | st.sampled_from([0.0, 1.0, 1 / 3, 1 / 6, 0.5])
vectors = st.lists(numbers, min_size=1, max_size=30).map(np.array)


@given(vectors, st.floats(-10, 10) | st.sampled_from(GUESSES))
@settings(deadline=None, max_examples=300)
def test_it_is_the_nearest_distribution_whatever_the_guess(y, guess):
    x, threshold = projected(y, guess)
    assert x.min() >= 0.0
    assert x.sum() == pytest.approx(1.0, abs=tolerance(y))
    # these conditions are sufficient, the problem being convex
    np.testing.assert_allclose((y - x)[x > 0], threshold, atol=tolerance(y))
    assert np.all(y[x == 0] <= threshold + tolerance(y))


@given(vectors)
@settings(deadline=None)
def test_it_is_idempotent(y):
    once, _ = projected(y)
    twice, _ = projected(once)
    np.testing.assert_allclose(twice, once, rtol=0, atol=1e-14 * len(y))


@given(vectors, st.randoms(use_true_random=False), st.integers(-20, 20))
@settings(deadline=None)
def test_permutations_and_common_shifts_pass_through(y, random, shift):
    order = list(range(len(y)))
    random.shuffle(order)
    x, threshold = projected(y)
    permuted, _ = projected(y[order])
    np.testing.assert_allclose(permuted, x[order], rtol=0, atol=tolerance(y))
    shifted, moved = projected(y + shift)
    np.testing.assert_allclose(shifted, x, rtol=0, atol=2 * tolerance(y + shift))
    assert moved - threshold == pytest.approx(shift, abs=2 * tolerance(y + shift))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 40, 333, 2000])
@pytest.mark.parametrize("spread", [1e-9, 1e-3, 1.0, 30.0, 1e6])
def test_it_agrees_with_bisection(n, spread):
    rng = np.random.default_rng(n)
    for y in (rng.normal(size=n) * spread, rng.integers(0, 3, n) * spread, rng.random(n) * spread - 7):
        np.testing.assert_allclose(projected(y)[0], bisected(y), rtol=0, atol=tolerance(y))


@pytest.mark.parametrize("n", [1, 2, 3, 8, 25])
def test_it_agrees_with_a_quadratic_program(n):
    y = np.random.default_rng(n).normal(size=n)
    x = cp.Variable(n)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x - y)), [x >= 0, cp.sum(x) == 1])
    problem.solve(solver=cp.CLARABEL)
    # the solver stops at a gap of 1e-8, which bounds the squared distance
    np.testing.assert_allclose(projected(y)[0], x.value, rtol=0, atol=1e-4)
    assert np.sum((projected(y)[0] - y) ** 2) <= problem.value + 1e-7


@njit(nogil=True)
def _visit_ties(denominator, offset, y, guesses, sums):
    """Every vector of so many numbers 0, 1, 2, 3 over the denominator, plus the offset."""
    for number in range(sums.size):
        for i in range(y.size):
            y[i] = (number // 4**i % 4) / denominator + offset
        threshold = simplex_threshold(y, guesses[number % guesses.size])
        sums[number] = np.maximum(y - threshold, 0.0).sum()


@pytest.mark.parametrize("offset", [0.0, 2048 / 3, 131072 / 3])
@pytest.mark.parametrize("denominator", [3.0, 5.0, 6.0, 7.0])
def test_ties_next_to_the_threshold_do_not_hold_it_up(denominator, offset):
    """Rounding can put the threshold now above, now below a tie; that must come to an end."""
    sums = np.full(4**6, np.nan)
    guesses = np.array([0.0, 0.1, -1.0, 1.0, -1e3])
    arguments = (denominator, offset, np.zeros(6), guesses, sums)
    worker = threading.Thread(target=_visit_ties, args=arguments, daemon=True)
    worker.start()
    worker.join(timeout=60.0)
    assert not worker.is_alive()
    np.testing.assert_allclose(sums, 1.0, rtol=0, atol=tolerance(np.full(6, offset + 1.0)))


@pytest.mark.parametrize("n", [1, 5, 2000])
def test_compiled_and_interpreted_agree(n):
    y = np.random.default_rng(n).normal(size=n)
    for guess in GUESSES:
        interpreted = python_form(simplex_threshold)(y, guess)
        np.testing.assert_allclose(projected(y, guess)[1], interpreted, rtol=0, atol=1e-13)


def test_one_arm_gets_everything():
    for y in (-1e6, -1.0, 0.0, 0.3, 1.0, 1e6):
        assert projected([y], 0.0)[0] == pytest.approx([1.0], abs=1e-9)
