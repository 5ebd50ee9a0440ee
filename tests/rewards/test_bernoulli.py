"""Bernoulli rewards against the binomial distribution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from banditq.errors import InvalidInput
from banditq.rewards.base import emit
from banditq.rewards.bernoulli import Bernoulli
from rewards.examples import Example, play, says

ROUNDS = 20_000
MEANS = np.array([0.0, 1e-3, 0.335, 0.5, 0.9, 1.0])


@pytest.mark.parametrize("reward_max", [1.0, 2.5])
def test_successes_are_binomial(reward_max: float) -> None:
    rewards, means = play(Example(Bernoulli(), MEANS * reward_max, reward_max), ROUNDS, seed=1)
    assert set(np.unique(rewards)) == {0.0, reward_max}
    np.testing.assert_array_equal(means, np.broadcast_to(MEANS * reward_max, means.shape))
    for successes, mean in zip((rewards > 0.0).sum(axis=0), MEANS, strict=True):
        # exact, so that the false-alarm rate is at most 1e-7 a comparison; means of 0 and 1 never err
        assert stats.binomtest(int(successes), ROUNDS, mean).pvalue > 1e-7


@settings(deadline=None)
@given(st.floats(1e-9, 1e9))
def test_certain_arms_always_pay_whatever_the_prize(reward_max: float) -> None:
    rewards, _ = play(Example(Bernoulli(), np.array([0.0, reward_max]), reward_max), 200)
    assert (rewards == [0.0, reward_max]).all()


def test_the_smallest_and_the_largest_word_decide_nothing_for_certain_arms() -> None:
    for prize in (1.0, 0.1, 3.0, 1.0 + 2.0**-52):
        emission = Bernoulli().emission(prize)
        for word in (np.uint64(0), np.uint64(2**64 - 1)):
            assert emit(emission, 0.0, word) == 0.0
            assert emit(emission, prize, word) == prize


@settings(deadline=None)
@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=2).map(sorted))
def test_a_larger_mean_never_pays_less_in_the_same_cell(pair: list[float]) -> None:
    low, high = (play(Example(Bernoulli(), np.full(3, mean), 1.0), 100)[0] for mean in pair)
    assert (low <= high).all()


def test_successive_rounds_and_neighbouring_arms_are_uncorrelated() -> None:
    rewards, _ = play(Example(Bernoulli(), np.full(20, 0.5), 1.0), 2_000)
    x = 2.0 * rewards - 1.0
    for product in (x[1:] * x[:-1], x[:, 1:] * x[:, :-1]):
        assert abs(product.mean()) <= 5.0 / np.sqrt(product.size)  # false alarm 1 in 1.7 million


@pytest.mark.parametrize(
    ("means", "reward_max", "parts"),
    [
        (
            [0.2, 1.4],
            1.0,
            ["means[1] is 1.4", "between 0 and reward_max = 1 ", "reward_max = 1.4 would do"],
        ),
        ([-0.5, 0.2], 1.0, ["means[0] is -0.5", "between 0 and reward_max = 1"]),
        ([0.2, np.nan], 2.0, ["means[1] is nan", "between 0 and reward_max = 2"]),
    ],
)
def test_means_outside_the_range_are_refused(
    means: list[float], reward_max: float, parts: list[str]
) -> None:
    with pytest.raises(InvalidInput) as error:
        Bernoulli().check(np.array(means), reward_max)
    says(error, *parts)
