r"""The paper's bounds as functions, with the constants that its proofs give.

Rewards are in [0, 1]: with another ``reward_max`` divide rewards, targets and V by it, and multiply what
comes out. N is ``n_arms``, T is ``rounds``, V is ``v``; any of them may be an array. "Full information" is
BanditQ over OGA with step ``alpha``, whose regret enters every proof through
:math:`c = \alpha + 1/\alpha`; the paper's constants are those of ``alpha = 1``, c = 2. All of it assumes
feasible targets, and rewards that are independent and alike in every round. In what follows
:math:`R(T)^2 = \sum_{t \le T} \sum_i E Q_i(t)^2`.

The functions named ``…_rate`` return the growth alone, without constants and logarithms: they are good for
slopes, not for levels.

References
----------
Sinha, "BanditQ: Fair bandits with guaranteed rewards", UAI 2024. Theorems and propositions go by the labels
of its source.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .errors import InvalidInput

Floats = npt.NDArray[np.float64]
Numbers = float | Floats


class Growth(NamedTuple):
    """Exponents of N and T in a bound with V = √T, logarithms left out, as T → ∞ and then N → ∞.

    Examples
    --------
    Sixteen times the rounds, with V = √T, make the bound on the bandit regret 16^(3/4) = 8 times as
    large.

    >>> GROWTH["bandit regret"].rounds
    0.75
    >>> once, later = bandit_regret_rate(4, 10_000, 100), bandit_regret_rate(4, 160_000, 400)
    >>> round(later / once, 9)
    8.0
    """

    n_arms: float
    rounds: float


GROWTH = {
    "full regret": Growth(0.0, 3 / 4),
    "full violation": Growth(0.0, 3 / 4),
    "full average regret": Growth(1 / 2, 1 / 2),
    "full violation without reward": Growth(0.0, 1 / 2),  # V = 0
    "bandit regret": Growth(3 / 4, 3 / 4),
    "bandit violation": Growth(1 / 4, 3 / 4),
    "bandit regret without targets": Growth(1.0, 1 / 2),
    "bandit violation without reward": Growth(3 / 8, 5 / 8),  # V = 0
}


def oga_regret(squares: Any, alpha: float = 1.0) -> Numbers:
    r"""Regret of online gradient ascent on the simplex, for any gains.

    .. math:: \Bigl(\frac1\alpha + \alpha\Bigr) \sqrt{S}, \qquad S = \sum_t \lVert g_t \rVert^2.

    The simplex has diameter √2, and the steps are :math:`\alpha/\sqrt{S_t}`. The theorem's α = 1 is best
    and gives 2√S; the step that the paper prints in its algorithm, α = 1/√2, gives 3√(S/2).

    References
    ----------
    Theorem ref_th (Orabona, "A modern introduction to online learning", Theorem 4.14).

    Examples
    --------
    >>> oga_regret(100)  # 2 √100
    20.0
    """
    return _plain(_through(alpha) * np.sqrt(_number("squares", squares)))


def tsallis_regret(n_arms: Any, squared_bounds: Any) -> Numbers:
    r"""Expected regret of ``TsallisInf(estimator="iw")`` when gains of round t are at most :math:`B_t`.

    .. math:: 4 \sqrt{N\, E \textstyle\sum_t B_t^2}.

    Half of it is the price of the regulariser at :math:`\eta_T`, half the sum of the stability terms
    :math:`\frac12 \eta_t B_t^2 \sqrt N`, with :math:`\eta_t = 2/\sqrt{\sum_{s \le t} B_s^2}`. It needs
    :math:`B_t` to be known before round t, as BanditQ's is.

    References
    ----------
    Derived here from Zimmert & Seldin, "Tsallis-INF", JMLR 22, 2021, whose losses are in [0, 1].

    Examples
    --------
    >>> tsallis_regret(n_arms=4, squared_bounds=100)  # 4 √400
    80.0
    """
    return _plain(4.0 * np.sqrt(_number("n_arms", n_arms) * _number("squared_bounds", squared_bounds)))


def energy(n_arms: Any, rounds: Any, v: Any, alpha: float = 1.0) -> Numbers:
    r"""R(T) in full information: the larger root of the inequality in the proof of Theorem q_bd.

    .. math:: R^2 \le 2 (V+1) T^2 + 2 \sqrt2\, c\, (\sqrt N V T^{3/2} + T R).

    Examples
    --------
    It is where the two sides meet: here T = V = 1, N = 4 and c = 2.

    >>> r = energy(n_arms=4, rounds=1, v=1)
    >>> bool(np.isclose(r**2, 2 * 2 + 2 * np.sqrt(2) * 2 * (2 + r)))
    True
    """
    n, t, weight, c = _terms(n_arms, rounds, v, alpha)
    half = np.sqrt(2.0) * c * t
    constant = 2.0 * (weight + 1.0) * t**2 + 2.0 * np.sqrt(2.0 * n) * c * weight * t**1.5
    return _plain(half + np.sqrt(half**2 + constant))


def violation(n_arms: Any, rounds: Any, v: Any, alpha: float = 1.0) -> Numbers:
    r"""Expected queue, and so expected shortfall, of any arm after T rounds in full information.

    .. math:: E Q_i(T) \le \sqrt{2 (V+1) T + 2 \sqrt2\, c\, (R(T) + V \sqrt{N T})}.

    The paper prints the order alone, O(√(VT)), which needs V ≥ 1 and T ≥ N.

    References
    ----------
    Theorem q_bd, equations (ineq1) and (q-sq-bd).

    Examples
    --------
    With V = 0 it is :math:`\sqrt{(18 + 8 \sqrt 5)\, T}`, which :func:`violation_without_reward` rounds
    up.

    >>> bool(np.isclose(violation(n_arms=5, rounds=100, v=0) ** 2, (18 + 8 * np.sqrt(5)) * 100))
    True
    """
    n, t, weight, c = _terms(n_arms, rounds, v, alpha)
    surrogate = np.sqrt(2.0) * c * (energy(n_arms, rounds, v, alpha) + weight * np.sqrt(n * t))
    return _plain(np.sqrt(2.0 * (weight + 1.0) * t + 2.0 * surrogate))


def regret(n_arms: Any, rounds: Any, v: Any, alpha: float = 1.0) -> Numbers:
    r"""Regret after T rounds in full information, against any distribution that meets the targets.

    .. math:: \frac{T}{V} + \sqrt2\, c \Bigl(\frac{R(T)}{V} + \sqrt{N T}\Bigr).

    The paper prints the order alone, O(max(T/√V, √(NT))), which needs V ≥ 1 and T ≥ N.

    References
    ----------
    Theorem q_bd.

    Examples
    --------
    What the targets add to :func:`regret_without_targets` is the term with R(T), here for c = 2.

    >>> added = regret(5, 1e6, 1e3) - regret_without_targets(5, 1e6, 1e3)
    >>> bool(np.isclose(added, 2 * np.sqrt(2) * energy(5, 1e6, 1e3) / 1e3))
    True
    """
    n, t, weight, c = _terms(n_arms, rounds, v, alpha, positive=True)
    surrogate = energy(n_arms, rounds, v, alpha) / weight + np.sqrt(n * t)
    return _plain(t / weight + np.sqrt(2.0) * c * surrogate)


def average_regret(n_arms: Any, rounds: Any, v: Any, alpha: float = 1.0) -> Numbers:
    r"""The mean of the regrets after 1, 2, …, T rounds in full information.

    .. math:: (1 + c^2) \frac{T}{V} + \sqrt2\, c \sqrt{N T},
              \quad\text{for } \alpha = 1: \quad 5\frac{T}{V} + 2\sqrt{2NT}.

    The paper prints :math:`3T/V`: its sum over t of :math:`4\sqrt2\, z` came out as :math:`4 T z`. With the
    √2 kept, completing the square gives :math:`z^2 - 4\sqrt2\, T z \ge -8 T^2`, and 5. The order is the
    same.

    References
    ----------
    Proposition avg-regret, equation (avg-ineq2).

    Examples
    --------
    >>> average_regret(n_arms=2, rounds=100, v=10)  # 5 · 100 / 10 + 2 √400
    90.0
    """
    n, t, weight, c = _terms(n_arms, rounds, v, alpha, positive=True)
    return _plain((1.0 + c**2) * t / weight + np.sqrt(2.0 * n * t) * c)


def monotone_regret(n_arms: Any, rounds: Any, v: Any, alpha: float = 1.0) -> Numbers:
    r"""Regret after t rounds in full information if :math:`\sum_i E Q_i(t)^2` never decreases.

    .. math:: (1 + c^2) \frac{t}{V} + \sqrt2\, c \sqrt{N t},
              \quad\text{for } \alpha = 1: \quad 5\frac{t}{V} + 2\sqrt{2Nt}.

    References
    ----------
    Theorem mon-q-thm, under Assumption mon-q.

    Examples
    --------
    >>> monotone_regret(n_arms=2, rounds=100, v=10)  # 5 · 100 / 10 + 2 √400
    90.0
    """
    return average_regret(n_arms, rounds, v, alpha)


def regret_without_targets(n_arms: Any, rounds: Any, v: Any, alpha: float = 1.0) -> Numbers:
    r"""Regret after t rounds in full information when no arm is protected.

    .. math:: \frac{t}{V} + \sqrt2\, c \sqrt{N t}.

    References
    ----------
    Proposition zero-target-rate.

    Examples
    --------
    >>> regret_without_targets(n_arms=2, rounds=100, v=10)  # 100 / 10 + 2 √400
    50.0
    """
    n, t, weight, c = _terms(n_arms, rounds, v, alpha, positive=True)
    return _plain(t / weight + np.sqrt(2.0 * n * t) * c)


def violation_without_reward(rounds: Any) -> Numbers:
    r"""Expected queue of any arm after T rounds of full information with V = 0: :math:`6 \sqrt T`.

    References
    ----------
    Proposition improved_bd, for α = 1.

    Examples
    --------
    >>> violation_without_reward(rounds=100)
    60.0
    """
    return _plain(6.0 * np.sqrt(_number("rounds", rounds)))


def interval_rate(target: Any, length: Any, queue: Any) -> Numbers:
    r"""What an arm is paid per round, at least, over any ``length`` rounds that end with this queue.

    .. math:: \lambda - Q / |I|.

    It holds path by path, in both kinds of feedback, because the queue is the largest shortfall of any
    interval that ends now; with :func:`violation` for the queue it holds in expectation.

    References
    ----------
    Proposition rate-prop, equation (q-len-bd).

    Examples
    --------
    A queue of 125 lacks an eighth of a reward in each of a thousand rounds.

    >>> interval_rate(target=0.25, length=1000, queue=125)
    0.125
    """
    rounds = _number("length", length, positive=True)
    return _plain(_number("target", target) - _number("queue", queue) / rounds)


def standing_shortfall(v: Any, price: Any) -> Numbers:
    r"""Where queue and shortfall of an arm settle under a fixed V: :math:`V (\mu^*/\mu_i - 1)`.

    There :math:`(Q_i + V) \mu_i = V \mu^*`, so that the learner cannot tell the arm from the best one. An
    estimate, not a bound, if the best arm itself has no queue.

    Examples
    --------
    >>> standing_shortfall(v=1000, price=1 / 0.4 - 1)
    1500.0
    """
    return _plain(_number("v", v) * _number("price", price))


def bandit_violation_rate(n_arms: Any, rounds: Any, v: Any) -> Numbers:
    r"""Growth of the expected queue of any arm in bandit feedback over LogBarrier, and of its maximum.

    .. math:: \max(\sqrt{V T}, N^{1/4} T^{3/4}), \qquad N \le \sqrt T,\; 1 \le V \le T.

    References
    ----------
    Propositions th5-pf1 and uniform_bd_lemma. The proof of the latter uses the learner's expected regret
    on every path and at all times at once, which its theorem does not say.

    Examples
    --------
    For N = 16 and T = 10⁴ the second term is 2 · 10³; the first is 10³ or 10⁴.

    >>> [round(bandit_violation_rate(16, 1e4, v), 6) for v in (1e2, 1e4)]
    [2000.0, 10000.0]
    """
    n, t, weight, _ = _terms(n_arms, rounds, v)
    return _plain(np.maximum(np.sqrt(weight * t), n**0.25 * t**0.75))


def bandit_regret_rate(n_arms: Any, rounds: Any, v: Any) -> Numbers:
    r"""Growth of the regret in bandit feedback over LogBarrier.

    .. math:: \max\Bigl(T \sqrt{N/V},\; N^{3/4} T^{5/4} / V,\; N \sqrt T\Bigr),
              \qquad N \le \sqrt T,\; 1 \le V \le T.

    References
    ----------
    Theorem q_bd-bandit, Proposition reg-bd-bandit-2, with the remark at :func:`bandit_violation_rate`.

    Examples
    --------
    For N = 16 and T = 10⁴ the terms are 4 000, 8 000 and 1 600 with V = 100; with V = 10⁴ the last one
    stays.

    >>> [round(bandit_regret_rate(16, 1e4, v), 6) for v in (1e2, 1e4)]
    [8000.0, 1600.0]
    """
    n, t, weight, _ = _terms(n_arms, rounds, v, positive=True)
    middle = n**0.75 * t**1.25 / weight
    return _plain(np.maximum(np.maximum(t * np.sqrt(n / weight), middle), n * np.sqrt(t)))


def bandit_regret_rate_without_targets(n_arms: Any, rounds: Any) -> Numbers:
    r"""Growth of the regret in bandit feedback when no arm is protected and V = √T: :math:`N \sqrt T`.

    References
    ----------
    Proposition zero-target-rate.

    Examples
    --------
    >>> bandit_regret_rate_without_targets(n_arms=16, rounds=1e4)
    1600.0
    """
    return _plain(_number("n_arms", n_arms) * np.sqrt(_number("rounds", rounds)))


def bandit_violation_rate_without_reward(n_arms: Any, rounds: Any) -> Numbers:
    r"""Growth of the expected queue in bandit feedback with V = 0: :math:`N^{3/8} T^{5/8}`, for N ≤ T.

    References
    ----------
    Proposition rate-violation-bandit-no-reward.

    Examples
    --------
    >>> bandit_violation_rate_without_reward(n_arms=2**8, rounds=2**16) == 2 ** (3 + 10)
    True
    """
    return _plain(_number("n_arms", n_arms) ** 0.375 * _number("rounds", rounds) ** 0.625)


def _through(alpha: float) -> Floats:
    """c = α + 1/α."""
    step = _number("alpha", alpha, positive=True)
    return step + 1.0 / step


def _terms(
    n_arms: Any, rounds: Any, v: Any, alpha: float = 1.0, *, positive: bool = False
) -> tuple[Floats, Floats, Floats, Floats]:
    """N, T, V and c, checked."""
    weight = _number("v", v, positive=positive)
    return _number("n_arms", n_arms, positive=True), _number("rounds", rounds), weight, _through(alpha)


def _number(name: str, value: Any, *, positive: bool = False) -> Floats:
    """A number or an array of them, at least 0."""
    numbers = np.asarray(value, dtype=np.float64)
    if not (numbers > 0.0).all() if positive else not (numbers >= 0.0).all():
        least = "greater than 0" if positive else "at least 0"
        raise InvalidInput(f"{name} is {value!r}; it must be {least}")
    return numbers


def _plain(numbers: Any) -> Numbers:
    """A float, if it is a single number."""
    return float(numbers) if np.ndim(numbers) == 0 else np.asarray(numbers, np.float64)
