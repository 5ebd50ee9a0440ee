"""Play a full-information learner along a table of gains, compiled or not, or against an adversary."""

import numpy as np
from numba import njit

from banditq.kernels.compiling import python_form
from banditq.kernels.protocol import law, learn, uses_bound


@njit(error_model="numpy", nogil=True)
def _rounds(state, gains, bounds, delay, laws, played, row):
    for t in range(gains.shape[0]):
        law(state, bounds[t], played)
        laws[t] = played
        if t >= delay:
            played[:] = laws[t - delay]
            row[:] = gains[t - delay]
            learn(state, played, row, bounds[t - delay])


def told(state, bounds):
    """What a policy tells the learner of the bounds."""
    return np.array(bounds, dtype=np.float64) if uses_bound(state) else np.full(len(bounds), np.inf)


def play(state, gains, bounds, *, delay=0, compiled=True):
    """The laws played, (round, arm); what round t paid is learnt at the end of round t + delay."""
    gains = np.ascontiguousarray(gains, dtype=np.float64)
    laws, played, row = np.empty_like(gains), np.empty(gains.shape[1]), np.empty(gains.shape[1])
    rounds = _rounds if compiled else python_form(_rounds)
    rounds(state, gains, told(state, bounds), delay, laws, played, row)
    return laws


def law_of(state, n_arms, bound=np.inf):
    """The law of the coming round."""
    out = np.full(n_arms, np.nan)
    law(state, bound, out)
    return out


def _last_shall_be_first(point):
    return 1.0 * (point == point.min())


def _first_shall_be_last(point):
    return 1.0 * (point < point.max()) if np.ptp(point) > 0 else np.eye(point.size)[0]


def _against_the_median(point):
    return np.linspace(1.0, 0.0, point.size)[np.argsort(np.argsort(point, kind="stable"))] ** 2


ADVERSARIES = (_last_shall_be_first, _first_shall_be_last, _against_the_median)
SCALES = {
    "constant": np.ones(400),
    "growing": np.arange(1.0, 401.0),
    "jumping": 10.0 ** np.random.default_rng(4).integers(-3, 4, 400),
    "one_giant": np.where(np.arange(400) == 250, 1e6, 1.0),
}


def duel(state, n_arms, bounds, adversary):
    """The laws, and the gains that an adversary paid in sight of them, at most the bounds."""
    laws, gains = np.empty((len(bounds), n_arms)), np.empty((len(bounds), n_arms))
    for t, bound in enumerate(told(state, bounds)):
        law(state, bound, laws[t])
        gains[t] = bounds[t] * adversary(laws[t])
        learn(state, laws[t], gains[t], bound)
    return laws, gains


def regret_of(laws, gains):
    """What the best arm gained more."""
    return gains.sum(axis=0).max() - np.sum(laws * gains)
