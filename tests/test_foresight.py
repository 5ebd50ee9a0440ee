"""Policies that are shown a round's rewards before they choose: in the loop, live, and somebody's own."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import banditq as bq
from banditq.errors import InvalidInput
from banditq.kernels.noise import Stream, stream_key
from banditq.kernels.protocol import foresees
from banditq.saving import pack

PROBLEM = bq.Problem([0.335, 0.203, 0.781], [0.167, 0.067, 0.0])
ROUNDS = 400


def rewards_of(problem, seed, run, rounds):
    state, _ = problem.rewards.block(problem.means, problem.reward_max, 1, rounds)
    key = stream_key(seed, run, Stream.REWARDS)
    arms = range(problem.n_arms)
    return np.array([[bq.sample(state, key, t, arm) for arm in arms] for t in range(1, rounds + 1)])


class ObjectState:
    """Plays the arm that pays most in the round, in plain Python."""

    def __init__(self, n_arms):
        self.row = np.zeros(n_arms)
        self.clock = 0

    def foresee(self, rewards):
        self.row = np.array(rewards)

    def law(self, out):
        out[:] = np.eye(out.size)[int(np.argmax(self.row))]

    def allocate(self, law, queue):
        self.law(law)
        self.clock += 1
        return 1.0, self.clock

    def learn(self, allocation, rewards):
        assert allocation.law @ rewards == np.max(rewards)


class TupleState(NamedTuple):
    row: np.ndarray
    clock: np.ndarray


@bq.implements(bq.foresee, TupleState)
def _(state, rewards):
    for arm in range(rewards.size):
        state.row[arm] = rewards[arm]


@bq.implements(bq.law, TupleState)
def _(state, out):
    for arm in range(out.size):
        out[arm] = 1.0 if arm == np.argmax(state.row) else 0.0


@bq.implements(bq.allocate, TupleState)
def _(state, out, queue):
    bq.law(state, out)
    state.clock[0] += 1
    return 1.0, state.clock[0]


@bq.implements(bq.learn, TupleState)
def _(state, allocation, rewards):
    pass


@dataclass(frozen=True)
class Greedy(bq.Policy):
    compiled: bool = True

    feedback = "full"

    def state(self, terms):
        n_arms = terms.n_arms
        return TupleState(np.zeros(n_arms), np.zeros(1, int)) if self.compiled else ObjectState(n_arms)


@pytest.mark.parametrize("policy", [Greedy(compiled=True), Greedy(compiled=False)], ids=str)
def test_ones_own_policy_may_foresee(policy):
    run = bq.simulate(policy, PROBLEM, ROUNDS, seed=3, arms="all")
    table = rewards_of(PROBLEM, 3, 0, ROUNDS)
    assert run.info["compiled"] == policy.compiled
    assert run.reward[0, -1] == table.max(axis=1).sum()
    agent = policy.start(PROBLEM.targets)
    for row in table[:20]:
        assert row[agent.choose(row).arm] == row.max()
        np.testing.assert_array_equal(agent.law(row), np.eye(3)[np.argmax(row)])


def test_without_delay_the_genie_walks_the_trajectory_of_the_simulation():
    policy = bq.MaxWeightGenie()
    every = range(1, ROUNDS + 1)
    run = bq.simulate(policy, PROBLEM, ROUNDS, runs=2, seed=11, arms="all", checkpoints=every)
    agent = policy.start(PROBLEM.targets, seed=11, rounds=ROUNDS, run=1)
    for t, row in enumerate(rewards_of(PROBLEM, 11, 1, ROUNDS)):
        agent.learn(agent.choose(row), row)
        np.testing.assert_array_equal(agent.queues(), run.queues()[1, t])
        np.testing.assert_array_equal(agent.rates(), run.rates()[1, t])


def walk(agent, rng, waiting):
    for _ in range(80):
        row = rng.random(3)
        yield agent.law(row), agent.choose(row)
        waiting.append((agent.round, row))
        while len(waiting) > 4:
            agent.learn(*waiting.pop(int(rng.integers(len(waiting)))))


def test_saved_and_loaded_the_genie_goes_on_bit_for_bit(tmp_path):
    agent, waiting = bq.MaxWeightGenie(v=3.0).start(PROBLEM.targets, seed=2), []
    for _ in walk(agent, np.random.default_rng(0), waiting):
        pass
    again = bq.Agent.load(agent.save(tmp_path / "agent.npz"))
    assert again.outstanding == 4
    rest = [walk(a, np.random.default_rng(1), list(waiting)) for a in (agent, again)]
    for (law, choice), (other_law, other) in zip(*rest, strict=True):
        assert choice == other
        np.testing.assert_array_equal(law, other_law)
    np.testing.assert_array_equal(agent.queues(), again.queues())


@pytest.mark.parametrize("call", ["choose", "law"])
@pytest.mark.parametrize(
    ("policy", "rewards", "words"),
    [
        (
            bq.MaxWeightGenie(1.0),
            None,
            r"rewards is None, but MaxWeightGenie chooses in sight of them; call \w+\(rewards\)",
        ),
        (bq.MaxWeightGenie(1.0), [0.5, 0.5], "rewards has 2 numbers, but there are 3 arms"),
        (bq.MaxWeightGenie(1.0), [0.5, np.nan, 0], r"rewards\[1\] is nan; every number must be finite"),
        (bq.MaxWeightGenie(1.0), [0.5, 0.0, 1.5], r"rewards\[2\] is 1.5; it must be between 0 and 1"),
        (bq.MaxWeightGenie(1.0), "much", "rewards must be a list of finite numbers"),
        (bq.NeelyYu(1.0, 9.0), [0.5, 0.5, 0.5], "NeelyYu chooses before it sees any"),
        (bq.UCB1(), [0.5, 0.5, 0.5], "UCB1 chooses before it sees any"),
    ],
)
def test_rewards_where_there_should_be_none_and_none_where_there_should(call, policy, rewards, words):
    agent = policy.start([0.1, 0.0, 0.0])
    before = {name: array.copy() for name, array in pack("state", agent._state).items()}
    with pytest.raises(InvalidInput, match=words):
        getattr(agent, call)(rewards)
    assert agent.round == agent.outstanding == 0
    for name, array in pack("state", agent._state).items():
        np.testing.assert_array_equal(array, before[name])


def test_only_who_says_so_foresees():
    terms = bq.Terms(np.array([0.1, 0.0]), 1.0, 100)
    for policy in (bq.MaxWeight(), bq.MaxWeightGenie(), bq.NeelyYu(), bq.BanditQ("full"), bq.UCB1()):
        assert foresees(policy.state(terms)) == (policy.needs == "this round's rewards")
    assert foresees(bq.MaxWeightGenie().state(terms))
