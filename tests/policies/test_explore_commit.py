"""ETC and ETCAnytime: against schedules written out in full, and unbiased where theory says so."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import banditq as bq
from banditq.kernels.noise import scramble
from banditq.kernels.protocol import choose, law, learn
from banditq.policies.base import Terms
from mixture_driver import walk
from policy_driver import KEY, play, table
from twins import floors as twin

TARGETS = np.array([0.167, 0.0, 0.067, 0.0, 0.11])
ODD = [[0.5], [0.5, 0.5], [0.0, 0.0], [0.9, 0.4, 0.0], [0.25] * 4]


def by_schedule(targets, rounds, width):
    def split(events):
        arm = twin.etc_arm(events, targets, rounds, width)
        return (np.eye(len(targets))[arm], 0.0) if arm >= 0 else (np.zeros(len(targets)), 1.0)

    return split


def by_exploring(targets):
    def split(events):
        top, share = twin.top_ups(events, targets)
        return targets + top, share

    return split


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("width", [0.1, 3.03])
def test_etc_follows_its_schedule(late, width):
    for seed in range(6):  # some of them hopeful, some cut down
        split = by_schedule(TARGETS, 150, width)
        walk(bq.ETC(width=width), TARGETS, split, late=late, reward_max=3.0, fractional=late, seed=seed)


@pytest.mark.parametrize("targets", ODD, ids=str)
def test_etc_follows_its_schedule_on_odd_targets(targets):
    targets = np.array(targets)
    walk(bq.ETC(), targets, by_schedule(targets, 80, 3.03), rounds=80)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("residual", [bq.KLUCB(), bq.EpsilonGreedy(), bq.TsallisInf()], ids=str)
def test_etc_anytime_agrees_with_its_twin(residual, late):
    policy = bq.ETCAnytime(residual=residual)
    walk(policy, TARGETS, by_exploring(TARGETS), late=late, rounds=250, reward_max=3.0, fractional=late)


@pytest.mark.parametrize("targets", ODD[:3] + ODD[4:], ids=str)
def test_etc_anytime_agrees_with_its_twin_on_odd_targets(targets):
    walk(bq.ETCAnytime(), np.array(targets), by_exploring(np.array(targets)), rounds=60)


def test_etc_anytime_shares_out_promises_that_exceed_a_round():
    agent = bq.ETCAnytime().start([0.5, 0.5, 0.0])
    assert_array_equal(agent.law(), [0.5, 0.5, 0.0])
    problem = bq.Problem([0.9, 0.9, 0.9], [0.9, 0.3, 0.0])
    run = bq.simulate(bq.ETCAnytime(), problem, 4000, arms="all", allow_infeasible=True, checkpoints=1)
    # 0.75 of 4 000 rounds, give or take five standard deviations: 1 in 1.7 million
    assert abs(run.played[0, -1, 0] - 3000) < 5 * np.sqrt(4000 * 0.75 * 0.25)


@pytest.mark.parametrize("policy", [bq.ETC(), bq.ETCAnytime()], ids=str)
def test_compiled_and_interpreted_agree_and_the_law_changes_nothing(policy):
    rewards, terms = table(200, 5, fractional=True), Terms(TARGETS, 1.0, 200)
    fast, slow = play(policy.state(terms), rewards), play(policy.state(terms), rewards, compiled=False)
    for a, b in zip(fast, slow, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
    silent = policy.state(terms)
    for t in range(200):
        decision = choose(silent, scramble(KEY, t))
        assert (decision.arm, decision.probability) == (slow[0][t], slow[1][t])
        learn(silent, decision, rewards[t, decision.arm])


@pytest.mark.parametrize("policy", [bq.ETC(), bq.ETCAnytime()], ids=str)
def test_the_promises_are_kept_in_expectation(policy):
    """λ/m pays λ μ E[1/m] ≥ λ μ / E[m] (Jensen), for estimates independent of the pulls they ask for.

    Clipping adds (λ − μ̂)⁺ to m. A round in which the promises seem infeasible costs at most μ; with two
    of them some μ̂ is then below 2λ. After n observations that has probability at most exp(−2 n d²),
    d = μ − 2λ (Hoeffding), and ETCAnytime has fewer than λt/2 after t rounds with at most exp(−λt/8)
    (Chernoff). So E shortfall_i ≤ Σ_t λ_i p_i + μ_i Σ_j p_j. ETC fixes its pulls after λT/4 + λT/6 of them.
    """
    means, targets, rounds, runs = np.array([0.5, 0.6]), np.array([0.15, 0.12]), 40_000, 40
    problem = bq.Problem([*means, 0.8], [*targets, 0.0])
    run = bq.simulate(policy, problem, rounds, runs=runs, seed=2, checkpoints=1)
    d, t = means - 2 * targets, np.arange(rounds)[:, None]
    odds = np.minimum(np.exp(-targets * t / 8) + np.exp(-targets * t * d**2), 1.0).sum(axis=0)
    if isinstance(policy, bq.ETC):
        odds = rounds * np.exp(-2 * (targets * rounds / 6) * d**2)
    allowed = targets * odds + means * odds.sum()
    short = run.shortfall()[:, -1]
    error = short.std(axis=0, ddof=1) / np.sqrt(runs)
    assert (allowed < 0.06 * targets * rounds).all()  # or the test would be no test
    assert (short.mean(axis=0) <= allowed + 5 * error).all()  # false alarm: 1 in 150 000


def test_etc_needs_the_number_of_rounds():
    with pytest.raises(bq.InvalidInput, match="give rounds, or use ETCAnytime"):
        bq.ETC().start([0.1, 0.0])


def test_etc_goes_on_after_its_rounds_and_its_law_is_that_of_the_next_choice():
    agent = bq.ETC().start([0.3, 0.0], rounds=20)
    rng = np.random.default_rng(0)
    for _ in range(60):
        odds = agent.law()
        choice = agent.choose()
        assert odds[choice.arm] == 1.0
        agent.learn(choice, float(rng.random() < 0.7))


def test_an_arm_law_is_asked_for_in_each_phase():
    """The law looks ahead over the end of a phase without turning to the next one."""
    state, out = bq.ETC().state(Terms(TARGETS, 1.0, 100)), np.empty(5)
    phases = set()
    for t in range(100):
        before = state.plan.place.copy()
        law(state, out)
        assert_array_equal(state.plan.place, before)
        decision = choose(state, scramble(KEY, t))
        assert out[decision.arm] == 1.0
        learn(state, decision, float(t % 2))
        phases.add(int(state.plan.place[0]))
    assert phases == {0, 1, 2, 3}
