"""Counter-based random numbers: each draw is a pure function of where it is used.

A cell of the reward table is ``unit(scramble(scramble(key, round), arm))``: nothing has to be drawn
in order, so only the pulled arm's reward is ever computed, every policy meets the same table, and a
run can be split, resumed or replayed. The scrambler is SplitMix64's (Steele, Lea & Flood 2014).
"""

from enum import IntEnum
from typing import Any

import numpy as np

from .compiling import verb

_WORD = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15  # the odd integer nearest 2^64 / golden ratio
_MIX1 = 0xBF58476D1CE4E5B9
_MIX2 = 0x94D049BB133111EB


class Stream(IntEnum):
    """Independent uses of one seed."""

    REWARDS = 1
    CHOICES = 2


def scramble_exactly(key: int, counter: int) -> int:
    """SplitMix64's ``counter``-th output from ``key``, in Python integers."""
    z = (int(key) + (int(counter) + 1) * _GAMMA) & _WORD
    z = ((z ^ (z >> 30)) * _MIX1) & _WORD
    z = ((z ^ (z >> 27)) * _MIX2) & _WORD
    return z ^ (z >> 31)


_G, _M1, _M2 = np.uint64(_GAMMA), np.uint64(_MIX1), np.uint64(_MIX2)
_S11, _S27, _S30, _S31, _ONE = (np.uint64(n) for n in (11, 27, 30, 31, 1))


def _scramble(key: Any, counter: Any) -> Any:
    """SplitMix64's ``counter``-th output from ``key``."""
    return np.uint64(scramble_exactly(key, counter))


def _scramble_word(key: Any, counter: Any) -> Any:
    z = key + (np.uint64(counter) + _ONE) * _G
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


def _unit(word: Any) -> float:
    """A double in [0, 1) from the upper 53 bits of a word."""
    return (int(word) >> 11) * 2.0**-53


def _unit_word(word: Any) -> float:
    return np.float64(word >> _S11) * 2.0**-53


# Two forms each. NumPy's scalar integers warn when they wrap around, and a compiled function that is
# called from Python returns a word as an int, and takes no int above 2^63 once it has met a small one.
scramble = verb(_scramble, default=_scramble_word)
unit = verb(_unit, default=_unit_word)


def _uniform(noise: Any, index: int) -> float:
    """The ``index``-th uniform draw that hangs on ``noise``, in [0, 1).

    Examples
    --------
    SplitMix64's first word from the key 1234567 is often quoted; its upper 53 bits make the draw.

    >>> import banditq as bq
    >>> bq.uniform(1234567, 0) == (6457827717110365317 >> 11) / 2**53
    True
    """
    return unit(scramble(noise, index))


uniform = verb(_uniform, default=_uniform)


def stream_key(seed: int, run: int, stream: Stream) -> np.uint64:
    """The key from which all draws of one stream of one run hang."""
    key = scramble_exactly(0, seed)
    return np.uint64(scramble_exactly(scramble_exactly(key, run), stream))
