"""Drift against interpolation by NumPy, in any order of rounds."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banditq.errors import InvalidInput
from banditq.rewards.base import RewardModel
from banditq.rewards.beta import Beta
from banditq.rewards.drift import Drift
from banditq.rewards.uniform import Uniform
from rewards.examples import Example, cells, play, says
from twins.means_path import drifting_means

START = [0.3, 0.9]
LAST = 60
levels = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=2)
drifts = st.dictionaries(st.integers(2, LAST + 10), levels, max_size=12)
transitions = st.sampled_from(["abrupt", "linear"])


def means_at(model: Drift, rounds: Any, start: Any = START) -> np.ndarray:
    """The means of arms 0 and 1 in some rounds, asked for in that order of one state."""
    state, _ = model.block(np.array(start), 1.0, 1, 10)
    rounds = np.repeat(np.asarray(rounds, np.int64), 2)
    return cells(state, rounds, np.tile([0, 1], rounds.size // 2))[1].reshape(-1, 2)


@settings(deadline=None)
@given(drifts, transitions)
def test_means_follow_the_path(changes: dict[int, list[float]], transition: str) -> None:
    expected = drifting_means(START, changes, LAST, transition == "linear")
    found = means_at(Drift(changes, transition), np.arange(1, LAST + 1))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-15 * LAST)
    assert found.min() >= 0.0
    assert found.max() <= 1.0


@settings(deadline=None)
@given(drifts, transitions, st.lists(st.integers(1, LAST), min_size=1))
def test_rounds_may_come_in_any_order(
    changes: dict[int, list[float]], transition: str, rounds: list[int]
) -> None:
    model = Drift(changes, transition)
    in_order = means_at(model, np.arange(1, LAST + 1))
    np.testing.assert_array_equal(means_at(model, rounds), in_order[np.array(rounds) - 1])


@settings(deadline=None)
@given(drifts, transitions, st.integers(1, LAST))
def test_average_is_that_of_the_path(changes: dict[int, list[float]], transition: str, rounds: int) -> None:
    path = drifting_means(START, changes, rounds, transition == "linear")
    found = Drift(changes, transition).average(np.array(START), rounds)
    np.testing.assert_allclose(found, path.mean(axis=0), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("transition", ["abrupt", "linear"])
def test_rewards_are_those_of_the_noise_around_the_mean_of_the_round(transition: str) -> None:
    noise = Beta(4.0)
    model = Drift({10: [0.8, 0.1], 25: [0.0, 1.0]}, transition, noise)
    rewards, means = play(Example(model, np.array(START), 1.0), 40, seed=5)
    for t in (1, 9, 10, 18, 25, 40):
        still, _ = play(Example(noise, means[t - 1], 1.0), t, seed=5)
        np.testing.assert_array_equal(rewards[t - 1], still[t - 1])


def test_new_means_hold_from_their_round_on() -> None:
    model = Drift({1_000_000: [0.3, 0.1]})
    found = means_at(model, [1, 999_999, 1_000_000, 10**15])
    np.testing.assert_array_equal(found, [START, START, [0.3, 0.1], [0.3, 0.1]])
    np.testing.assert_allclose(model.average(np.array(START), 1_999_998), [0.3, 0.5], rtol=1e-15)


def test_lines_are_exact_at_the_given_rounds_and_straight_between() -> None:
    model = Drift({10**9 + 1: [0.8, 0.4], 2 * 10**9 + 1: [0.8, 0.9]}, transition="linear")
    found = means_at(model, [1, 5 * 10**8 + 1, 10**9 + 1, 15 * 10**8 + 1, 2 * 10**9 + 1, 10**12])
    expected = [[0.3, 0.9], [0.55, 0.65], [0.8, 0.4], [0.8, 0.65], [0.8, 0.9], [0.8, 0.9]]
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    halfway = model.average(np.array(START), 10**9)
    np.testing.assert_allclose(halfway, [0.55, 0.65], rtol=1e-8)  # the last round of the line is not in it


def test_the_piece_of_the_last_round_is_remembered() -> None:
    model = Drift({t: [0.5, 0.5] for t in range(2, 1_002)})
    state, _ = model.block(np.array(START), 1.0, 1, 10)
    for t, piece in ((1, 0), (2, 1), (700, 699), (701, 700), (3, 2), (5_000, 1_000), (1, 0)):
        cells(state, [t], [0])
        assert state.pointer[0] == piece


def test_nothing_changes_without_changes() -> None:
    noise = Beta()
    still = play(Example(noise, np.array(START), 1.0), 30)
    np.testing.assert_array_equal(play(Example(Drift({}, noise=noise), np.array(START), 1.0), 30), still)


def test_changes_may_be_given_in_several_ways() -> None:
    by_dict = Drift({20: np.array([0.5, 0.1]), 7: [0.25, 1]})
    assert by_dict.changes == ((7, (0.25, 1.0)), (20, (0.5, 0.1)))
    assert Drift([(20, (0.5, 0.1)), (7.0, (0.25, 1.0))]) == by_dict
    assert Drift(by_dict.changes) == by_dict
    assert RewardModel.from_dict(json.loads(json.dumps(by_dict.to_dict()))) == by_dict
    assert len({by_dict, Drift(by_dict.changes), Drift(by_dict.changes, "linear")}) == 2


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({1: [0.5, 0.5]}, ["round in changes is 1", "at least 2"]),
        ({2.5: [0.5, 0.5]}, ["round in changes is 2.5", "whole"]),
        ({"soon": [0.5, 0.5]}, ["round in changes", "'soon'"]),
        ({9: [0.5, -0.5]}, ["changes[9][1] is -0.5", "at least 0"]),
        ({9: [0.5, np.nan]}, ["changes[9][1] is nan"]),
        ({9: [[0.5, 0.5]]}, ["changes[9]", "shape (1, 2)"]),
        ({9: 0.5}, ["changes[9]", "list"]),
        ({9: "half"}, ["changes[9]", "'half'"]),
        ({9: [0.5, 0.5], 12: [0.1]}, ["changes[12] has 1 arms", "changes[9] has 2"]),
        ([(9, [0.5]), (9, [0.1])], ["round 9 twice"]),
        ([9, 12], ["dict from rounds", "[9, 12]"]),
        (9, ["dict from rounds", "9"]),
        (None, ["dict from rounds", "None"]),
    ],
)
def test_changes_that_make_no_sense_are_refused(changes: Any, parts: list[str]) -> None:
    with pytest.raises(InvalidInput) as error:
        Drift(changes)
    says(error, *parts)


def test_other_arguments_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InvalidInput) as error:
        Drift({}, transition="sudden")  # type: ignore[arg-type]
    says(error, "transition is 'sudden'", "'abrupt', 'linear'")
    with pytest.raises(InvalidInput) as error:
        Drift({}, noise=Drift({}))  # type: ignore[arg-type]
    says(error, "noise is Drift(", "Beta()")


def test_later_means_must_be_payable_too() -> None:
    model = Drift({50: [0.5, 0.6]}, noise=Uniform())
    assert model.default_max() == 2.0
    model.check(np.array([0.1, 0.1]), 1.2)
    with pytest.raises(InvalidInput) as error:
        model.check(np.array([0.1, 0.1]), 1.0)
    says(error, "from round 50 on", "means[1] is 0.6", "reward_max = 1.2 would do")
    with pytest.raises(InvalidInput) as error:
        model.check(np.array([0.7, 0.1]), 1.2)
    says(error, "means[0] is 0.7")
    with pytest.raises(InvalidInput) as error:
        model.check(np.array([0.1, 0.1, 0.1]), 1.2)
    says(error, "changes[50] has 2 arms", "3")
