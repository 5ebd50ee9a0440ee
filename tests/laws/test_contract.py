"""Laws that every learner and every policy obeys; a new one is found and enrolled by itself.

A learner or policy that needs arguments gets its examples in ``EXAMPLES``; without one the suite says so.
"""

import importlib
import pickle
import pkgutil
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import banditq as bq
from banditq import Config
from banditq.kernels.compiling import is_compilable
from banditq.kernels.noise import scramble_exactly
from banditq.kernels.protocol import foresees

EXAMPLES = {
    "FixedMix": [bq.FixedMix((0.2, 0.3, 0.5))],
    "LFG": [bq.LFG((0.2, 0.3, 0.1))],
    "FairLearn": [bq.FairLearn((0.2, 0.3, 0.1))],
    "StrictRateUCB": [bq.StrictRateUCB((0.2, 0.3, 0.1))],
    "StochasticRateUCB": [bq.StochasticRateUCB((0.2, 0.3, 0.1))],
    "ConstrainedEpsilonGreedy": [bq.ConstrainedEpsilonGreedy((0.2, 0.3, 0.1))],
    "Alone": [bq.Alone(bq.TsallisInf()), bq.Alone(bq.Squint())],
    "BanditQ": [
        bq.BanditQ(),
        bq.BanditQ("full"),
        bq.BanditQ(horizon=None),
        bq.BanditQ("full", horizon=None),
        bq.BanditQ.as_published("bandit"),
        bq.BanditQ.as_published("full"),
    ],
    "LagrangeBwK": [bq.LagrangeBwK(), bq.LagrangeBwK(scale="unit")],
    "OnlineProportionalFair": [bq.OnlineProportionalFair(), bq.OnlineProportionalFair(1.0, bq.Hedge())],
    "GOC": [bq.GOC(), bq.GOC(residual=bq.TsallisInf())],
    "DOC": [bq.DOC(), bq.DOC(residual=bq.EpsilonGreedy(), width=0.5)],
    "QueueFirst": [bq.QueueFirst(), bq.QueueFirst(epsilon=0.2), bq.QueueFirst(bq.TsallisInf(), 0.1)],
    "TsallisInf": [bq.TsallisInf("rv"), bq.TsallisInf("iw")],
}


def discover(base, package):
    """Every concrete configuration that lives in the package."""
    for module in pkgutil.iter_modules(importlib.import_module(f"banditq.{package}").__path__):
        importlib.import_module(f"banditq.{package}.{module.name}")
    found = []
    for cls in Config._by_name.values():
        if cls.__module__.startswith(f"banditq.{package}.") and issubclass(cls, base) and cls is not base:
            found += EXAMPLES.get(cls.__name__) or [make(cls)]
    return found


def make(cls):
    try:
        return cls()
    except TypeError:
        pytest.fail(f"{cls.__name__} needs arguments: give it an example in {__file__}")


LEARNERS = discover(bq.Learner, "learners")
POLICIES = discover(bq.Policy, "policies")
IN_BANDITQ = [bq.BanditQ(learner.feedback, learner) for learner in LEARNERS]
ALL = [*POLICIES, *IN_BANDITQ]


def fitted(policy, n_arms):
    """An example with one number an arm has three of them; here it gets as many as there are arms."""
    vectors = {"mix", "fractions"} & {field.name for field in fields(policy)}
    return replace(policy, **{name: tuple(np.full(n_arms, 1 / n_arms)) for name in vectors})


def rewards_for(policy, choice, table):
    return table if policy.feedback == "full" else table[choice.arm]


def seen(agent, table):
    """What a policy is shown before it chooses."""
    return (table,) if foresees(agent._state) else ()


def walk(agent, tables):
    for table in tables:
        choice = agent.choose(*seen(agent, table))
        yield choice
        agent.learn(choice, rewards_for(agent.policy, choice, table))


def test_nobody_is_forgotten():
    names = {type(p).__name__ for p in ALL} | {type(x).__name__ for x in LEARNERS}
    assert {"BanditQ", "UCB1", "LogBarrier", "OGA", "Squint", "Exp3IX", "ThompsonSampling"} <= names


@pytest.mark.parametrize("config", [*LEARNERS, *POLICIES], ids=str)
def test_configurations_are_frozen_equal_and_come_back(config):
    assert pickle.loads(pickle.dumps(config)) == config
    assert Config.from_dict(config.to_dict()) == config
    assert hash(config) == hash(Config.from_dict(config.to_dict()))
    assert Config.parse(str(config)) == config
    if fields(config):
        with pytest.raises(AttributeError):
            setattr(config, fields(config)[0].name, None)


@pytest.mark.parametrize("policy", ALL, ids=str)
def test_states_can_be_compiled_and_are_fresh(policy):
    terms = bq.Terms(np.array([0.1, 0.0, 0.0]), 1.0, 100)
    one, other = policy.state(terms), policy.state(terms)
    assert is_compilable(one)

    def arrays(state):
        return [
            a
            for member in state
            for a in (arrays(member) if isinstance(member, tuple) else [member])
            if isinstance(a, np.ndarray)
        ]

    for a, b in zip(arrays(one), arrays(other), strict=True):
        assert a.flags.c_contiguous
        assert a.flags.writeable
        assert not np.shares_memory(a, b)
        assert not np.shares_memory(a, terms.targets)


@pytest.mark.parametrize("policy", ALL, ids=str)
def test_asking_for_the_law_changes_nothing(policy):
    policy = fitted(policy, 3)
    tables = np.random.default_rng(0).random((40, 3))
    asked, silent = (policy.start([0.1, 0.05, 0.0], rounds=40, seed=1) for _ in range(2))
    for choice, other in zip(walk(asked, tables), walk(silent, tables), strict=True):
        assert choice == other
        ahead = seen(asked, tables[0])
        asked.law(*ahead)
        assert_array_equal(asked.law(*ahead), asked.law(*ahead))


@pytest.mark.parametrize("n_arms", [1, 2, 3, 7, 8, 9, 64, 65, 200, 2000])
@pytest.mark.parametrize("policy", ALL, ids=str)
def test_every_law_is_a_distribution(policy, n_arms):
    """And a policy's propensity is its law's; index policies play one arm."""
    policy = fitted(policy, n_arms)
    rounds = 30 if n_arms < 2000 else 8
    rng = np.random.default_rng(n_arms)
    tables = (rng.random((rounds, n_arms)) < rng.random(n_arms)).astype(float)
    agent = policy.start(np.full(n_arms, 0.5 / n_arms), rounds=rounds, seed=2)
    for table in tables:
        law = agent.law(*seen(agent, table))
        assert law.min() >= 0.0
        assert abs(law.sum() - 1.0) <= 1e-10
        choice = agent.choose(*seen(agent, table))
        if policy.logs_propensities:
            assert_allclose(choice.probability, law[choice.arm], rtol=1e-9)
        if policy.deterministic:
            assert law[choice.arm] == 1.0
        assert 0.0 < choice.probability <= 1.0
        agent.learn(choice, rewards_for(policy, choice, table))


EXTREMES = {
    "no targets": {"targets": [0.0, 0.0, 0.0, 0.0]},
    "all protected": {"targets": [0.1, 0.1, 0.1, 0.05]},
    "load one": {"targets": [0.15, 0.1, 0.05, 0.0], "means": [0.3, 0.4, 0.2, 0.1]},
    "means 0 and 1": {"means": [1.0, 0.0, 1.0, 0.0], "targets": [0.3, 0.0, 0.2, 0.0]},
    "all equal": {"means": [0.5] * 4, "targets": [0.1, 0.1, 0.0, 0.0]},
    "all zero": {"means": [0.0] * 4, "targets": [0.0] * 4},
    "protected best": {"means": [0.9, 0.2, 0.3, 0.4], "targets": [0.3, 0.1, 0.0, 0.0]},
    "overloaded": {"targets": [0.9, 0.05, 0.02, 0.0]},
}


@pytest.mark.parametrize("v", [0.0, None, 1e6])
@pytest.mark.parametrize("name", EXTREMES)
def test_banditq_keeps_its_footing(name, v):
    """Every learner, at every checkpoint of a run: the engine itself refuses a law that is none."""
    case = {"means": [0.3, 0.4, 0.2, 0.6], "targets": None} | EXTREMES[name]
    problem = bq.Problem(case["means"], case["targets"])
    for learner in LEARNERS:
        policy = bq.BanditQ(learner.feedback, learner, v=v)
        run = bq.simulate(
            policy, problem, 3000, arms="all", allow_infeasible=True, checkpoints=range(1, 3001, 7)
        )
        for values in (run.reward, run.queue, run.played):
            assert np.isfinite(values).all()
        assert_allclose(run.played.sum(axis=-1)[0], run.rounds, rtol=1e-9)


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(4)), seed=st.integers(0, 2**32 - 1))
def test_permuting_the_arms_permutes_everything(order, seed):
    """Along the same arms and rewards under other names, every law is the same under other names."""
    order = np.array(order)
    rng = np.random.default_rng(seed)
    targets = rng.random(4) * 0.2
    tables = rng.integers(0, 2, (25, 4)).astype(float)
    for learner in LEARNERS:
        policy = bq.BanditQ(learner.feedback, learner, v=5.0)
        one, other = policy.start(targets), policy.start(targets[order])
        one_state, other_state = one._state, other._state
        for table in tables:
            law, renamed = one.law(), other.law()
            assert_allclose(renamed, law[order], rtol=1e-9, atol=1e-13, err_msg=str(learner))
            arm = int(rng.choice(4, p=law / law.sum()))
            follow(policy, one_state, arm, law, table)
            follow(policy, other_state, int(np.flatnonzero(order == arm)[0]), renamed, table[order])


def follow(policy, state, arm, played, rewards):
    """Play an arm of our choice, as the loops would have had it been drawn."""
    books = state.books
    if policy.feedback == "full":
        law, queue = np.zeros(4), np.zeros(4)
        bound, opened = bq.allocate(state, law, queue)
        bq.learn(state, bq.Allocation(law, queue, bound, opened), rewards)
        return
    queue = books.queue[arm] + books.targets[arm] * (books.clock[0] - books.touched[arm])
    decision = bq.choose(state, np.uint64(scramble_exactly(1, int(books.clock[0]))))
    decision = decision._replace(arm=arm, probability=played[arm], queue=queue)
    bq.learn(state, decision, rewards[arm])


UNITLESS = [p for p in ALL if getattr(p, "unit", None) is None]  # as published, a reward is what it is


@pytest.mark.parametrize("policy", UNITLESS, ids=str)
def test_the_unit_of_reward_does_not_matter(policy):
    """Rewards, targets and reward_max times a power of two: the same choices, the same odds."""
    policy = fitted(policy, 3)
    tables = np.random.default_rng(3).integers(0, 2, (60, 3)).astype(float)
    one = policy.start([0.1, 0.05, 0.0], rounds=60, seed=4)
    other = policy.start([0.4, 0.2, 0.0], rounds=60, seed=4, reward_max=4.0)
    for choice, same in zip(walk(one, tables), walk(other, 4.0 * tables), strict=True):
        assert choice == same
    assert_allclose(other.queues(), 4.0 * one.queues(), rtol=1e-12)


@pytest.mark.parametrize("policy", ALL, ids=str)
def test_late_rewards_in_any_order_keep_it_going(policy):
    policy = fitted(policy, 3)
    agent = policy.start([0.1, 0.05, 0.0], rounds=200, seed=6)
    rng = np.random.default_rng(6)
    waiting = []
    for _ in range(200):
        waiting.append(agent.choose(*seen(agent, rng.random(3))))
        while waiting and rng.random() < 0.48:
            choice = waiting.pop(int(rng.integers(len(waiting))))
            agent.learn(choice, rewards_for(policy, choice, rng.random(3)))
        law = agent.law(*seen(agent, rng.random(3)))
        assert law.min() >= 0.0
        assert abs(law.sum() - 1.0) <= 1e-10
    assert agent.outstanding == len(waiting)
