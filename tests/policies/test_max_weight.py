import numpy as np
import pytest

import banditq as bq
from banditq.errors import InvalidInput
from banditq.kernels.noise import scramble
from banditq.kernels.protocol import choose, law, learn
from banditq.policies.base import Terms
from full_policy_driver import late, play, prompt
from policy_driver import KEY, table
from policy_driver import play as play_bandit
from twins import debt_policies as twin

# multiples of 1/64 make exact debts, and the genie's ties exact
TARGETS = {
    1: (0.5,),
    2: (0.25, 0.25),
    4: (0.25, 0.0, 0.125, 1 / 64),
    7: (0, 0.0625, 0, 0.125, 0, 1 / 64, 0),
}
UNIT = 4.0


def started(policy, n_arms, rounds=400):
    return policy.state(Terms(UNIT * np.array(TARGETS[n_arms], float), UNIT, rounds))


def check_arm(arm, values):
    assert values[arm] >= values.max() * (1 - 1e-12)


@pytest.mark.parametrize("n_arms", TARGETS)
@pytest.mark.parametrize("v", [None, 0.0, 2.0, 400.0])
@pytest.mark.parametrize("fractional", [False, True])
def test_the_bandit_form_plays_the_arms_of_its_twin(n_arms, v, fractional):
    rewards = table(250, n_arms, fractional=fractional)
    rewards = np.round(64 * rewards) / 64
    state = started(bq.MaxWeight(v), n_arms)
    arms, probabilities, laws = play_bandit(state, UNIT * rewards)
    events, weight = [], 20.0 if v is None else v / UNIT
    for t, arm in enumerate(arms):
        check_arm(arm, twin.max_weight_values(events, TARGETS[n_arms], weight))
        events += [("open", arm), ("reward", arm, rewards[t, arm])]
    np.testing.assert_array_equal(
        state.debts.queue, twin.queue_after(twin.bandit_steps(events, TARGETS[n_arms]))
    )
    assert (probabilities == 1.0).all()
    assert (laws == np.eye(n_arms)[arms]).all()


def test_the_bandit_form_plays_the_arms_of_its_twin_when_rewards_are_late():
    rng, rewards = np.random.default_rng(3), table(300, 4)
    state = started(bq.MaxWeight(8.0), 4)
    events, waiting = [], []
    for t in range(300):
        out = np.empty(4)
        law(state, out)
        decision = choose(state, scramble(KEY, t))
        check_arm(decision.arm, twin.max_weight_values(events, TARGETS[4], 2.0))
        assert out[decision.arm] == 1.0
        assert decision.round == t + 1
        events.append(("open", decision.arm))
        waiting.append(decision)
        while waiting and rng.random() < 0.48:
            late_one = waiting.pop(rng.integers(len(waiting)))
            reward = rewards[late_one.round - 1, late_one.arm]
            learn(state, late_one, UNIT * reward)
            events.append(("reward", late_one.arm, reward))
    assert waiting


def test_ties_go_to_the_lowest_arm():
    state = bq.MaxWeight(3.0).state(Terms(np.zeros(5), 1.0, None))
    arms, _, _ = play_bandit(state, np.full((40, 5), 0.5))
    np.testing.assert_array_equal(arms, np.tile(np.arange(5), 8))


def test_compiled_and_interpreted_agree():
    rewards = UNIT * table(200, 4, fractional=True)
    for one, other in zip(
        play_bandit(started(bq.MaxWeight(), 4), rewards),
        play_bandit(started(bq.MaxWeight(), 4), rewards, compiled=False),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(
        play(started(bq.MaxWeightGenie(), 4), rewards, late(200)),
        play(started(bq.MaxWeightGenie(), 4), rewards, late(200), compiled=False),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n_arms", TARGETS)
@pytest.mark.parametrize("v", [None, 0.0, 2.0, 400.0])
@pytest.mark.parametrize("schedule", [prompt(300), late(300)], ids=["prompt", "late"])
def test_the_genie_plays_the_arms_of_its_twin(n_arms, v, schedule):
    rewards = np.round(64 * table(300, n_arms, fractional=True)) / 64
    rewards[::7] = 0.0  # nothing to choose between
    laws, queues = play(started(bq.MaxWeightGenie(v), n_arms), UNIT * rewards, schedule)
    weight = 20.0 if v is None else v / UNIT
    arms, expected = twin.genie_arms(schedule, rewards, TARGETS[n_arms], weight)
    np.testing.assert_array_equal(laws, np.eye(n_arms)[arms])
    np.testing.assert_array_equal(queues, expected)


@pytest.mark.parametrize("v", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("kind", ["independent", "phases", "contrary"])
def test_the_genies_drift_plus_penalty_is_bounded_on_every_path(v, kind):
    """The inequality of the docstring, against vertices, the benchmark and random mixes."""
    rng, targets, rounds = np.random.default_rng(1), np.array([0.167, 0.067, 0.0]), 2000
    means = np.array([0.335, 0.203, 0.781])
    rewards = 1.0 * (rng.random((rounds, 3)) < means)
    if kind == "phases":
        rewards *= np.repeat(np.eye(3)[[0, 2, 1, 2]], rounds // 4, axis=0)
    if kind == "contrary":  # the promised arms pay together, and never when the other does
        rewards[:, 0] = rewards[:, 1] = 1.0 - rewards[:, 2]
    laws, before = play(bq.MaxWeightGenie(v).state(Terms(targets, 1.0, rounds)), rewards)
    paid = laws * rewards
    last = np.maximum(before[-1] + targets - paid[-1], 0.0)
    owed = targets > 0
    jumps = 0.5 * np.sum((targets - paid)[:, owed] ** 2)
    mixes = [*np.eye(3), bq.Problem(means, targets).benchmark().mix, *rng.dirichlet(np.ones(3), 20)]
    for mix in mixes:
        left = 0.5 * np.sum(last**2) + v * np.sum(rewards @ mix - paid.sum(axis=1))
        right = np.sum((before * (targets - rewards * mix))[:, owed]) + jumps
        assert left <= right + 1e-9 * (1 + abs(left) + abs(right))


def test_debts_settle_at_v_times_price():
    """Q_i = V (u*/u_i − 1) with u between μ and μ + 2w, w = √(ln T/2n), but for rare rounds.

    While a debt is above its level promised arms alone are served, which drains Σ Q/μ by the slack a
    round: by Kingman's bound its mean excess is σ²/(2 slack). Each of 80 means is further than w from
    its expectation with probability below 2/T; 5 standard errors fail 1 in 1.7 million.
    """
    problem, rounds, runs = bq.instance("paper-5").problem, 100_000, 20
    run = bq.simulate(bq.MaxWeight(), problem, rounds, runs=runs, arms="all", checkpoints=[rounds])
    width = 2.0 * np.sqrt(np.log(rounds) / (2.0 * run.played[:, -1].mean(axis=0)))
    v, best = np.sqrt(rounds), problem.means.max()
    noise = (1.0 / problem.means[:2]).max()  # the variance of r/μ is at most 1/μ
    for arm in (0, 1):
        owed = run.queues()[:, -1, arm]
        error = 5.0 * owed.std(ddof=1) / np.sqrt(runs)
        mean = problem.means[arm]
        excess = mean * noise / (2.0 * (1.0 - problem.load))
        assert owed.mean() >= v * (best / (mean + width[arm]) - 1.0) - 1.0 - error
        assert owed.mean() <= v * ((best + width[3]) / mean - 1.0) + excess + error


@pytest.mark.parametrize("make", [bq.MaxWeight, bq.MaxWeightGenie])
def test_what_cannot_be_played_is_refused(make):
    with pytest.raises(InvalidInput, match="v is -1; it must be at least 0"):
        make(-1.0)
    with pytest.raises(InvalidInput, match=r"rounds is not known, and V = sqrt\(rounds\) needs it"):
        make().state(Terms(np.zeros(2), 1.0, None))
    assert make(3.0).state(Terms(np.zeros(2), 2.0, None)).debts.weight == 1.5
