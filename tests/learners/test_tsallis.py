import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from bandit_driver import (
    EXTREMES,
    assert_follows,
    assert_no_order,
    assert_scale_free,
    assert_splits_unit_interval,
    contents,
    copy_of,
    draws,
    law_of,
    play,
    play_long,
    scenario,
    tables,
)
from banditq.errors import InvalidInput
from banditq.kernels.protocol import draw, learn, uses_bound
from banditq.learners.tsallis import TsallisInf, pole_power_sums, tsallis_root
from twins.bandit_learners import TsallisTwin

ESTIMATORS = ("rv", "iw")
both = pytest.mark.parametrize("estimator", ESTIMATORS)


@both
@pytest.mark.parametrize(("n_arms", "rounds"), [(1, 50), (2, 400), (5, 600), (65, 300), (200, 300)])
@pytest.mark.parametrize("scale", [1.0, 1e11])
def test_every_law_of_a_run_is_that_of_the_twin(estimator, n_arms, rounds, scale):
    gains, bounds = scenario(n_arms, n_arms, rounds, scale=scale)
    trace = play(TsallisInf(estimator).state(n_arms), 11, gains, bounds)
    assert_follows(trace, TsallisTwin(n_arms, estimator), gains, bounds)


@pytest.mark.parametrize(("estimator", "rounds"), [("rv", 4000), ("iw", 16_000)])
def test_losses_stay_exact_when_they_are_shifted(estimator, rounds):
    gains, bounds = scenario(4, 3, rounds)
    gains *= 0.2  # large losses, so that the shift happens again and again
    state = TsallisInf(estimator).state(3)
    trace = play(state, 12, gains, bounds)
    twin = TsallisTwin(3, estimator)
    assert_follows(trace, twin, gains, bounds)
    assert state.losses.min() < 0.5 * twin.losses.min()  # it did happen


@pytest.mark.parametrize("scale", [1.0, 1e13])
def test_a_million_rounds_lose_no_accuracy(scale):
    gains, bounds = scenario(5, 5, 1000, scale=scale)
    state, twin = TsallisInf("iw").state(5), TsallisTwin(5, "iw")
    twin.losses = play_long(state, 13, gains, bounds, 1_000_000)
    twin.squares = 1000.0 * np.sum(bounds**2)
    np.testing.assert_allclose(law_of(state, 5, 0.0), twin.law(0.0), rtol=1e-9)


@both
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("n_arms", [1, 2, 5, 70])
def test_extreme_inputs(estimator, name, n_arms):
    gains, bounds = EXTREMES[name](n_arms, 60)
    trace = play(TsallisInf(estimator).state(n_arms), 14, gains, bounds)
    assert_follows(trace, TsallisTwin(n_arms, estimator), gains, bounds)


@both
@pytest.mark.parametrize("n_arms", [5, 1000])
def test_law_after_many_rounds_in_which_one_arm_wins_all(estimator, n_arms):
    state = TsallisInf(estimator).state(n_arms)
    play_long(state, 15, np.eye(n_arms)[[2]] * 1e13, np.array([1e13]), 100_000)
    final = law_of(state, n_arms, 1e13)
    assert abs(final.sum() - 1) <= 1e-12
    assert final.min() > 0
    assert final.argmax() == 2


@both
@pytest.mark.parametrize("n_arms", [1, 2, 3, 63, 64, 65, 129, 2000])
def test_law_sums_to_one(estimator, n_arms):
    gains, bounds = scenario(16, n_arms, 40)
    trace = play(TsallisInf(estimator).state(n_arms), 16, gains, bounds)
    assert np.abs(trace.laws.sum(axis=1) - 1).max() <= 1e-12
    assert trace.laws.min() > 0


def test_a_tail_arm_that_jumps_ahead():
    # a late reward with a tiny probability: (ℓ − b)/p is a large negative number
    gains, bounds = scenario(17, 6, 1500)
    state, twin = TsallisInf("rv").state(6), TsallisTwin(6, "rv")
    trace = play(state, 17, gains, bounds)
    assert_follows(trace, twin, gains, bounds)
    draw(state, 1.0, np.uint64(0))
    weights = twin.law(1.0)
    arm = int(np.argmin(weights + (weights < 16 / (twin.squares + 1.0))))  # the last that has a baseline
    assert weights[arm] < 0.1
    learn(state, arm, 1e-7, 1.0, 1.0)
    twin.learn(arm, 1.0, 1.0, 1e-7)
    assert np.argmin(twin.losses) == arm
    np.testing.assert_allclose(law_of(state, 6, 1.0), twin.law(1.0), rtol=1e-9)
    learn(state, arm, 1e-7, 0.0, 1.0)  # and back, behind all others
    twin.learn(arm, 0.0, 1.0, 1e-7)
    np.testing.assert_allclose(law_of(state, 6, 1.0), twin.law(1.0), rtol=1e-9)


def test_late_rewards_count_with_the_probability_of_their_decision():
    gains, bounds = scenario(18, 5, 200)
    state, twin = TsallisInf("iw").state(5), TsallisTwin(5, "iw")
    waiting = []
    for t in range(200):
        np.testing.assert_allclose(law_of(state, 5, bounds[t]), twin.law(bounds[t]), rtol=1e-9)
        arm, probability = draw(state, bounds[t], np.uint64(t))
        waiting.append((arm, gains[t, arm], bounds[t], probability))
        while len(waiting) > 7 + t % 5:
            arm, gain, bound, probability = waiting.pop(t % 3)
            learn(state, arm, probability, gain, bound)
            twin.learn(arm, gain, bound, probability)


@both
@pytest.mark.parametrize("delay", [0, 3])
def test_loss_estimate_is_unbiased(estimator, delay):
    centred = 0
    for seed in range(5):
        gains, bounds = scenario(seed, 4, 200)
        state = TsallisInf(estimator).state(4)
        play(state, seed, gains, bounds)
        loss = bounds[0] - gains[0]
        probabilities = law_of(state, 4, bounds[0])
        draw(state, bounds[0], np.uint64(seed))
        for t in range(1, 1 + delay):  # other rewards come first
            arm, probability = draw(state, bounds[t], np.uint64(t))
            learn(state, arm, probability, gains[t, arm], bounds[t])
        expectation = np.zeros(4)
        for arm in range(4):
            after = copy_of(state)
            learn(after, arm, probabilities[arm], gains[0, arm], bounds[0])
            estimate = after.losses - state.losses
            expectation += probabilities[arm] * estimate
            centred += np.count_nonzero(np.delete(estimate, arm))
        np.testing.assert_allclose(expectation, loss, rtol=1e-9, atol=1e-12 * np.abs(state.losses).max())
    assert (centred > 0) == (estimator == "rv")  # the baseline was there


@both
@settings(deadline=None, max_examples=40)
@given(tables, st.randoms(use_true_random=False))
def test_arms_have_no_order(estimator, table, random):
    assert_no_order(TsallisInf(estimator).state, table, random)


@both
@settings(deadline=None, max_examples=40)
@given(tables, st.integers(-60, 60))
def test_powers_of_two_change_nothing(estimator, table, power):
    assert_scale_free(TsallisInf(estimator).state, table, power)


@both
def test_compiled_and_interpreted_runs_are_the_same(estimator):
    gains, bounds = scenario(19, 21, 500)
    compiled = play(TsallisInf(estimator).state(21), 19, gains, bounds)
    interpreted = play(TsallisInf(estimator).state(21), 19, gains, bounds, compiled=False)
    for one, other in zip(compiled, interpreted, strict=True):
        np.testing.assert_array_equal(one, other)  # the same bits


@both
def test_law_changes_nothing(estimator):
    gains, bounds = scenario(20, 5, 50)
    state = TsallisInf(estimator).state(5)
    play(state, 20, gains, bounds)
    before = contents(state)
    law_of(state, 5, 3.0)
    assert contents(state) == before


@pytest.mark.parametrize("n_arms", [1, 2, 64, 65, 1000])
@pytest.mark.parametrize("rounds", [0, 300])
def test_arms_split_the_unit_interval_as_the_law_says(n_arms, rounds):
    state = TsallisInf().state(n_arms)
    bound = 0.0
    if rounds:
        gains, bounds = scenario(21, n_arms, rounds)
        play(state, 21, gains, bounds)
        bound = 1.0
    assert_splits_unit_interval(state, n_arms, bound)


def test_frequencies_of_random_draws():
    n_arms, n = 40, 200_000
    gains, bounds = scenario(22, n_arms, 60)
    state = TsallisInf().state(n_arms)
    play(state, 22, gains, bounds)
    expected = law_of(state, n_arms, 1.0) * n
    noises = np.random.default_rng(22).integers(0, 2**64, n, np.uint64)
    counts = np.bincount(draws(state, 1.0, noises)[0], minlength=n_arms)
    assert expected.min() > 5
    assert chisquare(counts, expected).pvalue > 1e-6  # false alarm: 1 in a million


gaps = st.lists(st.just(0.0) | st.floats(1e-12, 1e12) | st.floats(0, 3), min_size=0, max_size=40).map(
    lambda rest: np.array([0.0, *rest])
)


@settings(deadline=None, max_examples=300)
@given(gaps, st.floats(0, 1e9), st.sampled_from([1e-9, 1.0, 1e9]))
def test_root_normalises_from_any_start(losses, start, k):
    y = tsallis_root(losses, 0.0, k, start)
    assert 1 <= y <= np.sqrt(losses.size) * (1 + 1e-12)
    assert abs(np.sum((y + k * losses) ** -2.0) - 1) <= 1e-12
    assert abs(pole_power_sums(losses, 0.0, k, y)[0] - 1) <= 1e-12


@pytest.mark.parametrize("n_arms", [100, 2000])
def test_root_of_many_arms(n_arms):
    rng = np.random.default_rng(n_arms)
    for spread in (1e-6, 1.0, 10.0, 1e3):
        for start in (0.0, n_arms**0.25, 1e6):
            losses = spread * rng.exponential(size=n_arms) ** 2
            losses -= losses.min()
            y = tsallis_root(losses, 0.0, 1.0, start)
            assert abs(np.sum((y + losses) ** -2.0) - 1) <= 1e-12


def test_configuration():
    assert TsallisInf() == TsallisInf(estimator="rv")
    assert TsallisInf().feedback == "bandit"
    assert uses_bound(TsallisInf().state(3))
    with pytest.raises(InvalidInput, match="estimator is 'xx'; it must be one of 'rv', 'iw'"):
        TsallisInf("xx")
