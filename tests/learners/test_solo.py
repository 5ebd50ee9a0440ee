import numpy as np
import pytest

from banditq.kernels.protocol import uses_bound
from banditq.learners.solo import SoloFTRL
from full_driver import ADVERSARIES, SCALES, duel, play, regret_of
from twins.full_learners import SoloTwin, laws_of
from twins.gain_tables import REAL


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("name", REAL)
def test_it_plays_as_its_definition(name, delay):
    gains, bounds = REAL[name]
    n_arms = gains.shape[1]
    laws = play(SoloFTRL().state(n_arms), gains, bounds, delay=delay)
    expected = laws_of(SoloTwin(n_arms), gains, bounds, delay=delay)
    np.testing.assert_allclose(laws, expected, rtol=1e-11, atol=1e-100)


def test_it_needs_no_bound():
    assert not uses_bound(SoloFTRL().state(2))


@pytest.mark.parametrize("name", ["bernoulli", "idle", "jumps", "signed"])
def test_it_is_scale_free(name):
    gains, bounds = REAL[name]
    n_arms = gains.shape[1]
    laws = play(SoloFTRL().state(n_arms), gains, bounds)
    for factor in (2.0**-60, 2.0**60):
        scaled = play(SoloFTRL().state(n_arms), gains * factor, bounds)
        np.testing.assert_array_equal(scaled, laws)
    thirds = play(SoloFTRL().state(n_arms), gains / 3.0, bounds)
    np.testing.assert_allclose(thirds, laws, rtol=0, atol=1e-12)


def allowance(gains):
    """√(ln N Σ ‖g‖²), and the mixability gaps: at most η s²/8 and s in a round whose gains span s."""
    squares = np.cumsum(np.abs(gains).max(axis=1) ** 2)
    log_arms = np.log(gains.shape[1])
    spans = np.ptp(gains, axis=1)
    before = np.concatenate([[0.0], squares[:-1]])
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = np.fmin(np.sqrt(log_arms / before) * spans**2 / 8.0, spans)
    return np.sqrt(log_arms * squares[-1]) + gaps.sum()


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_arms", [2, 9])
def test_its_regret_is_bounded_whatever_happens(adversary, scale, n_arms):
    laws, gains = duel(SoloFTRL().state(n_arms), n_arms, SCALES[scale], adversary)
    assert regret_of(laws, gains) <= allowance(gains) * (1 + 1e-12)


@pytest.mark.parametrize("name", REAL)
def test_its_regret_is_bounded_on_any_table(name):
    gains, bounds = REAL[name]
    laws = play(SoloFTRL().state(gains.shape[1]), gains, bounds)
    centred = gains - gains[:, :1]  # changes no regret, and leaves no rounding of large sums
    assert regret_of(laws, centred) <= allowance(gains) * (1 + 1e-12)
