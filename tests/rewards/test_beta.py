"""Beta rewards against SciPy's distribution, and at the edges of their parameters."""

import numpy as np
import pytest
from scipy import stats

from banditq.errors import InvalidInput
from banditq.kernels.compiling import python_form
from banditq.rewards.beta import Beta, _beta, _gamma
from rewards.examples import Example, play, says

ROUNDS = 20_000


@pytest.mark.parametrize("concentration", [0.5, 2.0, 10.0, 1e4])
@pytest.mark.parametrize("reward_max", [1.0, 3.0])
def test_rewards_are_beta(concentration: float, reward_max: float) -> None:
    # no smaller shapes: they put mass within rounding of 0 or 1, where a continuous law has no atoms
    shares = np.array([0.1, 0.2, 0.335])
    example = Example(Beta(concentration), shares * reward_max, reward_max)
    rewards, _ = play(example, ROUNDS, seed=11)
    for column, m in zip(rewards.T / reward_max, shares, strict=True):
        law = stats.beta(m * concentration, (1.0 - m) * concentration)
        # Kolmogorov-Smirnov: false alarm 1e-6 a comparison, 3e-5 over all 24
        assert stats.kstest(column, law.cdf).pvalue > 1e-6


@pytest.mark.parametrize("concentration", [1e-3, 0.1, 1.0, 10.0, 1e3, 1e8])
def test_mean_and_variance_are_those_of_the_equation(concentration: float) -> None:
    m = np.array([0.05, 0.5, 0.8])
    rewards, _ = play(Example(Beta(concentration), 4.0 * m, 4.0), ROUNDS, seed=12)
    variance = 16.0 * m * (1.0 - m) / (concentration + 1.0)
    squares = (rewards - 4.0 * m) ** 2
    # 6 standard errors: 2e-9 a comparison, 1e-7 in all
    assert (np.abs(rewards.mean(axis=0) - 4.0 * m) <= 6.0 * np.sqrt(variance / ROUNDS)).all()
    assert (np.abs(squares.mean(axis=0) - variance) <= 6.0 * squares.std(axis=0) / np.sqrt(ROUNDS)).all()


def test_arms_mirror_each_other_in_law() -> None:
    rewards, _ = play(Example(Beta(0.3), np.array([0.2, 0.8]), 1.0), ROUNDS, seed=13)
    grid = np.array([1e-9, 1e-3, 0.1, 0.4, 0.6, 0.9, 0.999])
    low = (rewards[:, 0][:, None] <= grid).mean(axis=0)
    high = (rewards[:, 1][:, None] >= 1.0 - grid).mean(axis=0)
    exact = stats.beta(0.06, 0.24).cdf(grid)
    # Hoeffding at 1e-8 a comparison, 1.4e-7 in all
    slack = np.sqrt(np.log(2e8) / (2.0 * ROUNDS))
    assert (np.abs(low - exact) <= slack).all()
    assert (np.abs(high - exact) <= slack).all()


@pytest.mark.parametrize("concentration", [1e-300, 1e-9, 1e-3, 1.0, 10.0, 1e16, 1e300])
def test_extreme_parameters_stay_within_the_range(concentration: float) -> None:
    means = np.array([0.0, 5e-324, 1e-300, 1e-16, 0.5, 1.0 - 1e-16, 1.0])
    rewards, _ = play(Example(Beta(concentration), means, 1.0), 500, seed=14)
    assert np.isfinite(rewards).all()
    assert rewards.min() >= 0.0
    assert rewards.max() <= 1.0
    assert (rewards[:, 0] == 0.0).all()
    assert (rewards[:, -1] == 1.0).all()


def test_no_concentration_is_a_coin_and_infinite_concentration_the_mean() -> None:
    means = np.array([0.3, 0.7])
    coin, _ = play(Example(Beta(1e-12), means, 1.0), ROUNDS, seed=15)
    assert ((coin < 1e-9) | (coin > 1.0 - 1e-9)).all()
    for successes, mean in zip(np.rint(coin).sum(axis=0), means, strict=True):
        assert stats.binomtest(int(successes), ROUNDS, mean).pvalue > 1e-7
    sure, _ = play(Example(Beta(1e18), means, 1.0), 1_000, seed=15)
    # 8 standard deviations of the normal limit: 1e-15 a draw, 1e-12 in all
    assert (np.abs(sure - means) <= 8.0 * np.sqrt(means * (1.0 - means) / 1e18) + 4e-16).all()
    assert np.unique(sure).size > 100


def test_the_smallest_shapes_do_the_same_uncompiled() -> None:
    # where Python's exp would overflow; the two may take log from libraries that differ in the last place
    for word in map(np.uint64, range(100)):
        for shapes in ((1e-4, 1e-5), (1e-5, 1e-4), (5e-324, 1.0), (1.0, 5e-324)):
            share = python_form(_beta)(*shapes, word)
            assert share == pytest.approx(_beta(*shapes, word), rel=1e-10, abs=0.0)


@pytest.mark.parametrize("shape", [1.0, 1.5, 7.0])
def test_a_rejected_attempt_is_followed_by_another(shape: float) -> None:
    # giving up would return the mode, in some 2 to 5 % of the words
    draws = [_gamma(shape, np.uint64(word)) for word in range(3_000)]
    assert len(set(draws)) == len(draws)
    # Kolmogorov-Smirnov: false alarm 1e-6 a comparison
    assert stats.kstest(draws, stats.gamma(shape).cdf).pvalue > 1e-6


def test_successive_rounds_and_neighbouring_arms_are_uncorrelated() -> None:
    rewards, _ = play(Example(Beta(2.0), np.full(20, 0.5), 1.0), 1_000)  # uniform, in fact
    x = np.sqrt(12.0) * (rewards - 0.5)
    for product in (x[1:] * x[:-1], x[:, 1:] * x[:, :-1]):
        assert abs(product.mean()) <= 5.0 / np.sqrt(product.size)  # false alarm 1 in 1.7 million


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "much", True, None])
def test_concentrations_that_make_no_sense_are_refused(value: object) -> None:
    with pytest.raises(InvalidInput) as error:
        Beta(value)  # type: ignore[arg-type]
    says(error, "concentration")


def test_concentration_may_be_a_whole_number() -> None:
    assert Beta(10) == Beta()
    assert Beta(3).to_dict() == {"kind": "Beta", "concentration": 3.0}


def test_means_outside_the_range_are_refused() -> None:
    with pytest.raises(InvalidInput) as error:
        Beta().check(np.array([0.5, 1.25]), 1.0)
    says(error, "means[1] is 1.25", "reward_max = 1.25 would do")
