"""What every reward model must do; a new model is found by itself and must have an example."""

import copy
import importlib
import json
import os
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import banditq.rewards
from banditq.config import Config
from banditq.errors import InvalidInput
from banditq.kernels.compiling import is_compilable
from banditq.rewards.base import Emission, RewardModel
from banditq.rewards.table import Table
from rewards.examples import EXAMPLES, NAMED, ROUNDS, Example, cells, play, says

TESTS = Path(__file__).resolve().parent.parent


@pytest.fixture(params=NAMED, name="example")
def _example(request: pytest.FixtureRequest) -> Example:
    return NAMED[request.param](1.0)


def concrete_models() -> set[type[Config]]:
    """The models of the package that can be played."""
    for module in pkgutil.iter_modules(banditq.rewards.__path__, "banditq.rewards."):
        importlib.import_module(module.name)
    ours = {cls for cls in Config._by_name.values() if cls.__module__.partition(".")[0] == "banditq"}
    return {
        cls
        for cls in ours
        if issubclass(cls, RewardModel)
        and cls.block is not RewardModel.block
        and getattr(cls, "emission", None) is not Emission.emission
    }


def test_every_model_has_an_example() -> None:
    found = concrete_models()
    missing = sorted(cls.__name__ for cls in found - set(EXAMPLES))
    assert not missing, f"add an example for {', '.join(missing)} to tests/rewards/examples.py"
    assert set(EXAMPLES) <= found


def test_a_cell_is_the_same_in_any_order(example: Example) -> None:
    rewards, means = play(example)
    state, last = example.model.block(example.means, example.reward_max, 1, ROUNDS)
    order = np.random.default_rng(3).permutation(last * example.means.size)
    rounds, arms = np.divmod(order, example.means.size)
    again = cells(state, rounds + 1, arms)
    np.testing.assert_array_equal(again[0], rewards[rounds, arms])
    np.testing.assert_array_equal(again[1], means[rounds, arms])


@pytest.fixture(scope="module", name="uncompiled")
def _uncompiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    file = tmp_path_factory.mktemp("tables") / "uncompiled.npz"
    path = os.pathsep.join([str(TESTS), *filter(None, sys.path)])  # the same banditq as here
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    subprocess.run([sys.executable, "-m", "rewards.examples", str(file)], env=environment, check=True)
    with np.load(file) as tables:
        return dict(tables)


@pytest.mark.parametrize("name", NAMED)
def test_compiled_and_interpreted_pay_the_same(name: str, uncompiled: dict[str, np.ndarray]) -> None:
    compiled = np.array(play(NAMED[name](1.0)))
    # the two may take log and cos from different libraries, which agree to a few units in the last place
    np.testing.assert_allclose(compiled, uncompiled[name], rtol=1e-13, atol=0.0)


def test_runs_and_seeds_differ_unless_rewards_are_recorded(example: Example) -> None:
    here, _ = play(example, seed=7, run=1)
    np.testing.assert_array_equal(here, play(example, seed=7, run=1)[0])
    other_run, other_seed = play(example, seed=7, run=2)[0], play(example, seed=8, run=1)[0]
    recorded = isinstance(example.model, Table)
    assert np.array_equal(here, other_run) == recorded
    assert np.array_equal(here, other_seed) == recorded


@pytest.mark.parametrize("name", NAMED)
@settings(deadline=None, max_examples=20)
@given(cuts=st.sets(st.integers(1, ROUNDS - 1)))
def test_block_boundaries_change_nothing(name: str, cuts: set[int]) -> None:
    example = NAMED[name](1.0)
    whole, cut = play(example), play(example, cuts=sorted(cuts))
    np.testing.assert_array_equal(whole[0], cut[0])
    np.testing.assert_array_equal(whole[1], cut[1])


@pytest.mark.parametrize("name", NAMED)
@settings(deadline=None, max_examples=15)
@given(exponent=st.integers(-40, 40))
def test_powers_of_two_scale_rewards_exactly(name: str, exponent: int) -> None:
    scale = 2.0**exponent
    once, scaled = play(NAMED[name](1.0)), play(NAMED[name](scale))
    np.testing.assert_array_equal(np.array(scaled) / scale, np.array(once))


def test_rewards_lie_between_zero_and_the_largest(example: Example) -> None:
    rewards, means = play(example)
    for table in (rewards, means):
        assert table.min() >= 0.0
        assert table.max() <= example.reward_max


def test_rewards_have_the_means_that_are_claimed(example: Example) -> None:
    # 6 standard errors: 2e-9 a comparison, 1e-7 over all examples and arms
    runs = 300
    surplus = np.array([np.subtract(*play(example, run=run)).sum(axis=0) for run in range(runs)])
    error = surplus.std(axis=0, ddof=1) / np.sqrt(runs)
    assert (np.abs(surplus.mean(axis=0)) <= 6.0 * error + 1e-12).all()


@pytest.mark.parametrize("rounds", [1, 5, 6, 17, ROUNDS])
def test_average_is_that_of_the_rounds(example: Example, rounds: int) -> None:
    _, means = play(example)
    found = example.model.average(example.means, rounds)
    np.testing.assert_allclose(found, means[:rounds].mean(axis=0), rtol=1e-13)


def test_cumulative_means_are_those_of_the_rounds(example: Example) -> None:
    _, means = play(example)
    rounds = np.array([1, 2, 5, 6, 7, 30, 31, 31, 12, ROUNDS])
    found = example.model.cumulative(example.means, rounds)
    np.testing.assert_allclose(found, means.cumsum(axis=0)[rounds - 1], rtol=1e-13)


def test_own_means_are_the_average_of_all_rounds(example: Example) -> None:
    model, longest = example.model, example.model.longest()
    assert (model.own_means() is None) == (longest is None)
    if longest is not None:
        np.testing.assert_allclose(model.own_means(), model.average(example.means, longest), rtol=1e-13)
        _, last = model.block(example.means, example.reward_max, 1, longest + 50)
        assert last == longest
        with pytest.raises(InvalidInput) as error:
            model.block(example.means, example.reward_max, longest + 1, longest + 50)
        says(error, str(longest + 1))
        with pytest.raises(InvalidInput) as error:
            model.average(example.means, longest + 1)
        says(error, str(longest + 1))


def test_states_compile_once_whatever_the_means_come_as(example: Example) -> None:
    wide = np.repeat(example.means, 2)[::2]
    fixed = example.means.copy()
    fixed.flags.writeable = False
    found = set()
    for means in (example.means, wide, fixed):
        state, _ = example.model.block(means, example.reward_max, 1, ROUNDS)
        assert is_compilable(state)
        found.add(numba.typeof(state))
    state, _ = example.model.block(example.means, int(example.reward_max), 3, ROUNDS)
    found.add(numba.typeof(state))
    assert len(found) == 1, found


def test_states_keep_their_own_means(example: Example) -> None:
    rewards, _ = play(example)
    means = example.means.copy()
    state, last = example.model.block(means, example.reward_max, 1, ROUNDS)
    means += 100.0
    rounds, arms = np.mgrid[1 : last + 1, 0 : means.size].reshape(2, -1)
    np.testing.assert_array_equal(cells(state, rounds, arms)[0], rewards.ravel())


def test_what_can_be_paid_is_accepted(example: Example) -> None:
    assert example.model.check(example.means, example.reward_max) is None
    assert example.model.default_max() == example.reward_max


def test_what_cannot_be_paid_is_refused(example: Example) -> None:
    with pytest.raises(InvalidInput) as error:
        example.model.check(example.means, example.reward_max / 100.0)
    says(error, f"{example.reward_max / 100.0:g}", "reward_max", "would do")


def test_another_number_of_arms_is_refused(example: Example) -> None:
    if isinstance(example.model, Emission):
        assert example.model.check(example.means[:-1], example.reward_max) is None
        return
    with pytest.raises(InvalidInput) as error:
        example.model.check(example.means[:-1], example.reward_max)
    says(error, str(example.means.size), str(example.means.size - 1))


def test_models_are_frozen_and_compare_by_content(example: Example) -> None:
    model = example.model
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert again == model
        assert hash(again) == hash(model)
        copied = Example(again, example.means, example.reward_max)
        np.testing.assert_array_equal(play(copied)[0], play(example)[0])
    assert len({made(1.0).model for made in NAMED.values()}) == len(NAMED)
    with pytest.raises(AttributeError):
        model.noise = None  # type: ignore[attr-defined]


def test_models_are_written_down_as_json(example: Example) -> None:
    data = json.loads(json.dumps(example.model.to_dict()))
    assert data["kind"] == type(example.model).__name__
    if "not_stored" not in json.dumps(data):
        assert RewardModel.from_dict(data) == example.model
        return
    with pytest.raises(InvalidInput) as error:
        RewardModel.from_dict(data)
    says(error, "again")
