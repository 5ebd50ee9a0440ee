"""What every round's law lacks: against the live agent, which is asked for its law round by round."""

import numpy as np
import pytest

import banditq as bq
from banditq.errors import InvalidInput
from banditq.kernels.noise import Stream, stream_key

ROUNDS, SEED = 240, 3
POLICIES = {
    "banditq": bq.BanditQ(),
    "full": bq.BanditQ("full"),
    "ucb1": bq.UCB1(),
    "fixed": bq.FixedMix((0.5, 0.3, 0.0, 0.2, 0.0)),
}


def walked(policy, problem, run):
    """Excess and lack after each round, from the laws of an agent that meets the same rewards."""
    state, _ = problem.rewards.block(problem.means, problem.reward_max, 1, ROUNDS)
    key = stream_key(SEED, run, Stream.REWARDS)
    averaged = problem.averaged(ROUNDS)
    best = averaged.benchmark().mix
    agent = policy.start(problem.targets, seed=SEED, run=run, rounds=ROUNDS, reward_max=problem.reward_max)
    excess, lack = [], []
    for t in range(1, ROUNDS + 1):
        means = np.array([bq.mean(state, t, arm) for arm in range(problem.n_arms)])
        law = agent.law()
        excess.append(max(float((best - law) @ means), 0.0))
        lack.append(np.maximum(problem.targets - law * means, 0.0)[problem.protected])
        choice = agent.choose()
        rewards = np.array([bq.sample(state, key, t, arm) for arm in range(problem.n_arms)])
        agent.learn(choice, rewards if policy.feedback == "full" else rewards[choice.arm])
    return np.cumsum(excess), np.cumsum(lack, axis=0)


@pytest.mark.parametrize(
    ("name", "instance"),
    [("banditq", "drift"), ("full", "paper-5"), ("ucb1", "paper-5"), ("fixed", "paper-5")],
)
def test_it_is_the_sum_of_positive_parts_over_the_rounds(name, instance):
    problem, marks = bq.instance(instance, ROUNDS).problem, (1, 2, 50, ROUNDS)
    run = bq.simulate(POLICIES[name], problem, ROUNDS, runs=2, seed=SEED, checkpoints=marks, laws=True)
    for k in range(2):
        excess, lack = walked(POLICIES[name], problem, k)
        at = np.array(marks) - 1
        np.testing.assert_allclose(run.excess_regret()[k], excess[at], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(run.lack()[k], lack[at], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", POLICIES)
def test_watching_changes_nothing(name):
    problem = bq.instance("paper-5").problem
    watched, plain = (
        bq.simulate(POLICIES[name], problem, ROUNDS, runs=2, laws=laws) for laws in (True, False)
    )
    for field in ("reward", "expected", "accrued", "played", "queue", "peak"):
        np.testing.assert_array_equal(getattr(watched, field), getattr(plain, field))


def test_what_was_not_watched_is_not_there():
    run = bq.simulate(bq.UCB1(), bq.instance("paper-5").problem, 50)
    for ask in (run.excess_regret, run.lack):
        with pytest.raises(InvalidInput, match="laws=True"):
            ask()


def test_watched_runs_are_joined_cut_and_saved(tmp_path):
    def play(runs):
        return bq.simulate(
            bq.BanditQ(), bq.instance("paper-5").problem, 100, runs=runs, checkpoints=5, laws=True
        )

    whole, parts = play(4), bq.Result.joined([play(range(0, 3)), play(range(3, 4))])
    parts.save(tmp_path / "r.npz")
    for found in (parts, bq.Result.load(tmp_path / "r.npz")):
        np.testing.assert_array_equal(found.lack(), whole.lack())
        np.testing.assert_array_equal(found.first(2).excess_regret(), whole.excess_regret()[:2])
    assert parts.seconds.shape == (4,)
    assert (parts.seconds > 0).all()
