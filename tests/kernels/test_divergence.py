from decimal import Decimal
from math import exp, inf, log, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln

from banditq.kernels.divergence import (
    bernoulli_kl,
    kl_lower,
    kl_lower_near,
    kl_upper,
    kl_upper_near,
    log_mixture,
    upper_exceeds,
    upper_reach,
)
from twins import divergence as twin

exponents = st.floats(-12, 0)
means = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5]),
    st.floats(0, 1).map(float),
    exponents.map(lambda e: 10**e),
    exponents.map(lambda e: 1 - 10**e),
)
budgets = st.floats(-14, 1.5).map(lambda e: 10**e)


@given(means, st.floats(1e-9, 1 - 1e-9))
@settings(deadline=None, max_examples=300)
def test_divergence_agrees_with_sixty_digits(mean, q):
    exact = twin.kl(mean, q)
    # its own rounding, and that of 1 − q where q is near the mean
    slack = 1e-13 * float(exact) + 4e-16 * abs(q - mean)
    assert abs(Decimal(bernoulli_kl(mean, q)) - exact) <= slack


@given(means, budgets)
@settings(deadline=None, max_examples=150)
def test_bounds_agree_with_bisection_in_sixty_digits(mean, budget):
    upper, lower = kl_upper(mean, budget), kl_lower(mean, budget)
    exact = twin.bound(mean, budget, -1)
    assert abs(Decimal(upper) - twin.bound(mean, budget, +1)) <= 1e-15
    assert abs(Decimal(lower) - exact) <= 1e-15
    if exact > 1e-45:
        assert abs(Decimal(lower) / exact - 1) <= 1e-11
    assert 0 <= lower <= mean <= upper <= 1
    assert upper_reach(mean, budget) >= upper


@given(means, budgets, st.floats(0, 1), st.sampled_from([1.0, 1e-3, 1e-7, 0.0]))
@settings(deadline=None, max_examples=200)
def test_bounds_from_a_guess_are_the_bounds(mean, budget, guess, distance):
    """From anywhere, and from near the bound on either side."""
    upper, lower = kl_upper(mean, budget), kl_lower(mean, budget)
    near = kl_upper_near(mean, budget, upper + distance * (guess - upper))
    assert abs(Decimal(near) - twin.bound(mean, budget, +1)) <= 1e-15
    near, exact = (
        kl_lower_near(mean, budget, lower + distance * (guess - lower)),
        twin.bound(mean, budget, -1),
    )
    assert abs(Decimal(near) - exact) <= 1e-15
    if exact > 1e-45:
        assert abs(Decimal(near) / exact - 1) <= 1e-11


@given(means, budgets, st.floats(1, 4))
@settings(deadline=None)
def test_a_larger_budget_reaches_further(mean, budget, factor):
    assert kl_upper(mean, factor * budget) >= kl_upper(mean, budget)
    assert kl_lower(mean, factor * budget) <= kl_lower(mean, budget)


@given(st.integers(0, 2**30), budgets)
@settings(deadline=None)
def test_bounds_mirror_each_other(numerator, budget):
    mean = numerator / 2**30  # so that 1 − mean is exact
    assert kl_lower(1 - mean, budget) == pytest.approx(1 - kl_upper(mean, budget), abs=1e-14)


@pytest.mark.parametrize("mean", [0.0, 1e-320, 1e-280, 0.3, 1.0])
def test_ends(mean):
    assert kl_upper(mean, 0.0) == mean == kl_lower(mean, 0.0)
    assert kl_upper(mean, 1e4) == 1.0
    assert kl_lower(mean, 1e4) == 0.0
    assert kl_upper(mean, inf) == 1.0
    assert kl_lower(mean, inf) == 0.0


@given(st.floats(0, 1), st.floats(0, 30), st.floats(0, 1.2))
@settings(deadline=None)
def test_a_bound_exceeds_what_is_below_it(mean, budget, limit):
    bound = kl_upper(mean, budget)
    for value in (limit, 0.999 * bound, min(1.001 * bound, 1.0)):
        if abs(value - bound) > 1e-7 * bound:  # next to it the divergence is flat, or rounding decides
            assert upper_exceeds(mean, budget, value) == (bound > value)


def test_certain_means_have_closed_forms():
    assert kl_upper(0.0, 0.7) == pytest.approx(1 - exp(-0.7), rel=1e-15)
    assert kl_lower(1.0, 0.7) == pytest.approx(exp(-0.7), rel=1e-15)


@given(st.integers(0, 1200), st.integers(0, 1200))
@settings(deadline=None, max_examples=60)
def test_mixture_of_whole_numbers(successes, failures):
    assert log_mixture(successes, failures) == pytest.approx(
        twin.log_mixture(successes, failures), abs=4e-14
    )


@given(st.floats(0, 300), st.floats(0, 300))
@settings(deadline=None)
def test_mixture_of_fractions(successes, failures):
    n = successes + failures
    peak = sum(x * (np.log(x) - np.log(n)) for x in (successes, failures) if x > 0)
    assert log_mixture(successes, failures) == pytest.approx(
        betaln(successes + 1, failures + 1) - peak, abs=1e-11
    )


@pytest.mark.parametrize(("s", "f"), [(4e12, 6e12), (1e9, 1e12), (1e15, 1e15)])
def test_mixture_of_many_is_gaussian(s, f):
    n = s + f
    # the next terms of Stirling's series
    slack = (1 / s + 1 / f) / 6 + 1e-14 * abs(log(n))
    assert log_mixture(s, f) == pytest.approx(0.5 * log(2 * pi * s / n * f) - log(n), abs=slack)
