"""Plays a full-information policy along a table of rewards that may be late, compiled or not."""

import numpy as np
from numba import njit

from banditq.kernels.compiling import python_form
from banditq.kernels.protocol import Allocation, allocate, foresee, law, learn


@njit(error_model="numpy")
def _play(state, rewards, schedule, before, laws, carried, bounds, numbers):
    for event in schedule:
        t = abs(event) - 1
        if event > 0:
            foresee(state, rewards[t])
            law(state, before[t])
            bounds[t], numbers[t] = allocate(state, laws[t], carried[t])
        else:
            learn(state, Allocation(laws[t], carried[t], bounds[t], numbers[t]), rewards[t])


def play(state, rewards, schedule=None, *, compiled=True):
    """The laws played, (round, arm), and the queues that the decisions carried."""
    rounds = len(rewards)
    before, laws, carried = np.empty((3, *rewards.shape))
    bounds, numbers = np.empty(rounds), np.empty(rounds, np.int64)
    if schedule is None:
        schedule = prompt(rounds)
    play = _play if compiled else python_form(_play)
    play(state, rewards, schedule, before, laws, carried, bounds, numbers)
    np.testing.assert_array_equal(laws, before)
    np.testing.assert_array_equal(numbers, 1 + np.arange(rounds))
    return laws, carried


def prompt(rounds):
    """Each round opened (t), then learnt (−t)."""
    return np.array([event for t in range(1, rounds + 1) for event in (t, -t)])


def late(rounds, seed=0):
    """Rounds opened in order and learnt in any, some of them never."""
    rng = np.random.default_rng(seed)
    schedule, waiting = [], []
    for t in range(1, rounds + 1):
        schedule.append(t)
        waiting.append(t)
        while waiting and rng.random() < 0.48:
            schedule.append(-waiting.pop(int(rng.integers(len(waiting)))))
    return np.array(schedule)
