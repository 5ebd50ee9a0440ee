"""Plays a bandit policy on a table of rewards, compiled or as plain Python, and keeps every law."""

import numpy as np
from numba import njit

from banditq.kernels.compiling import python_form
from banditq.kernels.noise import Stream, scramble, stream_key
from banditq.kernels.protocol import choose, law, learn
from banditq.policies.base import Terms

KEY = stream_key(7, 0, Stream.CHOICES)


@njit(error_model="numpy")
def _play(state, key, rewards, arms, probabilities, laws):
    for t in range(rewards.shape[0]):
        law(state, laws[t])
        decision = choose(state, scramble(key, t))
        arms[t], probabilities[t] = decision.arm, decision.probability
        learn(state, decision, rewards[t, decision.arm])


def play(state, rewards, *, compiled=True):
    """Arms, their probabilities, and the law before each round."""
    rounds = len(rewards)
    arms, probabilities, laws = np.empty(rounds, np.int64), np.empty(rounds), np.empty(rewards.shape)
    (_play if compiled else python_form(_play))(state, KEY, rewards, arms, probabilities, laws)
    return arms, probabilities, laws


def start(policy, n_arms, *, reward_max=1.0, rounds=None):
    return policy.state(Terms(np.zeros(n_arms), reward_max, rounds))


def table(rounds, n_arms, *, fractional=False, seed=0):
    """Rewards in [0, 1], of means that differ."""
    rng = np.random.default_rng(seed)
    means = rng.permutation(np.linspace(0.2, 0.8, n_arms))
    draws = rng.random((rounds, n_arms))
    return 2 * np.minimum(means, 1 - means) * (draws - 0.5) + means if fractional else 1.0 * (draws < means)


def filled(policy, successes, trials):
    """A state that has seen these many rewards, of this sum."""
    state = start(policy, trials.size, rounds=10_000)
    state.counts.seen[:] = state.counts.opened[:] = trials
    state.counts.gained[:] = successes
    state.counts.clock[0] = trials.sum()
    return state


def law_of(state):
    out = np.empty(state.counts.seen.size)
    law(state, out)
    return out


def play_late(state, rewards, *, seed=3):
    """Rewards come in any order, some never: before each round its history, its law and its decision.

    A history is a list of events, as the twins take it.
    """
    rng, events, waiting = np.random.default_rng(seed), [], []
    for t in range(len(rewards)):
        before = np.empty(rewards.shape[1])
        law(state, before)
        decision = choose(state, scramble(KEY, t))
        assert decision.round == t + 1
        yield events, before, decision
        events.append(("open", decision.arm))
        waiting.append(decision)
        while waiting and rng.random() < 0.45:
            late = waiting.pop(rng.integers(len(waiting)))
            reward = rewards[late.round - 1, late.arm]
            learn(state, late, reward)
            events.append(("reward", late.arm, reward))
    assert waiting
