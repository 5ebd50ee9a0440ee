"""The live agent: the simulation's trajectory, late rewards, refusals, saving."""

import copy
import zipfile
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import banditq as bq
from banditq.kernels.noise import Stream, stream_key
from banditq.saving import pack

PROBLEM = bq.Problem([0.335, 0.203, 0.241, 0.781, 0.617], [0.167, 0.067, 0, 0, 0])
POLICIES = {
    "bandit": bq.BanditQ(horizon=None),
    "published": bq.BanditQ.as_published("bandit"),
    "tsallis": bq.BanditQ(learner=bq.TsallisInf()),
    "full": bq.BanditQ("full"),
    "squint": bq.BanditQ("full", learner=bq.Squint()),
    "thompson": bq.ThompsonSampling(),
}


def rewards_of(problem, seed, run, rounds):
    """The reward table, (round, arm)."""
    state, _ = problem.rewards.block(problem.means, problem.reward_max, 1, rounds)
    key = stream_key(seed, run, Stream.REWARDS)
    return np.array(
        [[bq.sample(state, key, t, arm) for arm in range(problem.n_arms)] for t in range(1, rounds + 1)]
    )


def snapshot(agent):
    arrays = pack("state", agent._state) | pack("ledger", agent._ledger)
    return copy.deepcopy(arrays), agent.round, agent.outstanding


def assert_same_snapshot(one, other):
    assert one[1:] == other[1:]
    for name, value in one[0].items():
        assert_array_equal(value, other[0][name], err_msg=name)


@pytest.mark.parametrize("name", POLICIES)
def test_without_delay_it_walks_the_trajectory_of_the_simulation(name):
    policy, rounds, seed = POLICIES[name], 600, 11
    run = bq.simulate(
        policy, PROBLEM, rounds, runs=2, seed=seed, arms="all", checkpoints=range(1, rounds + 1)
    )
    table = rewards_of(PROBLEM, seed, 1, rounds)
    agent = policy.start(PROBLEM.targets, seed=seed, rounds=rounds, run=1)
    for t in range(rounds):
        choice = agent.choose()
        agent.learn(choice, table[t] if policy.feedback == "full" else table[t, choice.arm])
        assert_array_equal(agent.queues(), run.queues()[1, t])
        assert_array_equal(agent.rates(), run.rates()[1, t])


def walk(agent, rng, steps, feedback, choices, waiting):
    """Choose and learn in random order; notes every choice."""
    for _ in range(steps):
        choice = agent.choose()
        choices.append((choice, agent.law()))
        rewards = (rng.random(5) < PROBLEM.means).astype(float)
        waiting.append((choice.id, rewards if feedback == "full" else rewards[choice.arm]))
        while len(waiting) > 4:
            agent.learn(*waiting.pop(int(rng.integers(len(waiting)))))


@pytest.mark.parametrize("name", POLICIES)
def test_saved_and_loaded_it_goes_on_bit_for_bit(name, tmp_path):
    policy = POLICIES[name]
    agent = policy.start(PROBLEM.targets, seed=2, rounds=500)
    waiting = []
    walk(agent, np.random.default_rng(0), 120, policy.feedback, [], waiting)
    again = bq.Agent.load(agent.save(tmp_path / "agent.npz"))
    assert again.outstanding == agent.outstanding == 4
    assert again.pending() == agent.pending()
    assert again.policy == agent.policy
    assert_same_snapshot(snapshot(agent), snapshot(again))
    told = [], []
    for one, choices in zip((agent, again), told, strict=True):
        walk(one, np.random.default_rng(1), 120, policy.feedback, choices, list(waiting))
    for (choice, law), (other, other_law) in zip(*told, strict=True):
        assert choice == other
        assert_array_equal(law, other_law)
    assert_same_snapshot(snapshot(agent), snapshot(again))


@dataclass(frozen=True)
class Plain(bq.Learner):
    """A learner in plain Python: uniform, with a memory."""

    feedback = "bandit"

    def state(self, n_arms):
        return PlainState(np.zeros(n_arms))


class PlainState:
    def __init__(self, gains):
        self.gains = gains

    def draw(self, bound, noise):
        return int(bq.uniform(noise, 0) * self.gains.size), 1.0 / self.gains.size

    def learn(self, arm, probability, gain, bound):
        self.gains[arm] += gain

    def law(self, bound, out):
        out[:] = 1.0 / self.gains.size

    def to_arrays(self):
        return {"gains": self.gains}

    def from_arrays(self, arrays):
        return PlainState(arrays["gains"])


def test_a_plain_python_learner_runs_and_is_saved(tmp_path):
    policy = bq.BanditQ(learner=Plain(), v=3.0)
    agent = policy.start([0.1, 0.0, 0.0], seed=0)
    for t in range(30):
        agent.learn(agent.choose(), t % 2)
    assert_allclose(agent.law(), 1 / 3)
    again = bq.Agent.load(agent.save(tmp_path / "agent.npz"))
    assert_same_snapshot(snapshot(agent), snapshot(again))
    assert agent.choose() == again.choose()


def test_propensities_do_not_depend_on_when_rewards_arrive():
    """Inverse-propensity means of very late rewards are unbiased, since each choice keeps its own odds."""
    rounds, delay, runs = 400, 60, 150
    means = np.array([0.5, 0.4, 0.3])
    estimates = np.zeros((runs, 3))
    for seed in range(runs):
        agent = bq.BanditQ(v=20.0).start([0.0, 0.0, 0.05], seed=seed)
        rng = np.random.default_rng(seed)
        waiting = []
        for _ in range(rounds):
            choice = agent.choose()
            reward = float(rng.random() < means[choice.arm])
            estimates[seed, choice.arm] += reward / choice.probability / rounds
            waiting.append((choice, reward))
            if len(waiting) > delay:
                agent.learn(*waiting.pop(0))
    error = estimates.std(axis=0, ddof=1) / np.sqrt(runs)
    assert (np.abs(estimates.mean(axis=0) - means) <= 5 * error).all()  # false alarm: 1 in 600 000


@pytest.mark.parametrize("reward", [np.nan, np.inf, -np.inf, -0.1, 1.1, "much", None, [0.5], True + 1])
@pytest.mark.parametrize("name", ["bandit", "tsallis"])
def test_a_bad_reward_changes_nothing(name, reward):
    agent = POLICIES[name].start(PROBLEM.targets, rounds=100)
    choice = agent.choose()
    before = snapshot(agent)
    with pytest.raises(bq.InvalidInput, match="reward"):
        agent.learn(choice, reward)
    assert_same_snapshot(before, snapshot(agent))
    agent.learn(choice, 1.0)


@pytest.mark.parametrize("rewards", [1.0, [1.0] * 4, [0, 0, 0, 0, np.nan], [0, 0, 0, 0, 2.0], [[0.1] * 5]])
def test_bad_full_information_rewards_change_nothing(rewards):
    agent = POLICIES["full"].start(PROBLEM.targets, rounds=100)
    choice = agent.choose()
    before = snapshot(agent)
    with pytest.raises(bq.InvalidInput, match="reward"):
        agent.learn(choice, rewards)
    assert_same_snapshot(before, snapshot(agent))
    agent.learn(choice, [1.0] * 5)


def test_unknown_and_repeated_choices_change_nothing():
    agent = POLICIES["bandit"].start(PROBLEM.targets)
    first, second = agent.choose(), agent.choose()
    agent.learn(first, 1.0)
    before = snapshot(agent)
    with pytest.raises(bq.UnknownChoice, match="choice 1 has been learnt already"):
        agent.learn(first, 1.0)
    for unknown in (3, 0, -1, "two", None, 2.5, [1], {}, np.zeros(2), 10**5000):
        with pytest.raises(bq.UnknownChoice, match=r"was not made by this agent, which has made 2"):
            agent.learn(unknown, 1.0)
    assert_same_snapshot(before, snapshot(agent))
    agent.learn(second.id, 0.0)
    assert agent.outstanding == 0


@pytest.mark.parametrize("name", ["bandit", "full"])
def test_another_agents_choice_and_an_altered_one_change_nothing(name):
    agent, other = (POLICIES[name].start(PROBLEM.targets, seed=seed, rounds=100) for seed in (0, 3))
    choice, foreign = agent.choose(), other.choose()
    assert choice.id == foreign.id
    assert choice.arm != foreign.arm
    reward = 1.0 if name == "bandit" else [1.0] * 5
    before = snapshot(agent)
    altered = [
        foreign,
        choice._replace(arm=(choice.arm + 1) % 5),
        choice._replace(probability=0.5 * choice.probability),
        choice._replace(round=2),
    ]
    for wrong in altered:
        with pytest.raises(bq.UnknownChoice, match=r"which made Choice.*hand back that, or its id alone"):
            agent.learn(wrong, reward)
        assert_same_snapshot(before, snapshot(agent))
    agent.learn(bq.Choice(*choice), reward)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"targets": [0.1, 10**400]}, "targets must be a list of finite numbers"),
        ({"targets": [0.1, 0], "rounds": 10**400}, "rounds is 1000.* it must be at most"),
        ({"targets": [0.1, -0.1]}, r"targets\[1\] is -0.1; it must be at least 0"),
        ({"targets": [0.1, np.nan]}, r"targets\[1\] is nan"),
        ({"targets": []}, "targets must be a flat list"),
        ({"targets": [[0.1]]}, "targets must be a flat list"),
        ({"targets": [0.7, 0.7]}, "targets sum to 1.4, more than reward_max = 1"),
        ({"targets": [0.1, 0], "reward_max": 0}, "reward_max is 0; it must be greater than 0"),
        ({"targets": [0.1, 0], "seed": -1}, "seed is -1; it must be at least 0"),
        ({"targets": [0.1, 0], "rounds": 0}, "rounds is 0; it must be at least 1"),
    ],
)
def test_bad_terms_say_what_works(options, words):
    with pytest.raises(bq.InvalidInput, match=words):
        bq.BanditQ(v=1.0).start(**options)


def test_files_that_are_no_agents_are_refused(tmp_path):
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"not a zip file")
    with pytest.raises(bq.InvalidInput, match="is not an agent saved by banditq"):
        bq.Agent.load(bad)
    run = bq.simulate(bq.UCB1(), PROBLEM, 10)
    with pytest.raises(bq.InvalidInput, match="is a result saved by banditq, not an agent"):
        bq.Agent.load(run.save(tmp_path / "run.npz"))
    whole = POLICIES["bandit"].start(PROBLEM.targets).save(tmp_path / "agent.npz").read_bytes()
    bad.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(bq.InvalidInput, match="is not an agent saved by banditq"):
        bq.Agent.load(bad)


def test_agents_are_stored_as_they_are_and_results_are_packed(tmp_path):
    """An agent is saved between two requests, and packing would take longer than all the rest."""
    agent = POLICIES["bandit"].start(PROBLEM.targets).save(tmp_path / "agent.npz")
    result = bq.simulate(bq.UCB1(), PROBLEM, 10).save(tmp_path / "run.npz")
    for path, kind in ((agent, zipfile.ZIP_STORED), (result, zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(path) as members:
            assert {member.compress_type for member in members.infolist()} == {kind}


def test_a_failed_save_leaves_the_old_file(tmp_path):
    agent = POLICIES["bandit"].start(PROBLEM.targets)
    path = agent.save(tmp_path / "agent.npz")
    before = path.read_bytes()
    broken = bq.BanditQ(learner=Plain(), v=1.0).start([0.1, 0.0])
    broken._state = broken._state._replace(learner=object())
    with pytest.raises(bq.InvalidInput, match="object cannot be saved"):
        broken.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["agent.npz"]


@settings(max_examples=30, deadline=None)
@given(order=st.permutations(range(12)), rewards=st.lists(st.floats(0, 1), min_size=12, max_size=12))
def test_debt_is_what_was_promised_less_what_came(order, rewards):
    """Late or not: once nothing is owed back, Σ promised − Σ paid is the shortfall, and rates are exact."""
    agent = POLICIES["bandit"].start([0.5, 0.4, 0.0], seed=1)
    choices = [agent.choose() for _ in range(12)]
    paid = np.zeros(3)
    for j in order:
        agent.learn(choices[j], rewards[j])
        paid[choices[j].arm] += rewards[j]
    assert agent.outstanding == 0
    assert_allclose(agent.rates() * 12, paid, atol=1e-12)
    shortfall = 12 * np.array([0.5, 0.4, 0.0]) - paid
    assert (agent.queues() >= np.maximum(shortfall, 0.0) - 1e-12).all()
