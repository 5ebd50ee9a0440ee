"""The form for many arms: the same law as the plain one, round by round, and what it keeps is true."""

import numpy as np
import pytest
from numba import njit
from scipy.stats import chisquare

import banditq as bq
from bandit_driver import contents, copy_of, draws, law_of, play, play_long, scenario
from banditq.kernels.noise import scramble
from banditq.kernels.protocol import draw, law, learn
from banditq.learners.logbarrier import CROSSOVER
from banditq.learners.logbarrier_plain import plain_state
from banditq.learners.logbarrier_poles import EPSILON, ROUNDS, TOP, TOTAL
from banditq.learners.logbarrier_tail import tail_state
from twins.bandit_learners import LogBarrierTwin

EPS = np.finfo(float).eps
LEADERS, ROOM = int(tail_state(1000).head.size[0]), tail_state(1000).head.arms.size


@njit(error_model="numpy")
def _side_by_side(tail, plain, key, gains, scales, v, targets, rounds, every, one, other):
    """The largest relative difference of law, propensity and S; and how often the point was set anew.

    Row t of the repeating table pays ``gains``; a queue of ``targets`` per arm stands beside V.
    """
    queue, worst, points = np.zeros(one.size), 0.0, 0
    for t in range(rounds):
        if t < 100 or t % every == 0:
            law(tail, np.inf, one)
            law(plain, np.inf, other)
            for i in range(one.size):
                worst = max(worst, abs(one[i] / other[i] - 1.0))
        arm, probability = draw(tail, np.inf, scramble(key, t))
        if t < 100 or t % every == 0:
            worst = max(worst, abs(probability / other[arm] - 1.0))
        queue += targets
        reward = gains[t % gains.shape[0], arm]
        gain = (v + queue[arm]) * reward * scales[t % scales.size]
        queue[arm] = max(queue[arm] - reward, 0.0)
        before = tail.tail.point[0], tail.tail.point[1], tail.tail.point[2]
        learn(tail, arm, probability, gain, np.inf)
        learn(plain, arm, probability, gain, np.inf)
        point = tail.tail.point
        points += before[0] != point[0] or before[1] != point[1] or before[2] != point[2]
        worst = max(worst, abs(tail.memory[1] / plain.memory[1] - 1.0))
    return worst, points


def side_by_side(n_arms, case, rounds, every=97, seed=5):
    rng = np.random.default_rng(n_arms)
    case = {
        "v": 1000.0,
        "targets": 0.0,
        "scales": np.ones(1),
        "low": 0.0,
        "means": rng.random(n_arms),
    } | case
    means = case["means"] if np.ndim(case["means"]) else np.full(n_arms, case["means"])
    table = 199 if n_arms <= 1000 else 23
    gains = (rng.random((table, n_arms)) < means).astype(float)
    if case["low"] or case.get("any"):
        gains = case["low"] + (1.0 - case["low"]) * 2.0 * means * rng.random((table, n_arms))
    states = tail_state(n_arms), plain_state(n_arms)
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
    "V is a million": {"targets": 0.9, "v": 1e6, "any": True},
    "losses": {"low": -1.0, "v": 1.0},
    "decades": {"scales": 10.0 ** ((np.arange(13) * 7919 % 13) - 6.0), "v": 1.0, "any": True},
    "decades up and down": {"scales": 10.0 ** ((np.arange(13) * 5 % 13) - 6.0), "v": 1.0, "low": -0.5},
    "falling": {"scales": 10.0 ** -np.linspace(0, 12, 4001), "v": 1e6},
    "rising": {"scales": 10.0 ** np.linspace(-6, 6, 4001)},
    "all tied": {"means": 1.0},
    "nothing": {"means": 0.0},
}
NUMBERS = [2, LEADERS, LEADERS + 1, ROOM + 1, CROSSOVER - 1, CROSSOVER, 300, 1000, 10_000]


@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("n_arms", NUMBERS)
def test_every_law_is_that_of_the_plain_form(n_arms, case):
    rounds = 3_000 if n_arms == 10_000 else 12_000
    worst, _ = side_by_side(n_arms, HARD[case], rounds, every=97 if n_arms < 10_000 else 499)
    assert worst <= 1e-9


@pytest.mark.parametrize("n_arms", [CROSSOVER, 1000])
def test_one_arm_far_ahead(n_arms):
    worst, points = side_by_side(n_arms, {"means": np.eye(n_arms)[n_arms // 2]}, 40_000)
    assert worst <= 1e-9
    assert points <= 800


def test_a_hundred_thousand_rounds_set_few_points():
    """Else it would be no faster; it takes about 300, and every one costs about ten plain rounds."""
    worst, points = side_by_side(2000, {"any": True}, 100_000, every=9973)
    assert worst <= 1e-9
    assert points <= 1000


def played(n_arms, rounds, seed=31, low=-0.2):
    gains, bounds = scenario(seed, n_arms, rounds, low=low)
    state = tail_state(n_arms)
    play(state, seed, gains, bounds)
    return state


@pytest.mark.parametrize("gain", [1.0, -1.0, 1e9, -1e9])
@pytest.mark.parametrize("rank", [0, 1, 30, 100, 299])
def test_an_arm_that_jumps(rank, gain):
    """From anywhere to anywhere: a late reward with a tiny probability."""
    gains, bounds = scenario(17, 300, 300)
    state, plain, twin = tail_state(300), plain_state(300), LogBarrierTwin(300)
    trace = play(state, 17, gains, bounds)
    for t, arm in enumerate(trace.arms):
        learn(plain, arm, trace.probabilities[t], gains[t, arm], np.inf)
        twin.scores[arm] += np.longdouble(gains[t, arm] / trace.probabilities[t])
    twin.total, twin.rounds = plain.memory[TOTAL], 300
    arm = np.argsort(-law_of(state, 300, np.inf))[rank]
    for probability in (1e-6, 0.5):
        twin.law(np.inf)
        learn(state, arm, probability, gain, np.inf)
        learn(plain, arm, probability, gain, np.inf)
        twin.learn(arm, gain, np.inf, probability)
        np.testing.assert_allclose(law_of(state, 300, np.inf), law_of(plain, 300, np.inf), rtol=1e-9)
        np.testing.assert_allclose(law_of(state, 300, np.inf), twin.law(np.inf), rtol=1e-9)
        np.testing.assert_allclose(state.memory[TOTAL], twin.total, rtol=1e-9)


def assert_consistent(state):
    """Head and tail share the arms between them, and sums and moments are those of the tail's scores."""
    scores, memory, head, tail = state
    epsilon, top, unit, drift = tail.point
    n_arms, size = scores.size, head.size[0]
    members = head.arms[:size]
    assert len(set(members)) == size
    np.testing.assert_array_equal(head.place[members], np.arange(size))
    assert (head.arms[size:] == -1).all()
    assert (head.scores[size:] == -np.inf).all()
    inside = np.zeros(n_arms, bool)
    inside[members] = True
    assert (head.place[~inside] == -1).all()
    assert head.scores.max() <= memory[TOP]
    assert (scores[~inside] - head.base[0]).max(initial=-np.inf) <= memory[TOP]
    exact = np.where(inside, 0.0, 1.0 / (epsilon + (top - scores)))
    np.testing.assert_array_equal(tail.poles.weights[:n_arms], exact)
    np.testing.assert_allclose(tail.poles.groups.sum(), exact.sum(), rtol=1e-13)
    if inside.all():
        return
    assert unit * exact.max() <= 1.0
    assert drift <= n_arms * unit * n_arms / memory[TOTAL]
    powers = np.array([np.sum((unit * exact).astype(np.longdouble) ** (k + 1)) for k in range(14)], float)
    np.testing.assert_array_less(np.abs(tail.moments - powers), 2 * EPS * (drift + 100) * powers[0] + 1e-13)


@pytest.mark.parametrize("n_arms", [1, 20, LEADERS + 1, ROOM, 70, 130, 700])
@pytest.mark.parametrize("low", [0.0, -0.9])
def test_what_it_keeps_follows_from_the_scores(n_arms, low):
    gains, bounds = scenario(n_arms, n_arms, 1500, low=low)
    state = tail_state(n_arms)
    assert_consistent(state)
    for t in range(0, 1500, 50):
        play(state, t, gains[t : t + 50], bounds[t : t + 50])
        assert_consistent(state)


def test_rounding_errors_call_for_a_new_point():
    """One arm of the tail goes to and fro, and ε hardly moves: nothing else would."""
    state = played(200, 3000, low=0.0)
    arm = int(np.argmin(law_of(state, 200, np.inf)))
    sizes = []
    for t in range(2000):
        learn(state, arm, 1.0, 1e-3 * (-1) ** t * state.memory[EPSILON], np.inf)
        sizes.append(state.tail.point[3])
    assert (np.diff(sizes) < 0).any()
    assert_consistent(state)


def state_with_offset(low, high, sign):
    """A state whose sums have moved this far, in units, from the point they were taken at.

    Most of its mass is in the tail, on gaps that differ by a factor of two, and it explores no more.
    """
    rng, state = np.random.default_rng(8), tail_state(150)
    for t in range(20_000):
        size = 3.0 if t < 150 else 0.2 * sign
        arm = t if t < 150 else rng.integers(150)
        learn(state, arm, 1.0, size * rng.random() * state.memory[EPSILON], np.inf)
        epsilon, top, unit, _ = state.tail.point
        moved = (state.memory[EPSILON] - epsilon) + (state.memory[TOP] + state.head.base[0] - top)
        if t > 300 and low <= moved / unit <= high:
            state.memory[ROUNDS] = 1e14
            return state
    raise AssertionError("no such round")


@pytest.mark.parametrize("moved", [(0.08, 0.1125, 1), (-0.1125, -0.08, -1), (-0.01, 0.01, 1)])
def test_draws_have_the_frequencies_of_the_law(moved):
    state, n = state_with_offset(*moved), 6_000_000
    expected = law_of(state, 150, np.inf)
    arms, probabilities = draws(state, np.inf, np.random.default_rng(9).integers(0, 2**64, n, np.uint64))
    np.testing.assert_allclose(probabilities, expected[arms], rtol=1e-9)
    counts = np.bincount(arms, minlength=150)
    assert (n * expected).min() > 5
    assert expected[state.head.place < 0].sum() > 0.3
    assert chisquare(counts, n * expected).pvalue > 1e-6  # false alarm: 1 in a million


def test_law_changes_nothing():
    state = played(200, 300)
    before = contents(state)
    law_of(state, 200, 1.0)
    draws(state, 1.0, range(50))
    assert contents(state) == before


def test_copies_go_on_alike():
    """All there is to a state is in its arrays."""
    gains, bounds = scenario(3, 200, 600)
    state = tail_state(200)
    play(state, 1, gains[:300], bounds[:300])
    other = copy_of(state)
    for one, two in zip(*(play(s, 2, gains[300:], bounds[300:]) for s in (state, other)), strict=True):
        np.testing.assert_array_equal(one, two)
    assert contents(state) == contents(other)


def test_a_saved_agent_goes_on_bit_for_bit(tmp_path):
    n_arms = 2 * CROSSOVER
    policy = bq.BanditQ(v=100.0)
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
    state, twin = tail_state(120), LogBarrierTwin(120)
    twin.scores = play_long(state, 13, gains, bounds, 1_000_000, sign=1)
    twin.total, twin.rounds = state.memory[TOTAL], 1_000_000
    np.testing.assert_allclose(law_of(state, 120, 0.0), twin.law(0.0), rtol=1e-9)
    assert_consistent(state)


def test_targets_on_many_arms_cost_no_more_than_on_few():
    """What a round touches is one queue; the engine asks the learner for its law at checkpoints only."""
    n_arms = 500
    means = np.linspace(0.2, 0.9, n_arms)
    problem = bq.Problem(means, 0.8 * means / n_arms)
    run = bq.simulate(bq.BanditQ(), problem, 30_000, arms="all", checkpoints=[1, 2, 3, 100, 10_000])
    np.testing.assert_allclose(run.played[0, -1].sum(), 30_000, rtol=1e-12)
    assert np.isfinite(run.queue).all()
