"""Every claim can be found to hold and found not to: results are made up that say so."""

from dataclasses import replace

import numpy as np
import pytest

from banditq.paper.claims import claims
from banditq.paper.claims.base import all_of, below, never_positive, no_faster
from banditq.paper.published import published_curves, published_rounds
from banditq.paper.settings import HORIZONS, settings
from banditq.paper.stats import Growth
from banditq.result import Result

CLAIMS = {claim.id: claim for claim in claims()}


def made_up(
    name,
    *,
    regret=-1.0,
    queue=1.0,
    noise=0.01,
    runs=20,
    rounds=None,
    peak=None,
    worst=0.5,
    late=None,
    n=5,
    luck=0.0,
):
    """A result whose regret and queues end where told, straight from zero, with a spread over runs.

    ``luck`` is what was received beyond the means of what was played.
    """
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
        accrued = targets * (half + late * spread[:, :, None] * (t[None, :, None] - half))
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
        t, arms, windows, targets, price, benchmark, expected + luck * t / rounds, expected, accrued,
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


def as_the_author(name, runs, off=1.0):
    """Results that scatter about the author's published curves by a hundredth, times ``off``."""
    feedback, t = name.split("-")[1], np.array(published_rounds(), np.int64)
    curves = {key[1:]: values for key, (_, values) in published_curves().items() if key[0] == feedback}
    spread = off * (1.0 + 0.01 * np.linspace(-1.0, 1.0, runs))[:, None]
    made = made_up(name, runs=runs, rounds=int(t[-1]), n=1000)
    rates, queues = (
        np.stack([spread * curves[what, arm] for arm in ("1", "2")], axis=2) for what in ("rate", "queue")
    )
    targets = rates.mean(axis=0)[-1] / 2.0  # met, whatever the published rates do
    regret = spread * curves["regret", ""]
    return replace(
        made, rounds=t, targets=targets, benchmark=0.0 * t, reward=-regret, expected=0.0 * regret,
        accrued=rates * t[None, :, None], queue=queues,
    )  # fmt: skip


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

    def test_a_broken_bound_counts_only_where_the_queues_never_fell(self):
        found = self.results(queue=900.0, regret=2e6)
        for run in found.values():
            noise = np.linspace(-1.1, 1.0, run.runs)[:, None]  # falls in the mean, by less than its error
            run.queue[:, 50] = run.queue[:, 49] + noise
        assert verdict("claim-theorem-3", found) == "cannot be told"

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
        missed = {name: made_up(name, late=0.98) for name in names}
        noisy = {name: made_up(name, late=1.001, noise=0.3) for name in names}
        assert verdict("claim-targets-met", met) == "holds"
        assert verdict("claim-targets-met", missed) == "does not hold"
        assert verdict("claim-targets-met", noisy) == "cannot be told"

    @pytest.mark.parametrize(
        ("ours", "theirs", "said"),
        [(-500.0, 0.0, "holds"), (500.0, 0.0, "does not hold"), (100.0, 100.0, "cannot be told")],
    )
    def test_reward_against_lfg(self, ours, theirs, said):
        found = {"five-bandit": made_up("five-bandit", regret=ours, noise=0.1)}
        found["five-lfg"] = made_up("five-lfg", regret=theirs, noise=0.1)
        assert verdict("claim-lfg", found) == said

    @pytest.mark.parametrize(
        ("owed", "noise", "said"),
        [
            (300.0, 0.01, "BanditQ is behind by"),
            (1.0, 0.01, "BanditQ is ahead by"),
            (51.0, 0.5, "who is ahead cannot be told"),
        ],
    )
    def test_who_is_ahead_once_debts_are_paid(self, owed, noise, said):
        """The prices are 1 and 2 and the second arm is owed half as much: debts cost twice ``owed``."""
        found = {"five-bandit": made_up("five-bandit", regret=-100.0, queue=owed, noise=noise)}
        found["five-lfg"] = made_up("five-lfg", regret=0.0, queue=1.0, noise=0.01)
        assert said in CLAIMS["claim-lfg"].check(found, {}).measured

    def test_a_lead_that_is_none_is_not_explained_by_debt(self):
        found = {"five-bandit": made_up("five-bandit", regret=500.0, queue=300.0)}
        found["five-lfg"] = made_up("five-lfg", regret=0.0)
        assert "by owing" not in CLAIMS["claim-lfg"].check(found, {}).measured

    def test_rewards_received_decide_and_are_what_is_priced(self):
        """By luck BanditQ receives more, though what it plays has the lower means."""
        found = {"five-bandit": made_up("five-bandit", regret=500.0, luck=900.0, queue=1.0)}
        found["five-lfg"] = made_up("five-lfg", regret=0.0, queue=1.0)
        seen = CLAIMS["claim-lfg"].check(found, {})
        assert seen.verdict == "holds"
        priced = [row["banditq priced realised regret"] for row in seen.evidence]
        assert np.mean(priced) == pytest.approx(500.0 - 900.0 + 2.0, rel=0.02)

    def test_the_author_s_numbers_from_enough_runs_and_from_two(self):
        many = {name: as_the_author(name, 8) for name in ("thousand-full", "thousand-bandit")}
        assert verdict("claim-thousand", many) == "holds"
        two = {name: as_the_author(name, 2) for name in ("thousand-full", "thousand-bandit")}
        seen = CLAIMS["claim-thousand"].check(two, {})
        assert seen.verdict == "cannot be told"
        assert "spread is hardly known" in seen.measured
        off = {name: as_the_author(name, 8, off=1.2) for name in ("thousand-full", "thousand-bandit")}
        assert verdict("claim-thousand", off) == "cannot be told"


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
    def rows(factor, spread=1.1):
        row = {"arms": 5, "solver": "X", "largest difference": 0.0}
        for name, middle in (("Algorithm 3 in NumPy", 50.0), ("CVXPY, built anew", 50.0 * factor)):
            row |= timed(name, middle, spread)
        return {
            "solver": [row | timed("Algorithm 3 compiled", 1.0) | timed("CVXPY, parameter changed", 9.0)]
        }

    assert verdict("claim-solver", rows=rows(100.0)) == "holds"
    assert verdict("claim-solver", rows=rows(5.0)) == "does not hold"
    assert verdict("claim-solver", rows=rows(40.0, spread=1.5)) == "cannot be told"
    assert verdict("claim-solver", rows={"solver": []}) == "cannot be told"
    said = CLAIMS["claim-solver"].check({}, rows(100.0, spread=2.0)).measured
    assert "100 (25 to 400) times as fast in NumPy" in said


def timed(name, middle, spread=1.0):
    parts = {"lower quartile": middle / spread, "median": middle, "upper quartile": middle * spread}
    return {f"{name}, {part}, µs": value for part, value in parts.items()}


def test_verdicts_by_interval():
    assert no_faster(Growth(0.6, 0.5, 0.7), 0.75) == "holds"
    assert no_faster(Growth(0.8, 0.76, 0.9), 0.75) == "does not hold"
    assert no_faster(Growth(0.7, 0.6, 0.8), 0.75) == "cannot be told"
    assert no_faster(None, 0.75) == "cannot be told"


def test_a_claim_of_parts_holds_if_all_do():
    assert all_of(["holds", "holds"]) == "holds"
    assert all_of(["holds", "cannot be told"]) == "cannot be told"
    assert all_of(["cannot be told", "does not hold"]) == "does not hold"


def test_never_positive_is_to_be_sure():
    rng = np.random.default_rng(0)
    sure, noisy = rng.normal(-1.0, 1.0, 100), rng.normal(1.0, 100.0, 100)
    assert never_positive([sure, 5.0 * sure])
    assert not never_positive([sure, noisy])
    assert not never_positive([sure, -5.0 * sure])


def test_regret_that_may_be_positive_does_not_hold_by_its_noise():
    found = both("full", ("five", "gap"), regret=power(0.5, 0.01), queue=power(0.6), noise=30.0)
    assert verdict("claim-theorem-2", found) == "cannot be told"


def test_a_level_is_judged_by_the_interval_of_the_mean():
    """Two runs at 1 and 3: the mean is 2, half the interval is 12.7."""
    two = np.array([1.0, 3.0])
    assert below(two, 14.8) == "holds"
    assert below(two, 14.6) == "cannot be told"
    assert below(two, 1.5) == "cannot be told"
    assert below(two, -10.8) == "does not hold"
    curves = np.array([[1.0, 5.0], [1.0, 5.0]])
    assert below(curves, np.array([2.0, 4.0])) == "does not hold"
