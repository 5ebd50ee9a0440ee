"""Uniform rewards against the distribution they are named after."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from banditq.errors import InvalidInput
from banditq.rewards.uniform import Uniform
from rewards.examples import Example, play, says


def test_rewards_are_uniform_up_to_twice_the_mean() -> None:
    means = np.array([0.0, 0.2, 0.617, 1.0])
    rewards, _ = play(Example(Uniform(), means, 2.0), 20_000, seed=4)
    assert (rewards[:, 0] == 0.0).all()
    for column, mean in zip(rewards.T[1:], means[1:], strict=True):
        # Kolmogorov-Smirnov: false alarm 1e-6 a comparison
        assert stats.kstest(column, stats.uniform(0.0, 2.0 * mean).cdf).pvalue > 1e-6
        error = 2.0 * mean / np.sqrt(12.0 * column.size)
        assert abs(column.mean() - mean) <= 5.0 * error  # 1 in 1.7 million


@settings(deadline=None)
@given(st.floats(1e-100, 1e6), st.floats(1e-100, 1e6))
def test_a_reward_is_proportional_to_the_mean(one: float, other: float) -> None:
    first, second = (play(Example(Uniform(), np.full(3, mean), 2e6), 20)[0] for mean in (one, other))
    np.testing.assert_allclose(first * other, second * one, rtol=1e-15)


@pytest.mark.parametrize(
    ("means", "reward_max", "parts"),
    [
        (
            [0.2, 0.7],
            1.0,
            ["means[1] is 0.7", "between 0 and 0.5", "reward_max = 1 ", "reward_max = 1.4 would do"],
        ),
        ([-0.1], 2.0, ["means[0] is -0.1", "between 0 and 1"]),
        ([np.nan], 2.0, ["means[0] is nan"]),
    ],
)
def test_means_whose_double_cannot_be_paid_are_refused(
    means: list[float], reward_max: float, parts: list[str]
) -> None:
    with pytest.raises(InvalidInput) as error:
        Uniform().check(np.array(means), reward_max)
    says(error, *parts)


def test_exactly_half_of_the_largest_reward_is_accepted() -> None:
    Uniform().check(np.array([0.5, 0.0]), 1.0)
    rewards, _ = play(Example(Uniform(), np.array([0.5]), 1.0), 5_000)
    assert rewards.max() < 1.0
