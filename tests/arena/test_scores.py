"""The figures of the league, computed once more from their definitions."""

from math import sqrt

import numpy as np
import pytest

import banditq as bq
from banditq.arena import scores
from banditq.arena.match import Arena


@pytest.fixture(scope="module")
def run():
    return bq.simulate(bq.BanditQ(), bq.instance("paper-5").problem, 400, runs=6, laws=True)


def mean_and_error(values):
    mean = sum(values) / len(values)
    spread = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
    return mean, sqrt(spread / len(values))


def shortfalls(run):
    """(run, arm): promised less received at the end."""
    return [
        [run.targets[k] * 400 - run.accrued[r, -1, k] for k in range(run.arms.size)]
        for r in range(run.runs)
    ]


def check(found, values):
    assert tuple(found) == pytest.approx(mean_and_error(values), rel=1e-9)


def test_the_two_shortfalls_differ_in_the_order_of_mean_and_maximum(run):
    short = shortfalls(run)
    means = np.mean(short, axis=0)
    check(scores.worst_mean_shortfall(run), [row[int(means.argmax())] for row in short])
    check(scores.worst_arm_shortfall(run), [max(row) for row in short])
    assert scores.worst_mean_shortfall(run).value <= scores.worst_arm_shortfall(run).value


def test_two_arms_that_are_short_in_turns():
    """Mean over runs first: nothing is owed. Maximum first: something is, in every run."""
    run = made_up(shortfalls=[[30.0, -30.0], [-30.0, 30.0]])
    assert scores.worst_mean_shortfall(run).value == pytest.approx(0.0)
    assert scores.worst_arm_shortfall(run).value == pytest.approx(30.0)
    assert scores.summed_violation(run).value == pytest.approx(0.0)


def made_up(shortfalls, regret=0.0):
    """A result of 100 rounds with these final shortfalls."""
    plain = bq.simulate(
        bq.UCB1(), bq.Problem([0.5, 0.5, 0.9], [0.4, 0.2, 0]), 100, runs=2, allow_infeasible=True
    )
    values = vars(plain).copy()
    values["accrued"] = plain.accrued.copy()
    values["accrued"][:, -1] = 100 * plain.targets - np.array(shortfalls)
    values["expected"] = plain.expected.copy()
    values["expected"][:, -1] = plain.benchmark[-1] - regret
    return bq.Result(**values)


def test_priced_regret_charges_mean_shortfalls_and_forgives_no_debt_for_a_surplus():
    run = made_up([[10.0, -20.0], [20.0, -10.0]], regret=5.0)
    price = 0.9 / 0.5 - 1
    assert scores.priced_regret(run).value == pytest.approx(5.0 + 15.0 * price)
    assert scores.summed_violation(run).value == pytest.approx(15.0)
    assert scores.delivered(run).value == pytest.approx(1 - 15.0 / 40.0)


def test_the_others(run):
    check(scores.worst_window(run), [max(run.peak[r, -1]) for r in range(run.runs)])
    check(scores.regret(run), [run.benchmark[-1] - run.expected[r, -1] for r in range(run.runs)])
    check(scores.lack(run), [sum(run.lacking[r, -1]) for r in range(run.runs)])
    check(scores.excess_regret(run), list(run.excess[:, -1]))
    assert scores.nanoseconds(run).value == pytest.approx(1e9 * np.median(run.seconds) / 400)


def test_without_promises_nothing_is_owed():
    run = bq.simulate(bq.UCB1(), bq.Problem([0.3, 0.5], [0.0, 0.0]), 50, runs=3, laws=True)
    for figure in scores.figures(laws=True):
        found = figure.measure(run)
        assert np.isfinite(found.value)
    assert scores.worst_mean_shortfall(run).value == scores.worst_window(run).value == 0.0
    assert scores.delivered(run).value == 1.0
    assert scores.curves(run)["shortfall"].tolist() == [0.0] * run.rounds.size


def test_the_curves_end_where_the_figures_are(run):
    ends = {key: values[-1] for key, values in scores.curves(run).items()}
    assert ends["regret"] == pytest.approx(scores.regret(run).value)
    assert ends["shortfall"] == pytest.approx(scores.worst_mean_shortfall(run).value)
    assert ends["priced_regret"] == pytest.approx(scores.priced_regret(run).value)
    for key in ("regret", "shortfall"):
        assert ends[f"{key}_low"] <= ends[key] <= ends[f"{key}_high"]


def test_the_error_of_the_priced_regret_is_right_where_no_arm_is_on_its_target():
    """The spread of the mean over 60 groups of 25 runs, against the errors told; χ² at 1 in 1 000."""
    from scipy import stats

    problem = bq.instance("gap-50").problem
    run = bq.simulate(bq.BanditQ(), problem, 200, runs=1_500, checkpoints=1)
    cut = [
        bq.Result(
            **(vars(run) | {n: getattr(run, n)[k : k + 25] for n in bq.result._PER_RUN} | {"info": {}})
        )
        for k in range(0, 1_500, 25)
    ]
    found = [scores.priced_regret(part) for part in cut]
    ratio = np.var([f.value for f in found], ddof=1) / np.mean([f.error**2 for f in found])
    low, high = stats.chi2.ppf([0.0005, 0.9995], 59) / 59
    assert 0.9 * low <= ratio <= 1.1 * high


def test_league_is_what_arena_returns():
    found = bq.arena("degenerate-one-arm", "ucb1,benchmark", rounds=20, runs=2)
    assert isinstance(found, Arena)
