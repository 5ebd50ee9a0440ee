"""The Bernoulli divergence, its inverse in the second argument, and the Beta function beside it."""

from math import exp, expm1, isnan, lgamma, log, log1p, nan, pi, sqrt

from .compiling import kernel

# From here on Stirling's series, with the terms below, is exact to rounding.
_SERIES_FROM = 16.0

# A mean this small counts as 0, lest a quotient by it overflow.
_TINY = 1e-290


@kernel
def _bend(a: float, b: float) -> float:
    """u − log(1 + u) ≥ 0 with 1 + u = a/b: precise for a near b, and for a ≪ b."""
    u = (a - b) / b
    return u - (log(a / b) if u < -0.5 else log1p(u))


@kernel
def bernoulli_kl(mean: float, q: float) -> float:
    """kl(mean, q) for 0 < q < 1: mean log(mean/q) + (1 − mean) log((1 − mean)/(1 − q)).

    Written as two terms that are both ≥ 0, so that nothing cancels between them.
    """
    if mean <= _TINY:
        return -log1p(-q)
    if mean >= 1.0:
        return -log(q)
    return mean * _bend(q, mean) + (1.0 - mean) * _bend(1.0 - q, 1.0 - mean)


@kernel
def _root(mean: float, budget: float, start: float) -> float:
    """The q with kl(mean, q) = budget on the side of ``start``, which lies beyond it.

    kl is convex in q: Newton from beyond the root approaches it without overshooting.
    """
    q = start
    for _ in range(100):
        if q == mean or not 0.0 < q < 1.0:
            break
        step = (bernoulli_kl(mean, q) - budget) * q * (1.0 - q) / (q - mean)
        if step * (q - mean) <= 0.0:  # rounding
            break
        q -= step
        # the error is squared by a step, relative to the nearest of these
        if abs(step) <= 1e-8 * min(abs(q - mean), q, 1.0 - q):
            break
    return q


@kernel
def upper_reach(mean: float, budget: float) -> float:
    """A q at or above :func:`kl_upper`, from its closed-form bounds.

    With q > mean, x (1 − x) ≤ min(q, 1 − mean, 1/4) between them bounds kl from below by a square; the
    last bound drops all of kl but what grows at 1.
    """
    if budget <= 0.0 or mean >= 1.0:
        return mean
    if mean <= _TINY:
        return -expm1(-budget)
    gap = min(sqrt(0.5 * budget), sqrt(2.0 * budget * (1.0 - mean)))
    gap = min(gap, budget + sqrt(budget * (budget + 2.0 * mean)))
    rest = (1.0 - mean) * exp((mean * log(mean) - budget) / (1.0 - mean))
    return min(mean + gap, 1.0 - rest)


@kernel
def kl_upper(mean: float, budget: float) -> float:
    """The largest q with kl(mean, q) ≤ budget."""
    reach = upper_reach(mean, budget)
    if budget <= 0.0 or mean <= _TINY or mean >= 1.0:
        return reach
    return max(_root(mean, budget, reach), mean)


@kernel
def upper_exceeds(mean: float, budget: float, limit: float) -> bool:
    """Whether kl_upper(mean, budget) > limit ≥ 0, without solving for it."""
    if limit < mean or budget <= 0.0:
        return limit < mean
    return limit < upper_reach(mean, budget) and bernoulli_kl(mean, limit) < budget


@kernel
def kl_lower(mean: float, budget: float) -> float:
    """The smallest q with kl(mean, q) ≤ budget; small ones keep their relative precision."""
    if budget <= 0.0:
        return mean
    if mean <= _TINY:
        return 0.0
    if mean >= 1.0:
        return exp(-budget)
    gap = min(sqrt(0.5 * budget), sqrt(2.0 * budget * mean))
    gap = min(gap, budget + sqrt(budget * (budget + 2.0 * (1.0 - mean))))
    rest = mean * exp(((1.0 - mean) * log1p(-mean) - budget) / mean)
    return min(_root(mean, budget, max(mean - gap, rest)), mean)


@kernel
def _root_near(mean: float, budget: float, start: float) -> float:
    """As :func:`_root`, from a guess on either side of the root; NaN if the guess was a bad one.

    By convexity a step from before the root leads beyond it.
    """
    step = (bernoulli_kl(mean, start) - budget) * start * (1.0 - start) / (start - mean)
    q = start - step
    if abs(step) <= 1e-8 * min(abs(start - mean), start, 1.0 - start):
        return q
    if not 0.0 < q < 1.0 or (q - mean) * (start - mean) <= 0.0:
        return nan
    return _root(mean, budget, q)


@kernel
def kl_upper_near(mean: float, budget: float, start: float) -> float:
    """:func:`kl_upper`, in one or two steps if ``start`` is near it."""
    if budget > 0.0 and _TINY < mean < start < 1.0:
        q = _root_near(mean, budget, start)
        if not isnan(q):
            return max(q, mean)
    return kl_upper(mean, budget)


@kernel
def kl_lower_near(mean: float, budget: float, start: float) -> float:
    """:func:`kl_lower`, in one or two steps if ``start`` is near it."""
    if budget > 0.0 and _TINY < start < mean < 1.0:
        q = _root_near(mean, budget, start)
        if not isnan(q):
            return min(q, mean)
    return kl_lower(mean, budget)


@kernel
def _stirling(x: float) -> float:
    """Log Γ(x + 1) − x log x + x, for x ≥ 0."""
    if x <= 0.0:
        return 0.0
    if x < _SERIES_FROM:
        return lgamma(x + 1.0) - x * log(x) + x
    y = 1.0 / (x * x)
    tail = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x
    return 0.5 * log(2.0 * pi * x) + tail


@kernel
def log_mixture(successes: float, failures: float) -> float:
    """Log of ∫ qˢ (1 − q)ᶠ dq = B(s + 1, f + 1), relative to the integrand's peak.

    −log_mixture is the log density of Beta(s + 1, f + 1) at its mode. The large parts of the gamma
    functions have been cancelled by hand.
    """
    n = successes + failures
    return _stirling(successes) + _stirling(failures) - _stirling(n) - log1p(n)
