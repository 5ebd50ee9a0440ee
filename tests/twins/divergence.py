"""The Bernoulli divergence in 60 digits, and its inverse by bisection; the mixture by whole numbers."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, log

DIGITS = 60


def kl(mean, q):
    with localcontext(prec=DIGITS):
        p, q = Decimal(mean), Decimal(q)
        result = Decimal(0)
        if p > 0:
            result += p * (p / q).ln()
        if p < 1:
            result += (1 - p) * ((1 - p) / (1 - q)).ln()
        return result


def bound(mean, budget, side):
    """The q above (+1) or below (−1) the mean with kl = budget; below 1e-50 it is 0."""
    with localcontext(prec=DIGITS):
        p, b = Decimal(mean), Decimal(budget)
        if p == (1 if side > 0 else 0):
            return p
        within, beyond = p, Decimal(1 if side > 0 else 0)
        for _ in range(190):
            middle = (within + beyond) / 2
            if middle in (within, beyond):
                break
            if kl(p, middle) > b:
                beyond = middle
            else:
                within = middle
        return within


def log_mixture(successes, failures):
    """Log of B(s + 1, f + 1) nⁿ / (sˢ fᶠ) from whole numbers, rounded once."""
    n = successes + failures
    ratio = Fraction(n**n, successes**successes * failures**failures * comb(n, successes) * (n + 1))
    return log(ratio)
