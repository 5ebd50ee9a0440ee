"""Checks that take minutes: `make verify` runs them, `make test` leaves them out."""

from math import sqrt

import numpy as np
import pytest

import banditq as bq
from bandit_driver import law_of, play_long, scenario
from banditq.arena.presets import published
from banditq.learners.logbarrier_poles import ROUNDS, TOTAL
from banditq.learners.logbarrier_tail import tail_state
from twins.bandit_learners import LogBarrierTwin

pytestmark = pytest.mark.heavy

PROBLEM = bq.instance("paper-5").problem
LEARNERS = [
    bq.LogBarrier(),
    bq.TsallisInf(),
    bq.TsallisInf("iw"),
    bq.Exp3(),
    bq.Exp3IX(),
    bq.OGA(),
    bq.Squint(),
    bq.AdaHedge(),
    bq.Hedge(),
    bq.SoloFTRL(),
]


@pytest.mark.parametrize("v", [0.0, None, 1e6])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_after_ten_million_rounds_the_law_is_a_distribution(learner, v):
    """The engine refuses any checkpoint at which it is not."""
    rounds = 10_000_000
    policy = bq.BanditQ(learner.feedback, learner, v=v)
    run = bq.simulate(policy, PROBLEM, rounds, runs=2, arms="all")
    for values in (run.reward, run.queue, run.played):
        assert np.isfinite(values).all()
    np.testing.assert_allclose(run.played[:, -1].sum(axis=-1), rounds, rtol=1e-9)
    if v == 0.0:  # the debt of V = 0 is at most of order T^(5/8), here 24 000
        assert (run.shortfall()[:, -1] <= 5 * rounds ** (5 / 8)).all()


@pytest.mark.parametrize("n_arms", [5, 100, 1000])
def test_moments_lose_no_accuracy_in_ten_million_rounds(n_arms):
    gains, bounds = scenario(6, n_arms, 1000)
    state, twin = tail_state(n_arms), LogBarrierTwin(n_arms)
    twin.scores = play_long(state, 13, gains, bounds, 10_000_000, sign=1)
    twin.total, twin.rounds = state.memory[TOTAL], state.memory[ROUNDS]
    np.testing.assert_allclose(law_of(state, n_arms, 0.0), twin.law(0.0), rtol=1e-9)


@pytest.mark.parametrize("v", [0.0, None, 1e6])
def test_ten_million_rounds_of_many_arms(v):
    means = np.linspace(0.1, 0.9, 300)
    run = bq.simulate(bq.BanditQ(v=v), bq.Problem(means, 0.8 * means / 300), 10_000_000, arms="all")
    for values in (run.reward, run.queue, run.played):
        assert np.isfinite(values).all()
    np.testing.assert_allclose(run.played[:, -1].sum(axis=-1), 10_000_000, rtol=1e-9)


def test_the_authors_published_run():
    """N = 1 000, full information: mean queues after round 3·10⁵ as digitised from the author's plots."""
    instance = bq.instance("paper-1000")
    run = bq.simulate(bq.BanditQ.as_published("full"), instance.problem, instance.rounds, runs=2)
    settled = run.queues()[:, run.rounds > 300_000].mean(axis=(0, 1))
    np.testing.assert_allclose(settled, [1456.7, 4477.2], rtol=0.02)


def told_apart(instance, rounds=100_000, runs=100):
    """The verdict on the policies that see the chosen arm's reward alone and are told nothing else."""
    return bq.arena(instance, rounds=rounds, runs=runs)[instance].verdicts["bandit"]


def test_on_the_paper_s_arms_queues_and_floors_beat_banditq_by_a_wide_margin():
    """Independent rewards, 10⁵ rounds."""
    verdict = told_apart("paper-5")
    for name in ("goc", "sgoc", "queue-first"):
        assert verdict.pair("banditq", name).low > 300.0, name


def test_with_the_best_arm_dropping_half_way_banditq_with_tsallis_comes_first():
    """And whatever shares its place is a BanditQ: all others, which trust in rewards that do not change,
    are told apart from it."""
    verdict = told_apart("drift")
    first = verdict.order[0]
    assert first == "banditq-tsallis"
    for name in verdict.order[1:]:
        assert name.startswith("banditq") or verdict.pair(name, first).low > 0.0, name


PUBLISHED = [row for row in published() if row["instance"] == "paper-5" and row["figure"] == "regret"]


@pytest.mark.parametrize("rounds", sorted({int(row["round"]) for row in PUBLISHED}))
def test_the_regrets_that_baudry_et_al_published(rounds):
    """Their experiment 5, each policy at the length that its number is for.

    Ours are means over 40 runs, theirs over 200 whose spread was not published. If both play the same, the
    difference has 1 + 40/200 times the variance of our mean. Student's t with 39 degrees of freedom passes
    5 in one case of 80 000, and so one of the eight does in one of 10 000.
    """
    there = {row["policy"] for row in PUBLISHED if int(row["round"]) == rounds}
    found = bq.arena(preset="baudry-5", policies=sorted(there), rounds=rounds, runs=40).to_frame(
        "published"
    )
    rows = [row for row in found.to_dicts() if row["figure"] == "regret"]
    assert {row["policy"] for row in rows} == there
    for row in rows:
        assert abs(row["ours"] - row["published"]) <= 5 * sqrt(1 + 40 / 200) * row["error"], row
