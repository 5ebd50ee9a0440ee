from itertools import pairwise

import numpy as np
import pytest

import banditq as bq
from banditq.errors import InvalidInput
from banditq.kernels.protocol import Allocation, allocate, learn
from banditq.policies.base import Terms
from banditq.theory import oga_regret
from full_driver import ADVERSARIES
from full_policy_driver import late, play, prompt
from policy_driver import table
from twins import debt_policies as twin
from twins.full_learners import HedgeTwin, OGATwin

LEARNERS = {"OGA": (bq.OGA(), OGATwin), "Hedge": (bq.Hedge(), HedgeTwin)}
UNIT = 3.0


def started(policy, n_arms):
    return policy.state(Terms(np.zeros(n_arms), UNIT, None))


@pytest.mark.parametrize("n_arms", [1, 2, 5, 9])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("schedule", [prompt(150), late(150)], ids=["prompt", "late"])
def test_it_plays_the_laws_of_its_twin(n_arms, alpha, name, schedule):
    learner, make = LEARNERS[name]
    rewards = table(150, n_arms, fractional=True)
    laws, _ = play(started(bq.OnlineProportionalFair(alpha, learner), n_arms), UNIT * rewards, schedule)
    np.testing.assert_allclose(laws, twin.fair_laws(schedule, rewards, alpha, make(n_arms)), atol=1e-9)


def test_compiled_and_interpreted_agree():
    rewards = table(150, 5, fractional=True)
    for learner in (bq.OGA(), bq.Hedge()):
        policy = bq.OnlineProportionalFair(0.5, learner)
        compiled = play(started(policy, 5), rewards, late(150))
        interpreted = play(started(policy, 5), rewards, late(150), compiled=False)
        np.testing.assert_array_equal(compiled[0], interpreted[0])


@pytest.mark.parametrize("learner", [bq.OGA(), bq.Squint()], ids=str)
def test_without_fairness_it_is_its_learner(learner):
    problem = bq.Problem([0.3, 0.5, 0.6], [0.0] * 3)
    fair, alone = (
        bq.simulate(policy, problem, 2000, arms="all")
        for policy in (bq.OnlineProportionalFair(0.0, learner), learner)
    )
    np.testing.assert_array_equal(fair.played, alone.played)


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("adversary", [*ADVERSARIES, None])
def test_its_bounds_hold_on_every_path(alpha, adversary):
    """OGA's regret on the gains, and what follows for the utilities of every fixed mix."""
    rounds, n_arms, rng = 1500, 4, np.random.default_rng(2)
    state = bq.OnlineProportionalFair(alpha).state(Terms(np.zeros(n_arms), 1.0, None))
    laws, worth, rewards = np.zeros((3, rounds, n_arms))
    for t in range(rounds):
        bound, opened = allocate(state, laws[t], worth[t])
        rewards[t] = adversary(laws[t]) if adversary else rng.random(n_arms) < [0.1, 0.9, 0.5, 0.2]
        learn(state, Allocation(laws[t], worth[t], bound, opened), rewards[t])
    gains = rewards * worth
    rho = oga_regret(np.sum(gains**2))
    received = 1.0 + np.sum(laws * rewards, axis=0)
    factor = (1 - alpha) ** -(1 - alpha)
    assert factor <= 1.445
    earned = factor * (np.sum(received ** (1 - alpha)) / (1 - alpha) - alpha * n_arms + (1 - alpha) * rho)
    for mix in [*np.eye(n_arms), np.full(n_arms, 1 / n_arms), *rng.dirichlet(np.ones(n_arms), 30)]:
        assert np.sum(gains @ mix) - np.sum(gains * laws) <= rho
        assert np.sum((rewards.sum(axis=0) * mix) ** (1 - alpha)) / (1 - alpha) <= earned


def test_more_fairness_makes_the_rates_more_equal():
    """By more than 5 standard errors of the difference (1 in 1.7 million)."""
    problem, ratios = bq.Problem([0.4, 0.8], [0.0, 0.0]), []
    for alpha in (0.2, 0.5, 0.8):
        run = bq.simulate(bq.OnlineProportionalFair(alpha), problem, 20_000, runs=8, arms="all")
        ratios.append(run.rates()[:, -1, 0] / run.rates()[:, -1, 1])
    for less, more in pairwise(ratios):
        assert np.mean(more - less) > 5 * np.std(more - less, ddof=1) / np.sqrt(8)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bq.OnlineProportionalFair(-0.5), "alpha is -0.5; it must be at least 0"),
        (
            lambda: bq.OnlineProportionalFair(learner=bq.Exp3()),
            r"learner Exp3\(\) learns from 'bandit' feedback, but feedback is 'full'",
        ),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
