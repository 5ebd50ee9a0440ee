import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.stats import chisquare, kstest

from banditq.kernels.noise import Stream, scramble, scramble_exactly, stream_key, uniform, unit
from twins.splitmix import SplitMix64, seed_before, seed_for_uniform

words = st.integers(0, 2**64 - 1)
counters = st.integers(0, 2**40)

# Every statistical test below rejects at 5 standard errors (two-sided: a false alarm in 1.7 million)
# or at p = 1e-6, with fixed seeds.
SIGMAS = 5.0


@njit
def scramble_compiled(key, counter):
    return scramble(key, counter)


@njit
def uniform_compiled(noise, index):
    return uniform(noise, index)


@njit
def fill(key, table):
    """Cells (round, arm), rounds counted from 1, as the reward table has them."""
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            table[i, j] = unit(scramble(scramble(key, i + 1), j))


@njit
def fill_words(key, table):
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            table[i, j] = scramble(scramble(key, i + 1), j)


def table_of(seed, run, stream, rounds=100_000, arms=10):
    table = np.empty((rounds, arms))
    fill(stream_key(seed, run, stream), table)
    return table


def assert_uncorrelated(x, y):
    """The correlation of n independent pairs has standard error 1/√n."""
    assert abs(np.corrcoef(x.ravel(), y.ravel())[0, 1]) <= SIGMAS / np.sqrt(x.size)


def test_published_outputs():
    published = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    for counter, output in enumerate(published):
        assert scramble(np.uint64(1234567), counter) == output
        assert scramble_compiled(np.uint64(1234567), counter) == output
        assert scramble_exactly(1234567, counter) == output


@settings(deadline=None)
@given(words, st.integers(0, 20))
def test_scramble_is_the_generator_without_its_state(key, counter):
    generator = SplitMix64(key)
    for _ in range(counter):
        generator.next()
    output = generator.next()
    assert scramble(np.uint64(key), counter) == output
    assert scramble_compiled(np.uint64(key), counter) == output


@settings(deadline=None)
@given(words, counters)
def test_compiled_and_python_forms_agree(key, counter):
    exact = scramble_exactly(key, counter)
    assert scramble(np.uint64(key), counter) == exact
    assert scramble_compiled(np.uint64(key), np.int64(counter)) == exact
    assert scramble_compiled(np.uint64(key), np.uint64(counter)) == exact
    assert (
        uniform(np.uint64(key), counter)
        == uniform_compiled(np.uint64(key), counter)
        == (exact >> 11) / 2**53
    )


@pytest.mark.parametrize("key", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("counter", [0, 1, 2**31, 2**40])
def test_words_wrap_around(key, counter):
    expected = SplitMix64((key + counter * 0x9E3779B97F4A7C15) % 2**64).next()
    assert scramble(np.uint64(key), counter) == scramble_compiled(np.uint64(key), counter) == expected


@settings(deadline=None)
@given(words)
def test_draws_may_hang_on_draws(key):
    # a word that came out of one call goes into the next, whatever its size, compiled or not
    word = scramble(scramble(np.uint64(key), 3), 1)
    assert word == scramble_exactly(scramble_exactly(key, 3), 1)
    assert uniform(word, 0) == uniform_compiled(np.uint64(word), 0)
    assert unit(word) == (int(word) >> 11) / 2**53
    word = scramble_compiled(np.uint64(key), 3)  # Numba returns a Python int
    assert uniform(word, 0) == uniform_compiled(np.uint64(word), 0)


@settings(deadline=None)
@given(words)
def test_twin_inverts_it(output):
    assert scramble_exactly(seed_before(output), 0) == output


@settings(deadline=None)
@given(st.integers(0, 2**53 - 1))
def test_every_multiple_of_the_smallest_step_can_be_drawn(numerator):
    u = numerator * 2.0**-53
    assert uniform(np.uint64(seed_for_uniform(u)), 0) == u


def test_unit_stays_below_one():
    assert unit(np.uint64(2**64 - 1)) == 1 - 2.0**-53
    assert unit(np.uint64(0)) == 0.0


def test_nothing_else_is_drawn_or_remembered():
    np_state, py_state = np.random.get_state()[1].tobytes(), random.getstate()  # noqa: NPY002 the global one
    first = [uniform(np.uint64(9), index) for index in range(20)]
    backwards = [uniform(np.uint64(9), index) for index in reversed(range(20))]
    assert first == backwards[::-1]
    np.testing.assert_array_equal(
        table_of(1, 2, Stream.REWARDS, 50), table_of(1, 2, Stream.REWARDS, 80)[:50]
    )
    assert np.random.get_state()[1].tobytes() == np_state  # noqa: NPY002
    assert random.getstate() == py_state


def test_keys_differ_in_every_argument():
    keys = {
        int(stream_key(seed, run, stream)) for seed in range(50) for run in range(50) for stream in Stream
    }
    assert len(keys) == 50 * 50 * len(Stream)
    assert isinstance(stream_key(0, 0, Stream.REWARDS), np.uint64)
    assert stream_key(3, 1, Stream.REWARDS) != stream_key(1, 3, Stream.REWARDS)
    stream_key(2**63, 0, Stream.REWARDS)  # any seed that NumPy would take


@pytest.mark.parametrize("seed", [0, 1, 2**32])
def test_cells_are_uniform(seed):
    cells = table_of(seed, 0, Stream.REWARDS)
    assert kstest(cells.ravel(), "uniform").pvalue > 1e-6
    counts = np.bincount((cells.ravel() * 4096).astype(int), minlength=4096)
    assert chisquare(counts).pvalue > 1e-6
    for arm in range(cells.shape[1]):  # 10 tests at 1e-6 each
        assert kstest(cells[:, arm], "uniform").pvalue > 1e-6


def test_every_bit_is_fair():
    bits = np.empty((100_000, 10), np.uint64)
    fill_words(stream_key(5, 0, Stream.REWARDS), bits)
    for shift in range(64):  # 64 tests at 5 standard errors: a false alarm in 27 000
        ones = np.count_nonzero((bits >> np.uint64(shift)) & np.uint64(1))
        assert abs(ones - bits.size / 2) <= SIGMAS * np.sqrt(bits.size) / 2


def test_cells_are_distinct():
    cells = np.empty((100_000, 10), np.uint64)
    fill_words(stream_key(6, 0, Stream.REWARDS), cells)
    assert np.unique(cells).size == cells.size  # a false alarm in 36 million: 10^12 / 2^65


@pytest.mark.parametrize("lag", [1, 2, 3, 7, 64])
def test_neighbouring_rounds_are_uncorrelated(lag):
    cells = table_of(7, 0, Stream.REWARDS)
    assert_uncorrelated(cells[lag:], cells[:-lag])
    far = abs(cells - 0.5)
    assert_uncorrelated(far[lag:], far[:-lag])


@pytest.mark.parametrize("lag", [1, 2, 3, 9])
def test_neighbouring_arms_are_uncorrelated(lag):
    cells = table_of(8, 0, Stream.REWARDS)
    assert_uncorrelated(cells[:, lag:], cells[:, :-lag])
    far = abs(cells - 0.5)
    assert_uncorrelated(far[:, lag:], far[:, :-lag])


def test_rounds_and_arms_do_not_trade_places():
    cells = table_of(9, 0, Stream.REWARDS, 1000, 1000)
    upper = np.triu_indices(1000, 1)
    assert_uncorrelated(cells[upper], cells.T[upper])
    assert_uncorrelated(cells[1:, :-1], cells[:-1, 1:])  # equal round + arm


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((0, 0, Stream.REWARDS), (0, 0, Stream.CHOICES)),
        ((0, 0, Stream.REWARDS), (0, 1, Stream.REWARDS)),
        ((0, 0, Stream.REWARDS), (1, 0, Stream.REWARDS)),
        ((0, 1, Stream.REWARDS), (1, 0, Stream.REWARDS)),
        ((3, 0, Stream.CHOICES), (3, 1, Stream.REWARDS)),
    ],
)
def test_streams_runs_and_seeds_are_independent(one, other):
    x, y = table_of(*one), table_of(*other)
    assert_uncorrelated(x, y)
    assert_uncorrelated(x[1:], y[:-1])
    assert_uncorrelated(abs(x - 0.5), abs(y - 0.5))
    pairs = np.histogram2d(x.ravel(), y.ravel(), bins=32, range=[(0, 1), (0, 1)])[0]
    assert chisquare(pairs.ravel()).pvalue > 1e-6


def test_draws_of_one_round_are_independent():
    first = table_of(10, 0, Stream.CHOICES, 200_000, 3)
    cubes = np.histogramdd(first, bins=12, range=[(0, 1)] * 3)[0]
    assert chisquare(cubes.ravel()).pvalue > 1e-6


@pytest.mark.parametrize("part", ["key", "counter"])
def test_one_bit_in_flips_half_the_bits_out(part):
    rng = np.random.default_rng(11)
    flips = []
    for word in rng.integers(0, 2**63, 500):
        for bit in range(0, 63, 3):
            other = int(word) ^ (1 << bit)
            if part == "key":
                pair = scramble_exactly(word, 5), scramble_exactly(other, 5)
            else:
                pair = scramble_exactly(5, word), scramble_exactly(5, other)
            flips.append((pair[0] ^ pair[1]).bit_count())
    # a count of 64 fair bits: mean 32, standard deviation 4
    assert abs(np.mean(flips) - 32) <= SIGMAS * 4 / np.sqrt(len(flips))
