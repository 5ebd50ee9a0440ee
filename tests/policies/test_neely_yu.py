import numpy as np
import pytest

import banditq as bq
from banditq.errors import InvalidInput
from banditq.kernels.protocol import Allocation, allocate, learn
from banditq.policies.base import Terms
from full_driver import ADVERSARIES
from full_policy_driver import late, play, prompt
from policy_driver import table
from twins import debt_policies as twin

UNIT = 3.0


def promises(n_arms):
    return np.where(np.arange(n_arms) % 2 == 0, 0.5 / n_arms, 0.0)


@pytest.mark.parametrize("n_arms", [1, 2, 5, 8, 21])
@pytest.mark.parametrize("steps", [(None, None), (0.0, 20.0), (5.0, 2.0), (300.0, 1000.0)])
@pytest.mark.parametrize("schedule", [prompt(300), late(300)], ids=["prompt", "late"])
def test_it_plays_the_laws_of_its_twin(n_arms, steps, schedule):
    rewards = table(300, n_arms, fractional=True)
    rewards[::11] = 0.0
    state = bq.NeelyYu(*steps).state(Terms(UNIT * promises(n_arms), UNIT, 300))
    v = np.sqrt(300) if steps[0] is None else steps[0] / UNIT
    alpha = 300.0 if steps[1] is None else steps[1] / UNIT**2
    laws, queues = play(state, UNIT * rewards, schedule)
    expected, debts = twin.neely_yu_laws(schedule, rewards, promises(n_arms), v, alpha)
    np.testing.assert_allclose(laws, expected, atol=1e-10)
    np.testing.assert_allclose(queues, debts, atol=1e-9)


def test_compiled_and_interpreted_agree():
    rewards, terms = table(200, 5, fractional=True), Terms(promises(5), 1.0, 200)
    compiled = play(bq.NeelyYu().state(terms), rewards, late(200))
    interpreted = play(bq.NeelyYu().state(terms), rewards, late(200), compiled=False)
    for one, other in zip(compiled, interpreted, strict=True):
        np.testing.assert_array_equal(one, other)


def duel(policy, targets, adversary, rounds):
    """Laws, queues before each round, and what was paid in sight of the law: between 0.4 and 1."""
    state = policy.state(Terms(targets, 1.0, rounds))
    laws, queues = np.zeros((2, rounds + 1, targets.size))
    rewards = np.zeros((rounds, targets.size))
    for t in range(rounds + 1):
        bound, opened = allocate(state, laws[t], queues[t])
        if t < rounds:
            rewards[t] = 0.4 + 0.6 * adversary(laws[t])
            learn(state, Allocation(laws[t], queues[t], bound, opened), rewards[t])
    return laws, queues, rewards


TARGETS = np.array([0.1, 0.08, 0.0, 0.0])
KEEPERS = np.array([[0.25, 0.2, 0.55, 0.0], [0.25, 0.2, 0.0, 0.55], [0.8, 0.2, 0, 0], [0.25, 0.75, 0, 0]])


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("steps", [(None, None), (8.0, 100.0), (0.5, 30.0)])
def test_each_step_minimises_what_it_should(adversary, steps):
    """−⟨(V + Q) ∘ r, z⟩ + α‖z − x‖² is strongly convex: at any z it is α‖z − x′‖² above its minimum x′."""
    laws, queues, rewards = duel(bq.NeelyYu(*steps), TARGETS, adversary, 300)
    v, alpha = steps[0] or np.sqrt(300), steps[1] or 300.0
    for z in [*np.eye(4), *KEEPERS, *np.random.default_rng(0).dirichlet(np.ones(4), 10)]:
        slopes = (v + queues[:-1]) * rewards

        def value(x, slopes=slopes):
            return -np.sum(slopes * x, axis=1) + alpha * np.sum((x - laws[:-1]) ** 2, axis=1)

        above = alpha * np.sum((z - laws[1:]) ** 2, axis=1)
        assert (value(laws[1:]) + above <= value(z) + 1e-9 * alpha).all()


@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("steps", [(None, None), (8.0, 100.0), (0.5, 30.0), (300.0, 3000.0)])
def test_its_bounds_hold_against_mixes_that_keep_the_promises_in_every_round(adversary, steps):
    rounds = 2000
    laws, queues, rewards = duel(bq.NeelyYu(*steps), TARGETS, adversary, rounds)
    v, alpha = steps[0] or np.sqrt(rounds), steps[1] or float(rounds)
    assert (rewards[:, None] * KEEPERS >= TARGETS).all()
    regret = np.max(np.sum(rewards @ KEEPERS.T, axis=0)) - np.sum(rewards * laws[:-1])
    assert regret <= rounds / v + 2 * alpha / v + v / (4 * alpha) * np.sum(rewards**2)
    t = np.arange(rounds + 1)
    assert (np.sum(queues**2, axis=1) <= 2 * t * (v + 1) + 4 * alpha).all()
    # and the queue covers what is truly owed, but for the moves from point to point
    moved = np.abs(np.diff(laws, axis=0))
    assert (np.sum(TARGETS - rewards * laws[:-1], axis=0) <= queues[-1] + moved.sum(axis=0) + 1e-9).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bq.NeelyYu(v=-1.0), "v is -1; it must be at least 0"),
        (lambda: bq.NeelyYu(alpha=0.0), "alpha is 0; it must be greater than 0"),
        (lambda: bq.NeelyYu(v=1.0).start([0.1, 0.0]), "rounds is not known, and alpha = rounds needs it"),
        (lambda: bq.NeelyYu(alpha=9.0).start([0.1, 0.0]), r"rounds is not known, and V = sqrt\(rounds\)"),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
    assert bq.NeelyYu(1.0, 9.0).start([0.1, 0.0]).choose().round == 1
