import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import erfcx as scipy_erfcx

from banditq.kernels.protocol import uses_bound
from banditq.learners.squint import Squint, SquintState, erfcx, peak, width
from full_driver import ADVERSARIES, SCALES, duel, law_of, play
from twins.full_learners import SquintTwin, laws_of, log_evidence
from twins.gain_tables import RANGED

MAGNITUDES = (0.0, 1e-300, 1e-40, 1e-12, 1e-5, 0.03, 0.4, 0.5, 1.0, 2.0, 3.7, 10.0, 99.0, 3e3, 1e5, 1e6)
regrets = st.floats(-1e6, 1e6) | st.floats(-5, 5) | st.sampled_from(MAGNITUDES)
# numbers near the end of the range have few digits, so that no formula is exact there
squares = (st.floats(1e-290, 1e7) | st.floats(1e-290, 5)) | st.sampled_from(MAGNITUDES)


def log_xi(regret, square):
    return peak(regret, square) + np.log(width(regret, square))


def assert_exact(regret, square):
    expected = log_evidence(regret, square)
    assert log_xi(regret, square) == pytest.approx(expected, rel=2e-14, abs=2e-14)


def test_erfcx():
    x = np.concatenate([np.linspace(0, 60, 5000), np.logspace(-300, 300, 3000)])
    np.testing.assert_allclose([erfcx(v) for v in x], scipy_erfcx(x), rtol=2e-15)


@pytest.mark.parametrize("square", [*MAGNITUDES, 1e7])
def test_the_evidence_on_a_grid(square):
    for regret in MAGNITUDES:
        assert_exact(regret, square)
        assert_exact(-regret, square)


@given(regrets, squares)
@settings(deadline=None, max_examples=500)
def test_the_evidence_anywhere(regret, square):
    assert_exact(regret, square)


@given(squares, st.floats(-1, 1), st.integers(-16, 0), st.sampled_from(["zero", "square", "flat", "steep"]))
@settings(deadline=None, max_examples=400)
def test_the_evidence_where_its_formulas_meet(square, offset, exponent, where):
    """At R = 0, at R = V, and where the integrand falls by e^{-1/2} on the way from either end."""
    nudge = 1.0 + offset * 10.0**exponent
    if where in ("flat", "steep"):
        square = square % 2.0
        slope = (1.0 - 0.5 * square) * nudge
        regret = -slope if where == "flat" else square + slope
    else:
        regret = square * nudge if where == "square" else offset * 10.0**exponent
    assert_exact(regret, square)


@given(regrets, squares, st.floats(1e-6, 10), st.floats(1e-6, 10))
@settings(deadline=None, max_examples=300)
def test_the_evidence_rises_with_regret_and_falls_with_its_squares(regret, square, more, extra):
    here = log_xi(regret, square)
    slack = 1e-13 * max(1.0, abs(here))
    assert log_xi(regret + more, square) >= here - slack
    assert log_xi(regret, square + extra) <= here + slack
    assert 0.0 < width(regret, square) <= 0.5 * (1 + 1e-15)


@given(st.floats(-1e3, 1e3), st.floats(0, 1e3))
@settings(deadline=None, max_examples=300)
def test_the_evidence_seen_from_the_other_end(regret, square):
    """η → ½ − η."""
    assume(square > 1e-6)
    mirrored = 0.5 * regret - 0.25 * square + log_xi(square - regret, square)
    assert log_xi(regret, square) == pytest.approx(mirrored, rel=1e-12, abs=1e-10)


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("name", RANGED)
def test_it_plays_as_its_definition(name, delay):
    gains, bounds = RANGED[name]
    n_arms = gains.shape[1]
    laws = play(Squint().state(n_arms), gains, bounds, delay=delay)
    expected = laws_of(SquintTwin(n_arms), gains, bounds, delay=delay)
    np.testing.assert_allclose(laws, expected, rtol=1e-11, atol=1e-100)


def test_ten_million_rounds_later():
    """The weights span hundreds of thousands of powers of e."""
    state = SquintState(np.array([-1e7, 3e3, 5e6, 5e6, 0.0]), np.full(5, 1e7), np.ones(1))
    np.testing.assert_allclose(law_of(state, 5), [0.0, 0.0, 0.5, 0.5, 0.0], rtol=0, atol=1e-15)
    level = SquintState(np.array([-1e7, -5e6]), np.full(2, 1e7), np.ones(1))
    np.testing.assert_allclose(law_of(level, 2), [1 / 3, 2 / 3], rtol=1e-5)  # ξ → 1/|R|


def test_it_looks_at_the_largest_bound_so_far():
    state = Squint().state(2)
    assert uses_bound(state)
    play(state, [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], [1.0, 4.0, 2.0])
    assert state.reach[0] == 4.0
    assert np.ptp(state.regrets) == pytest.approx(1.0 + 0.25 + 0.25)


def test_what_all_arms_gain_does_not_matter():
    rng = np.random.default_rng(0)
    gains, shifts = rng.random((100, 4)), rng.random((100, 1)) * 9.0
    bounds = np.full(100, 10.0)
    shifted = play(Squint().state(4), gains + shifts, bounds)
    np.testing.assert_allclose(shifted, play(Squint().state(4), gains, bounds), rtol=0, atol=1e-13)


def test_units_do_not_matter():
    gains, bounds = RANGED["bernoulli"]
    for factor in (2.0**-40, 2.0**43):
        scaled = play(Squint().state(5), gains * factor, bounds * factor)
        np.testing.assert_array_equal(scaled, play(Squint().state(5), gains, bounds))


def potential(state):
    """The mean over arms of ∫₀^{1/2} (e^{ηR − η²V} − 1) dη/η, without what one arm alone overflows."""
    terms = []
    for regret, square in zip(state.regrets, state.squares, strict=True):
        mode = np.clip(0.5 * regret / max(square, 1e-9), 1e-6, 0.499)
        terms.append(
            quad(
                lambda eta, r=regret, v=square: np.expm1(eta * r - eta**2 * v) / eta,
                0.0,
                0.5,
                points=[mode, min(2.0 * mode, 0.4995)],
                limit=200,
            )[0]
        )
    return np.mean(terms), np.max(np.abs(terms))


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_arms", [2, 9])
def test_its_potential_never_rises_above_zero(adversary, scale, n_arms):
    """What every bound of Squint follows from: e^{z − z²} ≤ 1 + z for z ≥ −½, and Σ w r = 0."""
    state = Squint().state(n_arms)
    duel(state, n_arms, SCALES[scale], adversary)
    mean, largest = potential(state)
    assert mean <= 1e-9 * max(1.0, largest)
