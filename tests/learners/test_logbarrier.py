import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from bandit_driver import (
    EXTREMES,
    assert_follows,
    assert_no_order,
    contents,
    draws,
    law_of,
    play,
    play_long,
    scenario,
    tables,
)
from banditq.kernels.protocol import draw, learn, uses_bound
from banditq.learners.logbarrier import CROSSOVER, LogBarrier
from banditq.learners.logbarrier_plain import LogBarrierState, plain_state
from banditq.learners.logbarrier_poles import TOTAL
from banditq.learners.logbarrier_tail import LogBarrierTailState, tail_state
from twins.bandit_learners import LogBarrierTwin, mixability_gap
from twins.splitmix import seed_for_uniform

FORMS = {"plain": plain_state, "tail": tail_state}


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def fresh(request):
    """Either form, for any number of arms."""
    return request.param


def rate_sum(state):
    """S, the sum of the mixability gaps."""
    return state.memory[TOTAL]


def assert_follows_with_rate(fresh, n_arms, gains, bounds, seed):
    state, twin = fresh(n_arms), LogBarrierTwin(n_arms)
    trace = play(state, seed, gains, bounds)
    assert_follows(trace, twin, gains, bounds)
    np.testing.assert_allclose(rate_sum(state), twin.total, rtol=1e-9)
    return trace


@pytest.mark.parametrize(("n_arms", "rounds"), [(1, 50), (2, 150), (5, 250), (65, 120), (200, 80)])
@pytest.mark.parametrize(("scale", "low"), [(1e-3, -1), (1, 0), (1, -1), (1e4, 0), (1e13, 0), (1e13, -1)])
def test_every_law_of_a_run_is_that_of_the_twin(fresh, n_arms, rounds, scale, low):
    gains, bounds = scenario(n_arms, n_arms, rounds, scale=scale, low=low)
    assert_follows_with_rate(fresh, n_arms, gains, bounds, 11)


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("n_arms", [1, 2, 5, 70])
def test_extreme_inputs(fresh, name, n_arms):
    gains, bounds = EXTREMES[name](n_arms, 60)
    assert_follows_with_rate(fresh, n_arms, gains, bounds, 14)


@pytest.mark.parametrize("n_arms", [2, 2000])
@pytest.mark.parametrize("gain", [1e13, -1e13, 1e-12, -1e-12])
def test_first_rounds_of_extreme_gains(fresh, n_arms, gain):
    assert_follows_with_rate(fresh, n_arms, np.full((8, n_arms), gain), np.full(8, np.inf), 12)


@pytest.mark.parametrize("sizes", [(1e-6, 1e10), (1e10, 1e-6), (-1e10, 1.0), (1.0, -1e10)])
def test_gains_that_change_their_size(fresh, sizes):
    gains = np.repeat(sizes, 20)[:, None] * np.random.default_rng(1).random((40, 4))
    assert_follows_with_rate(fresh, 4, gains, np.full(40, np.inf), 13)


@pytest.mark.parametrize("gain", [1.0, -1.0, 1e9, -1e9])
def test_an_arm_that_jumps(fresh, gain):
    # a late reward with a tiny probability
    gains, bounds = scenario(17, 6, 200)
    state, twin = fresh(6), LogBarrierTwin(6)
    trace = play(state, 17, gains, bounds)
    assert_follows(trace, twin, gains, bounds)
    arms = np.argsort(law_of(state, 6, np.inf))
    for arm in (arms[0], arms[-1]):
        twin.law(np.inf)
        learn(state, arm, 1e-6, gain, np.inf)
        twin.learn(arm, gain, np.inf, 1e-6)
        np.testing.assert_allclose(law_of(state, 6, np.inf), twin.law(np.inf), rtol=1e-9)
        np.testing.assert_allclose(rate_sum(state), twin.total, rtol=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_twin_solves_the_problems_of_the_paper(sign):
    # ours is Newton on one pole equation, the twin brackets it and a dual; this solves both as posed
    gains, _ = scenario(15, 4, 60)
    twin = LogBarrierTwin(4)
    for t in range(60):
        twin.law(np.inf)
        arm = t % 4
        estimate = sign * gains[t, arm] / twin.weights[arm]
        if t in (0, 1, 5, 20, 59):
            p, eta = twin.point(), twin.eta
            q = cp.Variable(4)
            scores = eta * np.asarray(twin.scores - twin.scores.max(), float)
            best = cp.Problem(cp.Maximize(scores @ q + cp.sum(cp.log(q))), [cp.sum(q) == 1]).solve()
            assert abs(scores @ p + np.log(p).sum() - best) <= 1e-6
            np.testing.assert_allclose(p, q.value, rtol=1e-2)
            divergence = cp.sum(q / p - 1 - cp.log(q / p))
            gap = cp.Problem(cp.Maximize(estimate * (q[arm] - p[arm]) - divergence / eta), [cp.sum(q) == 1])
            np.testing.assert_allclose(
                mixability_gap(p, arm, estimate, eta), gap.solve(), rtol=1e-5, atol=1e-6
            )
        twin.learn(arm, sign * gains[t, arm], np.inf, twin.weights[arm])


@pytest.mark.parametrize("scale", [1.0, 1e13])
def test_a_million_rounds_lose_no_accuracy(fresh, scale):
    gains, bounds = scenario(5, 5, 1000, scale=scale)
    state, twin = fresh(5), LogBarrierTwin(5)
    twin.scores = play_long(state, 13, gains, bounds, 1_000_000, sign=1)
    twin.total, twin.rounds = rate_sum(state), 1_000_000
    np.testing.assert_allclose(law_of(state, 5, 0.0), twin.law(0.0), rtol=1e-9)


@pytest.mark.parametrize("n_arms", [5, 1000])
def test_law_after_many_rounds_in_which_one_arm_wins_all(fresh, n_arms):
    state = fresh(n_arms)
    play_long(state, 15, np.eye(n_arms)[[2]] * 1e13, np.array([1e13]), 100_000)
    final = law_of(state, n_arms, 1e13)
    assert abs(final.sum() - 1) <= 1e-12
    assert final.min() > 0
    assert final.argmax() == 2


@pytest.mark.parametrize("n_arms", [1, 2, 3, 63, 64, 65, 129, 2000])
def test_law_sums_to_one_and_explores(fresh, n_arms):
    gains, bounds = scenario(16, n_arms, 40, low=-0.5)
    trace = play(fresh(n_arms), 16, gains, bounds)
    assert np.abs(trace.laws.sum(axis=1) - 1).max() <= 1e-12
    gammas = np.minimum(0.5, np.sqrt(n_arms / np.maximum(np.arange(40), 1)))
    assert (trace.laws.min(axis=1) >= gammas / n_arms).all()


def test_rewards_of_nothing_only_make_it_explore_less(fresh):
    gains, bounds = scenario(23, 5, 100)
    state = fresh(5)
    play(state, 23, gains, bounds)
    before = (law_of(state, 5, 1.0) - np.sqrt(5 / 100) / 5) / (1 - np.sqrt(5 / 100))
    for arm in range(5):
        learn(state, arm, 0.2, 0.0, 1.0)
    after = (law_of(state, 5, 1.0) - np.sqrt(5 / 105) / 5) / (1 - np.sqrt(5 / 105))
    np.testing.assert_allclose(after, before, rtol=1e-12)


def test_late_rewards_count_with_the_probability_of_their_decision(fresh):
    gains, bounds = scenario(18, 5, 200, low=-0.2)
    state, twin = fresh(5), LogBarrierTwin(5)
    waiting = []
    for t in range(200):
        np.testing.assert_allclose(law_of(state, 5, np.inf), twin.law(np.inf), rtol=1e-9)
        arm, probability = draw(state, np.inf, np.uint64(t))
        waiting.append((arm, gains[t, arm], bounds[t], probability))
        while len(waiting) > 7 + t % 5:
            arm, gain, bound, probability = waiting.pop(t % 3)
            learn(state, arm, probability, gain, bound)
            twin.learn(arm, gain, bound, probability)


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=40)
@given(tables, st.randoms(use_true_random=False))
def test_arms_have_no_order(form, table, random):
    assert_no_order(FORMS[form], table, random)


@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=60)
@given(tables, st.floats(-2, 0.5))
def test_any_gains_leave_a_law(form, table, low):
    state = FORMS[form](len(table[0][1]))
    for t, (bound, fractions) in enumerate(table):
        arm, probability = draw(state, bound, np.uint64(t))
        learn(state, arm, probability, bound * (low + fractions[arm]), bound)
        law = law_of(state, len(fractions), bound)
        assert abs(law.sum() - 1) <= 1e-12
        assert law.min() > 0
        assert rate_sum(state) >= 1


def test_compiled_and_interpreted_runs_are_the_same(fresh):
    gains, bounds = scenario(19, 21, 500)
    compiled = play(fresh(21), 19, gains, bounds)
    interpreted = play(fresh(21), 19, gains, bounds, compiled=False)
    for one, other in zip(compiled, interpreted, strict=True):
        np.testing.assert_array_equal(one, other)  # the same bits


def test_law_changes_nothing(fresh):
    gains, bounds = scenario(20, 5, 50)
    state = fresh(5)
    play(state, 20, gains, bounds)
    before = contents(state)
    law_of(state, 5, 3.0)
    assert contents(state) == before


@pytest.mark.parametrize("n_arms", [1, 2, 64, 65, 1000])
@pytest.mark.parametrize("rounds", [0, 2500])
def test_arms_share_the_unit_interval_as_the_law_says(n_arms, rounds):
    state = plain_state(n_arms)  # the other form needs more than one number
    if rounds:
        gains, bounds = scenario(21, n_arms, rounds)
        play(state, 21, gains, bounds)
    expected = law_of(state, n_arms, np.inf)
    points = 20_000
    grid = (np.arange(points) + 0.5) / points
    arms, probabilities = draws(state, np.inf, [seed_for_uniform(u) for u in grid])
    # an arm has one interval while exploring and one while not, and each holds its share of points, ±1
    counts = np.bincount(arms, minlength=n_arms)
    assert np.abs(counts - points * expected).max() <= 2
    np.testing.assert_allclose(probabilities, expected[arms], rtol=1e-11)


def test_frequencies_of_random_draws(fresh):
    n_arms, n = 40, 200_000
    gains, bounds = scenario(22, n_arms, 300)
    state = fresh(n_arms)
    play(state, 22, gains, bounds)
    expected = law_of(state, n_arms, 1.0) * n
    noises = np.random.default_rng(22).integers(0, 2**64, n, np.uint64)
    counts = np.bincount(draws(state, 1.0, noises)[0], minlength=n_arms)
    assert expected.min() > 5
    assert chisquare(counts, expected).pvalue > 1e-6  # false alarm: 1 in a million


def test_configuration():
    assert LogBarrier() == LogBarrier()
    assert LogBarrier().feedback == "bandit"
    assert type(LogBarrier().state(CROSSOVER - 1)) is LogBarrierState
    assert type(LogBarrier().state(CROSSOVER)) is LogBarrierTailState


def test_bounds_are_not_looked_at(fresh):
    assert not uses_bound(fresh(3))
