from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize

from banditq import theory
from banditq.errors import InvalidInput
from twins import theory as twin

quick = settings(deadline=None)
sizes = st.integers(1, 2000)
horizons = st.floats(0, 8).map(lambda e: 10**e)
weights = st.floats(-3, 5).map(lambda e: 10**e)


class TestFullInformation:
    @given(sizes, horizons, weights)
    @quick
    def test_energy_solves_the_inequality(self, n, t, v):
        assert theory.energy(n, t, v) == pytest.approx(twin.largest_energy(n, t, v), rel=1e-12)

    @given(sizes, horizons, weights)
    @quick
    def test_violation_and_regret_put_it_into_the_inequality(self, n, t, v):
        energy = twin.largest_energy(n, t, v)
        squares = 2 * (v + 1) * t + 4 * sqrt(2 * energy**2) + 4 * v * sqrt(2 * n * t)
        assert theory.violation(n, t, v) == pytest.approx(sqrt(squares), rel=1e-12)
        twice = 2 * t + 4 * sqrt(2 * energy**2) + 4 * v * sqrt(2 * n * t)
        assert theory.regret(n, t, v) == pytest.approx(twice / (2 * v), rel=1e-12)

    @pytest.mark.parametrize(("n", "v"), [(1, 0.0), (5, 1.0), (5, 30.0), (1000, 30.0), (5, 0.0)])
    def test_no_queues_that_obey_the_inequality_exceed_the_bounds(self, n, v):
        rounds = 3000
        queues = twin.worst_queues(n, rounds, v)
        t = np.arange(1, rounds + 1)
        bound = theory.violation(n, t, v)
        assert (queues <= bound).all()
        # nor are the bounds idle: the proof puts the last round's term in the place of every round's
        assert queues[-1] >= 0.7 * bound[-1]
        assert (np.sqrt(np.cumsum(queues**2)) <= theory.energy(n, t, v)).all()
        if v > 0:
            flat = twin.regrets_allowed(np.zeros(rounds), n, v)
            assert (np.maximum(twin.regrets_allowed(queues, n, v), flat) <= theory.regret(n, t, v)).all()

    @given(arrays(np.float64, st.integers(1, 300), elements=st.floats(0, 1e4)), st.integers(1, 50), weights)
    @quick
    def test_average_regret_bounds_every_path_of_queues(self, queues, n, v):
        average = twin.regrets_allowed(queues, n, v).mean()
        assert average <= theory.average_regret(n, queues.size, v) * (1 + 1e-12)

    def test_the_printed_three_does_not_follow(self):
        rounds, n, v = 2000, 5, sqrt(2000)
        queues = np.zeros(rounds)
        queues[0] = sqrt(8) * rounds  # z(t) = 2√2 T from the first round on minimises z² − 4√2 T z
        average = twin.regrets_allowed(queues, n, v).mean()
        rest = np.mean(2 * np.sqrt(2 * n * np.arange(1, rounds + 1)))
        assert 3 * rounds / v + rest < average <= 5 * rounds / v + rest

    @given(sizes, horizons, weights)
    @quick
    def test_monotone_regret_maximises_the_quadratic(self, n, t, v):
        scale = sqrt(t)
        found = optimize.minimize_scalar(
            lambda q: (q * scale) ** 2 - 4 * sqrt(2 * t) * q * scale, bounds=(0, 10), method="bounded"
        )
        expected = (-found.fun + 2 * t + 4 * v * sqrt(2 * n * t)) / (2 * v)
        assert theory.monotone_regret(n, t, v) == pytest.approx(expected, rel=1e-9)

    @given(sizes, horizons, weights)
    @quick
    def test_without_queues_the_inequality_is_the_bound(self, n, t, v):
        expected = twin.regrets_allowed(np.zeros(1), n, v)[0]
        assert theory.regret_without_targets(n, 1, v) == pytest.approx(expected, rel=1e-12)
        unit = theory.regret_without_targets(n, 1, v * sqrt(t))
        # t/V and √t scale alike when V does as √t
        assert theory.regret_without_targets(n, t, v * t) == pytest.approx(sqrt(t) * unit, rel=1e-12)

    @given(horizons, sizes)
    @quick
    def test_six_is_the_exact_constant_rounded_up(self, t, n):
        exact = theory.violation(n, t, 0.0)
        assert 0.998 * theory.violation_without_reward(t) < exact < theory.violation_without_reward(t)

    @given(st.floats(0.2, 5), sizes, horizons, weights)
    @quick
    def test_every_bound_is_best_at_alpha_one_and_symmetric(self, alpha, n, t, v):
        for bound in (
            theory.energy,
            theory.violation,
            theory.regret,
            theory.average_regret,
            theory.monotone_regret,
            theory.regret_without_targets,
        ):
            assert bound(n, t, v, alpha) >= bound(n, t, v) * (1 - 1e-14)
            assert bound(n, t, v, 1 / alpha) == pytest.approx(bound(n, t, v, alpha), rel=1e-12)


class TestLearners:
    @given(
        arrays(np.float64, st.tuples(st.integers(1, 60), st.integers(1, 5)), elements=st.floats(0.01, 100)),
        st.sampled_from([1.0, sqrt(0.5), 0.3, 2.0]),
    )
    @quick
    def test_gradient_ascent_stays_below_its_bound(self, gains, alpha):
        found, squares = twin.ascent(gains, alpha)
        assert found <= theory.oga_regret(squares, alpha)

    def test_the_constant_of_gradient_ascent_is_that_of_the_proof(self):
        # D²/(2η_T) + ½ Σ η_t for gains of norm one, D = √2; Σ 1/√t is 2√T − 1.46…
        t = np.arange(1, 10**6 + 1)
        for alpha in (1.0, sqrt(0.5), 3.0):
            rates = alpha / np.sqrt(t)
            proof = 2 / (2 * rates[-1]) + 0.5 * rates.sum()
            assert proof <= theory.oga_regret(t[-1], alpha)
            assert proof == pytest.approx(theory.oga_regret(t[-1], alpha), rel=2e-3)

    @given(arrays(np.float64, st.integers(1, 400), elements=st.floats(1e-3, 1e3)), sizes)
    @quick
    def test_tsallis_bounds_the_sum_of_its_proof(self, bounds, n):
        assert twin.tsallis_sum(n, bounds) <= theory.tsallis_regret(n, (bounds**2).sum()) * (1 + 1e-12)

    def test_the_constant_of_tsallis_is_that_of_the_proof(self):
        rounds, n = 10**6, 10**6
        bound = theory.tsallis_regret(n, rounds)
        assert twin.tsallis_sum(n, np.ones(rounds)) == pytest.approx(bound, rel=2e-3)


class TestQueues:
    @given(st.floats(0, 1), arrays(np.float64, st.integers(1, 80), elements=st.floats(0, 1)))
    @quick
    def test_every_interval_is_paid_its_rate(self, target, service):
        queue = 0.0
        for paid in service:
            queue = max(queue + target - paid, 0.0)
        for length in range(1, service.size + 1):
            floor = theory.interval_rate(target, length, queue)
            assert service[-length:].mean() >= floor - 1e-12

    @given(st.floats(0.01, 1), st.floats(0.01, 1), weights)
    @quick
    def test_standing_shortfall_makes_the_arm_as_good_as_the_best(self, mean, best, v):
        mean, best = min(mean, best), max(mean, best)
        queue = theory.standing_shortfall(v, best / mean - 1)
        assert (queue + v) * mean == pytest.approx(v * best, rel=1e-12)


class TestBanditRates:
    @given(st.floats(2, 14), st.floats(0, 0.5), st.floats(0, 1))
    @settings(deadline=None, max_examples=300)
    def test_rates_are_right_up_to_a_constant(self, log_t, n_share, v_share):
        t = 10**log_t
        n, v = t**n_share, t**v_share
        queue, regret = twin.bandit_orders(n, t, v)
        # the sums have a handful of terms, each at most a small multiple of the rate
        assert 1 <= queue / theory.bandit_violation_rate(n, t, v) <= 4
        assert 0.5 <= regret / theory.bandit_regret_rate(n, t, v) <= 6

    @given(st.floats(2, 14), st.floats(0, 1))
    @quick
    def test_rate_without_reward_is_right_up_to_a_constant(self, log_t, n_share):
        t = 10**log_t
        n = t**n_share
        found = twin.bandit_queue_without_reward(n, t)
        assert 1 <= found / theory.bandit_violation_rate_without_reward(n, t) <= 4


CURVES = {
    "full regret": lambda n, t: theory.regret(n, t, np.sqrt(t)),
    "full violation": lambda n, t: theory.violation(n, t, np.sqrt(t)),
    "full average regret": lambda n, t: theory.average_regret(n, t, np.sqrt(t)),
    "full violation without reward": lambda n, t: theory.violation(n, t, 0.0),
    "bandit regret": lambda n, t: theory.bandit_regret_rate(n, t, np.sqrt(t)),
    "bandit violation": lambda n, t: theory.bandit_violation_rate(n, t, np.sqrt(t)),
    "bandit regret without targets": theory.bandit_regret_rate_without_targets,
    "bandit violation without reward": theory.bandit_violation_rate_without_reward,
}


def test_every_growth_has_its_curve():
    assert set(CURVES) == set(theory.GROWTH)


@pytest.mark.parametrize("name", CURVES)
def test_growth_is_the_slope_on_logarithmic_axes(name):
    curve, growth = CURVES[name], theory.GROWTH[name]
    t = np.array([1e28, 1e32])
    n = np.array([1e6, 1e8])
    in_rounds = np.diff(np.log(curve(5, t))) / np.diff(np.log(t))
    in_arms = np.diff(np.log(curve(n, 1e40))) / np.diff(np.log(n))
    assert in_rounds[0] == pytest.approx(growth.rounds, abs=0.01)
    assert in_arms[0] == pytest.approx(growth.n_arms, abs=0.01)


def test_arrays_go_in_and_come_out():
    t = np.array([10.0, 100.0])
    assert theory.regret(5, t, np.sqrt(t)).shape == (2,)
    assert theory.regret(5, t, np.sqrt(t))[1] == theory.regret(5, 100.0, 10.0)
    assert isinstance(theory.regret(5, 100, 10), float)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: theory.regret(5, 100, 0), "v is 0; it must be greater than 0"),
        (lambda: theory.regret(5, 100, -1), "v is -1"),
        (lambda: theory.violation(5, -1, 0), "rounds is -1; it must be at least 0"),
        (lambda: theory.energy(0, 1, 0), "n_arms is 0"),
        (lambda: theory.energy(5, np.nan, 0), "rounds is nan"),
        (lambda: theory.oga_regret(1.0, alpha=0), "alpha is 0"),
        (lambda: theory.interval_rate(0.1, 0, 1.0), "length is 0"),
    ],
)
def test_nonsense_is_refused(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()
