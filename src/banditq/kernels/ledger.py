"""The ledger of what was promised and what was paid, the same for every policy.

It is the reporting side: its queues start at zero whatever a policy does inside.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .compiling import kernel
from .protocol import Floats

Integers = npt.NDArray[np.int64]


class Ledger(NamedTuple):
    """One entry for each recorded arm: ``arms[k]`` is its arm, and ``slot`` maps back, or to −1.

    A queue is stored as it stood at round ``touched``; until the next payment it grows by its target a
    round. ``peak`` is its maximum so far, which is the worst shortfall of any window. ``totals`` holds
    reward and expected reward of the current stretch, then of all stretches before it.
    """

    arms: Integers
    slot: Integers
    targets: Floats
    accrued: Floats
    pulls: Floats
    queue: Floats
    touched: Integers
    peak: Floats
    totals: Floats
    windows: Integers  # lengths of the windows that are watched
    worst: Floats  # (window, arm): the largest shortfall over any window of that length
    ring: Floats  # (round modulo the longest window, arm): shortfall since round 0


def open_ledger(n_arms: int, recorded: Integers, targets: Floats, windows: Integers) -> Ledger:
    """An empty ledger for the recorded arms, given all arms' targets."""
    slot = np.full(n_arms, -1, np.int64)
    slot[recorded] = np.arange(recorded.size)
    k = recorded.size
    longest = int(windows.max()) if windows.size else 0
    return Ledger(
        arms=recorded,
        slot=slot,
        targets=np.ascontiguousarray(targets[recorded]),
        accrued=np.zeros(k),
        pulls=np.zeros(k),
        queue=np.zeros(k),
        touched=np.zeros(k, np.int64),
        peak=np.zeros(k),
        totals=np.zeros(4),
        windows=windows,
        worst=np.full((windows.size, k), -np.inf),
        ring=np.zeros((longest + 1, k)),
    )


@kernel
def standing(ledger: Ledger, k: int, round: int) -> float:
    """One queue at the end of a round in which nothing was paid since it was touched."""
    return ledger.queue[k] + ledger.targets[k] * (round - ledger.touched[k])


@kernel
def pay(ledger: Ledger, round: int, arm: int, share: float, reward: float) -> None:
    """Book what an arm received in a round, if the arm is recorded."""
    k = ledger.slot[arm]
    if k >= 0:
        pay_entry(ledger, round, k, share, reward)


@kernel
def pay_entry(ledger: Ledger, round: int, k: int, share: float, reward: float) -> None:
    """Book what a recorded arm received in a round."""
    queue = standing(ledger, k, round - 1)
    ledger.peak[k] = max(ledger.peak[k], queue)
    ledger.queue[k] = max(queue + ledger.targets[k] - reward, 0.0)
    ledger.touched[k] = round
    ledger.accrued[k] += reward
    ledger.pulls[k] += share


@kernel
def earn(ledger: Ledger, reward: float, expected: float) -> None:
    """Book the whole round's reward and its expectation."""
    ledger.totals[0] += reward
    ledger.totals[1] += expected


@kernel
def close_stretch(ledger: Ledger) -> None:
    """Carry the stretch's totals over, so that long sums stay exact."""
    ledger.totals[2] += ledger.totals[0]
    ledger.totals[3] += ledger.totals[1]
    ledger.totals[0] = 0.0
    ledger.totals[1] = 0.0


@kernel
def watch_windows(ledger: Ledger, round: int) -> None:
    """Compare the shortfall now with what it was at the start of each watched window."""
    length = ledger.ring.shape[0]
    for k in range(ledger.queue.size):
        now = ledger.targets[k] * round - ledger.accrued[k]
        ledger.ring[round % length, k] = now
        for w in range(ledger.windows.size):
            if round >= ledger.windows[w]:
                then = ledger.ring[(round - ledger.windows[w]) % length, k]
                ledger.worst[w, k] = max(ledger.worst[w, k], now - then)
