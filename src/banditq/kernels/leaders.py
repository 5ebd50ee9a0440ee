"""The largest few of many numbers."""

import numpy as np
import numpy.typing as npt

from .compiling import kernel
from .protocol import Floats

Integers = npt.NDArray[np.int64]


@kernel
def _sift(indices: Integers, values: Floats, count: int) -> None:
    """Let the top of a heap sink to its place; the smallest is on top."""
    index, value = indices[0], values[0]
    here = 0
    while 2 * here + 1 < count:
        child = 2 * here + 1
        if child + 1 < count and values[child + 1] < values[child]:
            child += 1
        if values[child] >= value:
            break
        indices[here], values[here] = indices[child], values[child]
        here = child
    indices[here], values[here] = index, value


@kernel
def find_leaders(x: Floats, count: int, indices: Integers, values: Floats) -> None:
    """Write the ``count`` largest of x and where they are, largest first; of equals, those met first."""
    for slot in range(count):
        indices[slot], values[slot] = -1, -np.inf
    for i in range(x.size):
        if x[i] > values[0]:
            indices[0], values[0] = i, x[i]
            _sift(indices, values, count)
    for last in range(count - 1, 0, -1):
        index, value = indices[0], values[0]
        indices[0], values[0] = indices[last], values[last]
        indices[last], values[last] = index, value
        _sift(indices, values, last)
