import numpy as np
import pytest

from banditq.kernels.protocol import uses_bound
from banditq.learners.hedge import Hedge
from full_driver import ADVERSARIES, SCALES, duel, play, regret_of
from twins.full_learners import HedgeTwin, laws_of
from twins.gain_tables import RANGED


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("name", RANGED)
def test_it_plays_as_its_definition(name, delay):
    gains, bounds = RANGED[name]
    n_arms = gains.shape[1]
    laws = play(Hedge().state(n_arms), gains, bounds, delay=delay)
    expected = laws_of(HedgeTwin(n_arms), gains, bounds, delay=delay)
    np.testing.assert_allclose(laws, expected, rtol=1e-11, atol=1e-100)


def test_it_looks_at_the_bound_of_the_coming_round():
    assert uses_bound(Hedge().state(2))
    laws = play(Hedge().state(2), [[1.0, 0.0], [0.0, 0.0]], [1.0, 3.0])
    rate = 2.0 * np.sqrt(np.log(2.0) / 10.0)
    assert laws[1, 0] == pytest.approx(1.0 / (1.0 + np.exp(-rate)))


def test_what_all_arms_gain_does_not_matter():
    """The shifts are so that every sum is exact."""
    rng = np.random.default_rng(0)
    gains, shifts = rng.integers(0, 9, (100, 4)) / 8.0, rng.integers(0, 2**40, (100, 1))
    bounds = np.full(100, 2.0**41)
    shifted = play(Hedge().state(4), gains + shifts, bounds)
    np.testing.assert_array_equal(shifted, play(Hedge().state(4), gains, bounds))


def test_units_do_not_matter():
    gains, bounds = RANGED["bernoulli"]
    for factor in (2.0**-40, 2.0**43):
        scaled = play(Hedge().state(5), gains * factor, bounds * factor)
        np.testing.assert_array_equal(scaled, play(Hedge().state(5), gains, bounds))


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_arms", [2, 9])
def test_its_regret_is_bounded_whatever_happens(adversary, scale, n_arms):
    """Hoeffding's lemma: the gap of round t is at most η_t B_t² / 8, and Σ B_t²/√(Σ B²) ≤ 2 √(Σ B²)."""
    bounds = SCALES[scale]
    laws, gains = duel(Hedge().state(n_arms), n_arms, bounds, adversary)
    assert regret_of(laws, gains) <= np.sqrt(np.log(n_arms) * np.sum(bounds**2)) * (1 + 1e-12)
