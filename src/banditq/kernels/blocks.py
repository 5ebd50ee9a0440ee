"""Many weights, one of which changes at a time, and a draw in proportion to them.

Sums over blocks of 64, and over blocks of blocks. A flat tree is shallow (three levels for a quarter of a
million), a level is eight vector registers, and every sum is computed from what it sums, so that no error
is carried along, as it would be in a Fenwick tree.
"""

from typing import NamedTuple

import numpy as np

from .compiling import inlined, kernel
from .lanes import WIDTH, gather, load, spread
from .protocol import Floats
from .reductions import total

FAN = 8 * WIDTH


class Blocks(NamedTuple):
    """``weights``, filled up with zeros to whole blocks; their ``sums``; and the sums of those."""

    weights: Floats
    sums: Floats
    groups: Floats


def no_weights(count: int) -> Blocks:
    """Room for this many weights, all 0."""
    sums = -(-count // FAN)
    groups = -(-sums // FAN)
    return Blocks(np.zeros(sums * FAN), np.zeros(groups * FAN), np.zeros(-(-groups // WIDTH) * WIDTH))


@kernel
def _block_sum(x: Floats, block: int) -> float:
    lanes = spread(0.0)
    for i in range(block * FAN, (block + 1) * FAN, WIDTH):
        lanes += load(x, i)
    return gather(lanes)


@inlined
def put_weight(blocks: Blocks, i: int, weight: float) -> None:
    """Change one weight."""
    block, group = i // FAN, i // (FAN * FAN)
    blocks.weights[i] = weight
    blocks.sums[block] = _block_sum(blocks.weights, block)
    blocks.groups[group] = _block_sum(blocks.sums, group)


@kernel
def add_up(blocks: Blocks) -> None:
    """Compute all sums, after the weights were written."""
    for block in range(blocks.weights.size // FAN):
        blocks.sums[block] = _block_sum(blocks.weights, block)
    for group in range(blocks.sums.size // FAN):
        blocks.groups[group] = _block_sum(blocks.sums, group)


@kernel
def total_weight(blocks: Blocks) -> float:
    """The sum of all weights; 0 only if all are."""
    return total(blocks.groups)


@kernel
def _find(x: Floats, start: int, stop: int, target: float) -> tuple[int, float]:
    """Where the running sum exceeds the target, and what is left of it there.

    If it never does, by a rounding, the last positive entry counts.
    """
    row, left = start, target
    for i in range(start, stop, WIDTH):
        here = gather(load(x, i))
        if here > 0.0:
            row, left = i, target
            if target < here:
                break
            target -= here
    found, target = row, left
    for i in range(row, row + WIDTH):
        if x[i] > 0.0:
            found, left = i, target
            if target < x[i]:
                break
            target -= x[i]
    return found, left


@kernel
def find_weight(blocks: Blocks, target: float) -> int:
    """Where the running sum of the weights exceeds the target; a positive weight, if there is one."""
    group, target = _find(blocks.groups, 0, blocks.groups.size, target)
    block, target = _find(blocks.sums, group * FAN, (group + 1) * FAN, target)
    found, _ = _find(blocks.weights, block * FAN, (block + 1) * FAN, target)
    return found
