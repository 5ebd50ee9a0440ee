"""QueueFirst: against the twin, and the queues that its slack bounds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import banditq as bq
from banditq.kernels.noise import scramble, uniform
from banditq.kernels.protocol import choose, learn
from banditq.policies.base import Terms
from mixture_driver import walk
from policy_driver import KEY, play, table
from twins import floors as twin

DYADIC = np.array([0.125, 0.0, 0.0625, 0.25])  # queues, and the ties between them, are exact
PLAIN = np.array([0.167, 0.0, 0.067, 0.0, 0.11])


def split(targets, epsilon):
    n_arms = len(targets)

    def by_history(events):
        needy = twin.neediest(events, targets)
        served = (1 - epsilon) * np.eye(n_arms)[needy] if needy >= 0 else np.zeros(n_arms)
        return served + epsilon / n_arms, 1 - epsilon if needy < 0 else 0.0

    return by_history


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
@pytest.mark.parametrize("targets", [DYADIC, PLAIN], ids=["dyadic", "plain"])
def test_it_agrees_with_its_twin(targets, epsilon, late):
    policy = bq.QueueFirst(epsilon=epsilon)
    state, events = walk(
        policy, targets, split(targets, epsilon), late=late, rounds=250, reward_max=4.0, fractional=not late
    )
    lines = state.lines
    now = lines.targets * (lines.behind + (lines.clock[0] - lines.touched))
    assert_allclose(now / 4.0, twin.queues(events, targets)[lines.protected], atol=1e-11)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("residual", [bq.EpsilonGreedy(), bq.TsallisInf()], ids=str)
def test_every_residual_agrees_with_its_twin(residual, late):
    policy = bq.QueueFirst(residual=residual, epsilon=0.1)
    walk(policy, PLAIN, split(PLAIN, 0.1), late=late, rounds=200)


@pytest.mark.parametrize("targets", [[0.5], [0.5, 0.5], [0.0, 0.0], [0.9, 0.4, 0.0]], ids=str)
def test_odd_targets_agree_with_the_twin(targets):
    walk(bq.QueueFirst(), np.array(targets), split(np.array(targets), 0.0), rounds=60)


def test_the_arms_it_explores_are_drawn_uniformly_from_a_draw_of_their_own():
    state = bq.QueueFirst(epsilon=0.5).state(Terms(PLAIN, 1.0, None))
    for t in range(100):
        noise, needy = scramble(KEY, t), t if t < 5 else -1
        decision = choose(state, noise)
        if uniform(noise, 0) < 0.5:
            assert decision.arm == int(5 * uniform(noise, 2))
        elif needy >= 0:
            assert decision.arm == needy
        learn(state, decision, 1.0)


def test_compiled_and_interpreted_agree():
    rewards, terms = table(200, 4, fractional=True), Terms(DYADIC, 1.0, None)
    policy = bq.QueueFirst(epsilon=0.1)
    fast, slow = play(policy.state(terms), rewards), play(policy.state(terms), rewards, compiled=False)
    for a, b in zip(fast, slow, strict=True):
        assert_array_equal(a, b)


def work_bound(problem):
    """The protected means, the level B and the slack: see the class."""
    means, targets = problem.means[problem.protected], problem.targets[problem.protected]
    level = ((1 + targets) / means).sum()
    assert level >= problem.n_arms * problem.load  # what the first rounds, a turn for each arm, may leave
    return means, level, 1 - problem.load


@pytest.mark.parametrize("name", ["paper-5", "gap-10", "gap-50"])
def test_queues_stay_bounded_with_slack(name):
    """Work above B is below a Lindley walk of increments load − r/μ while a queue is served, of mean −s.

    From (Z + ξ)⁺² ≤ (Z + ξ)² the mean of Z over time is at most σ²/2s. And with ρ = E exp(θξ) < 1,
    E exp(θZ') ≤ 1 + ρ E exp(θZ) ≤ 1/(1 − ρ), so that Z passes z in some round of some run with
    probability at most T · runs · exp(−θz)/(1 − ρ), for every θ.
    """
    problem, rounds, runs = bq.instance(name).problem, 50_000, 24
    means, level, slack = work_bound(problem)
    run = bq.simulate(
        bq.QueueFirst(), problem, rounds, runs=runs, seed=5, checkpoints=range(25, rounds, 25)
    )
    work = (run.queues() / means).sum(axis=-1)

    variance = slack**2 + ((1 - means) / means).max()  # Bernoulli
    samples = work.mean(axis=1)
    error = samples.std(ddof=1) / np.sqrt(runs)
    assert samples.mean() <= level + variance / (2 * slack) + 5 * error  # false alarm: 1 in 40 000

    theta = np.linspace(1e-3, 1, 1000)[:, None]
    rho = (np.exp(theta * problem.load) * (1 + means * np.expm1(-theta / means))).max(axis=1)
    theta, rho = theta[rho < 1, 0], rho[rho < 1]
    z = ((np.log(rounds * runs / 1e-6) - np.log1p(-rho)) / theta).min()
    assert (run.peak / means).max() <= level + z  # 1 in a million


def test_no_service_is_lost_on_an_empty_queue():
    """What a queue lost at 0 is reward of the first turn, or of the residual learner's own choices."""
    rewards, targets = table(3000, 5), PLAIN
    state = bq.QueueFirst().state(Terms(targets, 1.0, None))
    accrued, unasked = np.zeros((2, 5))
    for t in range(3000):
        decision = choose(state, scramble(KEY, t))
        reward = rewards[t, decision.arm]
        learn(state, decision, reward)
        accrued[decision.arm] += reward
        unasked[decision.arm] += reward if t < 5 or decision.queue > 0.0 else 0.0
    lines = state.lines
    queues = lines.targets * (lines.behind + (3000 - lines.touched))
    lost = queues - (3000 * targets - accrued)[lines.protected]
    assert (lost > -1e-9).all()
    assert (lost <= unasked[lines.protected] + 1e-9).all()


def test_it_and_the_floors_beat_banditq_by_a_wide_margin():
    """The paper's instance at T = 10⁵ in priced regret, with shortfalls by pulls, which has less noise."""
    problem, rounds, runs = bq.instance("paper-5").problem, 100_000, 64
    kept = problem.protected
    charged = {}
    for policy in (bq.QueueFirst(), bq.GOC(), bq.BanditQ()):
        run = bq.simulate(policy, problem, rounds, runs=runs, checkpoints=1)
        short = problem.targets[kept] * rounds - problem.means[kept] * run.played[:, -1]
        charge = np.where(short.mean(axis=0) > 0, short * run.price, 0.0).sum(axis=1)
        charged[type(policy)] = run.regret()[:, -1] + charge
    for better in (bq.QueueFirst, bq.GOC):
        difference = charged[bq.BanditQ] - charged[better]
        error = difference.std(ddof=1) / np.sqrt(runs)
        assert difference.mean() - 4 * error > charged[better].mean()  # false alarm: 1 in 10 000


def test_it_logs_propensities_only_if_it_mixes():
    assert not bq.QueueFirst().logs_propensities
    assert bq.QueueFirst(epsilon=0.1).logs_propensities
    assert not bq.QueueFirst(bq.ThompsonSampling(), epsilon=0.1).logs_propensities


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bq.QueueFirst(epsilon=1.5), "epsilon is 1.5; it must be between 0 and 1"),
        (lambda: bq.QueueFirst(epsilon=-0.1), "epsilon is -0.1"),
        (lambda: bq.QueueFirst(residual=bq.OGA()), "residual is OGA"),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(bq.InvalidInput, match=words):
        make()
