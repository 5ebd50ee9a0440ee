import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import banditq
from bandit_driver import play, scenario
from banditq.kernels.compiling import implements, is_compilable, kernel, python_form, verb
from banditq.kernels.protocol import allocate, choose, draw, law, learn, mean, sample, uses_bound
from banditq.learners.exp3 import Exp3
from banditq.learners.logbarrier import LogBarrier
from banditq.learners.tsallis import TsallisInf

PLAY = """
import sys

import numpy as np

from banditq.kernels.compiling import INTERPRETED
from bandit_driver import play
from banditq.learners.exp3 import Exp3
from banditq.learners.logbarrier import LogBarrier
from banditq.learners.tsallis import TsallisInf

assert INTERPRETED
tables = np.load(sys.argv[1])
found = {}
for learner in (TsallisInf(), TsallisInf("iw"), Exp3(), LogBarrier()):
    for n_arms in (5, 100):  # some have another form for many arms
        trace = play(learner.state(n_arms), 3, tables["gains"][:, :n_arms], tables["bounds"])
        found |= {f"{learner} {n_arms} {name}": value for name, value in trace._asdict().items()}
np.savez(sys.argv[2], **found)
"""


def test_without_the_compiler_the_trajectory_is_the_same(tmp_path):
    gains, bounds = scenario(1, 100, 200, low=-0.2)
    np.savez(tmp_path / "tables.npz", gains=gains, bounds=bounds)
    paths = [str(Path(banditq.__file__).parents[1]), str(Path(__file__).parents[1])]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(paths)}
    command = [
        sys.executable,
        "-W",
        "error",
        "-c",
        PLAY,
        *(str(tmp_path / f) for f in ("tables.npz", "out.npz")),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = np.load(tmp_path / "out.npz")
    for learner in (TsallisInf(), TsallisInf("iw"), Exp3(), LogBarrier()):
        for n_arms in (5, 100):
            trace = play(learner.state(n_arms), 3, gains[:, :n_arms], bounds)
            for name, values in trace._asdict().items():
                np.testing.assert_array_equal(found[f"{learner} {n_arms} {name}"], values)


class PlainLearner:
    uses_bound = False

    def __init__(self):
        self.heard = None

    def draw(self, bound, noise):
        return 2, 0.25

    def learn(self, *args):
        self.heard = args

    def law(self, bound, out):
        out[:] = [bound, 1.0]


class PlainPolicy(PlainLearner):
    def choose(self, noise):
        return ("decision", noise)

    def allocate(self, law, queue):
        law[:] = queue
        return 2.0, 5

    def law(self, out):
        out[:] = 0.5


class PlainModel:
    def sample(self, key, round, arm):
        return key + round + arm

    def mean(self, round, arm):
        return round * arm


def test_verbs_ask_plain_objects():
    learner, policy, model, out = PlainLearner(), PlainPolicy(), PlainModel(), np.zeros(2)
    assert draw(learner, 1.0, 7) == (2, 0.25)
    learn(learner, 2, 0.25, 1.0, 3.0)
    assert learner.heard == (2, 0.25, 1.0, 3.0)
    law(learner, 0.0, out)
    np.testing.assert_array_equal(out, [0.0, 1.0])
    assert not uses_bound(learner)
    assert uses_bound(model)  # it says nothing
    assert choose(policy, 7) == ("decision", 7)
    learn(policy, "decision", 0.5)
    assert policy.heard == ("decision", 0.5)
    law(policy, out)
    np.testing.assert_array_equal(out, [0.5, 0.5])
    assert allocate(policy, out, np.array([0.25, 0.75])) == (2.0, 5)
    np.testing.assert_array_equal(out, [0.25, 0.75])
    assert sample(model, 1, 2, 3) == 6.0
    assert mean(model, 2, 3) == 6.0


class Count(NamedTuple):
    box: np.ndarray


class Silent(NamedTuple):
    box: np.ndarray


def _bump(state, by):
    """Count on."""
    return state.bump(by)


bump = verb(_bump)


@implements(bump, Count)
def _(state, by):
    state.box[0] += by
    return state.box[0]


@kernel
def bump_twice(state, by):
    bump(state, by)
    return bump(state, by)


@kernel
def hears(state):
    return uses_bound(state)


def test_one_registration_answers_compiled_and_plain():
    assert bump_twice(Count(np.zeros(1)), 2.0) == 4.0
    assert python_form(bump_twice)(Count(np.zeros(1)), 2.0) == 4.0
    assert bump_twice.signatures  # it was compiled


def test_a_state_that_registers_nothing():
    silent = Silent(np.zeros(1))
    assert hears(silent)  # the verb has a default
    with pytest.raises(AttributeError, match="bump"):
        bump(silent, 1.0)
    with pytest.raises(Exception, match="bump"):  # Numba's own error, of which it has several
        bump_twice(silent, 1.0)


def test_only_arrays_and_numbers_are_compilable():
    assert is_compilable(TsallisInf().state(3))
    assert is_compilable(Count(np.zeros(1)))
    assert not is_compilable(PlainLearner())
    assert not is_compilable(Count(PlainLearner()))
    assert not is_compilable((np.zeros(1), 1.0))  # a tuple without names has no verbs


@kernel
def divide(x, y):
    return x / y


@kernel
def allocates(n):
    return np.ones(n).sum()


@kernel
def plain_sums(x):
    total = 0.0
    squares = 0.0
    bad = 0
    for i in range(x.size):
        total += x[i]
        squares += x[i] * x[i]
        bad += 1 if np.isnan(x[i]) or np.isinf(x[i]) else 0
    return total, squares, bad


def test_division_by_zero_is_infinite():
    assert divide(1.0, 0.0) == np.inf
    assert np.isnan(divide(0.0, 0.0))


def test_kernels_of_users_may_allocate():
    assert allocates(4) == 4.0


def test_compiled_sums_keep_their_order_and_their_rounding():
    # neither reordered nor fused: the same bits as Python, however the terms cancel
    x = np.random.default_rng(1).normal(size=1000) * 10.0 ** np.random.default_rng(2).integers(-8, 8, 1000)
    assert plain_sums(x) == python_form(plain_sums)(x)


def test_what_is_not_finite_is_not_hidden():
    x = np.arange(100.0)
    x[[3, 50]] = np.nan, np.inf
    total, _, bad = plain_sums(x)
    assert np.isnan(total)
    assert bad == 2


def test_kernels_release_the_lock():
    assert plain_sums.targetoptions["nogil"]
