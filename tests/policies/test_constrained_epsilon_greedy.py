import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import banditq as bq
from banditq.errors import InvalidInput
from banditq.kernels.noise import scramble, uniform
from banditq.kernels.protocol import Decision, learn
from banditq.policies.constrained_epsilon_greedy import ConstrainedEpsilonGreedy
from policy_driver import KEY, law_of, play, play_late, start, table
from twins.pull_policies import Bounds, constrained_epsilon_greedy_law

CASES = {
    "one arm": (1, (0.75,), None, None),
    "lower": (4, (0.25, 0.0, 0.375, 0.125), None, None),
    "no slack": (3, (0.2, 0.3, 0.5), None, None),
    "both": (4, (0.1, 0.0, 0.2, 0.1), (0.4, 0.25, 0.5, 0.3), None),
    "an arm shut out": (4, (0.1, 0.0, 0.2, 0.0), (0.5, 0.0, 0.7, 0.6), None),
    "groups": (7, (0.3, 0.1), (0.5, 0.6), ((4, 1, 5), (0, 6))),
    "all in groups": (6, (0.1, 0.2, 0.0), (0.5, 0.4, 0.3), ((2, 0), (5, 1, 3), (4,))),
    "half free": (4, (0.5,), None, ((3, 1),)),
}


def policy_and_bounds(name):
    n_arms, lower, upper, groups = CASES[name]
    return ConstrainedEpsilonGreedy(lower, upper, groups, decay=1.5), Bounds(n_arms, lower, upper, groups)


@pytest.mark.parametrize("name", CASES)
def test_its_laws_and_arms_are_those_of_its_twin(name):
    policy, bounds = policy_and_bounds(name)
    inner, reward_max = bounds.inner_point(), 3.0
    rewards = table(120, bounds.n_arms)
    state = start(policy, bounds.n_arms, reward_max=reward_max)
    arms, probabilities, laws = play(state, reward_max * rewards)
    events = []
    for t, arm in enumerate(arms):
        expected = constrained_epsilon_greedy_law(events, bounds, inner, 1.5)
        np.testing.assert_allclose(laws[t], expected, atol=1e-9)
        assert bounds.excess(laws[t]) <= 1e-14
        assert probabilities[t] == laws[t, arm]
        assert arm == int(np.searchsorted(np.cumsum(laws[t]), uniform(scramble(KEY, t), 0), side="right"))
        events += [("open", arm), ("reward", arm, rewards[t, arm])]


@pytest.mark.parametrize("name", ["lower", "groups"])
def test_its_laws_are_those_of_its_twin_when_rewards_are_late(name):
    policy, bounds = policy_and_bounds(name)
    inner = bounds.inner_point()
    state = start(policy, bounds.n_arms)
    for events, before, decision in play_late(state, table(120, bounds.n_arms)):
        expected = constrained_epsilon_greedy_law(events, bounds, inner, 1.5)
        np.testing.assert_allclose(before, expected, atol=1e-9)
        assert decision.probability == before[decision.arm]


@pytest.mark.parametrize("name", ["both", "groups"])
def test_compiled_and_interpreted_agree(name):
    policy, bounds = policy_and_bounds(name)
    rewards = table(150, bounds.n_arms, fractional=True)
    fast = play(start(policy, bounds.n_arms), rewards)
    slow = play(start(policy, bounds.n_arms), rewards, compiled=False)
    for a, b in zip(fast, slow, strict=True):
        np.testing.assert_array_equal(a, b)


@st.composite
def grouped(draw):
    """Arms dealt to up to four groups or none, with bounds that some law keeps."""
    n_arms = draw(st.integers(1, 8))
    home = draw(st.lists(st.integers(-1, 3), min_size=n_arms, max_size=n_arms))
    groups = [[arm for arm in range(n_arms) if home[arm] == g] for g in range(4)]
    groups = [draw(st.permutations(group)) for group in groups if group]
    assume(groups)
    law = np.array(draw(st.lists(st.integers(0, 5), min_size=n_arms, max_size=n_arms)), float)
    law = law / law.sum() if law.any() else np.full(n_arms, 1 / n_arms)
    room = st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=len(groups), max_size=len(groups))
    masses = np.array([law[list(group)].sum() for group in groups])
    lower = np.maximum(masses - draw(room), 0.0)
    upper = np.maximum(np.minimum(masses + draw(room), 1.0), lower)
    return n_arms, tuple(lower), tuple(upper), tuple(map(tuple, groups))


@settings(max_examples=100, deadline=None)
@given(case=grouped(), data=st.data())
def test_without_exploration_it_plays_the_optimum_of_the_linear_programme(case, data):
    n_arms, bounds = case[0], Bounds(*case)
    state = start(ConstrainedEpsilonGreedy(*case[1:]), n_arms)
    plays = data.draw(st.lists(st.tuples(st.integers(0, n_arms - 1), st.integers(0, 4)), max_size=40))
    for arm, reward in plays:
        learn(state, Decision(arm, 1.0, 0.0, 1.0, 1), reward / 4)
    state.counts.clock[0] = 10**18
    law = law_of(state)
    gains = [np.mean([r / 4 for a, r in plays if a == arm] or [0.0]) for arm in range(n_arms)]
    assert law.min() >= 0.0
    assert abs(law.sum() - 1.0) <= 1e-12
    assert bounds.excess(law) <= 1e-12
    assert law @ gains == pytest.approx(bounds.best(gains)[1], abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(case=grouped())
def test_it_explores_at_a_point_well_inside(case):
    """No bound is tight there that some law in the polytope keeps with room, and no arm is left out."""
    n_arms, bounds = case[0], Bounds(*case)
    point = law_of(start(ConstrainedEpsilonGreedy(*case[1:]), n_arms))
    least, greatest = bounds.reach()
    masses, wide = bounds.rows @ point, greatest - least > 1e-9
    np.testing.assert_allclose(point, bounds.inner_point(), atol=1e-9)
    assert (masses[wide] - least[wide] > 1e-3 * (greatest - least)[wide]).all()
    assert (greatest[wide] - masses[wide] > 1e-3 * (greatest - least)[wide]).all()
    assert (point[bounds.rows.T @ greatest > 1e-9] > 0.0).all()


def test_the_shares_of_groups_stay_between_their_bounds_and_the_best_law_is_found():
    """Azuma's slack for every round and bound, false alarm below 1e-9.

    At the end the law is ε from the optimum. By then each arm has been explored about
    20(1 + ln(T η/20)) ≈ 116 times, which leaves a wrong leader, at gaps of 0.4, a chance of about
    e^(−116 · 0.16) < 1e-7; the leaders themselves have been played some thousand times.
    """
    n_arms, lower, upper, groups = CASES["groups"]
    means, rounds = np.array([0.3, 0.5, 0.1, 0.2, 0.9, 0.4, 0.7]), 20_000
    policy = ConstrainedEpsilonGreedy(lower, upper, groups, decay=20.0)
    problem = bq.Problem(means, [0.0] * n_arms)
    run = bq.simulate(policy, problem, rounds, runs=5, arms="all", checkpoints=range(1, rounds + 1))
    t = run.rounds[:, None]
    slack = np.sqrt(2 * t * np.log(5 * 2 * len(lower) * rounds / 1e-9))
    pulls = np.stack([run.played[..., list(group)].sum(axis=-1) for group in groups], axis=-1)
    assert (pulls >= t * np.array(lower) - slack).all()
    assert (pulls <= t * np.array(upper) + slack).all()
    bounds = Bounds(*CASES["groups"])
    rewards = 1.0 * (np.random.default_rng(2).random((rounds, n_arms)) < means)
    _, _, laws = play(start(policy, n_arms), rewards)
    epsilon = 20.0 / (bounds.inner_point().min() * rounds)
    assert laws[-1] @ means >= (1 - epsilon) * bounds.best(means)[1] - 1e-9


def test_upper_bounds_a_little_below_one_in_sum_are_scaled():
    policy = ConstrainedEpsilonGreedy((0.0, 0.0), upper=(0.5, 0.5 - 9e-10))
    _, _, laws = play(start(policy, 2), table(20, 2))
    np.testing.assert_allclose(laws.sum(axis=1), 1.0, atol=1e-15)


def test_it_can_be_written_down_with_its_groups():
    policy = ConstrainedEpsilonGreedy([0.3, 0.1], [0.5, 0.6], [[4, 1, 5], [0, 6]])
    assert bq.Policy.from_dict(policy.to_dict()) == policy
    assert bq.Policy.parse(str(policy)) == policy
    agent = policy.start([0.0] * 7)
    assert agent.choose().probability == pytest.approx(agent.law()[agent.pending()[0].arm])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ConstrainedEpsilonGreedy((0.6, 0.6)), "fractions sum to 1.2; a round has one pull"),
        (lambda: ConstrainedEpsilonGreedy((0.6,), decay=0.0), "decay is 0; it must be greater than 0"),
        (
            lambda: ConstrainedEpsilonGreedy((0.6, 0.1), (0.5, 1.0)),
            r"upper\[0\] is 0.5, below fractions\[0\]",
        ),
        (lambda: ConstrainedEpsilonGreedy((0.6, 0.1), (1.0,)), "upper has 1 numbers, but fractions has 2"),
        (lambda: ConstrainedEpsilonGreedy((0.6, 0), groups=[[0, 1], [1]]), "groups has arm 1 2 times"),
        (lambda: ConstrainedEpsilonGreedy((0.6, 0), groups=[[0, 1], []]), r"groups\[1\] is empty"),
        (
            lambda: ConstrainedEpsilonGreedy((0.6, 0), groups=[[0, 1]]),
            "fractions has 2 numbers, but groups has 1",
        ),
        (lambda: ConstrainedEpsilonGreedy((0.6,), groups=[0]), "groups must be a list of lists of arms"),
        (
            lambda: start(ConstrainedEpsilonGreedy((0.6,), groups=[[3]]), 3),
            "groups has arm 3, but there are 3",
        ),
        (
            lambda: start(ConstrainedEpsilonGreedy((0.6, 0)), 3),
            "fractions has 2 numbers, but there are 3 arms",
        ),
        (
            lambda: start(ConstrainedEpsilonGreedy((0.2, 0.2), (0.4, 0.4)), 2),
            "upper sums to 0.8 and no arm is free",
        ),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
