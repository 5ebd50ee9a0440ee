import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banditq.errors import InvalidInput
from banditq.kernels.protocol import uses_bound
from banditq.learners.oga import OGA
from full_driver import ADVERSARIES, SCALES, duel, law_of, play, regret_of
from twins.full_learners import OGATwin, laws_of
from twins.gain_tables import REAL


@pytest.mark.parametrize("alpha", [1.0, np.sqrt(0.5)])
@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("name", REAL)
def test_it_plays_as_its_definition(name, delay, alpha):
    gains, bounds = REAL[name]
    n_arms = gains.shape[1]
    laws = play(OGA(alpha=alpha).state(n_arms), gains, bounds, delay=delay)
    expected = laws_of(OGATwin(n_arms, alpha), gains, bounds, delay=delay)
    np.testing.assert_allclose(laws, expected, rtol=0, atol=1e-12)


def test_it_needs_no_bound():
    assert not uses_bound(OGA().state(2))


@pytest.mark.parametrize("name", ["bernoulli", "idle", "jumps", "signed"])
def test_it_is_scale_free(name):
    gains, bounds = REAL[name]
    n_arms = gains.shape[1]
    laws = play(OGA().state(n_arms), gains, bounds)
    for factor in (2.0**-60, 2.0**60):
        scaled = play(OGA().state(n_arms), gains * factor, bounds)
        np.testing.assert_array_equal(scaled, laws)


def allowance(gains, alpha):
    """With steps α/√S and a simplex of diameter √2: D²√S/(2α) + (α/2) Σ ‖g‖²/√S ≤ (1/α + α) √S."""
    return (1.0 / alpha + alpha) * np.sqrt(np.sum(gains**2))


@pytest.mark.parametrize("alpha", [0.2, np.sqrt(0.5), 1.0, 5.0])
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_arms", [2, 9])
def test_its_regret_is_bounded_whatever_happens(adversary, scale, n_arms, alpha):
    laws, gains = duel(OGA(alpha=alpha).state(n_arms), n_arms, SCALES[scale], adversary)
    assert regret_of(laws, gains) <= allowance(gains, alpha) * (1 + 1e-12)


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 60), st.sampled_from([0.5, 1.0, 2.0]))
@settings(deadline=None, max_examples=60)
def test_its_regret_is_bounded_on_any_table(seed, n_arms, rounds, alpha):
    rng = np.random.default_rng(seed)
    gains = rng.normal(size=(rounds, n_arms)) * rng.lognormal(0, 3, (rounds, 1))
    laws = play(OGA(alpha=alpha).state(n_arms), gains, np.zeros(rounds))
    assert regret_of(laws, gains) <= allowance(gains, alpha) * (1 + 1e-12)


def _click_through(sums):
    rng = np.random.default_rng(0)
    for trial in range(sums.size):
        n_arms = rng.integers(2, 12)
        gains = 1.0 * (rng.random((60, n_arms)) < 0.5)
        sums[trial] = play(OGA().state(n_arms), gains, np.ones(60)).sum(axis=1).max()


def test_equal_gains_do_not_hold_it_up():
    """Arms that have gained the same tie, and ties next to the threshold must not stall the projection."""
    sums = np.full(3000, np.nan)
    worker = threading.Thread(target=_click_through, args=(sums,), daemon=True)
    worker.start()
    worker.join(timeout=60.0)
    assert not worker.is_alive()
    np.testing.assert_allclose(sums, 1.0, rtol=0, atol=1e-13)


def test_one_large_gain_is_one_full_step():
    state = OGA().state(4)
    play(state, [[0.0, 1e13, 0.0, 0.0]], [1e13])
    np.testing.assert_allclose(law_of(state, 4), [0.0, 1.0, 0.0, 0.0], atol=1e-15)


@pytest.mark.parametrize("alpha", [0.0, -1.0, np.inf, np.nan, "fast"])
def test_the_step_must_be_positive(alpha):
    with pytest.raises(InvalidInput, match="alpha"):
        OGA(alpha=alpha)
