import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

import banditq
from bandit_driver import play, scenario
from banditq.kernels.compiling import REDUCTION, implements, is_compilable, kernel, python_form, verb
from banditq.kernels.protocol import allocate, choose, draw, law, learn, mean, sample, uses_bound
from banditq.learners.exp3 import Exp3
from banditq.learners.logbarrier import LogBarrier
from banditq.learners.tsallis import TsallisInf

PROBE = """
from typing import NamedTuple

from .helper import twist
from .kernels.compiling import implements, kernel
from .kernels.protocol import mean


class Ours(NamedTuple):
    inner: tuple


@implements(mean, Ours)
def _(state, round, arm):
    return twist(2.0 * round)


@kernel
def probe(state, round):
    return mean(state, round, 0)


@kernel
def probe_inner(state, round):
    return mean(state.inner, round, 0)
"""

HELPER = """
from .kernels.compiling import kernel


@kernel
def twist(x):
    return x + 1.0
"""

USER = """
import json
from typing import NamedTuple

from banditq.kernels.compiling import implements, kernel
from banditq.kernels.protocol import mean
from banditq.probe import Ours, probe, probe_inner


class Mine(NamedTuple):
    size: float


@kernel
def own(x):
    return x * 10.0


@implements(mean, Mine)
def _(state, round, arm):
    return state.size + round


answers = {
    "ours": probe(Ours((1.0,)), 3),
    "own": own(3.0),
    "mine": probe(Mine(1.0), 3),
    "nested": probe_inner(Ours(Mine(1.0)), 3),
}
hits = sum(probe.stats.cache_hits.values())
foreign = sum(probe_inner.stats.cache_hits.values()) + sum(own.stats.cache_hits.values())
print(json.dumps({"answers": answers, "hits": hits, "foreign": foreign}))
"""


@pytest.fixture
def house(tmp_path):
    """A copy of the kernels in a package of their own, a probe in it, and a user's file beside it."""
    package = tmp_path / "banditq"
    kernels = Path(banditq.__file__).parent / "kernels"
    shutil.copytree(kernels, package / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text("")
    (package / "probe.py").write_text(PROBE)
    (package / "helper.py").write_text(HELPER)
    (tmp_path / "user.py").write_text(USER)
    return tmp_path


def run(house):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    environment |= {"PYTHONPATH": str(house)}
    command = [sys.executable, "-W", "error", str(house / "user.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def replace(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def stored(house):
    """The specialisations on disk, by function."""
    return [path.name.split("-")[0] for path in house.rglob("*.nbc")]


def test_cache_notices_every_edit(house):
    first = run(house)
    assert first["answers"] == {"ours": 7.0, "own": 30.0, "mine": 4.0, "nested": 4.0}
    assert first["hits"] == 0
    assert stored(house).count("probe.probe") == 1  # for Ours, not for Mine
    assert "probe.probe_inner" not in stored(house)  # its state holds a foreign one
    assert not any(name.startswith("user.") for name in stored(house))

    assert run(house) == first | {"hits": 1}

    replace(house / "banditq" / "helper.py", "x + 1.0", "x + 5.0")
    edited = run(house)
    assert edited["answers"] == first["answers"] | {"ours": 11.0}
    assert edited["hits"] == 0
    assert run(house) == edited | {"hits": 1}

    replace(house / "user.py", "x * 10.0", "x * 20.0")
    replace(house / "user.py", "state.size + round", "state.size - round")
    again = run(house)
    assert again["answers"] == {"ours": 11.0, "own": 60.0, "mine": -2.0, "nested": -2.0}
    assert again["hits"] == 1
    assert again["foreign"] == 0


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
    trace = play(learner.state(tables["gains"].shape[1]), 3, tables["gains"], tables["bounds"])
    found |= {f"{learner} {name}": value for name, value in trace._asdict().items()}
np.savez(sys.argv[2], **found)
"""


def test_without_the_compiler_the_trajectory_is_the_same(tmp_path):
    gains, bounds = scenario(1, 5, 200)
    np.savez(tmp_path / "tables.npz", gains=gains, bounds=bounds)
    paths = [str(Path(banditq.__file__).parents[1]), str(Path(__file__).parents[1])]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-W", "error", "-c", PLAY, *(str(tmp_path / f) for f in ("tables.npz", "out.npz"))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = np.load(tmp_path / "out.npz")
    for learner in (TsallisInf(), TsallisInf("iw"), Exp3(), LogBarrier()):
        trace = play(learner.state(5), 3, gains, bounds)
        np.testing.assert_array_equal(found[f"{learner} arms"], trace.arms)
        np.testing.assert_allclose(found[f"{learner} probabilities"], trace.probabilities, rtol=1e-9)
        np.testing.assert_allclose(found[f"{learner} laws"], trace.laws, rtol=1e-9)


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

    def allocate(self, *args):
        return ("allocation", *args)

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
    assert allocate(policy)[0] == "allocation" if _takes_one(policy) else True
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


@kernel(fastmath=REDUCTION)
def honest_sum(x):
    total = 0.0
    bad = 0
    for i in range(x.size):
        total += x[i]
        bad += 1 if np.isnan(x[i]) or np.isinf(x[i]) else 0
    return total, bad


def test_division_by_zero_is_infinite():
    assert divide(1.0, 0.0) == np.inf
    assert np.isnan(divide(0.0, 0.0))


def test_kernels_of_users_may_allocate():
    assert allocates(4) == 4.0


def test_reductions_do_not_hide_what_is_not_finite():
    x = np.arange(100.0)
    assert honest_sum(x) == (4950.0, 0)
    x[[3, 50]] = np.nan, np.inf
    total, bad = honest_sum(x)
    assert np.isnan(total)
    assert bad == 2


def test_kernels_release_the_lock():
    assert bump_twice.targetoptions["nogil"]
    assert not hasattr(njit(lambda x: x), "stats_of_banditq")
