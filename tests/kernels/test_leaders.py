import numpy as np
import pytest

from banditq.kernels.leaders import find_leaders

CASES = {
    "random": lambda n: np.random.default_rng(n).normal(size=n),
    "rising": lambda n: np.arange(n, dtype=float),
    "falling": lambda n: -np.arange(n, dtype=float),
    "ties": lambda n: np.random.default_rng(n).integers(0, 4, n).astype(float),
    "all equal": lambda n: np.full(n, -7.0),
}


@pytest.mark.parametrize("size", [1, 2, 5, 24, 300])
@pytest.mark.parametrize("count", [1, 2, 7, 24])
@pytest.mark.parametrize("case", CASES)
def test_they_are_the_largest_in_order(case, count, size):
    count = min(count, size)
    x = CASES[case](size)
    indices, values = np.full(count, -9, np.int64), np.full(count, np.nan)
    find_leaders(x, count, indices, values)
    np.testing.assert_array_equal(values, np.sort(x)[::-1][:count])
    np.testing.assert_array_equal(x[indices], values)
    assert len(set(indices)) == count
