"""Every claim can be found to hold and found not to: results are made up that say so."""

import numpy as np
import pytest

from banditq.paper.claims import claims
from banditq.paper.claims.base import all_of, never_positive, no_faster
from banditq.paper.settings import HORIZONS, settings
from banditq.paper.stats import Growth
from banditq.result import Result

CLAIMS = {claim.id: claim for claim in claims()}


def made_up(
    name, *, regret=-1.0, queue=1.0, noise=0.01, runs=20, rounds=None, peak=None, worst=0.5, late=None, n=5
):
    """A result whose regret and queues end where told, straight from zero, with a spread over runs."""
    rounds = settings()[name].rounds if rounds is None else rounds
    rng = np.random.default_rng(rounds)
    t = np.linspace(rounds / 100, rounds, 100).round().astype(np.int64)
    spread = 1.0 + noise * rng.standard_normal((runs, 1))
    path = spread * t / rounds
    targets, arms = np.array([0.2, 0.1]), np.array([0, 1])
    queues = (queue * path)[:, :, None] * np.array([1.0, 0.5])
    accrued = targets * t[None, :, None] - queues
    if late is not None:  # the share of its target that an arm gets in the second half
        half = np.minimum(t, rounds / 2)[None, :, None]
        accrued = targets * (half + late * (t[None, :, None] - half)) + 0.0 * queues
    benchmark = 0.5 * t
    expected = benchmark - regret * path
    windows = np.array([round(rounds**0.8), round(rounds**0.9)])
    info = {
        "problem": {"means": [0.5] * n, "reward_max": 1.0},
        "policy": settings()[name].policy.to_dict(),
    }
    top = np.maximum.accumulate(queues, axis=1) if peak is None else peak + 0.0 * queues
    watched = worst * top[:, :, None, :] * np.ones((1, 1, 2, 1))
    price = np.array([1.0, 2.0])
    none = np.zeros((queues.shape[0], 0))
    return Result(
        t, arms, windows, targets, price, benchmark, expected + 0.0 * path, expected, accrued,
        0.0 * queues, queues, top, watched, none, none[:, :, None], none[:, 0:0].sum(axis=1), info,
    )  # fmt: skip


def series(name, **growths):
    """A result a horizon; each number is a function of the horizon."""
    return {
        f"{name}/{rounds}": made_up(
            f"{name}/{rounds}", **{k: f(rounds) if callable(f) else f for k, f in growths.items()}
        )
        for rounds in HORIZONS
    }


def power(exponent, factor=1.0):
    return lambda rounds: factor * rounds**exponent


def verdict(name, results=None, rows=None):
    return CLAIMS[name].check(results or {}, rows or {}).verdict


def both(feedback, kinds, **growths):
    found = {}
    for kind in kinds:
        found |= series(f"{feedback}-{kind}", **growths)
    return found


@pytest.mark.parametrize(("name", "feedback"), [("claim-theorem-2", "full"), ("claim-theorem-5", "bandit")])
class TestGrowthOfRegretAndViolation:
    kinds = ("five", "gap")

    def test_slower_than_three_quarters(self, name, feedback):
        found = both(feedback, self.kinds, regret=power(0.6), queue=power(0.6))
        assert verdict(name, found) == "holds"

    def test_regret_that_is_never_positive(self, name, feedback):
        found = both(feedback, self.kinds, regret=power(0.9, -1.0), queue=power(0.6))
        assert verdict(name, found) == "holds"

    @pytest.mark.parametrize(("regret", "queue"), [(0.9, 0.5), (0.5, 0.9)])
    def test_faster(self, name, feedback, regret, queue):
        found = both(feedback, self.kinds, regret=power(regret), queue=power(queue))
        assert verdict(name, found) == "does not hold"

    def test_too_noisy(self, name, feedback):
        found = both(feedback, self.kinds, regret=power(0.74), queue=power(0.74), noise=1.0)
        assert verdict(name, found) == "cannot be told"


@pytest.mark.parametrize("feedback", ["full", "bandit"])
class TestIntervals:
    def test_peaks_that_grow_slowly(self, feedback):
        found = series(f"{feedback}-five", queue=power(0.6))
        assert verdict(f"claim-intervals-{feedback}", found) == "holds"

    def test_peaks_that_grow_too_fast(self, feedback):
        found = series(f"{feedback}-five", queue=power(0.95))
        assert verdict(f"claim-intervals-{feedback}", found) == "does not hold"

    def test_a_window_worse_than_the_largest_queue(self, feedback):
        found = series(f"{feedback}-five", queue=power(0.6), worst=1.1)
        assert verdict(f"claim-intervals-{feedback}", found) == "does not hold"


def test_the_queue_s_maximum():
    assert verdict("claim-queue-maximum", series("bandit-five", queue=power(0.7))) == "holds"
    assert verdict("claim-queue-maximum", series("bandit-five", queue=power(0.8))) == "does not hold"


def test_average_regret():
    small, large = power(0.5, 0.1), power(0.5, 40.0)  # the printed bound is (3 + 2 √10) √T = 9.3 √T
    assert verdict("claim-average-regret", both("full", ("five", "gap"), regret=small)) == "holds"
    assert verdict("claim-average-regret", both("full", ("five", "gap"), regret=large)) == "does not hold"


class TestTheMonotonicityAssumption:
    names = ("five-full", "full-gap/2000000", "full-tight")

    def results(self, **options):
        return {name: made_up(name, rounds=2_000_000, **options) for name in self.names}

    def test_rising_queues_and_little_regret(self):
        assert verdict("claim-theorem-3", self.results(queue=900.0, regret=50.0)) == "holds"

    def test_rising_queues_and_regret_beyond_the_bound(self):
        assert verdict("claim-theorem-3", self.results(queue=900.0, regret=2e6)) == "does not hold"

    def test_where_queues_fall_it_says_nothing(self):
        found = self.results(queue=900.0, regret=2e6)
        for run in found.values():
            run.queue[:] = run.queue[:, ::-1]
        assert verdict("claim-theorem-3", found) == "cannot be told"


class TestNothingButTheTargets:
    kinds = ("v0", "v0-tight")

    def test_the_constant_six_in_full_information(self):
        assert verdict("claim-v0-full", both("full", self.kinds, queue=power(0.5, 5.5))) == "holds"
        assert verdict("claim-v0-full", both("full", self.kinds, queue=power(0.5, 6.5))) == "does not hold"

    def test_five_eighths_in_bandit_feedback(self):
        assert verdict("claim-v0-bandit", both("bandit", self.kinds, queue=power(0.55))) == "holds"
        assert verdict("claim-v0-bandit", both("bandit", self.kinds, queue=power(0.7))) == "does not hold"


class TestNoTargets:
    def test_full_information_has_constants(self):
        assert verdict("claim-free-full", series("full-free", regret=power(0.45))) == "holds"
        fast = series("full-free", regret=power(0.6, 0.01))
        assert verdict("claim-free-full", fast) == "does not hold"
        high = series("full-free", regret=power(0.45, 40.0))
        assert verdict("claim-free-full", high) == "does not hold"

    def test_bandit_feedback_by_its_growth(self):
        assert verdict("claim-free-bandit", series("bandit-free", regret=power(0.45))) == "holds"
        assert verdict("claim-free-bandit", series("bandit-free", regret=power(0.6))) == "does not hold"
        noisy = series("bandit-free", regret=power(0.5), noise=0.3)
        assert verdict("claim-free-bandit", noisy) == "cannot be told"


class TestTheExperiments:
    def test_targets_met_or_missed(self):
        names = ("five-full", "five-bandit")
        met = {name: made_up(name, late=1.001) for name in names}
        missed = {name: made_up(name, late=0.99) for name in names}
        assert verdict("claim-targets-met", met) == "holds"
        assert verdict("claim-targets-met", missed) == "does not hold"

    @pytest.mark.parametrize(
        ("ours", "theirs", "said"),
        [(-500.0, 0.0, "holds"), (500.0, 0.0, "does not hold"), (100.0, 100.0, "cannot be told")],
    )
    def test_reward_against_lfg(self, ours, theirs, said):
        found = {"five-bandit": made_up("five-bandit", regret=ours, noise=0.1)}
        found["five-lfg"] = made_up("five-lfg", regret=theirs, noise=0.1)
        assert verdict("claim-lfg", found) == said


class TestTheLearners:
    def rows(self, share):
        horizons = [20_000, 60_000, 200_000, 600_000, 2_000_000]
        rng = np.random.default_rng(0)
        return [
            {"run": run, "round": t, "squares": 4.0 * t, "largest": 2.0, "regret": factor * t**0.5}
            for t in horizons
            for run, factor in enumerate(share(t) * (1 + 0.01 * rng.standard_normal(5)))
        ]

    def test_theorem_1_has_a_constant(self):
        low, high = self.rows(lambda _: 3.0), self.rows(lambda _: 4.5)  # the bound is 4 √t
        assert verdict("claim-theorem-1", rows={"surrogate-full": low}) == "holds"
        assert verdict("claim-theorem-1", rows={"surrogate-full": high}) == "does not hold"

    def test_theorem_4_has_none_and_goes_by_growth(self):
        below, steady = self.rows(lambda _: 1.0), self.rows(lambda t: 30.0 * t**-0.1)
        rising = self.rows(lambda t: 10.0 * t**0.2)
        assert verdict("claim-theorem-4", rows={"surrogate-bandit": below}) == "holds"
        assert verdict("claim-theorem-4", rows={"surrogate-bandit": steady}) == "holds"
        assert verdict("claim-theorem-4", rows={"surrogate-bandit": rising}) == "does not hold"


def test_the_solver_s_speed():
    def rows(factor):
        times = ("CVXPY, parameter changed, µs", "CVXPY, built anew, µs")
        own = {"arms": 5, "Algorithm 3 in NumPy, µs": 50.0, "Algorithm 3 compiled, µs": 1.0}
        return {
            "solver": [own | dict.fromkeys(times, 50.0 * factor) | {"solver": "X", "largest difference": 0}]
        }

    assert verdict("claim-solver", rows=rows(100.0)) == "holds"
    assert verdict("claim-solver", rows=rows(5.0)) == "does not hold"
    assert verdict("claim-solver", rows={"solver": []}) == "cannot be told"


def test_verdicts_by_interval():
    assert no_faster(Growth(0.6, 0.5, 0.7), 0.75) == "holds"
    assert no_faster(Growth(0.8, 0.76, 0.9), 0.75) == "does not hold"
    assert no_faster(Growth(0.7, 0.6, 0.8), 0.75) == "cannot be told"
    assert no_faster(None, 0.75) == "cannot be told"


def test_a_claim_of_parts_holds_if_all_do():
    assert all_of(["holds", "holds"]) == "holds"
    assert all_of(["holds", "cannot be told"]) == "cannot be told"
    assert all_of(["cannot be told", "does not hold"]) == "does not hold"


def test_never_positive_allows_for_the_noise():
    rng = np.random.default_rng(0)
    assert never_positive([rng.normal(-1.0, 1.0, 100), rng.normal(-5.0, 1.0, 100)])
    assert not never_positive([rng.normal(-1.0, 1.0, 100), rng.normal(5.0, 1.0, 100)])
