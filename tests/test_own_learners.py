"""Learners that somebody else wrote: compiled, plain Python, broken."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import banditq as bq

PROBLEM = bq.Problem([0.335, 0.203, 0.241, 0.781, 0.617], [0.167, 0.067, 0, 0, 0])


class Never(NamedTuple):
    """A state whose odds turn into NaN after some rounds."""

    count: np.ndarray
    n_arms: int


@dataclass(frozen=True)
class Breaks(bq.Learner):
    feedback = "bandit"

    def state(self, n_arms):
        return Never(np.zeros(1), n_arms)


@bq.implements(bq.draw, Never)
def _(state, bound, noise):
    state.count[0] += 1.0
    return 0, 1.0 if state.count[0] < 17.0 else np.nan


@bq.implements(bq.learn, Never)
def _(state, arm, probability, gain, bound):
    return None


@bq.implements(bq.law, Never)
def _(state, bound, out):
    for arm in range(out.size):
        out[arm] = 1.0 if arm == 0 else 0.0


@dataclass(frozen=True)
class Leaks(Breaks):
    """Its law adds up to more than one."""

    def state(self, n_arms):
        return Leaking(np.zeros(1))


class Leaking(NamedTuple):
    count: np.ndarray


@bq.implements(bq.draw, Leaking)
def _(state, bound, noise):
    return 0, 0.5


@bq.implements(bq.learn, Leaking)
def _(state, arm, probability, gain, bound):
    state.count[0] += 1.0


@bq.implements(bq.law, Leaking)
def _(state, bound, out):
    for arm in range(out.size):
        out[arm] = (1.0 + 1e-6) / out.size if state.count[0] > 20.0 else 1.0 / out.size


def test_a_policy_that_leaves_the_numbers_is_stopped_with_round_and_state():
    with pytest.raises(bq.PolicyFailed, match=r"in run 0, round 17: .* state was .*Never\(count=array"):
        bq.simulate(bq.BanditQ(learner=Breaks()), PROBLEM, 100)
    with pytest.raises(bq.PolicyFailed, match=r"in run 0, round 21: its law no longer is a distribution"):
        bq.simulate(bq.BanditQ(learner=Leaks()), PROBLEM, 100, checkpoints=range(1, 101))


@dataclass(frozen=True)
class Slow(bq.Learner):
    """Plain Python, so uncompiled."""

    feedback = "bandit"

    def state(self, n_arms):
        return SlowState(n_arms)


class SlowState:
    def __init__(self, n_arms):
        self.inner = bq.TsallisInf().state(n_arms)

    def draw(self, bound, noise):
        return bq.draw(self.inner, bound, noise)

    def learn(self, *args):
        bq.learn(self.inner, *args)

    def law(self, bound, out):
        bq.law(self.inner, bound, out)


def test_a_plain_python_learner_walks_the_same_trajectory():
    slow = bq.simulate(bq.BanditQ(learner=Slow()), PROBLEM, 300, runs=2, arms="all")
    fast = bq.simulate(bq.BanditQ(learner=bq.TsallisInf()), PROBLEM, 300, runs=2, arms="all")
    assert (slow.info["compiled"], fast.info["compiled"]) == (False, True)
    for name in ("reward", "expected", "accrued", "played", "queue", "peak"):
        assert_array_equal(getattr(slow, name), getattr(fast, name), err_msg=name)


class Half(NamedTuple):
    """A state with some verbs only, or with verbs that do not work."""

    count: np.ndarray


@dataclass(frozen=True)
class Unfinished(Breaks):
    def state(self, n_arms):
        return Half(np.zeros(1))


@bq.implements(bq.draw, Half)
def _(state, bound, noise):
    return 0, 1.0


class Fancy(NamedTuple):
    count: np.ndarray


@dataclass(frozen=True)
class TooFancy(Breaks):
    def state(self, n_arms):
        return Fancy(np.zeros(1))


@bq.implements(bq.draw, Fancy)
def _(state, bound, noise):
    return int(max({"0": 1.0}, key=len)), 1.0


@bq.implements(bq.learn, Fancy)
def _(state, arm, probability, gain, bound):
    state.count[0] += 1.0


@bq.implements(bq.law, Fancy)
def _(state, bound, out):
    out[:] = 0.0
    out[0] = 1.0


def open_agent(policy):
    policy.start(PROBLEM.targets, rounds=10)


def run_it(policy):
    bq.simulate(policy, PROBLEM, 10)


@pytest.mark.parametrize("use", [open_agent, run_it])
def test_mistakes_in_a_learner_of_ones_own_are_one_sentence(use):
    with pytest.raises(bq.InvalidInput, match=r"Half has no answer to 'learn': register one with @bq"):
        use(bq.BanditQ(learner=Unfinished()))
    with pytest.raises(bq.InvalidInput, match=r"runs in plain Python, but cannot be compiled: .+; keep to"):
        use(bq.BanditQ(learner=TooFancy()))


def test_a_learner_of_ones_own_may_allocate():
    policy = bq.BanditQ(learner=Allocates())
    run = bq.simulate(policy, PROBLEM, 500, arms="all")
    assert run.info["compiled"]
    assert run.played[0, -1].tolist() == [100.0] * 5


class Turns(NamedTuple):
    count: np.ndarray


@dataclass(frozen=True)
class Allocates(Breaks):
    """Takes turns, by way of needless arrays."""

    def state(self, n_arms):
        return Turns(np.zeros(n_arms))


@bq.implements(bq.draw, Turns)
def _(state, bound, noise):
    return np.argmin(state.count.copy()), 1.0


@bq.implements(bq.learn, Turns)
def _(state, arm, probability, gain, bound):
    taken = np.zeros(state.count.size)
    taken[arm] = 1.0
    state.count[:] = state.count + taken


@bq.implements(bq.law, Turns)
def _(state, bound, out):
    out[:] = 0.0
    out[np.argmin(state.count)] = 1.0
