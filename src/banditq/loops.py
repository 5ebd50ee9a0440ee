"""The two compiled loops, one for each kind of feedback, for every policy and every reward model."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .kernels.compiling import kernel
from .kernels.ledger import Ledger, close_stretch, earn, pay, pay_entry, standing, watch_windows
from .kernels.noise import scramble
from .kernels.protocol import (
    Allocation,
    Floats,
    allocate,
    choose,
    expected,
    foresee,
    law,
    learn,
    mean,
    sample,
)
from .kernels.reductions import dot, smallest, total
from .kernels.watch import watch

LAW_TOLERANCE = 1e-9


class Recorder(NamedTuple):
    """Where a run leaves its checkpoints: row j holds the state after round ``rounds[j]``."""

    rounds: npt.NDArray[np.int64]
    reward: Floats
    expected: Floats
    accrued: Floats  # (round, arm), as are the next three
    played: Floats
    queue: Floats
    peak: Floats
    worst: Floats  # (round, window, arm)
    law: Floats  # work space, one number an arm, as are the next two
    row: Floats
    debt: Floats
    watcher: Any  # what is looked at in every round, if anything


@kernel
def _is_distribution(x: Floats) -> bool:
    return abs(total(x) - 1.0) <= LAW_TOLERANCE and smallest(x) >= 0.0


@kernel
def _record(recorder: Recorder, j: int, ledger: Ledger) -> None:
    close_stretch(ledger)
    recorder.reward[j] = ledger.totals[2]
    recorder.expected[j] = ledger.totals[3]
    for k in range(ledger.queue.size):
        recorder.accrued[j, k] = ledger.accrued[k]
        recorder.played[j, k] = ledger.pulls[k]
        queue = standing(ledger, k, recorder.rounds[j])
        ledger.peak[k] = max(ledger.peak[k], queue)
        recorder.queue[j, k] = queue
        recorder.peak[j, k] = ledger.peak[k]
        for w in range(ledger.windows.size):
            recorder.worst[j, w, k] = ledger.worst[w, k]


@kernel
def bandit_rounds(
    policy: Any,
    rewards: Any,
    choice_key: Any,
    reward_key: Any,
    ledger: Ledger,
    recorder: Recorder,
    first: int,
    last: int,
    j: int,
) -> tuple[int, int]:
    """Play rounds first..last; returns the next checkpoint, and the round that went wrong or 0."""
    for t in range(first, last + 1):
        watch(recorder.watcher, policy, rewards, t, j)
        decision = choose(policy, scramble(choice_key, t))
        if not decision.probability > 0.0:
            return j, t
        arm = decision.arm
        reward = sample(rewards, reward_key, t, arm)
        learn(policy, decision, reward)
        earn(ledger, reward, mean(rewards, t, arm))
        pay(ledger, t, arm, 1.0, reward)
        if ledger.windows.size:
            watch_windows(ledger, t)
        if t == recorder.rounds[j]:
            _record(recorder, j, ledger)
            j += 1
            law(policy, recorder.law)
            if not _is_distribution(recorder.law):
                return j, t
    return j, 0


@kernel
def full_rounds(
    policy: Any,
    rewards: Any,
    choice_key: Any,
    reward_key: Any,
    ledger: Ledger,
    recorder: Recorder,
    first: int,
    last: int,
    j: int,
) -> tuple[int, int]:
    """As :func:`bandit_rounds`; an arm is paid its share of its reward, as the paper's queue is."""
    row = recorder.row
    for t in range(first, last + 1):
        for arm in range(row.size):
            row[arm] = sample(rewards, reward_key, t, arm)
        foresee(policy, row)
        watch(recorder.watcher, policy, rewards, t, j)
        bound, opened = allocate(policy, recorder.law, recorder.debt)
        allocation = Allocation(recorder.law, recorder.debt, bound, opened)
        reward = dot(recorder.law, row)
        for k in range(ledger.arms.size):
            share = allocation.law[ledger.arms[k]]
            pay_entry(ledger, t, k, share, share * row[ledger.arms[k]])
        earn(ledger, reward, expected(rewards, t, recorder.law))
        learn(policy, allocation, row)
        if ledger.windows.size:
            watch_windows(ledger, t)
        if not reward >= 0.0:
            return j, t
        if t == recorder.rounds[j]:
            _record(recorder, j, ledger)
            j += 1
            law(policy, recorder.law)
            if not _is_distribution(recorder.law):
                return j, t
    return j, 0
