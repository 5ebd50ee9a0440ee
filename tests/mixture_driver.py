"""Walks a policy with a residual learner beside a twin that is told the same arms and rewards."""

import numpy as np
from numpy.testing import assert_allclose

from banditq.kernels.noise import scramble, uniform
from banditq.kernels.protocol import choose, law, learn
from banditq.policies.base import Terms
from policy_driver import KEY, table
from twins import floors as twin


def walk(policy, targets, split, *, rounds=150, late=False, reward_max=1.0, fractional=False, seed=0):
    """Compare law, arm and probability in every round; returns the state.

    ``split(events)`` is the twin's floors and the share that they leave.
    """
    n_arms = len(targets)
    rng, rewards = np.random.default_rng(seed), table(rounds, n_arms, fractional=fractional, seed=seed)
    state = policy.state(Terms(reward_max * np.array(targets), reward_max, rounds))
    residual = twin.RESIDUALS[type(policy.residual).__name__](n_arms)
    # between two draws TsallisInf goes by weights that its twin does not have: one reward a round
    tsallis = isinstance(residual, twin.Tsallis)
    events, waiting, found = [], [], np.empty(n_arms)
    for t in range(rounds):
        floors, share = split(events)
        odds = residual.odds(events)
        law(state, found)
        expected = floors + share * odds
        assert_allclose(found, expected, rtol=1e-7, atol=1e-12, err_msg=f"round {t + 1}")
        noise = scramble(KEY, t)
        decision = choose(state, noise)
        arm = int(decision.arm)
        assert decision.round == t + 1
        assert_allclose(decision.probability, expected[arm], rtol=1e-7)
        events.append(("open", arm, uniform(noise, 0) < sum(targets)))
        own = share > 0 and uniform(noise, 0) >= floors.sum()
        waiting.append((decision, own, odds[arm]))
        coming = rng.integers(2 if tsallis else 3) if late else 1
        for _ in range(min(coming, len(waiting))):
            decision, own, probability = waiting.pop(int(rng.integers(len(waiting))))
            reward, arm = rewards[decision.round - 1, decision.arm], int(decision.arm)
            learn(state, decision, reward_max * reward)
            residual.learn(arm, reward, own, probability)
            events.append(("reward", arm, reward, int(decision.round)))
    return state, events
