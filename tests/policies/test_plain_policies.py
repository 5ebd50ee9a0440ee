from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from banditq.errors import InvalidInput
from banditq.kernels.noise import scramble, uniform
from banditq.kernels.protocol import choose, law, learn
from banditq.policies.base import Policy
from banditq.policies.epsilon_greedy import EpsilonGreedy
from banditq.policies.fixed_mix import FixedMix
from banditq.policies.kl_ucb import KLUCB
from banditq.policies.moss import MOSS
from banditq.policies.thompson import ThompsonSampling
from banditq.policies.ucb import UCB1
from policy_driver import KEY, filled, law_of, play, start, table
from twins import plain_policies as twin

INDEX_POLICIES = {UCB1(): twin.ucb1, KLUCB(): twin.kl_ucb, MOSS(): None}
PLAIN = [UCB1(), KLUCB(), MOSS(), ThompsonSampling(), EpsilonGreedy(0.2)]


def index_twin(policy, n_arms, rounds):
    if isinstance(policy, MOSS):
        if rounds is None:
            return partial(twin.moss_anytime, n_arms=n_arms, alpha=policy.alpha)
        return partial(twin.moss, n_arms=n_arms, rounds=rounds)
    return partial(INDEX_POLICIES[policy], n_arms=n_arms)


@pytest.mark.parametrize("policy", INDEX_POLICIES, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("n_arms", [1, 2, 7])
@pytest.mark.parametrize("fractional", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_index_policies_play_the_arms_of_their_twin(policy, n_arms, fractional, known):
    rewards = table(150, n_arms, fractional=fractional)
    rounds = len(rewards) if known else None
    reward_max = 3.0
    arms, probabilities, laws = play(
        start(policy, n_arms, reward_max=reward_max, rounds=rounds), reward_max * rewards
    )
    expected, events = index_twin(policy, n_arms, rounds), []
    for t, arm in enumerate(arms):
        assert arm == expected(events)
        events += [("open", arm), ("reward", arm, rewards[t, arm])]
    assert (probabilities == 1.0).all()
    assert (laws == np.eye(n_arms)[arms]).all()


@pytest.mark.parametrize("policy", INDEX_POLICIES, ids=lambda p: type(p).__name__)
def test_index_policies_play_the_arms_of_their_twin_when_rewards_are_late(policy):
    n_arms, rounds = 4, 150
    rng = np.random.default_rng(3)
    rewards = table(rounds, n_arms)
    state = start(policy, n_arms, rounds=rounds)
    expected, events, outstanding = index_twin(policy, n_arms, rounds), [], []
    for t in range(rounds):
        decision = choose(state, scramble(KEY, t))
        assert decision.arm == expected(events)
        assert decision.round == t + 1
        events.append(("open", decision.arm))
        outstanding.append(decision)
        while outstanding and rng.random() < 0.6:  # any one of them, in any order
            late = outstanding.pop(rng.integers(len(outstanding)))
            reward = rewards[late.round - 1, late.arm]
            learn(state, late, reward)
            events.append(("reward", late.arm, reward))
    assert len(outstanding) > 0


@pytest.mark.parametrize("policy", [*INDEX_POLICIES, EpsilonGreedy(0.0)], ids=lambda p: type(p).__name__)
def test_arms_take_turns_until_a_reward_comes(policy):
    state = start(policy, 3, rounds=30)
    arms = [choose(state, scramble(KEY, t)).arm for t in range(9)]
    assert arms == [0, 1, 2] * 3


def test_an_index_that_is_as_large_as_the_best_means_goes_first_if_its_arm_is_lower():
    state = filled(KLUCB(), np.array([0.5, 1.0]), np.ones(2))
    state.counts.clock[0] = 10**9  # so that both indices are 1, to rounding
    assert law_of(state).tolist() == [1, 0]


@pytest.mark.parametrize("policy", [UCB1(), KLUCB(), ThompsonSampling()], ids=lambda p: type(p).__name__)
def test_an_arm_whose_first_rewards_were_lost_comes_round_again(policy):
    state = start(policy, 2)
    plays = 0
    for t in range(400):
        decision = choose(state, scramble(KEY, t))
        plays += decision.arm == 1
        if decision.arm == 0:
            learn(state, decision, float(t % 2))
    assert 2 <= plays < 400


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("decay", [None, 2.0])
def test_epsilon_greedy_agrees_with_its_twin(epsilon, decay):
    rewards = table(150, 4, fractional=True)
    state = start(EpsilonGreedy(epsilon, decay), 4)
    arms, probabilities, laws = play(state, rewards)
    events = []
    for t, arm in enumerate(arms):
        expected, greedy, exploring = twin.epsilon_greedy_law(events, 4, epsilon, decay)
        np.testing.assert_allclose(laws[t], expected, atol=1e-15)
        assert probabilities[t] == pytest.approx(expected[arm], abs=1e-15)
        noise = scramble(KEY, t)
        assert arm == (int(4 * uniform(noise, 1)) if uniform(noise, 0) < exploring else greedy)
        events += [("open", arm), ("reward", arm, rewards[t, arm])]


@pytest.mark.parametrize("mix", [[1.0], [0.5, 0.0, 0.2, 0.3], np.full(2000, 1 / 2000)])
def test_fixed_mix_draws_by_inversion(mix):
    arms, probabilities, laws = play(start(FixedMix(mix), len(mix)), np.ones((300, len(mix))))
    draws = [uniform(scramble(KEY, t), 0) for t in range(300)]
    assert (arms == np.searchsorted(np.cumsum(mix), draws, side="right")).all()
    np.testing.assert_allclose(laws, np.tile(mix, (300, 1)), rtol=1e-14)
    assert (probabilities == laws[0, arms]).all()


@pytest.mark.parametrize("policy", [*PLAIN, FixedMix([0.2, 0.3, 0.5])], ids=lambda p: type(p).__name__)
def test_laws_are_distributions_and_propensities_come_from_them(policy):
    arms, probabilities, laws = play(start(policy, 3), table(200, 3, fractional=True))
    assert laws.min() >= 0.0
    np.testing.assert_allclose(laws.sum(axis=1), 1.0, atol=1e-12)
    assert ((probabilities > 0) & (probabilities <= 1 + 1e-15)).all()
    if policy.logs_propensities:
        np.testing.assert_allclose(probabilities, laws[np.arange(200), arms], rtol=1e-14)
    else:
        assert (probabilities == 1.0).all()


@pytest.mark.parametrize("policy", [*PLAIN, FixedMix([0.2, 0.3, 0.5])], ids=lambda p: type(p).__name__)
def test_compiled_and_interpreted_agree_and_law_changes_nothing(policy):
    rewards = table(60, 3, fractional=True)
    one, other = start(policy, 3, rounds=60), start(policy, 3, rounds=60)
    fast, slow = play(one, rewards), play(other, rewards, compiled=False)
    for a, b in zip(fast, slow, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
    before = [np.copy(leaf) for leaf in leaves(one)]
    law(one, np.empty(3))
    for a, b in zip(before, leaves(one), strict=True):
        np.testing.assert_array_equal(a, b)


def leaves(state):
    """The arrays and numbers of a state."""
    for member in state:
        if isinstance(member, tuple):
            yield from leaves(member)
        else:
            yield member


@pytest.mark.parametrize("policy", [*PLAIN, FixedMix([0.2, 0.3, 0.5])], ids=lambda p: type(p).__name__)
@given(power=st.integers(-30, 30), seed=st.integers(0, 100))
@settings(deadline=None, max_examples=10)
def test_the_unit_of_reward_does_not_matter(policy, power, seed):
    rewards = table(80, 3, fractional=True, seed=seed)
    scale = 2.0**power
    plain = play(start(policy, 3, rounds=80), rewards)
    scaled = play(start(policy, 3, rounds=80, reward_max=scale), scale * rewards)
    for a, b in zip(plain, scaled, strict=True):
        np.testing.assert_array_equal(a, b)
    decision = choose(start(policy, 3, reward_max=scale), scramble(KEY, 0))
    assert (decision.bound, decision.queue, decision.round) == (scale, 0.0, 1)


@pytest.mark.parametrize("policy", PLAIN, ids=lambda p: type(p).__name__)
@given(
    trials=arrays(np.float64, 5, elements=st.integers(30, 500).map(float)),
    shares=arrays(np.float64, 5, elements=st.integers(10, 950).map(lambda k: k / 1000), unique=True),
    order=st.permutations(range(5)),
)
@settings(deadline=None, max_examples=40)
def test_renaming_the_arms_renames_the_law(policy, trials, shares, order):
    # no ties, which go to the lowest arm: indices of few rewards would round to 1 alike
    order = np.array(order)
    renamed = law_of(filled(policy, (shares * trials)[order], trials[order]))
    np.testing.assert_allclose(renamed, law_of(filled(policy, shares * trials, trials))[order], atol=1e-12)


@pytest.mark.parametrize(
    "policy",
    [*PLAIN, MOSS(alpha=1.0), EpsilonGreedy(0.5, decay=3.0), FixedMix([0.25, 0.75])],
    ids=repr,
)
def test_configurations_can_be_written_down(policy):
    assert Policy.from_dict(policy.to_dict()) == policy
    assert policy.feedback == "bandit"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MOSS(alpha=-1), "alpha is -1"),
        (lambda: EpsilonGreedy(1.5), "epsilon is 1.5"),
        (lambda: EpsilonGreedy(decay=0.0), "decay is 0"),
        (lambda: FixedMix([0.5, 0.6]), "mix sums to 1.1"),
        (lambda: FixedMix([1.5, -0.5]), r"mix\[0\] is 1.5"),
        (lambda: start(FixedMix([0.5, 0.5]), 3), "mix has 2 numbers, but there are 3 arms"),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
