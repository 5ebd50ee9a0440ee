"""Policies that guarantee pulls, from the whole history: no running counts, no recursion of queues.

A history is a list of events, ("open", arm) and ("reward", arm, reward), with rewards in [0, 1].
"""

import numpy as np


def arms_opened(events):
    return np.array([event[1] for event in events if event[0] == "open"], int)


def rewards_of(events, arm):
    return [event[2] for event in events if event[0] == "reward" and event[1] == arm]


def standing(events, arm):
    """Mean and count; openings count at mean 0 while no reward has come."""
    came = rewards_of(events, arm)
    return (np.mean(came), len(came)) if came else (0.0, int((arms_opened(events) == arm).sum()))


def debts(events, fractions):
    """Lindley's queue in closed form: the walk f t − n above its lowest point so far."""
    arms = arms_opened(events)
    steps = np.asarray(fractions) - (arms[:, None] == np.arange(len(fractions)))
    walk = np.vstack([np.zeros(len(fractions)), np.cumsum(steps, axis=0)])
    return walk[-1] - walk.min(axis=0)


def lfg_values(events, fractions, eta):
    """D + η u of each arm; the first maximiser is played."""
    opened, t = arms_opened(events), len(arms_opened(events)) + 1
    bounds = np.ones(len(fractions))
    for arm in np.unique(opened):
        mean, count = standing(events, arm)
        bounds[arm] = min(mean + np.sqrt(3 * np.log(t) / (2 * count)), 1.0)
    return debts(events, fractions) + eta * bounds
