import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.optimize import curve_fit

from banditq.paper.stats import growth, half_width, next_run, standard_error, student

HORIZONS = np.array([20_000, 60_000, 200_000, 600_000, 2_000_000.0])


def samples(rng, exponent, runs, spread=0.3):
    return [np.maximum(t**exponent * (1 + spread * rng.standard_normal(runs)), 1e-9) for t in HORIZONS]


def test_the_fit_is_scipy_s_weighted_least_squares():
    found, runs = samples(np.random.default_rng(0), 0.6, 30), 30
    means = np.array([values.mean() for values in found])
    errors = np.array([values.std(ddof=1) / runs**0.5 for values in found]) / means
    (slope, _), covariance = curve_fit(
        lambda x, a, b: a * x + b, np.log(HORIZONS), np.log(means), sigma=errors, absolute_sigma=True
    )
    residuals = (
        np.log(means)
        - np.polyval(np.polyfit(np.log(HORIZONS), np.log(means), 1, w=1 / errors), np.log(HORIZONS))
    ) / errors
    widened = max((residuals**2).sum() / 3, 1.0) ** 0.5
    ours = growth(HORIZONS, found)
    assert ours.exponent == pytest.approx(slope, rel=1e-6)
    half = scipy_stats.t.ppf(0.975, 3) * covariance[0, 0] ** 0.5 * widened
    assert (ours.high - ours.low) / 2 == pytest.approx(half, rel=1e-3)


def test_the_interval_covers_the_truth_as_often_as_it_says():
    """95 % of 2 000 fits; five standard errors of the share are a false alarm in 1.7 million."""
    rng, fits, hits = np.random.default_rng(1), 2_000, 0
    for _ in range(fits):
        found = growth(HORIZONS, samples(rng, 0.75, 40))
        hits += found.low <= 0.75 <= found.high
    assert hits / fits >= 0.95 - 5 * (0.95 * 0.05 / fits) ** 0.5


def test_a_bent_curve_has_a_wider_interval():
    """c·T^½ plus a constant is no power law; the errors of the points alone would not say so."""
    rng = np.random.default_rng(2)
    bent = [t**0.5 + 2_000 + 0.1 * rng.standard_normal(40) for t in HORIZONS]
    straight = [t**0.5 + 0.1 * rng.standard_normal(40) for t in HORIZONS]
    wide, narrow = growth(HORIZONS, bent), growth(HORIZONS, straight)
    assert wide.high - wide.low > 100 * (narrow.high - narrow.low)
    assert narrow.low <= 0.5 <= narrow.high


def test_no_exponent_without_a_positive_mean():
    assert growth(HORIZONS, [np.array([-1.0, 0.5])] * 5) is None


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 19, 20, 159])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.995])
def test_student_s_numbers(freedom, confidence):
    exact = scipy_stats.t.ppf(0.5 + confidence / 2, freedom)
    assert student(freedom, confidence) == pytest.approx(exact, rel=1e-9)


def test_the_interval_of_a_mean_is_scipy_s():
    values = np.random.default_rng(3).normal(size=(6, 2))
    low, high = scipy_stats.t.interval(0.95, 5, values.mean(axis=0), scipy_stats.sem(values))
    np.testing.assert_allclose(half_width(values), (high - low) / 2, rtol=1e-9)


@pytest.mark.parametrize("runs", [2, 5])
def test_one_more_run_falls_where_it_should(runs):
    """Half of 20 000 trials, also from two runs; five standard errors are a false alarm in 1.7 million."""
    rng, trials, hits = np.random.default_rng(4), 20_000, 0
    for *seen, fresh in rng.normal(size=(trials, runs + 1)):
        low, high = next_run(np.array(seen), 0.5)
        hits += low <= fresh <= high
    assert abs(hits / trials - 0.5) <= 5 * (0.25 / trials) ** 0.5


def test_standard_error():
    values = np.array([1.0, 2.0, 4.0, 9.0])
    assert standard_error(values) == pytest.approx(scipy_stats.sem(values), rel=1e-12)
