"""Index policies among many arms look at a few of them, and play what a look at all would."""

import numpy as np
import pytest

from banditq.kernels.noise import scramble
from banditq.kernels.protocol import choose, learn
from banditq.policies import index
from banditq.policies.kl_ucb import KLUCB
from banditq.policies.moss import MOSS
from banditq.policies.ranking import find_peaks, highest, no_ranking, set_bound
from banditq.policies.ucb import UCB1
from policy_driver import KEY, law_of, play, start, table

POLICIES = {
    "ucb1": (UCB1(), None),
    "kl-ucb": (KLUCB(), None),
    "moss": (MOSS(), 900),
    "anytime": (MOSS(), None),
}


def both(policy, rounds, n_arms, monkeypatch):
    states = []
    for crossover in (0, n_arms + 1):
        monkeypatch.setattr(index, "CROSSOVER", crossover)
        states.append(start(policy, n_arms, rounds=rounds))
    assert states[0].counts.ranking.bounds.size >= n_arms
    assert states[1].counts.ranking.bounds.size == 0
    return states


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("n_arms", [1, 2, 64, 65, 150])
@pytest.mark.parametrize("kind", ["bernoulli", "fractional", "all one", "all zero"])
def test_the_same_arms_as_by_a_look_at_all(name, n_arms, kind, monkeypatch):
    policy, rounds = POLICIES[name]
    rewards = table(900, n_arms, fractional=kind == "fractional")
    if kind.startswith("all"):  # ties in every round
        rewards = np.full_like(rewards, kind == "all one")
    ranked, plain = (play(s, rewards)[0] for s in both(policy, rounds, n_arms, monkeypatch))
    np.testing.assert_array_equal(ranked, plain)


@pytest.mark.parametrize("name", POLICIES)
def test_the_same_arms_when_rewards_are_late(name, monkeypatch):
    policy, rounds = POLICIES[name]
    rewards, rng = table(900, 70), np.random.default_rng(3)
    ranked, plain = both(policy, rounds, 70, monkeypatch)
    waiting = []
    for t in range(900):
        one, other = (choose(state, scramble(KEY, t)) for state in (ranked, plain))
        assert one == other
        waiting.append((t, one))
        while waiting and rng.random() < 0.48:
            then, decision = waiting.pop(int(rng.integers(len(waiting))))
            for state in (ranked, plain):
                learn(state, decision, rewards[then, decision.arm])
        if t % 50 == 0:
            np.testing.assert_array_equal(law_of(ranked), law_of(plain))


def test_few_arms_are_looked_at(monkeypatch):
    """About √N of N: bounds that are seldom true would be a slower look at all."""
    ranked, _ = both(UCB1(), None, 400, monkeypatch)
    rewards = table(3000, 400, fractional=True)
    looked = []
    for t in range(3000):
        decision = choose(ranked, scramble(KEY, t))
        if t > 1000:
            bounds, arm = ranked.counts.ranking.bounds[:400], decision.arm
            clock = ranked.counts.clock[0] - 1
            mean = ranked.counts.gained[arm] / ranked.counts.seen[arm]
            looked.append((bounds >= mean + np.sqrt(2 * np.log(clock) / ranked.counts.seen[arm])).sum())
        learn(ranked, decision, rewards[t, decision.arm])
    assert np.mean(looked) <= 4 * np.sqrt(400)


@pytest.mark.parametrize("n_arms", [1, 63, 64, 65, 5000])
def test_the_highest_bound_is_found(n_arms):
    rng = np.random.default_rng(n_arms)
    ranking, bounds = no_ranking(n_arms), rng.integers(0, 50, n_arms).astype(float)
    ranking.bounds[:n_arms] = bounds
    find_peaks(ranking)
    for _ in range(200):
        assert highest(ranking) == bounds.argmax()
        arm = int(rng.choice([bounds.argmax(), rng.integers(n_arms)]))
        bounds[arm] = rng.integers(0, 50)
        set_bound(ranking, arm, bounds[arm])
