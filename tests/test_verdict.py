"""Who is told apart: the error rate on columns that are alike, the power on columns that are not."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from banditq.errors import InvalidInput
from banditq.metrics import charge
from banditq.verdict import ordinal, tell_apart

NAMES = list("abcde")
PAIRS = 10


def alike(rng, runs, skewed):
    """Exchangeable columns: the same law in every column, and a part that all columns of a run share."""
    shared = 3.0 * rng.normal(size=(runs, 1))
    return shared + (rng.exponential(size=(runs, 5)) if skewed else rng.normal(size=(runs, 5)))


def said_anything(values):
    return any(pair.apart for pair in tell_apart(NAMES, values).pairs)


@pytest.mark.parametrize(("runs", "skewed"), [(8, False), (20, True), (60, True)])
def test_columns_that_are_alike_are_told_apart_in_one_table_of_twenty(runs, skewed):
    """Any pair of a table counts. Binomial: 3.7 standard errors above 5 % come about once in 10 000."""
    tables, rate = 300, 0.05
    rng = np.random.default_rng(runs)
    wrong = sum(said_anything(alike(rng, runs, skewed)) for _ in range(tables))
    assert wrong / tables <= rate + 3.7 * sqrt(rate * (1 - rate) / tables)


def test_with_one_column_ahead_the_others_are_still_alike():
    """The error rate is that of what is wrongly said, whatever is rightly said beside it."""
    tables, rate, ahead = 300, 0.05, np.array([-9.0, 0.0, 0.0, 0.0, 0.0])
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(tables):
        verdict = tell_apart(NAMES, alike(rng, 20, skewed=True) + ahead)
        assert verdict.groups[0] == ("a",)
        wrong += any(pair.apart for pair in verdict.pairs if "a" not in pair[:2])
    assert wrong / tables <= rate + 3.7 * sqrt(rate * (1 - rate) / tables)


def test_the_intervals_hold_all_at_once():
    """All true differences inside, in 95 tables of 100; slack as above."""
    tables, rate, means = 300, 0.05, np.array([0.0, 0.3, 0.7, 5.0, 5.0])
    rng = np.random.default_rng(2)
    missed = 0
    for _ in range(tables):
        verdict = tell_apart(NAMES, alike(rng, 40, skewed=False) + means)
        truth = dict(zip(NAMES, means, strict=True))
        missed += any(not p.low <= truth[p.first] - truth[p.second] <= p.high for p in verdict.pairs)
    assert missed / tables <= rate + 3.7 * sqrt(rate * (1 - rate) / tables)


@pytest.mark.parametrize(("arms", "steps"), [(1, 0.5), (3, 0.0), (10, 0.0), (10, -1.0), (10, 1.0)])
def test_arms_that_are_near_their_targets_do_not_tell_policies_apart(arms, steps):
    """A policy whose arms are so many standard errors short, one that has no debts, the same priced regret.

    Taking the positive parts at face value errs in a table of three here (one arm, half an error short,
    or ten arms on target); the rate must stay that of any verdict.
    """
    tables, runs, rate = 300, 20, 0.05
    rng = np.random.default_rng(arms)
    price, wrong, naive = np.ones(arms), 0, 0
    for _ in range(tables):
        short = rng.normal(size=(runs, arms)) + steps / sqrt(runs)
        one = charge(0.1 * rng.normal(size=runs), short, price)
        worth = arms * max(steps, 0.0) / sqrt(runs)
        other = charge(worth + 0.1 * rng.normal(size=runs), np.full((runs, arms), -9.0), price)
        plain, most, least = (np.stack(pair, axis=1) for pair in zip(one[:3], other[:3], strict=True))
        bias = np.array([one.bias, other.bias])
        wrong += tell_apart("ab", plain, others=(most, least), bias=bias).pairs[0].apart
        naive += tell_apart("ab", plain).pairs[0].apart
    assert wrong / tables <= rate + 3.7 * sqrt(rate * (1 - rate) / tables)
    if (arms, steps) in ((1, 0.5), (10, 0.0)):
        assert naive / tables > 0.2  # or there would be nothing to guard against


def test_what_is_charged():
    """Arm 0 is surely short, arm 1 surely not, arm 2 short by half an error and arm 3 over by as much."""
    wave = np.array([1.0, -1.0] * 8)
    error = wave.std(ddof=1) / 4
    short = np.stack([9 + wave, -9 + wave, 0.5 * error + wave, -0.5 * error + wave], axis=1)
    price = np.array([1.0, 2.0, 3.0, 4.0])
    found = charge(np.full(16, 5.0), short, price)
    np.testing.assert_allclose(found.plain, 5 + short[:, 0] + 3 * short[:, 2])
    np.testing.assert_allclose(found.most, 5 + short[:, 0] + 3 * short[:, 2] + 4 * short[:, 3])
    np.testing.assert_allclose(found.least, 5 + short[:, 0])
    excess = stats.norm.expect(lambda x: max(x, 0.0), scale=error)  # of the positive part, on the target
    assert found.bias == pytest.approx((3 + 4) * excess, rel=1e-6)


def test_a_difference_is_found_as_often_as_bonferroni_with_normal_rewards_would_find_it():
    """The power of Student's test at the level of ten pairs; four standard errors of room."""
    tables, runs, shift = 150, 20, 1.5
    power = stats.nct.sf(stats.t.ppf(1 - 0.025 / PAIRS, runs - 1), runs - 1, shift / sqrt(2 / runs))
    rng = np.random.default_rng(3)
    ahead = np.array([0.0, shift, 0.0, 0.0, 0.0])
    values = [alike(rng, runs, skewed=False) + ahead for _ in range(tables)]
    found = np.mean([tell_apart(NAMES, v).pair("b", "a").apart for v in values])
    assert 0.2 < power < 0.99
    assert found >= power - 4 * sqrt(power * (1 - power) / tables)


def test_one_pair_is_the_sign_test_on_its_mean():
    """Against all 2¹⁰ signs one by one; 9 999 drawn ones are within five standard errors of the level."""
    x = np.random.default_rng(4).normal(0.6, 1.0, 10)
    means = np.array([abs(np.dot(signs, x)) for signs in product((-1, 1), repeat=10)])
    exact = np.mean(means >= abs(x.sum()) - 1e-12)
    for room in (-5, 5):
        level = exact + room * sqrt(exact * (1 - exact) / 9_999)
        verdict = tell_apart(["a", "b"], np.stack([x, 0 * x], axis=1), 1 - level)
        assert verdict.pairs[0].apart == (room > 0)


def test_the_numbers_are_those_of_a_paired_t_test():
    values = np.random.default_rng(5).normal(size=(30, 3))
    pair = tell_apart("abc", values).pair("c", "a")
    expected = stats.ttest_rel(values[:, 2], values[:, 0])
    assert pair.difference / pair.error == pytest.approx(expected.statistic)


def test_unit_offset_and_order_do_not_matter():
    values = np.random.default_rng(6).normal(size=(25, 4)) + np.array([0.0, 0.5, 1.0, 3.0])
    one = tell_apart("abcd", values)
    other = tell_apart("abcd", 64.0 * values + 1024.0 * np.arange(25)[:, None])
    assert one.groups == other.groups
    renamed = tell_apart("dcba", values[:, ::-1])
    assert [set(group) for group in renamed.groups] == [set(group) for group in one.groups]
    back = renamed.pair("a", "d")
    assert back.low == pytest.approx(one.pair("a", "d").low, rel=0.1)


def test_columns_that_agree_in_every_run_are_never_told_apart():
    column = np.random.default_rng(7).normal(size=20)
    assert tell_apart("ab", np.stack([column, column], axis=1)).groups == (("a", "b"),)
    rounded = (1_000.0 + column) * (1.0 + 1e-15)  # more in nearly every run, by the last digit
    assert len(tell_apart("ab", np.stack([1_000.0 + column, rounded], axis=1)).groups) == 1


def test_the_same_difference_in_every_run_is_one():
    column = np.random.default_rng(8).normal(size=(20, 1))
    verdict = tell_apart("ba", np.hstack([column + 1.0, column]))
    assert verdict.groups == (("a",), ("b",))
    assert verdict.pair("b", "a").low == pytest.approx(1.0)


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_few_runs_tell_nothing(runs):
    """Among 2⁵ signs, the signs as they are and their opposites are more than 5 %, to the last digit."""
    for seed in range(40):
        values = np.random.default_rng(seed).normal(size=(runs, 2)) + np.array([0.0, 1e6])
        verdict = tell_apart("ab", values)
        assert verdict.groups == (("a", "b"),)
        assert not verdict.pairs[0].apart


def test_one_column_is_first():
    verdict = tell_apart(["only"], np.zeros((4, 1)))
    assert str(verdict) == "1st: only"
    assert verdict.pairs == ()


def test_groups_begin_with_the_best_that_is_left():
    """b is near both neighbours, which are far from each other: it goes with the better one."""
    noise = 0.01 * np.random.default_rng(10).normal(size=(30, 5))
    wide = np.random.default_rng(11).normal(size=30)
    values = noise + np.stack([0 * wide, 0.05 + wide, 0.1 + 0 * wide, 9 + 0 * wide, 9 + 0 * wide], axis=1)
    verdict = tell_apart(NAMES, values - [0, wide.mean(), 0, 0, 0])
    assert verdict.groups[:2] == (("a", "b"), ("c",))
    assert verdict.place("c") == 3
    assert str(verdict).splitlines()[0] == "1st: a, b (cannot be told apart)"
    assert verdict.order[:3] == ("a", "b", "c")


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (21, "21st"),
        (113, "113th"),
    ],
)
def test_ordinals(number, word):
    assert ordinal(number) == word


@pytest.mark.parametrize(
    ("values", "confidence", "words"),
    [
        (np.zeros((3, 2)), 1.0, "confidence is 1"),
        (np.zeros((3, 3)), 0.95, "runs × 2 columns"),
        (np.array([[0.0, 1.0], [np.nan, 1.0]]), 0.95, "'a' has a value that is not finite"),
    ],
)
def test_bad_input(values, confidence, words):
    with pytest.raises(InvalidInput, match=words):
        tell_apart("ab", values, confidence)


def test_no_such_pair():
    verdict = tell_apart("ab", np.zeros((3, 2)))
    for ask in (lambda: verdict.pair("a", "z"), lambda: verdict.place("z")):
        with pytest.raises(InvalidInput, match="'z'"):
            ask()
