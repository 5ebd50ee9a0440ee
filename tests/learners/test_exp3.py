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
from banditq.kernels.protocol import draw, learn, uses_bound
from banditq.learners.exp3 import CROSSOVER, Exp3, Exp3IX
from banditq.learners.exp3_plain import Exp3State, plain_state
from banditq.learners.exp3_tilted import Exp3TiltedState, tilted_state
from twins.bandit_learners import Exp3Twin
from twins.splitmix import seed_for_uniform

forms = pytest.mark.parametrize("form", [plain_state, tilted_state])
implicits = pytest.mark.parametrize("implicit", [0.0, 0.5])


def all_four(test):
    """Exp3 and Exp3IX, in either form, whatever the number of arms."""
    return forms(implicits(test))


@all_four
@pytest.mark.parametrize(("n_arms", "rounds"), [(1, 50), (2, 400), (5, 600), (65, 300), (200, 300)])
@pytest.mark.parametrize("scale", [1.0, 1e11])
def test_every_law_of_a_run_is_that_of_the_twin(form, implicit, n_arms, rounds, scale):
    gains, bounds = scenario(n_arms, n_arms, rounds, scale=scale)
    trace = play(form(n_arms, implicit), 11, gains, bounds)
    assert_follows(trace, Exp3Twin(n_arms, implicit), gains, bounds)


@all_four
def test_losses_stay_exact_when_they_are_shifted(form, implicit):
    gains, bounds = scenario(4, 3, 20_000)
    gains *= 0.2  # large losses, so that the shift happens again and again
    state, twin = form(3, implicit), Exp3Twin(3, implicit)
    trace = play(state, 12, gains, bounds)
    assert_follows(trace, twin, gains, bounds)
    assert state.losses.min() < 0.5 * twin.losses.min()  # it did happen


@forms
@pytest.mark.parametrize("scale", [1.0, 1e13])
def test_a_million_rounds_lose_no_accuracy(form, scale):
    gains, bounds = scenario(5, 5, 1000, scale=scale)
    state, twin = form(5, 0.0), Exp3Twin(5, 0.0)
    twin.losses = play_long(state, 13, gains, bounds, 1_000_000)
    twin.squares = 1000.0 * np.sum(bounds**2)
    np.testing.assert_allclose(law_of(state, 5, 0.0), twin.law(0.0), rtol=1e-9, atol=1e-300)


@all_four
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("n_arms", [1, 2, 5, 70])
def test_extreme_inputs(form, implicit, name, n_arms):
    gains, bounds = EXTREMES[name](n_arms, 60)
    trace = play(form(n_arms, implicit), 14, gains, bounds)
    assert_follows(trace, Exp3Twin(n_arms, implicit), gains, bounds)


@all_four
@pytest.mark.parametrize("n_arms", [5, 100])
def test_law_after_many_rounds_in_which_one_arm_wins_all(form, implicit, n_arms):
    state = form(n_arms, implicit)
    play_long(state, 15, np.eye(n_arms)[[2]] * 1e13, np.array([1e13]), 100_000)
    final = law_of(state, n_arms, 1e13)
    assert abs(final.sum() - 1) <= 1e-12
    assert final.min() >= 0
    assert final.argmax() == 2


@all_four
@pytest.mark.parametrize("n_arms", [1, 2, 3, 63, 64, 65, 129, 2000])
def test_law_sums_to_one(form, implicit, n_arms):
    gains, bounds = scenario(16, n_arms, 40)
    trace = play(form(n_arms, implicit), 16, gains, bounds)
    assert np.abs(trace.laws.sum(axis=1) - 1).max() <= 1e-12
    assert trace.laws.min() > 0


@all_four
def test_an_arm_whose_weight_underflows_is_never_drawn(form, implicit):
    state = form(3, implicit)
    for arm in (0, 2):
        learn(state, arm, 1e-9, 0.0, 1.0)
    expected = law_of(state, 3, 1.0)
    if not implicit:
        np.testing.assert_array_equal(expected, [0.0, 1.0, 0.0])
    arms, probabilities = draws(state, 1.0, [seed_for_uniform(u) for u in (0.0, 0.5, 1 - 2.0**-53)])
    assert (probabilities > 0).all()
    np.testing.assert_allclose(probabilities, expected[arms], rtol=1e-9)


@all_four
def test_late_rewards_count_with_the_probability_of_their_decision(form, implicit):
    gains, bounds = scenario(18, 5, 200)
    state, twin = form(5, implicit), Exp3Twin(5, implicit)
    waiting = []
    for t in range(200):
        np.testing.assert_allclose(law_of(state, 5, bounds[t]), twin.law(bounds[t]), rtol=1e-9)
        arm, probability = draw(state, bounds[t], np.uint64(t))
        waiting.append((arm, gains[t, arm], bounds[t], probability))
        while len(waiting) > 7 + t % 5:
            arm, gain, bound, probability = waiting.pop(t % 3)
            learn(state, arm, probability, gain, bound)
            twin.learn(arm, gain, bound, probability)


@all_four
def test_expectation_of_the_loss_estimate(form, implicit):
    for seed in range(5):
        gains, bounds = scenario(seed, 4, 200)
        state = form(4, implicit)
        play(state, seed, gains, bounds)
        probabilities = law_of(state, 4, bounds[0])
        expectation = np.zeros(4)
        for arm in range(4):
            after = copy_of(state)
            learn(after, arm, probabilities[arm], gains[0, arm], bounds[0])
            expectation += probabilities[arm] * (after.losses - state.losses)
        exploring = bounds[0] * np.sqrt(np.log(4) / 2 / (np.sum(bounds**2) + bounds[0] ** 2)) / 2
        shrink = probabilities / (probabilities + (exploring if implicit else 0.0))
        loss = bounds[0] - gains[0]
        atol = 1e-12 * np.abs(state.losses).max()
        np.testing.assert_allclose(expectation, shrink * loss, rtol=1e-9, atol=atol)


@all_four
@settings(deadline=None, max_examples=40)
@given(tables, st.randoms(use_true_random=False))
def test_arms_have_no_order(form, implicit, table, random):
    assert_no_order(lambda n: form(n, implicit), table, random)


@all_four
@settings(deadline=None, max_examples=40)
@given(tables, st.integers(-60, 60))
def test_powers_of_two_change_nothing(form, implicit, table, power):
    assert_scale_free(lambda n: form(n, implicit), table, power)


@all_four
def test_compiled_and_interpreted_runs_are_the_same(form, implicit):
    gains, bounds = scenario(19, 21, 500)
    compiled = play(form(21, implicit), 19, gains, bounds)
    interpreted = play(form(21, implicit), 19, gains, bounds, compiled=False)
    for one, other in zip(compiled, interpreted, strict=True):
        np.testing.assert_array_equal(one, other)  # the same bits


@all_four
def test_law_changes_nothing(form, implicit):
    gains, bounds = scenario(20, 5, 50)
    state = form(5, implicit)
    play(state, 20, gains, bounds)
    before = contents(state)
    law_of(state, 5, 3.0)
    assert contents(state) == before


@pytest.mark.parametrize("n_arms", [1, 2, 64, 65, 1000])
@pytest.mark.parametrize("rounds", [0, 300])
def test_arms_split_the_unit_interval_as_the_law_says(n_arms, rounds):
    state = plain_state(n_arms, 0.0)
    bound = 0.0
    if rounds:
        gains, bounds = scenario(21, n_arms, rounds)
        play(state, 21, gains, bounds)
        bound = 1.0
    assert_splits_unit_interval(state, n_arms, bound)


@forms
def test_frequencies_of_random_draws(form):
    n_arms, n = 40, 200_000
    gains, bounds = scenario(22, n_arms, 60)
    state = form(n_arms, 0.0)
    play(state, 22, gains, bounds)
    expected = law_of(state, n_arms, 1.0) * n
    noises = np.random.default_rng(22).integers(0, 2**64, n, np.uint64)
    counts = np.bincount(draws(state, 1.0, noises)[0], minlength=n_arms)
    assert expected.min() > 5
    assert chisquare(counts, expected).pvalue > 1e-6  # false alarm: 1 in a million


@pytest.mark.parametrize("learner", [Exp3, Exp3IX])
def test_configuration(learner):
    assert learner() == learner()
    assert learner().feedback == "bandit"
    assert uses_bound(learner().state(3))
    assert isinstance(learner().state(CROSSOVER - 1), Exp3State)
    assert isinstance(learner().state(CROSSOVER), Exp3TiltedState)
