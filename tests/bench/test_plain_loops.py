"""The yardsticks are the same algorithms as ours: the same laws along any path, and the same path."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import banditq as bq
from banditq.bench.entries import bench_problem
from banditq.bench.plain_bandit import plain_bandit, plain_draw, plain_learn
from banditq.bench.plain_full import plain_full, plain_full_rounds, plain_learn_all, plain_projection
from banditq.bench.plain_index import plain_index, plain_index_choice, plain_index_rounds
from banditq.bench.trial import HORIZON
from banditq.bench.yardsticks import Plain
from banditq.kernels.noise import Stream, scramble_exactly, stream_key
from banditq.policies.base import Terms


def terms_of(problem):
    return Terms(problem.targets, problem.reward_max, HORIZON)


@pytest.mark.parametrize(("n_arms", "rounds"), [(2, 2_000), (5, 2_000), (67, 1_000), (1_500, 150)])
def test_the_plain_barrier_has_our_law_at_every_round(n_arms, rounds):
    """Both are told the same arms and rewards, so that the law must agree whoever's sampler is used."""
    problem = bench_problem(n_arms)
    policy = bq.BanditQ()
    ours = policy.state(terms_of(problem))
    plain = plain_bandit(problem.targets, problem.reward_max, HORIZON)
    rng = np.random.default_rng(n_arms)
    law = np.zeros(n_arms)
    for t in range(1, rounds + 1):
        noise = np.uint64(scramble_exactly(7, t))
        arm = plain_draw(plain, noise)
        bq.law(ours, law)
        assert_allclose(plain.x, law, rtol=1e-8)
        opened = bq.choose(ours, noise)
        books = ours.books
        queue = books.queue[arm] + books.targets[arm] * (t - 1 - books.touched[arm])
        assert_allclose(queue, plain.queue[arm], rtol=1e-9, atol=1e-9)
        decision = opened._replace(arm=arm, probability=law[arm], queue=queue)
        reward = 2.0 * problem.means[arm] * rng.random()
        bq.learn(ours, decision, reward)
        plain_learn(plain, t, arm, reward)


def test_the_plain_barrier_walks_our_trajectory():
    problem, rounds = bench_problem(5), 3_000
    run = bq.simulate(
        bq.BanditQ(v=1_000.0 * 2.0), problem, rounds, arms="all", checkpoints=[rounds], seed=0
    )
    plain = Plain("BanditQ+LogBarrier", problem)  # told V = 1 000, in units of reward_max = 2
    pulls = np.zeros(5)
    choices = stream_key(0, 0, Stream.CHOICES)
    rewards = stream_key(0, 0, Stream.REWARDS)
    block, _ = problem.rewards.block(problem.means, problem.reward_max, 1, rounds)
    for t in range(1, rounds + 1):
        arm = plain_draw(plain.state, np.uint64(scramble_exactly(int(choices), t)))
        plain_learn(plain.state, t, arm, bq.sample(block, rewards, t, arm))
        pulls[arm] += 1
    assert_array_equal(run.played[0, -1], pulls)


@pytest.mark.parametrize(("n_arms", "rounds"), [(2, 500), (5, 500), (300, 100)])
def test_plain_gradient_ascent_has_our_law_at_every_round(n_arms, rounds):
    problem = bench_problem(n_arms)
    ours = bq.BanditQ("full").state(terms_of(problem))
    plain = plain_full(problem.targets, problem.reward_max, HORIZON)
    rng = np.random.default_rng(n_arms)
    law, queue = np.zeros(n_arms), np.zeros(n_arms)
    for _ in range(rounds):
        bound, opened = bq.allocate(ours, law, queue)
        assert_allclose(plain.x, law, rtol=1e-9, atol=1e-12)
        rewards = 2.0 * problem.means * rng.random(n_arms)
        bq.learn(ours, bq.Allocation(law, queue, bound, opened), rewards)
        plain.rewards[:] = rewards
        plain_learn_all(plain)


def test_the_plain_projection_is_the_nearest_point():
    """By the optimality condition: ⟨y − x, z − x⟩ ≤ 0 for every corner z of the simplex."""
    rng = np.random.default_rng(0)
    for n_arms in (1, 2, 5, 40):
        y = rng.normal(size=n_arms) * 3.0
        x = plain_projection(y)
        assert x.min() >= 0.0
        assert_allclose(x.sum(), 1.0, rtol=1e-12)
        assert ((y - x) - (y - x) @ x).max() <= 1e-12


def test_the_plain_index_plays_our_arms():
    problem, rounds = bench_problem(7), 2_000
    run = bq.simulate(bq.UCB1(), problem, rounds, arms="all", checkpoints=[rounds], seed=0)
    plain = Plain("UCB1", problem)
    plain.play(rounds)
    assert_array_equal(run.played[0, -1], plain.state.pulls)


def test_a_plain_loop_earns_what_the_simulation_earns():
    problem, rounds = bench_problem(6), 1_500
    run = bq.simulate(bq.BanditQ("full", v=2_000.0), problem, rounds, checkpoints=[rounds], seed=0)
    plain = plain_full(problem.targets, problem.reward_max, HORIZON)
    block, _ = problem.rewards.block(problem.means, problem.reward_max, 1, rounds)
    earned = plain_full_rounds(plain, block, stream_key(0, 0, Stream.REWARDS), 1, rounds)
    assert_allclose(earned, run.reward[0, -1], rtol=1e-9)


def test_the_first_rounds_of_the_plain_index_are_one_an_arm():
    state = plain_index(3, 1.0)
    assert [plain_index_choice(state, t) for t in (1, 2, 3)] == [0, 1, 2]
    problem = bench_problem(3)
    block, _ = problem.rewards.block(problem.means, problem.reward_max, 1, 3)
    plain_index_rounds(state, block, stream_key(0, 0, Stream.REWARDS), 1, 3)
    assert_array_equal(state.pulls, np.ones(3))
