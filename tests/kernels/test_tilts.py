import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banditq.kernels.tilts import FAR, ORDER, REACH, WORK, collect_tilts, move_tilts, tilted_sum, weight_of

EPS = np.finfo(float).eps
PEAK = 1 / np.sqrt(2 * np.pi * ORDER)  # of e^(−u) u^ORDER / ORDER!, by Stirling


def moments_of(x, base=0.0, rate=1.0):
    weights = np.zeros(-(-len(x) // 8) * 8)
    weights[: len(x)] = [weight_of(rate * (value - base)) for value in x]
    moments = np.full(ORDER, np.nan)
    collect_tilts(np.array(x), base, rate, weights, np.full(WORK, np.nan), moments)
    return moments


def exact(u, s):
    """Σ e^(−u(1+s)) in extended precision, over the numbers that count."""
    u = np.array(u, np.longdouble)
    return np.sum(np.exp(-u[u < FAR] * (1 + np.longdouble(s))))


def slack(u, s):
    """The first term left out, and a rounding or two of each term: u ≤ 745 costs a weight 745 EPS."""
    u = np.minimum(np.array(u), FAR)
    rounding = np.sum((20 + len(u) + u) * np.exp(-u * (1 - s)))
    return PEAK * s**ORDER * len(u) + EPS * rounding


numbers = st.lists(
    st.sampled_from([0.0, 14.0, FAR, np.nextafter(FAR, 0), 1e9, 1e300])
    | st.floats(0, 50)
    | st.floats(0, 800),
    min_size=1,
    max_size=40,
)
tilts = st.sampled_from([0.0, REACH, 1e-9, 1e-300]) | st.floats(0, REACH)


@settings(deadline=None, max_examples=200)
@given(numbers, tilts)
def test_sum_of_a_few(u, s):
    assert abs(tilted_sum(moments_of(u), s) - exact(u, s)) <= slack(u, s)


def bound_of(n):
    """Relative to a largest weight of 1: the first term left out, and n/8 roundings, all the same way."""
    return PEAK * REACH**ORDER * n + EPS * (100 + n / 16)


@pytest.mark.parametrize("s", [0.0, REACH / 2, REACH])
@pytest.mark.parametrize("crowd", [0.0, 1.0, 5.0, 14.0, 30.0, 300.0])
@pytest.mark.parametrize("n", [1, 7, 8, 9, 1000, 100_000])
def test_sum_of_many_far_from_the_first(n, crowd, s):
    """Also where the series is at its worst: a crowd at 14, where its first omitted term has its peak."""
    u = np.full(n, crowd)
    u[0] = 0.0
    assert abs(tilted_sum(moments_of(u), s) / exact(u, s) - 1) <= bound_of(n)


def test_cutting_sooner_would_show():
    """So the bound above is one: with two moments fewer the crowd misses it."""
    u = np.append(0.0, np.full(100_000, 14.0))
    moments = moments_of(u)
    moments[-2:] = 0.0
    assert abs(tilted_sum(moments, REACH) / exact(u, REACH) - 1) > bound_of(u.size)


@settings(deadline=None, max_examples=100)
@given(numbers, st.integers(0, 39), st.floats(0, 800))
def test_a_number_replaced_is_a_number_collected(u, index, new):
    index %= len(u)
    moments, old = moments_of(u), min(u[index], FAR)
    move_tilts(moments, old, weight_of(old), min(new, FAR), weight_of(new))
    after = [*u]
    after[index] = new
    np.testing.assert_allclose(moments, moments_of(after), rtol=0, atol=4 * EPS * len(u))


def test_base_and_rate():
    u = np.random.default_rng(2).exponential(3.0, 77)
    np.testing.assert_allclose(moments_of(5.0 + u / 0.25, 5.0, 0.25), moments_of(u), rtol=1e-12)


def test_infinite_losses_weigh_nothing():
    np.testing.assert_array_equal(moments_of([0.0] * 9 + [np.inf] * 9), moments_of([0.0] * 9))
