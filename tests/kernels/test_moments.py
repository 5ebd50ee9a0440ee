import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banditq.kernels.moments import (
    ORDER,
    REACH,
    WORK,
    bend_sum,
    collect_moments,
    move_moments,
    pole_moments,
)
from twins.poles import divergence, pole_powers

EPS = np.finfo(float).eps
MANY = np.random.default_rng(1).random(800) ** 3


def moments_of(numbers, unit=1.0):
    rows = np.zeros(-(-len(numbers) // 8) * 8)
    rows[: len(numbers)] = numbers
    moments = np.full(ORDER, np.nan)
    collect_moments(rows, unit, np.full(WORK, np.nan), moments)
    return moments


numbers = st.lists(
    st.sampled_from([0.0, 1.0, 0.5, 1e-3, 1e-200]) | st.floats(0, 1), min_size=1, max_size=40
)
offsets = st.sampled_from([0.0, REACH, -REACH, 1e-9, -1e-300]) | st.floats(-REACH, REACH)


def truncation(x, k):
    """C(n, k) |x|^(n − k) of the first moment left out, n = ORDER, and what follows it."""
    n = ORDER
    binomial = [1.0, n, n * (n - 1) / 2][k]
    return 2.0 * binomial * abs(x) ** (n - k)


@settings(deadline=None, max_examples=200)
@given(numbers, offsets)
def test_pole_sums_are_those_of_the_numbers(u, x):
    found = pole_moments(moments_of(u), x)
    for k, (value, exact) in enumerate(zip(found, pole_powers(u, x), strict=True)):
        assert abs(value - exact) <= (truncation(x, k) + 100 * EPS) * float(exact) + 1e-300


@settings(deadline=None, max_examples=200)
@given(numbers, offsets, offsets)
def test_the_divergence_is_that_of_the_numbers(u, old, new):
    exact = float(divergence(u, old, new))
    wide = max(abs(old), abs(new))
    slack = ORDER * wide ** (ORDER - 1) * 1.5 + 100 * EPS
    assert abs(bend_sum(moments_of(u), old, new) - exact) <= slack * exact + 1e-300


@pytest.mark.parametrize("shift", [1e-3, 1e-6, 1e-9, 1e-13])
def test_a_small_divergence_keeps_its_digits(shift):
    old, new = 0.03, 0.03 + shift
    found = bend_sum(moments_of(MANY), old, new)
    np.testing.assert_allclose(found, float(divergence(MANY, old, new)), rtol=1e-13)


def test_the_unit_multiplies():
    np.testing.assert_array_equal(moments_of(MANY, 0.25), moments_of(0.25 * MANY))
    powers = [np.sum((0.25 * MANY.astype(np.longdouble)) ** k) for k in range(1, ORDER + 1)]
    np.testing.assert_allclose(moments_of(MANY, 0.25), np.array(powers, float), rtol=1e-14)


def test_differences_add_up_to_what_there_is():
    rng = np.random.default_rng(2)
    now, moments = MANY.copy(), moments_of(MANY)
    for _ in range(20_000):
        i, new = rng.integers(now.size), rng.choice([0.0, rng.random()])
        move_moments(moments, now[i], new)
        now[i] = new
    # an update rounds a moment by half a unit in its last place, and its own powers by ORDER of theirs
    bound = 20_000 * EPS * (np.maximum(moments_of(MANY), moments_of(now)) + 2 * ORDER)
    assert (np.abs(moments - moments_of(now)) <= bound).all()
