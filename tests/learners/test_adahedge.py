from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banditq.kernels.protocol import uses_bound
from banditq.learners.adahedge import AdaHedge, curvature
from full_driver import ADVERSARIES, SCALES, duel, play, regret_of
from twins.full_learners import AdaHedgeTwin, laws_of
from twins.gain_tables import REAL


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("name", REAL)
def test_it_plays_as_its_definition(name, delay):
    gains, bounds = REAL[name]
    n_arms = gains.shape[1]
    state, twin = AdaHedge().state(n_arms), AdaHedgeTwin(n_arms)
    laws = play(state, gains, bounds, delay=delay)
    expected = laws_of(twin, gains, bounds, delay=delay)
    np.testing.assert_allclose(laws, expected, rtol=1e-10, atol=1e-100)
    assert state.memory[1] == pytest.approx(float(twin.gap), rel=1e-12, abs=0)


@given(st.floats(-700, 700) | st.floats(-0.07, 0.07) | st.floats(-1e-9, 1e-9))
@settings(deadline=None, max_examples=500)
def test_the_curvature_of_exp_does_not_cancel(z):
    with localcontext() as context:
        context.prec = 700
        exact = float(Decimal(z).exp() - 1 - Decimal(z))
    assert curvature(z) == pytest.approx(exact, rel=2e-14, abs=1e-320)


def test_rounding_does_not_add_up_to_a_gap():
    """These gaps are η var(g)/2 ≈ 1e-19 each, far below what Δ can hold; differences of logarithms
    would be off by 1e-16/η ≈ 1e-10.
    """
    state = AdaHedge().state(2)
    play(state, [[1e6, 0.0]], [0.0])
    assert state.memory[1] == 5e5
    play(state, np.tile([[1e-6, 0.0], [0.0, 1e-6]], (5_000, 1)), np.zeros(10_000))
    assert state.memory[1] == 5e5


def test_it_needs_no_bound():
    assert not uses_bound(AdaHedge().state(2))


def test_leaders_share_until_somebody_falls_behind():
    """Equal gains leave no gap, even where thirds do not add up to one."""
    state = AdaHedge().state(3)
    laws = play(state, np.tile([[0.1], [1e13], [7.0]], (50, 3)), np.zeros(150))
    assert np.all(laws == 1.0 / 3.0)
    assert state.memory[1] == 0.0


@pytest.mark.parametrize("name", ["bernoulli", "idle", "jumps", "comeback", "signed"])
def test_it_is_scale_free(name):
    gains, bounds = REAL[name]
    n_arms = gains.shape[1]
    laws = play(AdaHedge().state(n_arms), gains, bounds)
    for factor in (2.0**-60, 2.0**60):
        scaled = play(AdaHedge().state(n_arms), gains * factor, bounds)
        np.testing.assert_array_equal(scaled, laws)


def test_what_all_arms_gain_does_not_matter():
    """The shifts are so that every sum is exact."""
    rng = np.random.default_rng(0)
    gains, shifts = rng.integers(0, 9, (100, 4)) / 8.0, rng.integers(-(2**40), 2**40, (100, 1))
    shifted = play(AdaHedge().state(4), gains + shifts, np.zeros(100))
    np.testing.assert_array_equal(shifted, play(AdaHedge().state(4), gains, np.zeros(100)))


def assert_guarantees(state, laws, gains):
    """Regret ≤ 2Δ, and Δ² ≤ V ln N + (⅔ ln N + 1) S Δ with V = Σ var_w(g) and S the largest span.

    The second follows from δ ≤ η v/2 + η s δ/3 and δ ≤ s, summing Δ_t² − Δ_{t−1}² = 2δΔ_{t−1} + δ².
    """
    gap, log_arms = state.memory[1], np.log(gains.shape[1])
    slack = 1e-12 * np.abs(gains).sum()
    assert regret_of(laws, gains) <= 2.0 * gap + slack
    means = np.sum(laws * gains, axis=1, keepdims=True)
    variance = np.sum(laws * (gains - means) ** 2)
    span = np.ptp(gains, axis=1).max()
    assert gap**2 <= (variance * log_arms + (2 / 3 * log_arms + 1) * span * gap) * (1 + 1e-12)


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_arms", [2, 9])
def test_its_regret_is_bounded_whatever_happens(adversary, scale, n_arms):
    state = AdaHedge().state(n_arms)
    assert_guarantees(state, *duel(state, n_arms, SCALES[scale], adversary))


@pytest.mark.parametrize("name", REAL)
def test_its_regret_is_bounded_on_any_table(name):
    gains, bounds = REAL[name]
    state = AdaHedge().state(gains.shape[1])
    laws = play(state, gains, bounds)
    assert_guarantees(state, laws, gains - gains[:, :1])


@given(st.integers(0, 2**32), st.integers(2, 6), st.sampled_from([1, 5, 30]))
@settings(deadline=None, max_examples=60)
def test_late_gains_are_paid_for_too(seed, n_arms, delay):
    """Regret ≤ 2Δ on the rounds that were learnt, though the laws played lag behind."""
    rng = np.random.default_rng(seed)
    gains = rng.random((120, n_arms)) * np.repeat(rng.random((12, n_arms)), 10, axis=0)
    state = AdaHedge().state(n_arms)
    laws = play(state, gains, np.zeros(120), delay=delay)
    learnt = 120 - delay
    assert regret_of(laws[:learnt], gains[:learnt]) <= 2.0 * state.memory[1] + 1e-9
