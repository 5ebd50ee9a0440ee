"""The form for many arms: the same law as the plain one, round by round, and what it keeps is true."""

import numpy as np
import pytest
from numba import njit
from scipy.special import gammaln
from scipy.stats import chisquare

import banditq as bq
from bandit_driver import contents, copy_of, draws, law_of, play, play_long, scenario
from banditq.kernels.noise import scramble
from banditq.kernels.protocol import draw, law, learn
from banditq.kernels.tilts import FAR, ORDER, REACH
from banditq.learners.exp3 import CROSSOVER
from banditq.learners.exp3_plain import plain_state
from banditq.learners.exp3_tilted import BASE, DRIFT, RATE, WEAR, tilted_state
from twins.bandit_learners import Exp3Twin

EPS = np.finfo(float).eps
TINY = 1e-290  # of smaller probabilities only that they are small


@njit(error_model="numpy")
def _apart(one, other):
    """The largest relative difference of two laws."""
    worst = 0.0
    for i in range(one.size):
        if other[i] >= TINY or one[i] >= TINY:
            worst = max(worst, abs(one[i] / other[i] - 1.0))
    return worst


@njit(error_model="numpy")
def _side_by_side(tilted, plain, key, gains, scales, v, targets, rounds, every, one, other):
    """The largest relative difference of law and propensity; and how often the point was set anew.

    Row t of the repeating table pays ``gains``; a queue of ``targets`` per arm stands beside V.
    """
    queue, worst, points = np.zeros(one.size), 0.0, 0
    for t in range(rounds):
        queue += targets
        scale = scales[t % scales.size]
        bound = (v + queue.max()) * scale
        look = t < 100 or t % every == 0
        if look:
            law(tilted, bound, one)
            law(plain, bound, other)
            worst = max(worst, _apart(one, other))
        rate, base = tilted.point[RATE], tilted.point[BASE]
        arm, probability = draw(tilted, bound, scramble(key, t))
        points += rate != tilted.point[RATE] or base != tilted.point[BASE]
        if look:
            worst = max(worst, abs(probability / other[arm] - 1.0))
        reward = gains[t % gains.shape[0], arm]
        gain = (v + queue[arm]) * reward * scale
        queue[arm] = max(queue[arm] - reward, 0.0)
        learn(tilted, arm, probability, gain, bound)
        learn(plain, arm, probability, gain, bound)
    return worst, points


def side_by_side(n_arms, case, rounds, *, implicit=0.0, every=97, seed=5):
    rng = np.random.default_rng(n_arms)
    usual = {"v": 1000.0, "targets": 0.0, "scales": np.ones(1), "low": 0.0, "means": rng.random(n_arms)}
    case = usual | case
    means = case["means"] if np.ndim(case["means"]) else np.full(n_arms, case["means"])
    table = 199 if n_arms <= 1000 else 23
    gains = (rng.random((table, n_arms)) < means).astype(float)
    if case["low"] or case.get("any"):
        gains = np.minimum(
            case["low"] + (1.0 - case["low"]) * 2.0 * means * rng.random((table, n_arms)), 1.0
        )
    states = tilted_state(n_arms, implicit), plain_state(n_arms, implicit)
    work = np.zeros(n_arms), np.zeros(n_arms)
    targets = np.asarray(case["targets"] * means / n_arms)
    return _side_by_side(
        *states, np.uint64(seed), gains, case["scales"], case["v"], targets, rounds, every, *work
    )


HARD = {
    "bernoulli": {},
    "any rewards": {"any": True},
    "targets on all arms": {"targets": 0.9, "v": 300.0},
    "V is 0": {"targets": 0.9, "v": 0.0},
    "overloaded": {"targets": 20.0, "v": 1.0},
    "losses": {"low": -1.0},
    "decades": {"scales": 10.0 ** ((np.arange(13) * 7919 % 13) - 6.0), "v": 1.0, "any": True},
    "decades up and down": {"scales": 10.0 ** ((np.arange(13) * 5 % 13) - 6.0), "v": 1.0, "low": -0.5},
    "falling": {"scales": 10.0 ** -np.linspace(0, 12, 4001), "v": 1e6},
    "rising": {"scales": 10.0 ** np.linspace(-6, 6, 4001)},
    "all tied": {"means": 1.0},
    "nothing": {"means": 0.0},
}
NUMBERS = [2, 7, CROSSOVER - 1, CROSSOVER, 65, 300, 1000, 10_000]


@pytest.mark.parametrize("implicit", [0.0, 0.5])
@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("n_arms", NUMBERS)
def test_every_law_is_that_of_the_plain_form(n_arms, case, implicit):
    rounds, every = (3_000, 499) if n_arms == 10_000 else (12_000, 97)
    worst, _ = side_by_side(n_arms, HARD[case], rounds, implicit=implicit, every=every)
    assert worst <= 1e-9


@pytest.mark.parametrize("n_arms", [CROSSOVER, 1000])
def test_one_arm_far_ahead(n_arms):
    worst, _ = side_by_side(n_arms, {"means": np.eye(n_arms)[n_arms // 2]}, 40_000)
    assert worst <= 1e-9


@pytest.mark.parametrize("case", ["any rewards", "targets on all arms", "nothing"])
def test_a_hundred_thousand_rounds_set_few_points(case):
    """Else it would be no faster. Least for the rate, which falls by √10⁵: one in 0.9 REACH of its log."""
    worst, points = side_by_side(2000, HARD[case], 100_000, every=9973)
    assert worst <= 1e-9
    least = 0.5 * np.log(1e5) / np.log1p(REACH)
    assert 0.5 * least <= points <= 4 * least


def played(n_arms, rounds, seed=31):
    gains, bounds = scenario(seed, n_arms, rounds, low=-0.2)
    state = tilted_state(n_arms, 0.0)
    play(state, seed, gains, bounds)
    return state


@pytest.mark.parametrize("gain", [1.0, -1.0, -1e9, 1.0 + 1e-9, 3.0, 1e9])
@pytest.mark.parametrize("rank", [0, 1, 30, 299])
def test_an_arm_that_jumps(rank, gain):
    """From anywhere to anywhere: a late reward with a tiny probability, or above its bound."""
    gains, bounds = scenario(17, 300, 300)
    state, plain, twin = tilted_state(300, 0.0), plain_state(300, 0.0), Exp3Twin(300, 0.0)
    trace = play(state, 17, gains, bounds)
    for t, arm in enumerate(trace.arms):
        learn(plain, arm, trace.probabilities[t], gains[t, arm], bounds[t])
        twin.learn(arm, gains[t, arm], bounds[t], trace.probabilities[t])
    arm = np.argsort(-law_of(state, 300, 1.0))[rank]
    for probability in (1e-6, 0.5):
        learn(state, arm, probability, gain, 1.0)
        learn(plain, arm, probability, gain, 1.0)
        twin.learn(arm, gain, 1.0, probability)
        expected = law_of(plain, 300, 1.0)
        np.testing.assert_allclose(law_of(state, 300, 1.0), expected, rtol=1e-9, atol=TINY)
        np.testing.assert_allclose(expected, twin.law(1.0), rtol=1e-9, atol=TINY)
        arms, probabilities = draws(state, 1.0, range(200))
        np.testing.assert_allclose(probabilities, expected[arms], rtol=1e-9)
        assert_consistent(state)


def assert_consistent(state):
    """Weights and moments are those of the losses, by SciPy's Poisson probabilities."""
    rate, base, drift = state.point
    if rate < 0.0:
        return
    n_arms = state.losses.size
    u = rate * (state.losses - base)
    assert u.min() >= 0.0
    weights = np.where(u < FAR, np.exp(-u), 0.0)
    np.testing.assert_allclose(state.weights.weights[:n_arms], weights, rtol=4 * EPS, atol=0)
    assert not state.weights.weights[n_arms:].any()
    np.testing.assert_allclose(state.weights.groups.sum(), weights.sum(), rtol=1e-13)
    near, k = np.clip(u[u < FAR], 1e-300, None), np.arange(ORDER)[:, None]
    poisson = np.exp(k * np.log(near) - near - gammaln(k + 1)).sum(axis=1)
    np.testing.assert_allclose(state.moments, poisson, rtol=1e-11, atol=2 * EPS * (drift + n_arms))


@pytest.mark.parametrize("n_arms", [1, 20, 64, 70, 130, 700])
@pytest.mark.parametrize("low", [0.0, -0.9])
def test_what_it_keeps_follows_from_the_losses(n_arms, low):
    gains, bounds = scenario(n_arms, n_arms, 1500, low=low)
    state = tilted_state(n_arms, 0.0)
    for t in range(0, 1500, 50):
        play(state, t, gains[t : t + 50], bounds[t : t + 50])
        assert_consistent(state)


@njit(error_model="numpy")
def _learn_often(state, arm, gain, bound, rounds):
    for _ in range(rounds):
        learn(state, arm, 1.0, gain, bound)


def rate_now(state, bound):
    n_arms = state.losses.size
    return np.sqrt(2 * np.log(n_arms) / (n_arms * (state.memory[0] + bound**2)))


def test_rounding_errors_call_for_a_new_point():
    """Nothing else would: rewards are late, the rate all but stands still, no loss grows to speak of."""
    state = played(200, 3000)
    draws(state, 1.0, [1])
    mass = np.sum(np.exp(-rate_now(state, 1.0) * (state.losses - state.point[BASE])))
    before = state.point.copy()
    _learn_often(state, 3, 0.0, 1e-9, 1)
    each = state.point[DRIFT] - before[DRIFT]
    enough = (WEAR * mass - before[DRIFT]) / each
    _learn_often(state, 3, 0.0, 1e-9, int(0.99 * enough))
    draws(state, 1.0, [1])
    np.testing.assert_array_equal(state.point[:2], before[:2])
    assert_consistent(state)
    _learn_often(state, 3, 0.0, 1e-9, int(0.02 * enough))
    draws(state, 1.0, [1])
    assert state.point[DRIFT] == 0.0
    assert_consistent(state)


@pytest.mark.parametrize(("behind", "anew"), [(2.0, False), (9.0, True), (30.0, True), (800.0, True)])
def test_a_leader_that_falls_calls_for_a_new_point(behind, anew):
    """Unless the others have enough: little is not known well from what was subtracted from much."""
    state = tilted_state(50, 0.0)
    step = rate_now(state, np.sqrt(51.0))
    for arm in range(1, 50):
        learn(state, arm, step / behind, 0.0, 1.0)
    draws(state, 1.0, [1])
    learn(state, 0, step / (behind + 40.0), 0.0, 1.0)
    assert state.point[DRIFT] > 0.0
    arms, probabilities = draws(state, 1.0, range(300))
    assert (state.point[DRIFT] == 0.0) == anew
    np.testing.assert_allclose(probabilities, law_of(state, 50, 1.0)[arms], rtol=1e-9)


def state_with_tilt(low, high):
    """A state whose rate is this far above that of its point, and whose probabilities differ a lot."""
    rng, state = np.random.default_rng(8), tilted_state(150, 0.0)
    for t in range(20_000):
        draw(state, 1.0, np.uint64(t))
        tilt = rate_now(state, 1.0) / state.point[RATE] - 1.0
        expected = law_of(state, 150, 1.0)
        if t > 1000 and low <= tilt <= high and expected.max() > 20 * expected.min() > 1e-4:
            return state
        arm = rng.integers(150)
        learn(state, arm, 0.03, 1.0 - arm / 150 - rng.random(), 1.0)
    raise AssertionError("no such round")


@pytest.mark.parametrize("tilt", [(0.0, 0.01), (0.02, 0.04), (0.05, REACH)])
def test_draws_have_the_frequencies_of_the_law(tilt):
    state, n = state_with_tilt(*tilt), 6_000_000
    expected = law_of(state, 150, 1.0)
    before = contents(state)
    arms, probabilities = draws(state, 1.0, np.random.default_rng(9).integers(0, 2**64, n, np.uint64))
    assert contents(state) == before  # the point at hand did
    np.testing.assert_allclose(probabilities, expected[arms], rtol=1e-9)
    counts = np.bincount(arms, minlength=150)
    assert (n * expected).min() > 5
    assert chisquare(counts, n * expected).pvalue > 1e-6  # false alarm: 1 in a million


def test_a_new_point_changes_no_law():
    state = played(200, 300)
    for bound in (1e3, 1e-3, 1e7, 0.0):
        before, rate = [law_of(state, 200, b) for b in (0.0, 1.0, 1e3)], state.point[RATE]
        draws(state, bound, range(5))
        assert state.point[RATE] != rate
        for b, one in zip((0.0, 1.0, 1e3), before, strict=True):
            np.testing.assert_allclose(law_of(state, 200, b), one, rtol=1e-12)


def test_copies_go_on_alike():
    """All there is to a state is in its arrays."""
    gains, bounds = scenario(3, 200, 600)
    state = tilted_state(200, 0.5)
    play(state, 1, gains[:300], bounds[:300])
    other = copy_of(state)
    for one, two in zip(*(play(s, 2, gains[300:], bounds[300:]) for s in (state, other)), strict=True):
        np.testing.assert_array_equal(one, two)
    assert contents(state) == contents(other)


@pytest.mark.parametrize("learner", [bq.Exp3(), bq.Exp3IX()], ids=str)
def test_a_saved_agent_goes_on_bit_for_bit(tmp_path, learner):
    n_arms = 2 * CROSSOVER
    policy = bq.BanditQ(learner=learner, v=100.0)
    agent = policy.start(np.full(n_arms, 0.5 / n_arms), seed=4)
    rng = np.random.default_rng(5)
    for t in range(700):
        choice = agent.choose()
        agent.learn(choice, float(rng.random() < choice.arm / n_arms))
        if t in (3, 300):
            agent = bq.Agent.load(agent.save(tmp_path / "agent.npz"))
    again = bq.Agent.load(agent.save(tmp_path / "agent.npz"))
    for _ in range(500):
        choice = agent.choose()
        assert again.choose() == choice
        reward = float(rng.random() < choice.arm / n_arms)
        agent.learn(choice, reward)
        again.learn(choice, reward)
    np.testing.assert_array_equal(again.law(), agent.law())


def test_a_million_rounds_lose_no_accuracy():
    gains, bounds = scenario(5, 120, 500)
    state, twin = tilted_state(120, 0.0), Exp3Twin(120, 0.0)
    twin.losses = play_long(state, 13, gains, bounds, 1_000_000)
    twin.squares = 2000.0 * np.sum(bounds**2)
    np.testing.assert_allclose(law_of(state, 120, 0.0), twin.law(0.0), rtol=1e-9, atol=TINY)
    assert_consistent(state)
