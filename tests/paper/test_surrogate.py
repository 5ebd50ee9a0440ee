"""The learner's regret inside BanditQ, against a live agent and books kept by hand."""

import numpy as np
import pytest

import banditq as bq
from banditq.errors import InvalidInput
from banditq.paper.surrogate import surrogate_regrets

MEANS, TARGETS = [0.3, 0.5, 0.8], [0.1, 0.2, 0.0]
MARKS = [1, 7, 50, 300]


def by_hand(policy, table, targets, v, run, seed):
    """Play an agent on the same rewards; add up the surrogate gains of a queue of our own."""
    agent = policy.start(targets, seed=seed, run=run)
    queue, gains, earned, squares, largest, rows = np.zeros(3), np.zeros(3), 0.0, 0.0, 0.0, []
    for t, row in enumerate(table, start=1):
        law = agent.law()
        choice = agent.choose()
        full = policy.feedback == "full"
        agent.learn(choice, row if full else row[choice.arm])
        g = (queue + v) * row
        gains, earned = gains + g, earned + law @ g
        squares, largest = squares + g @ g, max(largest, g.max())
        played = law if full else np.eye(3)[choice.arm]
        queue = np.maximum(queue + targets - row * played, 0.0)
        if t in MARKS:
            rows.append((t, gains.max() - earned, squares, largest))
    return np.array(rows)


@pytest.mark.parametrize("feedback", ["full", "bandit"])
def test_the_sums_are_those_kept_by_hand(feedback):
    table = (np.random.default_rng(0).random((300, 3)) < MEANS).astype(float)
    problem = bq.Problem(None, TARGETS, bq.Table(table))
    policy = bq.BanditQ(feedback, v=11.0)
    found = surrogate_regrets(policy, problem, MARKS, 2, 7)
    ours = np.array([[row[name] for name in ("round", "regret", "squares", "largest")] for row in found])
    np.testing.assert_allclose(
        ours, by_hand(policy, table, np.array(TARGETS), 11.0, 2, 7), rtol=1e-9, atol=1e-7
    )


def test_without_a_fixed_v_it_refuses():
    with pytest.raises(InvalidInput, match="anytime form has no fixed V"):
        surrogate_regrets(bq.BanditQ(horizon=None), bq.Problem(MEANS, TARGETS), [10], 0, 0)
