"""The paper's pseudo-code, corrected, against solvers and the learner's twin; and as printed."""

import cvxpy as cp
import numpy as np
import pytest

from banditq.paper.as_printed import (
    Algorithm2,
    algorithm_1_without_reward,
    algorithm_3,
    onto_simplex,
)
from twins.bandit_learners import LogBarrierTwin

MEANS, TARGETS = (0.335, 0.203, 0.241, 0.781, 0.617), (0.167, 0.067, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_algorithm_3_corrected_solves_its_problem(n):
    r = np.random.default_rng(n).exponential(3.0, n)
    x = cp.Variable(n)
    gaps = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
    cp.Problem(cp.Maximize(cp.sum(cp.log(x)) + r @ x), [cp.sum(x) == 1]).solve(cp.CLARABEL, **gaps)
    point = algorithm_3(r)
    assert point.converged
    np.testing.assert_allclose(point.x, x.value, rtol=1e-4)  # the square root of the solver's gap
    assert point.x.sum() == pytest.approx(1.0, abs=1e-7)


def test_algorithm_3_as_printed_has_no_root_to_find():
    for seed in range(10):
        r = np.random.default_rng(seed).normal(size=6)
        with np.errstate(all="ignore"):
            assert not algorithm_3(r, printed=True).converged
        below = np.linspace(-r.max() - 1e3, -r.max() - 1e-6, 1000)
        assert ((1.0 / (r + below[:, None])).sum(axis=1) - 1.0 < 0.0).all()


def test_algorithm_2_corrected_is_the_learner_s_twin_on_the_paper_s_surrogate():
    """S after every round, the arms being drawn from the same generator."""
    rounds, horizon = 150, 2_000_000
    trace = Algorithm2(MEANS, TARGETS, horizon, lost=False).run(seed=4, stop=rounds)
    assert trace.failed is None
    rng, twin, queue = np.random.default_rng(4), LogBarrierTwin(5), np.zeros(5)
    for t in range(rounds):
        law = twin.law(np.inf)
        arm = int(rng.choice(5, p=law / law.sum()))
        paid = float(rng.random() < MEANS[arm])
        queue = np.maximum(queue + TARGETS - paid * (np.arange(5) == arm), 0.0)
        twin.learn(arm, (queue[arm] + horizon**0.5) * paid, np.inf, law[arm])
        assert trace.sums[t + 1] == pytest.approx(twin.total, rel=1e-6)


def test_algorithm_2_as_printed_leaves_the_numbers():
    with np.errstate(all="ignore"):
        traces = [Algorithm2(MEANS, TARGETS, 2_000_000, lost=True).run(seed, 2_000) for seed in range(3)]
    assert all(trace.failed is not None for trace in traces)


def test_algorithm_1_without_reward_divides_zero_by_zero():
    """An arm that pays every round has no queue, so that the first gain is zero."""
    assert algorithm_1_without_reward(0, np.ones(3), np.array([0.1, 0.1, 0.0]), 10) == 1
    assert algorithm_1_without_reward(0, np.ones(3), np.array([0.6, 0.2, 0.0]), 10) is None


def test_the_projection_is_the_nearest_point():
    y = np.random.default_rng(0).normal(size=8)
    x = cp.Variable(8, nonneg=True)
    cp.Problem(cp.Minimize(cp.sum_squares(x - y)), [cp.sum(x) == 1]).solve()
    np.testing.assert_allclose(onto_simplex(y), x.value, atol=1e-5)
