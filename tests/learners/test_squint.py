import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import erfcx as scipy_erfcx

from banditq.kernels.protocol import uses_bound
from banditq.learners.squint import Squint, SquintState, erfcx, peak, width
from full_driver import ADVERSARIES, SCALES, duel, law_of, play, regret_of
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
    np.testing.assert_allclose(law_of(state, 5, 1.0), [0.0, 0.0, 0.5, 0.5, 0.0], rtol=0, atol=1e-15)
    level = SquintState(np.array([-1e7, -5e6]), np.full(2, 1e7), np.ones(1))
    np.testing.assert_allclose(law_of(level, 2, 1.0), [1 / 3, 2 / 3], rtol=1e-5)  # ξ → 1/|R|


def test_it_looks_at_the_largest_bound_so_far():
    state = Squint().state(2)
    assert uses_bound(state)
    play(state, [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], [1.0, 4.0, 2.0])
    assert state.reach[0] == 4.0
    np.testing.assert_array_equal(law_of(state, 2, 1.0), law_of(state, 2, 4.0))
    ahead = [law_of(state, 2, bound)[0] for bound in (4.0, 5.0, 50.0)]
    assert ahead[0] > ahead[1] > ahead[2] > 0.5


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
    """Each arm's ∫₀^{1/(2B)} (e^{ηR − η²V} − 1) dη/η."""
    terms = []
    for regret, square in zip(state.regrets, state.squares, strict=True):
        r, v = regret / state.reach[0], square / state.reach[0] ** 2
        mode = np.clip(0.5 * r / max(v, 1e-9), 1e-6, 0.49)
        points = [mode / 1e3, mode, min(2.0 * mode, 0.495)]
        terms.append(
            quad(lambda eta, r=r, v=v: np.expm1(eta * r - eta**2 * v) / eta, 0, 0.5, points=points)[0]
        )
    return np.array(terms)


def assert_guarantees(state, laws, gains, bounds):
    """The potential, and from it a second-order bound on the regret.

    With rates up to 1/(2B), e^{z − z²} ≤ 1 + z for z ≥ −½ and Σ w r = 0 keep the mean of the terms from
    rising; when B grows each loses at most ln of the ratio, which adds up to L. No term is below
    −(1 + ln(1 + T)), so that the best arm's is at most C = N (L + 1 + ln(1 + T)). With m the smaller of
    1/(2B) and R/(2V) it is at least ln 2 (e^{mR/4} − 1) − ln(1/(2Bm)), hence R ≤ max(8BA, √(8VA)).
    """
    rounds, n_arms = gains.shape
    growth = np.log(bounds.max() / bounds[bounds > 0][0])
    terms = potential(state)
    assert terms.mean() <= growth + 1e-9 * max(1.0, np.abs(terms).max())
    most = n_arms * (growth + 1.0 + np.log(1.0 + rounds))
    a = np.log(1.0 + (most + np.log(rounds)) / np.log(2.0))
    best = np.argmax(gains.sum(axis=0))
    assert state.regrets[best] == pytest.approx(regret_of(laws, gains), abs=1e-12 * np.abs(gains).sum())
    assert state.regrets[best] <= max(8.0 * bounds.max() * a, np.sqrt(8.0 * state.squares[best] * a))


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_arms", [2, 9])
def test_its_regret_is_bounded_whatever_happens(adversary, scale, n_arms):
    state, bounds = Squint().state(n_arms), SCALES[scale]
    assert_guarantees(state, *duel(state, n_arms, bounds, adversary), bounds)


def test_small_debts_do_not_outweigh_large_gains():
    """An arm behind by 2000 gains of 1 is ahead after a few gains of 1000."""
    bounds = np.repeat([1.0, 1000.0], 2000)
    gains = bounds[:, None] * np.repeat([[1.0, 0.0], [0.0, 1.0]], 2000, axis=0)
    state = Squint().state(2)
    assert_guarantees(state, play(state, gains, bounds), gains, bounds)
