import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import njit
from scipy import stats

from banditq.kernels.noise import scramble
from banditq.kernels.protocol import choose
from banditq.policies.thompson import ThompsonSampling, posterior_draw
from policy_driver import KEY, filled, law_of, play, start, table
from twins import plain_policies as twin


@njit
def _posterior_draws(successes, failures, key, out):
    for t in range(out.size):
        out[t], _ = posterior_draw(successes, failures, scramble(key, t), 0)


@njit
def _choices(state, key, arms):
    for t in range(arms.size):
        arms[t] = choose(state, scramble(key, t)).arm


@pytest.mark.parametrize(
    ("successes", "failures"),
    [(0, 0), (1, 0), (0, 3), (0.3, 0.7), (1e-9, 1e-9), (2, 5), (0, 1e6), (1e7, 3e6), (1e13, 4e13)],
)
def test_draws_follow_the_posterior(successes, failures):
    draws = np.empty(20_000)
    _posterior_draws(float(successes), float(failures), KEY, draws)
    posterior = stats.beta(1 + successes, 1 + failures)
    standard = (draws - posterior.mean()) / posterior.std()  # SciPy's own cdf fails at 1e13
    if successes > 1e10:
        assert stats.kstest(standard, "norm").pvalue > 1e-7  # false alarm: 1 in ten million
    else:
        assert stats.kstest(draws, posterior.cdf).pvalue > 1e-7


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.tuples(
            arrays(np.float64, n, elements=st.integers(0, 300).map(float)),
            arrays(np.float64, n, elements=st.sampled_from([0.0, 0.25, 0.5, 0.6, 0.61, 1.0])),
        )
    )
)
@settings(deadline=None, max_examples=25)
def test_law_agrees_with_quadrature_of_incomplete_beta_functions(counts):
    trials, shares = counts
    successes = np.floor(trials * shares)
    np.testing.assert_allclose(
        law_of(filled(ThompsonSampling(), successes, trials)),
        twin.largest_law(successes, trials),
        atol=1e-11,
    )


@pytest.mark.parametrize("successes", [[0.3, 0.02, 2.5], [1.999, 1e-3, 0.5]])
def test_law_with_fractional_counts(successes):
    trials = np.array([2.0, 1.0, 3.0])
    np.testing.assert_allclose(
        law_of(filled(ThompsonSampling(), np.array(successes), trials)),
        twin.largest_law(successes, trials),
        atol=1e-9,
    )


@pytest.mark.parametrize("n", [0, 1, 40, 10**7, 10**13])
def test_law_of_equal_arms_is_uniform(n):
    law = law_of(filled(ThompsonSampling(), np.full(200, n // 2.0), np.full(200, 1.0 * n)))
    np.testing.assert_allclose(law, 1 / 200, rtol=1e-9)


def test_law_of_extreme_counts():
    # Beta(10^7 + 1, 1) against Beta(6, 1): P(second larger) = 6 / (6 + 10^7 + 1)
    law = law_of(filled(ThompsonSampling(), np.array([1e7, 5.0]), np.array([1e7, 5.0])))
    assert law[1] == pytest.approx(6 / (1e7 + 7), rel=1e-9)
    # narrower than the spacing of numbers near 1
    law = law_of(filled(ThompsonSampling(), np.array([5e17, 1e18]), np.full(2, 1e18)))
    assert law.tolist() == [0, 1]
    # two posteriors near Gaussians, four standard deviations of their difference apart
    n = 1e12
    gap = 4 * np.sqrt(2 * 0.25 / n)
    law = law_of(filled(ThompsonSampling(), np.array([0.5 * n, np.round((0.5 + gap) * n)]), np.full(2, n)))
    assert law[0] == pytest.approx(stats.norm.sf(4), rel=1e-4)


def test_arms_are_played_as_the_law_says():
    trials, successes = np.array([3.0, 10.0, 40.0, 40.0]), np.array([1.0, 6.0, 20.0, 12.0])
    arms = np.empty(20_000, np.int64)
    _choices(filled(ThompsonSampling(), successes, trials), KEY, arms)
    expected = twin.largest_law(successes, trials) * arms.size
    observed = np.bincount(arms, minlength=4)
    assert stats.chisquare(observed, expected * arms.size / expected.sum()).pvalue > 1e-7


def test_posterior_counts_along_a_run():
    rewards = table(120, 4, fractional=True)
    arms, _, laws = play(start(ThompsonSampling(), 4), rewards)
    events = []
    for t, arm in enumerate(arms):
        if t in (0, 5, 119):
            np.testing.assert_allclose(laws[t], twin.thompson_law(events, 4), atol=1e-9)
        events += [("open", arm), ("reward", arm, rewards[t, arm])]
