import numpy as np
import pytest
from bandit_driver import contents, copy_of, draws, law_of, play, play_long, scenario
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from twins.bandit_learners import TsallisTwin
from twins.splitmix import seed_for_uniform

from banditq.errors import InvalidInput
from banditq.kernels.protocol import draw, learn, uses_bound
from banditq.learners.tsallis import TsallisInf, pole_power_sums, tsallis_root

ESTIMATORS = ("rv", "iw")
both = pytest.mark.parametrize("estimator", ESTIMATORS)


def follow(twin, trace, gains, bounds):
    """The twin's law in every round, along the arms of a trace."""
    laws = np.empty_like(trace.laws)
    for t, arm in enumerate(trace.arms):
        laws[t] = twin.law(bounds[t])
        twin.learn(arm, gains[t, arm], bounds[t])
    return laws


def assert_same(trace, laws):
    np.testing.assert_allclose(trace.laws, laws, rtol=1e-9)
    drawn = laws[np.arange(trace.arms.size), trace.arms]
    np.testing.assert_allclose(trace.probabilities, drawn, rtol=1e-9)


@both
@pytest.mark.parametrize(("n_arms", "rounds"), [(1, 50), (2, 400), (5, 600), (65, 300), (200, 300)])
@pytest.mark.parametrize("scale", [1.0, 1e11])
def test_every_law_of_a_run_is_that_of_the_twin(estimator, n_arms, rounds, scale):
    gains, bounds = scenario(n_arms, n_arms, rounds, scale=scale)
    trace = play(TsallisInf(estimator).state(n_arms), 11, gains, bounds)
    assert_same(trace, follow(TsallisTwin(n_arms, estimator), trace, gains, bounds))


@both
def test_losses_stay_exact_when_they_are_shifted(estimator):
    gains, bounds = scenario(4, 3, 4000)
    gains *= 0.2  # large losses, so that the shift happens again and again
    state = TsallisInf(estimator).state(3)
    trace = play(state, 12, gains, bounds)
    twin = TsallisTwin(3, estimator)
    assert_same(trace, follow(twin, trace, gains, bounds))
    assert state.losses.min() < 0.5 * twin.losses.min()  # it did happen


def test_a_million_rounds_of_large_losses_lose_no_accuracy():
    # arm 0 always pays nothing, so that its loss is the bound; exact sums by powers of two
    state = TsallisInf("iw").state(1)
    bounds = np.array([2.0**43])
    play_long(state, 13, np.zeros((1, 1)), bounds, 1_000_000)
    assert law_of(state, 1, 2.0**43) == 1.0
    state = TsallisInf("iw").state(2)
    twin = TsallisTwin(2, "iw")
    for arm in np.arange(1_000_000) % 2:  # both arms lose alike, but for one unit at the end
        learn(state, arm, 0.5, 0.0, 2.0**43)
    learn(state, 0, 0.5, 0.0, 2.0**43)
    twin.squares = 1_000_001 * 2.0**86
    twin.losses[:] = [2.0**44, 0.0]
    np.testing.assert_allclose(law_of(state, 2, 0.0), twin.law(0.0), rtol=1e-12)


EXTREMES = {
    "nothing to win": lambda n, r: (np.zeros((r, n)), np.zeros(r)),
    "nothing to win at first": lambda n, r: (np.zeros((r, n)), np.repeat([0.0, 1.0], r // 2)),
    "nothing won": lambda n, r: (np.zeros((r, n)), np.full(r, 1e13)),
    "one arm wins all": lambda n, r: (1e13 * np.eye(n)[np.zeros(r, int)], np.full(r, 1e13)),
    "scales jump": lambda n, r: (np.zeros((r, n)), np.tile([1e-3, 1e13, 0.0, 1.0], r // 4)),
    "no arm loses": lambda n, r: (np.outer(1.5 + np.arange(r) % 7, np.ones(n)), 1.5 + np.arange(r) % 7),
}


@both
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("n_arms", [1, 2, 5, 70])
def test_extreme_inputs(estimator, name, n_arms):
    gains, bounds = EXTREMES[name](n_arms, 60)
    trace = play(TsallisInf(estimator).state(n_arms), 14, gains, bounds)
    assert_same(trace, follow(TsallisTwin(n_arms, estimator), trace, gains, bounds))


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
    gains, bounds = scenario(17, 6, 300)
    state, twin = TsallisInf("rv").state(6), TsallisTwin(6, "rv")
    trace = play(state, 17, gains, bounds)
    follow(twin, trace, gains, bounds)
    twin.law(1.0)
    draw(state, 1.0, np.uint64(0))
    arm = int(np.argmin(twin.weights))
    assert twin.weights[arm] >= 16 / (twin.squares + 1.0)  # it has a baseline
    learn(state, arm, 1e-7, 1.0, 1.0)
    twin.learn(arm, 1.0, 1.0, probability=1e-7)
    assert np.argmin(twin.losses) == arm
    np.testing.assert_allclose(law_of(state, 6, 1.0), twin.law(1.0), rtol=1e-9)
    learn(state, arm, 1e-7, 0.0, 1.0)  # and back, behind all others
    twin.learn(arm, 0.0, 1.0, probability=1e-7)
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


tables = st.integers(1, 7).flatmap(
    lambda n: st.lists(
        st.tuples(
            st.sampled_from([0.0, 1e-3, 1.0, 2.5, 7e12]) | st.floats(1e-2, 1e2),
            st.lists(st.sampled_from([0.0, 1.0]) | st.floats(0, 1), min_size=n, max_size=n),
        ),
        min_size=1,
        max_size=40,
    )
)


def arrays(table):
    bounds = np.array([bound for bound, _ in table])
    return np.array([fractions for _, fractions in table]) * bounds[:, None], bounds


@both
@settings(deadline=None, max_examples=40)
@given(tables, st.randoms(use_true_random=False))
def test_arms_have_no_order(estimator, table, random):
    gains, bounds = arrays(table)
    rounds, n_arms = gains.shape
    order = list(range(n_arms))
    random.shuffle(order)
    place = np.argsort(order)
    one, other = TsallisInf(estimator).state(n_arms), TsallisInf(estimator).state(n_arms)
    for t in range(rounds):
        arm, probability = draw(one, bounds[t], np.uint64(t))
        draw(other, bounds[t], np.uint64(t))
        learn(one, arm, probability, gains[t, arm], bounds[t])
        learn(other, place[arm], probability, gains[t, arm], bounds[t])
        expected = law_of(one, n_arms, bounds[t])[order]
        np.testing.assert_allclose(law_of(other, n_arms, bounds[t]), expected, rtol=1e-9)


@both
@settings(deadline=None, max_examples=40)
@given(tables, st.integers(-60, 60))
def test_powers_of_two_change_nothing(estimator, table, power):
    gains, bounds = arrays(table)
    state = TsallisInf(estimator).state
    plain = play(state(gains.shape[1]), 1, gains, bounds, compiled=False)
    scaled = play(state(gains.shape[1]), 1, gains * 2.0**power, bounds * 2.0**power, compiled=False)
    for one, other in zip(plain, scaled, strict=True):
        np.testing.assert_array_equal(one, other)


@both
def test_compiled_and_interpreted_runs_agree(estimator):
    gains, bounds = scenario(19, 7, 500)
    compiled = play(TsallisInf(estimator).state(7), 19, gains, bounds)
    interpreted = play(TsallisInf(estimator).state(7), 19, gains, bounds, compiled=False)
    np.testing.assert_array_equal(compiled.arms, interpreted.arms)
    np.testing.assert_allclose(compiled.laws, interpreted.laws, rtol=1e-9)


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
    expected = law_of(state, n_arms, bound)
    grid = (np.arange(20_000) + 0.5) / 20_000
    edges = np.concatenate([[0], np.cumsum(expected)])
    corners = np.concatenate([edges[:-1] + 1e-3 * expected, edges[1:] - 1e-3 * expected])
    points = np.clip(np.concatenate([grid, corners, [0.0, 1 - 2.0**-53]]), 0, 1 - 2.0**-53)
    arms, probabilities = draws(state, bound, [seed_for_uniform(u) for u in points])
    last = np.searchsorted(edges, points, side="right") - 1
    np.testing.assert_array_equal(arms, np.clip(last, 0, n_arms - 1))
    np.testing.assert_allclose(probabilities, expected[arms], rtol=1e-9)


def test_frequencies_of_random_draws():
    n_arms, n = 40, 200_000
    gains, bounds = scenario(22, n_arms, 300)
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
