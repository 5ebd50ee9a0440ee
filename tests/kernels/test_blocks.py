import numpy as np
import pytest
from scipy.stats import chisquare

from banditq.kernels.blocks import FAN, add_up, find_weight, no_weights, put_weight, total_weight

SIZES = [1, 7, FAN, FAN + 1, 1000, FAN * FAN, FAN * FAN + 5, 40_000]


def filled(weights):
    blocks = no_weights(len(weights))
    blocks.weights[: len(weights)] = weights
    add_up(blocks)
    return blocks


def some_weights(size, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.random(size) * 10.0 ** rng.integers(-6, 3, size)
    weights[rng.random(size) < 0.3] = 0.0
    weights[size // 2] = 1.0
    return weights


@pytest.mark.parametrize("size", SIZES)
def test_it_finds_where_the_running_sum_exceeds_the_target(size):
    weights = some_weights(size)
    blocks, edges = filled(weights), np.cumsum(weights)
    assert total_weight(blocks) == pytest.approx(edges[-1], rel=1e-13)
    rng = np.random.default_rng(1)
    for target in np.concatenate([rng.random(500) * edges[-1], [0.0]]):
        found = find_weight(blocks, target)
        assert weights[found] > 0.0
        below = edges[found - 1] if found else 0.0
        assert below - 1e-12 * edges[-1] <= target <= edges[found] + 1e-12 * edges[-1]


@pytest.mark.parametrize("size", SIZES)
def test_changed_one_by_one_it_is_as_if_filled_at_once(size):
    weights = some_weights(size, seed=2)
    blocks = filled(some_weights(size, seed=3))
    for i in np.random.default_rng(4).permutation(size):
        put_weight(blocks, i, weights[i])
    for one, other in zip(blocks, filled(weights), strict=True):
        np.testing.assert_array_equal(one, other)  # to the bit: no error is carried along


@pytest.mark.parametrize("size", SIZES)
def test_beyond_the_end_the_last_positive_weight_counts(size):
    weights = np.zeros(size)
    weights[: size // 2 + 1] = 0.1
    assert find_weight(filled(weights), 0.1 * size) == size // 2


def test_alone_among_zeros():
    for size in SIZES:
        for i in {0, size // 3, size - 1}:
            blocks = no_weights(size)
            put_weight(blocks, i, 1e-200)
            for target in (0.0, 0.5e-200, 1e-200, 1.0):
                assert find_weight(blocks, target) == i
            put_weight(blocks, i, 0.0)
            assert total_weight(blocks) == 0.0


def test_draws_are_in_proportion():
    weights = 0.01 + some_weights(200, seed=5)
    blocks, n = filled(weights), 100_000
    points = np.random.default_rng(6).random(n) * total_weight(blocks)
    counts = np.bincount([find_weight(blocks, point) for point in points], minlength=200)
    expected = n * weights / weights.sum()
    few = expected < 10  # together, as the test needs
    counts, expected = (np.append(x[~few], x[few].sum()) for x in (counts, expected))
    assert chisquare(counts, expected * counts.sum() / expected.sum()).pvalue > 1e-6  # 1 in a million
