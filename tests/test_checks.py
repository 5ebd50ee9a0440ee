"""The border: integers stay exact, and no value is too big or too odd for a sentence."""

import numpy as np
import pytest

import banditq as bq
from banditq.checks import finite_or_none, finite_vector, real, whole
from banditq.kernels.noise import Stream, stream_key

PROBLEM = bq.Problem([0.3, 0.8], [0.1, 0.0])
HUGE = 10**400  # no double holds it
ENDLESS = 10**5000  # and Python does not even print it
TOO_BIG = {
    "huge": HUGE,
    "minus huge": -HUGE,
    "endless": ENDLESS,
    "minus endless": -ENDLESS,
    "huge in words": str(HUGE),
    "huge in a list": [HUGE],
    "long text": "x" * 1000,
}


@pytest.mark.parametrize("given", [2**53 + 1, str(2**53 + 1), np.int64(2**53 + 1)])
def test_integers_are_exact(given):
    assert whole("seed", given, low=0) == 2**53 + 1


@pytest.mark.parametrize(("given", "number"), [(2e6, 2_000_000), ("2e6", 2_000_000), (" 7 ", 7), (3.0, 3)])
def test_other_ways_to_write_whole_numbers(given, number):
    found = whole("rounds", given, low=1)
    assert found == number
    assert type(found) is int


@pytest.mark.parametrize("given", [True, "1.5", 1.5, None, "ten", np.nan, "inf"])
def test_what_is_not_whole_is_refused(given):
    with pytest.raises(bq.InvalidInput, match="n "):
        whole("n", given, low=0)


@pytest.mark.parametrize("value", TOO_BIG.values(), ids=TOO_BIG)
@pytest.mark.parametrize(
    "check", [real, finite_vector, lambda name, value: whole(name, value, low=0, high=2**64)]
)
def test_anything_too_big_is_one_short_sentence(check, value):
    with pytest.raises(bq.InvalidInput) as refused:
        check("v", value)
    assert str(refused.value).startswith("v ")
    assert len(str(refused.value)) < 200


def test_every_seed_has_numbers_of_its_own():
    """As far as seeds go; the first that would repeat another's is refused."""
    seeds = [0, 1, 2**53, 2**53 + 1, 2**64 - 1]
    assert len({int(stream_key(seed, 0, Stream.REWARDS)) for seed in seeds}) == len(seeds)
    assert stream_key(2**64, 0, Stream.REWARDS) == stream_key(0, 0, Stream.REWARDS)
    for start in (
        lambda seed: bq.simulate(bq.UCB1(), PROBLEM, 10, seed=seed).info["seed"],
        lambda seed: bq.UCB1().start([0.1, 0.0], seed=seed)._seed,
    ):
        assert start(2**53 + 1) == 2**53 + 1
        with pytest.raises(bq.InvalidInput, match=f"seed is {2**64}; it must be at most {2**64 - 1}"):
            start(2**64)


def test_what_json_cannot_hold_is_none():
    assert [finite_or_none(x) for x in (1.5, np.inf, -np.inf, np.nan)] == [1.5, None, None, None]
