"""The means of a drift, one round after another, by NumPy's interpolation and by walking."""

import numpy as np


def drifting_means(start, changes, rounds, linear):
    """A table of rounds × arms; ``changes`` maps rounds to the means of all arms."""
    knots = {1: list(start), **changes}
    times = sorted(knots)
    if linear:
        heights = np.array([knots[t] for t in times])
        arms = [np.interp(np.arange(1, rounds + 1), times, column) for column in heights.T]
        return np.array(arms).T
    table, now = [], None
    for t in range(1, rounds + 1):
        now = knots.get(t, now)
        table.append(now)
    return np.array(table)
