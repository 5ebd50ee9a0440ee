from math import log, sqrt

import numpy as np
import pytest

import banditq as bq
from banditq.errors import InvalidInput
from banditq.kernels.noise import scramble, uniform
from banditq.policies.stochastic_rate import StochasticRateUCB
from policy_driver import KEY, play, play_late, start, table
from twins import pull_policies as twin

FRACTIONS = {1: (0.75,), 2: (0.5, 0.5), 4: (0.3, 0.0, 0.45, 0.1), 7: (0.2, 0.25, 0, 0, 0.01, 0.1, 0)}


def drawn(law, t):
    """The arm that a law plays in a round, by inversion."""
    return int(np.searchsorted(np.cumsum(law), uniform(scramble(KEY, t), 0), side="right"))


@pytest.mark.parametrize("n_arms", FRACTIONS)
@pytest.mark.parametrize("fractional", [False, True])
def test_its_laws_and_arms_are_those_of_its_twin(n_arms, fractional):
    rewards, reward_max, fractions = table(200, n_arms, fractional=fractional), 3.0, FRACTIONS[n_arms]
    state = start(StochasticRateUCB(fractions), n_arms, reward_max=reward_max)
    arms, probabilities, laws = play(state, reward_max * rewards)
    events = []
    for t, arm in enumerate(arms):
        expected = twin.stochastic_rate_law(events, fractions)
        np.testing.assert_allclose(laws[t], expected, atol=1e-15)
        assert probabilities[t] == laws[t, arm]
        assert arm == drawn(expected, t)
        events += [("open", arm), ("reward", arm, rewards[t, arm])]


def test_its_laws_are_those_of_its_twin_when_rewards_are_late():
    state = start(StochasticRateUCB(FRACTIONS[4]), 4)
    for events, before, decision in play_late(state, table(200, 4)):
        np.testing.assert_allclose(before, twin.stochastic_rate_law(events, FRACTIONS[4]), atol=1e-15)
        assert decision.arm == drawn(before, len([e for e in events if e[0] == "open"]))
        assert decision.probability == before[decision.arm]


def test_compiled_and_interpreted_agree():
    rewards = table(150, 4, fractional=True)
    fast = play(start(StochasticRateUCB(FRACTIONS[4]), 4), rewards)
    slow = play(start(StochasticRateUCB(FRACTIONS[4]), 4), rewards, compiled=False)
    for a, b in zip(fast, slow, strict=True):
        np.testing.assert_array_equal(a, b)


def test_every_arm_gets_its_fraction_at_every_round_in_expectation():
    """n_i(t) is at least a binomial in law; Hoeffding's slack, false alarm below 1e-9 over all rounds."""
    fractions, rounds, runs = np.array([0.1, 0.3, 0.0, 0.2]), 300, 400
    problem = bq.Problem([0.1, 0.2, 0.9, 0.4], [0.0] * 4)
    policy = StochasticRateUCB(fractions)
    run = bq.simulate(policy, problem, rounds, runs=runs, arms="all", checkpoints=range(1, rounds + 1))
    t = run.rounds[:, None]
    slack = np.sqrt(runs * t * log(4 * rounds / 1e-9) / 2) / runs
    assert (run.played.mean(axis=0) >= t * fractions - slack).all()


def test_its_propensities_are_those_it_plays_by():
    """Rewards over propensities estimate every arm's mean; 5 standard errors, 1 in 1.7 million each."""
    fractions, means, rounds = np.array([0.1, 0.3, 0.05, 0.2]), np.array([0.1, 0.2, 0.9, 0.4]), 20_000
    rewards = 1.0 * (np.random.default_rng(1).random((rounds, 4)) < means)
    arms, probabilities, _ = play(start(StochasticRateUCB(fractions), 4), rewards)
    for arm, mean in enumerate(means):
        terms = (arms == arm) * rewards[np.arange(rounds), arms] / probabilities
        assert abs(terms.mean() - mean) <= 5 * sqrt(terms.var(ddof=1) / rounds)


def test_fractions_that_round_to_a_little_more_than_one_are_scaled():
    fractions = np.full(3, (1 + 9e-10) / 3)
    _, _, laws = play(start(StochasticRateUCB(fractions), 3), table(20, 3))
    np.testing.assert_allclose(laws.sum(axis=1), 1.0, atol=1e-15)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: StochasticRateUCB((0.6, 0.6)), "fractions sum to 1.2; a round has one pull"),
        (lambda: start(StochasticRateUCB((0.5, 0.5)), 3), "fractions has 2 numbers, but there are 3 arms"),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
