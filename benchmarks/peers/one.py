"""Times one peer in its own environment: ``python one.py PEER HOW N`` prints microseconds a round.

HOW is ``stepwise``, a loop in Python around single calls, or ``harness``, the package's own simulator.
"""

import contextlib
import json
import os
import random
import sys
import time
import warnings
from pathlib import Path

SECONDS = 2.0  # for each timing
BATCHES = {"stepwise": 20, "harness": 3}


def coin():
    return 1.0 if random.random() < 0.5 else 0.0


def means(n_arms):
    rng = random.Random(100)
    return [0.05 + 0.9 * rng.random() for _ in range(n_arms)]


def pymab_stepwise(n_arms):
    import numpy as np
    from pymab.policies.ucb import UCBPolicy

    policy, rng = UCBPolicy(n_arms=n_arms), np.random.default_rng(0)

    def play(rounds):
        for _ in range(rounds):
            policy.update(action=policy.select_action(rng=rng), reward=coin())

    return play


def pymab_harness(n_arms):
    import numpy as np
    from pymab import BanditEnvironment, BernoulliReward, Experiment, ExperimentConfig
    from pymab.policies.ucb import UCBPolicy

    environment = BanditEnvironment(means=np.array(means(n_arms)), reward_model=BernoulliReward())

    def play(rounds):
        config = ExperimentConfig(horizon=rounds, n_replicates=1, seed=0)
        Experiment(environment=environment, policies={"ucb": UCBPolicy(n_arms=n_arms)}, config=config).run()

    return play


def river_stepwise(n_arms):
    from river import bandit

    policy, arms = bandit.UCB(delta=1, seed=0), list(range(n_arms))

    def play(rounds):
        for _ in range(rounds):
            policy.update(policy.pull(arms), coin())

    return play


def river_harness(n_arms):
    from river import bandit
    from river.bandit.envs import KArmedTestbed

    class Testbed(KArmedTestbed):
        def step(self, arm):
            self.left -= 1
            seen, reward, _, _, info = super().step(arm)
            return seen, reward, False, self.left <= 0, info

        def reset(self, seed=None, options=None):
            self.left = self.rounds
            return super().reset(seed=seed, options=options)

    def play(rounds):
        testbed = Testbed(k=n_arms)
        testbed.rounds = rounds
        for _ in bandit.evaluate(policies=[bandit.UCB(delta=1, seed=0)], env=testbed, n_episodes=1, seed=0):
            pass

    return play


def smpybandits_stepwise(n_arms):
    from SMPyBandits.Policies import TsallisInf

    policy = TsallisInf(n_arms)
    policy.startGame()

    def play(rounds):
        for _ in range(rounds):
            policy.getReward(policy.choice(), coin())

    return play


def smpybandits_harness(n_arms):
    from SMPyBandits.Arms import Bernoulli
    from SMPyBandits.Environment import Evaluator
    from SMPyBandits.Policies import TsallisInf

    def play(rounds):
        evaluator = Evaluator(
            {
                "horizon": rounds,
                "repetitions": 1,
                "n_jobs": 1,
                "verbosity": 0,
                "environment": [{"arm_type": Bernoulli, "params": means(n_arms)}],
                "policies": [{"archtype": TsallisInf, "params": {}}],
            }
        )
        evaluator.startOneEnv(0, evaluator.envs[0])

    return play


def mabwiser_stepwise(n_arms):
    from mabwiser.mab import MAB, LearningPolicy

    policy = MAB(arms=list(range(n_arms)), learning_policy=LearningPolicy.UCB1(alpha=1.0))
    policy.fit(decisions=list(range(n_arms)), rewards=[1.0] * n_arms)

    def play(rounds):
        for _ in range(rounds):
            policy.partial_fit(decisions=[policy.predict()], rewards=[coin()])

    return play


def fastest(play, n_arms, batches):
    """Microseconds a round: past the first N, the fastest of some batches, as ours are timed.

    A simulator starts anew in each batch, so its first N rounds are part of what it is asked for.
    """
    rounds, spent = 4, 0.0
    while spent < SECONDS / batches:
        rounds *= 2
        started = time.perf_counter()
        play(rounds)
        spent = time.perf_counter() - started
    if rounds < n_arms:
        play(n_arms)
    times = []
    for _ in range(batches):
        started = time.perf_counter()
        play(rounds)
        times.append(time.perf_counter() - started)
    return 1e6 * min(times) / rounds


def main():
    peer, how, n_arms = sys.argv[1], sys.argv[2], int(sys.argv[3])
    warnings.simplefilter("ignore")
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        took = fastest(globals()[f"{peer}_{how}"](n_arms), n_arms, BATCHES[how])
    print(json.dumps(took))


if __name__ == "__main__":
    main()
