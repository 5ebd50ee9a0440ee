import numpy as np
import pytest

import banditq as bq
from banditq.errors import InvalidInput
from banditq.kernels.noise import scramble
from banditq.kernels.protocol import choose, law, learn
from banditq.policies.base import Terms
from full_policy_driver import late, prompt
from policy_driver import KEY, table
from policy_driver import play as play_bandit
from twins import debt_policies as twin

UNIT = 4.0
TARGETS = {
    1: [0.5],
    2: [0.0, 0.3],
    3: [0.26, 0.3, 0.23],
    5: [0.167, 0.067, 0.0, 0.0, 0.0],
    6: [0.0] * 6,
}


def follow(policy, targets, rewards, schedule):
    """Arms, laws before each round, and what each reward added to its arm's log weight."""
    rounds, n_arms = rewards.shape
    state = policy.state(Terms(UNIT * np.array(targets), UNIT, rounds))
    laws, decisions, added = np.zeros((rounds, n_arms)), [], []
    for event in schedule:
        t = abs(event) - 1
        if event > 0:
            law(state, laws[t])
            decisions.append(choose(state, scramble(KEY, t)))
            continue
        decision = decisions[t]
        before = state.scores[decision.arm]
        learn(state, decision, UNIT * rewards[t, decision.arm])
        added.append(state.scores[decision.arm] - before)
    arms = np.array([decision.arm for decision in decisions])
    drawn = np.array([decision.probability for decision in decisions])
    np.testing.assert_allclose(drawn, laws[np.arange(rounds), arms], rtol=1e-12)
    return arms, laws, np.array(added)


@pytest.mark.parametrize("n_arms", TARGETS)
@pytest.mark.parametrize("scale", ["published", "unit"])
@pytest.mark.parametrize("schedule", [prompt(400), late(400)], ids=["prompt", "late"])
def test_its_laws_are_its_twins(n_arms, scale, schedule):
    """Along its own arms and laws: the twin's bonuses are those of the laws that were played."""
    rewards = table(400, n_arms, fractional=True)
    arms, laws, _ = follow(bq.LagrangeBwK(scale=scale), TARGETS[n_arms], rewards, schedule)
    expected = twin.lagrange_laws(schedule, arms, laws, rewards, TARGETS[n_arms], 400, scale)
    np.testing.assert_allclose(laws, expected, rtol=1e-10)


def test_log_weights_far_from_zero_are_shifted_and_the_laws_stay():
    """A horizon far too short makes the steps long."""
    rewards, targets, policy = table(4000, 3), [0.2, 0.1, 0.0], bq.LagrangeBwK(scale="unit", horizon=10)
    state = policy.state(Terms(np.array(targets), 1.0, None))
    arms, _, laws = play_bandit(state, rewards)
    expected = twin.lagrange_laws(prompt(4000), arms, laws, rewards, targets, 10, "unit")
    np.testing.assert_allclose(laws, expected, rtol=1e-8)
    assert abs(state.scores.max()) <= 65.0
    assert abs(state.pressures.max()) <= 65.0


def test_compiled_and_interpreted_agree():
    rewards = table(300, 5, fractional=True)
    terms = Terms(np.array(TARGETS[5]), 1.0, 300)
    for one, other in zip(
        play_bandit(bq.LagrangeBwK().state(terms), rewards),
        play_bandit(bq.LagrangeBwK().state(terms), rewards, compiled=False),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("scale", ["published", "unit"])
@pytest.mark.parametrize("n_arms", [3, 5])
def test_both_players_keep_their_regret_bounds_on_every_path(n_arms, scale):
    """Hedge, which sees the round: Σ⟨ρ, g⟩ ≤ min_k Σ g_k + √(T ln m). EXP3.P, in its own estimates X̂:

    step Σ X̂_k − ln N ≤ Σ step ⟨q, X̂⟩ + step² ⟨q, X̂²⟩, since e^z ≤ 1 + z + z² for z ≤ 1.
    """
    rounds, targets = 3000, TARGETS[n_arms]
    promised = [x for x in targets if x > 0]
    rewards = table(rounds, n_arms)
    rewards[: rounds // 2, 0] = 0.0  # a promise that cannot be kept at first
    arms, laws, added = follow(bq.LagrangeBwK(scale=scale), targets, rewards, prompt(rounds))
    eta, gamma, a, shift, width = twin.lagrange_rates(n_arms, rounds, promised, scale)
    step, drawn = gamma / (3 * n_arms), np.eye(n_arms)[arms]
    lagrangians = added * np.sum(laws * drawn, axis=1) / step
    paid = np.sum(rewards * drawn, axis=1)
    pressed = (lagrangians * width - shift - paid) / eta
    slacks = min(promised) * ((drawn * paid[:, None])[:, np.array(targets) > 0] / promised - 1)
    assert pressed.sum() <= slacks.sum(axis=0).min() + np.sqrt(rounds * np.log(len(promised)))
    assert pressed.sum() >= slacks.sum(axis=0).min()
    if scale == "unit":
        assert lagrangians.min() >= -1e-9
        assert lagrangians.max() <= 1 + 1e-9
    estimates = drawn * (lagrangians / np.sum(laws * drawn, axis=1))[:, None]
    estimates += a / (laws * np.sqrt(n_arms * rounds))
    free = (laws - gamma / n_arms) / (1 - gamma)
    right = np.sum(step * np.sum(free * estimates, axis=1) + step**2 * np.sum(free * estimates**2, axis=1))
    assert step * estimates.max() <= 1.0
    assert step * estimates.sum(axis=0).max() - np.log(n_arms) <= right


def test_a_neglected_promise_draws_the_arm():
    """With one promise L grows by 1 + η units for a unit of its arm's reward, and by 1 for the other's.

    So at η = 50 the promised arm is 25 times the better one, though it pays half; at η = 0 it is not.
    """
    problem, rounds = bq.Problem([0.4, 0.8], [0.2, 0.0]), 200_000
    run = bq.simulate(bq.LagrangeBwK(eta=50.0, scale="unit"), problem, rounds, runs=6, arms="all")
    plain = bq.simulate(bq.LagrangeBwK(eta=0.0), problem, rounds, runs=6, arms="all")
    assert run.played[:, -1, 0].min() > rounds / 2
    assert plain.played[:, -1, 0].max() < rounds / 2


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bq.LagrangeBwK(eta=-1.0), "eta is -1; it must be at least 0"),
        (lambda: bq.LagrangeBwK(scale="other"), "scale is 'other'; it must be one of 'published', 'unit'"),
        (lambda: bq.LagrangeBwK(horizon=0), "horizon is 0; it must be at least 1"),
        (
            lambda: bq.LagrangeBwK().start([0.1, 0.0]),
            "rounds is not known, and the rate of every step needs it: give rounds, or a policy with",
        ),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()


def test_one_arm_and_one_round_have_no_logarithm():
    assert bq.LagrangeBwK().start([0.5], rounds=1).choose().probability == 1.0
