import json
from math import inf, log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from banditq.errors import InvalidInput
from banditq.feasibility import (
    above_one,
    feasibility,
    feasibility_from_data,
    first_order_feasibility,
    first_order_load,
    mean_bounds,
    rounded_down,
)
from twins import feasibility as twin

quick = settings(deadline=None)


@st.composite
def estimated(draw):
    """Targets, estimates and errors of a few arms, loads on either side of one."""
    n = draw(st.integers(1, 5))
    estimates = draw(arrays(np.float64, n, elements=st.floats(0.05, 1)))
    shares = draw(arrays(np.float64, n, elements=st.sampled_from([0.0, 0.05, 0.2, 0.5])))
    errors = draw(arrays(np.float64, n, elements=st.sampled_from([0.0, 0.01, 0.06, 0.2])))
    return shares * estimates, estimates, errors


class TestFromEstimates:
    @given(estimated())
    @quick
    def test_agrees_with_every_corner(self, case):
        targets, estimates, errors = case
        found = feasibility(targets, estimates, errors)
        assume(abs(found.best_load - 1) > 1e-9)
        assume(abs(found.worst_load - 1) > 1e-9)
        assert found.verdict == twin.verdict(targets, estimates, errors)
        assert found.best_load <= found.load <= found.worst_load

    @given(estimated(), st.randoms())
    @quick
    def test_the_names_of_arms_do_not_matter(self, case, random):
        order = list(range(case[0].size))
        random.shuffle(order)
        one, other = feasibility(*case), feasibility(*(x[order] for x in case))
        assert other.worst_load == pytest.approx(one.worst_load, rel=1e-13)
        assert other.lower == tuple(np.array(one.lower)[order])

    @given(estimated(), st.integers(-20, 20))
    @quick
    def test_the_unit_of_reward_does_not_matter(self, case, power):
        one, other = feasibility(*case), feasibility(*(x * 2.0**power for x in case))
        assert (one.verdict, one.best_load, one.load, one.worst_load) == (
            other.verdict,
            other.best_load,
            other.load,
            other.worst_load,
        )

    @given(estimated(), st.floats(1, 3))
    @quick
    def test_a_larger_error_tells_less(self, case, factor):
        targets, estimates, errors = case
        one, other = feasibility(*case), feasibility(targets, estimates, errors * factor)
        assert other.best_load <= one.best_load
        assert other.worst_load >= one.worst_load
        assert other.verdict in (one.verdict, "unknown")

    @given(estimated())
    @quick
    def test_first_order_never_exceeds_the_exact_load_nor_decides_alone(self, case):
        exact = feasibility(*case).worst_load
        assert first_order_load(*case) <= exact * (1 + 1e-12)
        if exact <= 1 - 1e-9:
            assert first_order_feasibility(*case)

    def test_first_order_is_a_derivative(self):
        targets, estimates, error = [0.1, 0.2], [0.4, 0.9], 1e-7
        slope = (feasibility(targets, estimates, error).worst_load - 0.1 / 0.4 - 0.2 / 0.9) / error
        expected = (first_order_load(targets, estimates, error) - 0.1 / 0.4 - 0.2 / 0.9) / error
        assert expected == pytest.approx(slope, rel=1e-5)

    def test_the_counterexample_to_the_first_order_test(self):
        assert first_order_feasibility([0.06], [0.1], 0.05)
        assert feasibility([0.06], [0.1], 0.05).verdict == "unknown"
        assert twin.verdict([0.06], [0.1], [0.05]) == "unknown"

    def test_degenerate(self):
        assert feasibility([0, 0], [0.0, 0.5], 0.1).verdict == "feasible"  # nothing was promised
        assert feasibility([0.1], [0.0]).verdict == "infeasible"
        assert feasibility([0.1], [0.0], 0.2).worst_load == inf
        assert feasibility([0.3, 0.7], [0.3, 0.7], 0).verdict == "infeasible"
        assert feasibility([0.1, 0.9 / 3, 0.6], [1, 1, 1], 0).verdict == "feasible"  # load 1
        assert feasibility([0.51], [0.5], 0.0).verdict == "infeasible"
        for n in range(1, 60):  # load 1 up to rounding
            means = np.random.default_rng(n).uniform(0.1, 1, n)
            assert feasibility(means / n, means, 0).verdict == "feasible"
        assert feasibility([5.0], [8.0], [3.0]).verdict == "feasible"  # rewards above 1


class TestFromData:
    @given(st.integers(1, 5000), st.floats(0, 1), st.floats(0.5, 12))
    @quick
    def test_bounds_agree_with_bisection(self, pulls, share, threshold):
        for successes in (float(np.floor(share * pulls)), share * pulls):
            expected = twin.mean_bounds(successes, pulls, threshold)
            assert mean_bounds(successes, pulls, threshold) == pytest.approx(expected, abs=1e-9)

    @pytest.mark.parametrize("successes", [0.0, 1.0, 3e7, 1e8])
    def test_bounds_solve_their_equation_with_many_pulls(self, successes):
        lower, upper = mean_bounds(successes, 1e8, 5.0)
        mean = successes / 1e8
        assert lower <= mean <= upper
        assert (lower == 0.0) == (successes == 0.0)
        assert (upper == 1.0) == (successes == 1e8)
        # both sides lose about 1e8 × 1e-16 × log to rounding in the twin
        for p in {lower, upper} - {0.0, 1.0}:
            assert twin.log_martingale(p, successes, 1e8) == pytest.approx(5.0, abs=1e-5)

    def test_nothing_seen_nothing_known(self):
        assert mean_bounds(0.0, 0.0, 3.0) == (0.0, 1.0)
        found = feasibility_from_data([0.2, 0], [0, 0], [0, 0])
        assert (found.verdict, found.lower, found.upper) == ("unknown", (0.0, 0.0), (1.0, 1.0))

    def test_the_union_is_over_protected_arms_alone(self):
        found = feasibility_from_data([0.1, 0.1, 0, 0], [50, 60, 9, 9], [100, 100, 10, 10], confidence=0.9)
        for arm, successes in ((0, 50), (1, 60)):
            expected = twin.mean_bounds(successes, 100, log(2 / 0.1))
            assert (found.lower[arm], found.upper[arm]) == pytest.approx(expected, abs=1e-9)

    @given(st.integers(1, 400), st.integers(0, 400), st.integers(-8, 8))
    @quick
    def test_the_unit_of_reward_does_not_matter(self, pulls, successes, power):
        scale = 2.0**power
        successes = min(successes, pulls)
        one = feasibility_from_data([0.3], [successes], [pulls])
        other = feasibility_from_data([0.3 * scale], [successes * scale], [pulls], reward_max=scale)
        assert other.worst_load == one.worst_load
        assert other.upper[0] == one.upper[0] * scale
        assert other.load == one.load

    @given(st.floats(0.5, 0.999), st.integers(1, 300))
    @quick
    def test_more_confidence_and_fewer_data_tell_less(self, confidence, pulls):
        def width(level, factor):
            found = feasibility_from_data([0.1], [0.5 * pulls * factor], [pulls * factor], confidence=level)
            return found.upper[0] - found.lower[0]

        assert width(confidence + 0.0005, 2) >= width(confidence, 2) >= width(confidence, 4)

    @pytest.mark.parametrize("kind", ["bernoulli", "beta", "constant"])
    def test_bounds_hold_at_all_times_together(self, kind):
        """The worst stopping rule: stop as soon as the mean is out of its bounds."""
        rng = np.random.default_rng(11)
        runs, rounds, mean, delta = 2000, 1000, 0.3, 0.1
        shape = (runs, rounds)
        rewards = {
            "bernoulli": lambda: 1.0 * (rng.random(shape) < mean),
            "beta": lambda: rng.beta(0.3, 0.7, shape),
            "constant": lambda: np.full(shape, mean),
        }[kind]()
        sums, pulls = rewards.cumsum(axis=1), np.arange(1, rounds + 1)
        outside = (twin.log_martingale(mean, sums, pulls) > log(1 / delta)).any(axis=1)
        # binomial tail: false alarm 1 in a million
        assert outside.sum() <= stats.binom.isf(1e-6, runs, delta)
        if kind == "bernoulli":
            assert outside.mean() > delta / 10  # the bounds are not idle
        for run, t in [(run, t) for run in range(0, runs, 100) for t in (0, 9, 99, 999)]:
            low, high = mean_bounds(sums[run, t], pulls[t], log(1 / delta))
            inside = twin.log_martingale(mean, sums[run, t], pulls[t]) <= log(1 / delta)
            assert (low <= mean <= high) == inside

    def test_verdicts_come_with_data(self):
        targets = [0.2, 0.1]
        verdicts = [
            feasibility_from_data(targets, [0.5 * n, 0.4 * n], [n, n]).verdict for n in (10, 100, 1000)
        ]
        assert verdicts == ["unknown", "unknown", "feasible"]
        assert feasibility_from_data([0.5, 0.4], [5000, 4000], [10_000] * 2).verdict == "infeasible"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (feasibility([0.1], [0.5], 0.25), ["can be met", "at most 0.4 rounds"]),
        (feasibility([0.6], [0.4], 0.1), ["cannot be met", "at least 1.2 rounds", "above 0.8334 can"]),
        (feasibility([0.06], [0.1], 0.05), ["not known", "between 0.4 and 1.2", "scaled by 0.8333"]),
        (feasibility([0.06], [0.1], 0.1), ["between 0.3 and any number of rounds per round"]),
        (feasibility([0.1, 0.1], [0.0, 0.5]), ["cannot be met", "an arm with a target never pays"]),
        (feasibility_from_data([0.1], [5], [10]), ["with confidence 0.95"]),
    ],
)
def test_the_sentence_says_what_works(found, words):
    for word in words:
        assert word in found.sentence
    assert "\n" not in found.sentence


def test_the_sure_scaling_is_sure():
    found = feasibility([0.06, 0.1], [0.1, 0.3], 0.05)
    scaled = np.array([0.06, 0.1]) * float(rounded_down(found.sure_scaling))
    assert feasibility(scaled, [0.1, 0.3], 0.05).verdict == "feasible"


@given(st.floats(1, 1e300, exclude_min=True))
@quick
def test_loads_above_one_are_shown_above_one(load):
    assert float(above_one(load)) > 1
    assert float(above_one(load)) == pytest.approx(load, rel=1e-3)


@given(st.floats(1e-300, 1))
@quick
def test_advised_scalings_can_be_used(scaling):
    assert float(rounded_down(scaling)) <= scaling * (1 + 1e-12)
    assert float(rounded_down(scaling)) == pytest.approx(scaling, rel=1e-3)


def test_it_can_be_written_down():
    found = feasibility([0.1, 0.2], [0.0, 0.5], 0.1)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["worst_load"] is None
    assert data["verdict"] == "infeasible"
    assert data["sentence"] == found.sentence


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: feasibility([-0.1], [0.5], 0), r"targets\[0\] is -0.1"),
        (lambda: feasibility([0.1], [0.5, 0.6], 0), "estimates has 2 numbers, but there are 1 arms"),
        (lambda: feasibility([0.1], [0.5], -1), "error is -1"),
        (lambda: feasibility([0.1], [0.5], [0.1, 0.1]), "error has 2 numbers"),
        (lambda: feasibility([0.1], [np.nan], 0), r"estimates\[0\] is nan"),
        (lambda: feasibility_from_data([0.1], [3], [2]), r"successes\[0\] is 3, more than 2 rewards"),
        (lambda: feasibility_from_data([0.1], [1], [2.5]), r"pulls\[0\] is 2.5"),
        (lambda: feasibility_from_data([0.1], [1], [2], confidence=1.0), "confidence is 1; it must"),
        (lambda: feasibility_from_data([0.1], [1], [2], reward_max=0.0), "reward_max is 0"),
    ],
)
def test_nonsense_is_refused(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()
