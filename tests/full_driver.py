"""Play a full-information learner along a table of gains, compiled or not."""

import numpy as np

from banditq.kernels.compiling import kernel, python_form
from banditq.kernels.protocol import law, learn, uses_bound


@kernel
def _rounds(state, gains, bounds, delay, laws, played, row):
    for t in range(gains.shape[0]):
        law(state, bounds[t], played)
        for i in range(played.size):
            laws[t, i] = played[i]
        then = t - delay
        if then >= 0:
            for i in range(played.size):
                played[i] = laws[then, i]
                row[i] = gains[then, i]
            learn(state, played, row, bounds[then])


def play(state, gains, bounds, *, delay=0, compiled=True):
    """The laws played, (round, arm); what round t paid is learnt at the end of round t + delay."""
    gains = np.ascontiguousarray(gains, dtype=np.float64)
    bounds = np.array(bounds, dtype=np.float64) if uses_bound(state) else np.full(len(gains), np.inf)
    laws, played, row = np.empty_like(gains), np.empty(gains.shape[1]), np.empty(gains.shape[1])
    rounds = _rounds if compiled else python_form(_rounds)
    rounds(state, gains, bounds, delay, laws, played, row)
    return laws


def duel(state, rounds, adversary):
    """The laws, and the gains and bounds that ``adversary(round, law)`` chose in sight of them."""
    played, gains, bounds = [], [], []
    for t in range(rounds):
        bound = adversary.bound(t)
        point = np.empty(adversary.n_arms)
        law(state, bound if uses_bound(state) else np.inf, point)
        row = adversary.gains(t, point)
        learn(state, point, row, bound if uses_bound(state) else np.inf)
        played.append(point), gains.append(row), bounds.append(bound)
    return np.array(played), np.array(gains), np.array(bounds)
