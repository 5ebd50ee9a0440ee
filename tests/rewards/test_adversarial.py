"""Means from arrays, functions and generators, in blocks."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from banditq.errors import InvalidInput
from banditq.rewards import adversarial
from banditq.rewards.adversarial import Adversarial
from banditq.rewards.base import RewardModel
from banditq.rewards.bernoulli import Bernoulli
from banditq.rewards.beta import Beta
from banditq.rewards.uniform import Uniform
from rewards.examples import Example, play, says

ROUNDS = 50
PATH = np.random.default_rng(9).random((ROUNDS, 3))


def follow(round: int) -> list[float]:
    return list(PATH[round - 1])


def walk() -> Iterator[np.ndarray]:
    """The same array again and again, as a generator that saves memory would do it."""
    row = np.empty(3)
    for means in PATH:
        row[:] = means
        yield row


def example(means: Any, noise: Any = None) -> Example:
    return Example(Adversarial(means, noise or Bernoulli()), np.zeros(3), 1.0)


@pytest.fixture(name="small_blocks")
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adversarial, "_BLOCK_ROUNDS", 7)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("noise", [Bernoulli(), Beta(2.0)])
def test_arrays_functions_and_generators_pay_the_same(noise: Any) -> None:
    rewards, means = play(example(PATH, noise), ROUNDS)
    np.testing.assert_array_equal(means, PATH)
    for form in (follow, walk):
        again = play(example(form, noise), ROUNDS)
        np.testing.assert_array_equal(again[0], rewards)
        np.testing.assert_array_equal(again[1], PATH)


def test_rewards_are_those_of_the_noise_around_the_mean_of_the_round() -> None:
    rewards, _ = play(example(PATH, Beta(2.0)), ROUNDS, seed=3)
    for t in (1, 20, ROUNDS):
        still, _ = play(Example(Beta(2.0), PATH[t - 1], 1.0), t, seed=3)
        np.testing.assert_array_equal(rewards[t - 1], still[t - 1])


@pytest.mark.parametrize(("n_arms", "rounds"), [(2, 4096), (1_000, 1_048), (2_000_000, 1)])
def test_streams_come_in_blocks_of_bounded_size(n_arms: int, rounds: int) -> None:
    model = Adversarial(lambda _: np.full(n_arms, 0.5))
    state, last = model.block(np.zeros(n_arms), 1.0, 11, 10**9)
    assert last == 10 + rounds
    assert state.means.shape == (rounds, n_arms)


@pytest.mark.usefixtures("small_blocks")
def test_a_run_starts_a_generator_once() -> None:
    starts = []

    def counted() -> Iterator[np.ndarray]:
        starts.append(1)
        yield from PATH

    model = example(counted)
    play(model, ROUNDS)
    assert len(starts) == 1
    np.testing.assert_array_equal(play(model, 20, run=1)[1], PATH[:20])
    assert len(starts) == 2
    state, last = model.model.block(model.means, 1.0, 3, 20)  # in the middle: played up to there again
    assert len(starts) == 3
    np.testing.assert_array_equal(state.means, PATH[2:last])


@pytest.mark.usefixtures("small_blocks")
def test_many_runs_at_once_do_not_disturb_each_other() -> None:
    model = example(walk)
    expected = [play(example(PATH), ROUNDS, run=run) for run in range(12)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda run: play(model, ROUNDS, run=run), range(12)))
    np.testing.assert_array_equal(found, expected)


def test_runs_in_lockstep_resume_their_own_generators() -> None:
    starts = []

    def counted() -> Iterator[np.ndarray]:
        starts.append(1)
        yield from PATH

    model = Adversarial(counted)
    for first in range(1, ROUNDS, 10):
        for _ in range(5):
            state, last = model.block(np.zeros(3), 1.0, first, first + 9)
            assert last == first + 9
            np.testing.assert_array_equal(state.means, PATH[first - 1 : last])
    assert len(starts) == 5


def test_a_generator_may_end_with_the_last_round_but_not_before() -> None:
    play(example(walk), ROUNDS)
    for form in (walk, PATH):
        model = example(form)
        with pytest.raises(InvalidInput) as error:
            play(model, ROUNDS + 1)
        says(error, f"before round {ROUNDS + 1}", "more rounds")
        with pytest.raises(InvalidInput) as error:
            model.model.average(model.means, ROUNDS + 1)
        says(error, f"before round {ROUNDS + 1}")


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("form", [PATH, follow, walk])
def test_average_is_that_of_the_rounds(form: Any) -> None:
    for rounds in (1, 7, 8, ROUNDS):
        found = Adversarial(form).average(np.zeros(3), rounds)
        np.testing.assert_allclose(found, PATH[:rounds].mean(axis=0), rtol=1e-14)


@pytest.mark.usefixtures("small_blocks")
def test_cumulative_means_ask_for_each_round_once() -> None:
    asked = []

    def counted(round: int) -> list[float]:
        asked.append(round)
        return follow(round)

    found = Adversarial(counted).cumulative(np.zeros(3), np.array([2, 20, 21, 40]))
    np.testing.assert_allclose(found, PATH.cumsum(axis=0)[[1, 19, 20, 39]], rtol=1e-14)
    assert asked == list(range(1, 41))


def test_equality_is_that_of_the_numbers_or_of_the_function() -> None:
    assert Adversarial(PATH) == Adversarial(PATH.tolist())
    assert Adversarial(PATH) != Adversarial(PATH[:-1])
    assert Adversarial(PATH) != Adversarial(PATH, Beta())
    assert Adversarial(follow) == Adversarial(follow)
    assert Adversarial(follow) != Adversarial(walk)
    assert len({Adversarial(PATH), Adversarial(PATH.copy()), Adversarial(follow)}) == 2


def test_a_copy_is_kept_of_an_array() -> None:
    mine = PATH.copy()
    model = Adversarial(mine)
    mine[:] = 0.0
    np.testing.assert_array_equal(
        play(example(PATH), ROUNDS), play(Example(model, np.zeros(3), 1.0), ROUNDS)
    )
    with pytest.raises(ValueError, match="read-only"):
        model.means[0, 0] = 1.0


@pytest.mark.parametrize(
    ("form", "parts"), [(PATH, ["50 × 3", "sha256"]), (follow, ["follow"]), (walk, ["walk"])]
)
def test_what_is_written_down_says_what_is_missing(form: Any, parts: list[str]) -> None:
    data = Adversarial(form, Beta(2.0)).to_dict()
    assert data["noise"] == {"kind": "Beta", "concentration": 2.0}
    assert data["means"]["not_stored"] == ("array" if form is PATH else "function")
    with pytest.raises(InvalidInput) as error:
        RewardModel.from_dict(data)
    says(error, "pass means again", *parts)


@pytest.mark.parametrize(
    ("means", "parts"),
    [
        ([[0.5, 0.5], [0.5, -1.0]], ["means[1, 1] is -1", "at least 0"]),
        ([[0.5, np.nan]], ["means[0, 1] is nan"]),
        ([0.5, 0.5], ["means has shape (2,)"]),
        (np.zeros((0, 2)), ["shape (0, 2)", "at least one"]),
        ([[0.5], [0.5, 0.5]], ["all rows alike"]),
        ("random", ["means must be an array of numbers"]),
        (walk(), ["read only once", "pass the function"]),
    ],
)
def test_means_that_make_no_sense_are_refused(means: Any, parts: list[str]) -> None:
    with pytest.raises(InvalidInput) as error:
        Adversarial(means)
    says(error, *parts)


@pytest.mark.parametrize(
    ("row", "parts"),
    [
        ([0.5, 0.5], ["means of round 3 has 2 numbers", "3 arms"]),
        (0.5, ["means of round 3", "list"]),
        (None, ["means of round 3"]),
        ([0.5, "x", 0.5], ["means of round 3", "'x'"]),
        ([0.5, np.nan, 0.5], ["means[1] of round 3 is nan"]),
        ([0.5, 0.5, -0.5], ["means[2] of round 3 is -0.5", "at least 0"]),
        ([0.5, 0.5, 1.5], ["in round 3, means[2] is 1.5", "reward_max = 1.5 would do"]),
        ([[0.5, 0.5, 0.5]], ["means of round 3", "shape (1, 3)"]),
    ],
)
@pytest.mark.parametrize("generated", [False, True])
def test_streamed_means_that_make_no_sense_are_refused(generated: bool, row: Any, parts: list[str]) -> None:
    def called(round: int) -> Any:
        return row if round == 3 else [0.1, 0.2, 0.3]

    def generated_rows() -> Iterator[Any]:
        yield from map(called, range(1, 10))

    model = Adversarial(generated_rows if generated else called)
    model.check(np.zeros(3), 1.0)  # which looks at the first round only
    with pytest.raises(InvalidInput) as error:
        model.block(np.zeros(3), 1.0, 1, 9)
    says(error, *parts)


def test_arrays_and_first_rounds_are_checked_at_once() -> None:
    with pytest.raises(InvalidInput) as error:
        Adversarial([[0.5, 0.5], [0.5, 1.5]]).check(np.zeros(2), 1.0)
    says(error, "in round 2, means[1] is 1.5", "reward_max = 1.5 would do")
    with pytest.raises(InvalidInput) as error:
        Adversarial(follow).check(np.zeros(2), 1.0)
    says(error, "means of round 1 has 3 numbers", "2 arms")
    with pytest.raises(InvalidInput) as error:
        Adversarial(PATH).check(np.zeros(2), 1.0)
    says(error, "has 3 arms", "2")


def test_the_noise_must_be_a_distribution_around_a_mean() -> None:
    assert Adversarial(PATH, Uniform()).default_max() == 2.0
    for noise in (Adversarial(PATH), None, "beta", Beta):
        with pytest.raises(InvalidInput) as error:
            Adversarial(PATH, noise)
        says(error, "noise is", "Beta()")


def test_errors_inside_a_function_come_through() -> None:
    def broken(round: int) -> Any:
        raise TypeError("mine")

    with pytest.raises(TypeError, match="mine"):
        Adversarial(broken).check(np.zeros(3), 1.0)
