"""What the paper proves, seen to hold on simulated runs; the room left is stated with each.

A mean over runs may exceed its expectation by 5 standard errors: a false alarm in 3.5 million.
"""

import numpy as np
import pytest

import banditq as bq
from banditq import theory

PAPER = bq.instance("paper-5").problem
INSTANCES = {
    "paper-5": PAPER,
    "gap-0": bq.instance("gap-0").problem,  # no slack at all
    "gap-90": bq.instance("gap-90").problem,
    "protected best": bq.Problem([0.9, 0.3, 0.2], [0.5, 0.1, 0.0]),
    "certain": bq.Problem([1.0, 0.4, 0.0], [0.5, 0.1, 0.0]),
    "many": bq.Problem(np.linspace(0.1, 0.9, 40), np.where(np.arange(40) < 3, 0.02, 0.0)),
}


def at_most(samples, bound):
    """The mean over runs is at most the bound, within five standard errors."""
    error = samples.std(ddof=1, axis=0) / np.sqrt(len(samples))
    assert (samples.mean(axis=0) <= bound + 5 * error).all(), (samples.mean(axis=0), bound)


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize("alpha", [1.0, np.sqrt(0.5)])
def test_the_bounds_of_full_information_hold_at_every_checkpoint(name, alpha):
    """Theorem 2 and the proposition on averages; the bounds leave room for three times as much here."""
    problem, rounds = INSTANCES[name], 10_000
    policy = bq.BanditQ("full", bq.OGA(alpha))
    run = bq.simulate(policy, problem, rounds, runs=10, checkpoints=100)
    n, v, t = problem.n_arms, np.sqrt(rounds), run.rounds
    at_most(run.regret(), theory.regret(n, t, v, alpha))
    at_most(run.queues(), theory.violation(n, t, v, alpha)[:, None])
    every = bq.simulate(policy, problem, rounds, runs=4, checkpoints=range(1, rounds + 1))
    at_most(every.regret().mean(axis=1), theory.average_regret(n, rounds, v, alpha))


@pytest.mark.parametrize("name", INSTANCES)
def test_without_care_for_reward_the_debt_is_at_most_six_root_t(name):
    """V = 0. Without slack the queue comes to a twentieth of the bound, elsewhere to less."""
    problem = INSTANCES[name]
    run = bq.simulate(bq.BanditQ("full", v=0.0), problem, 20_000, runs=20, checkpoints=50)
    at_most(run.queues(), theory.violation_without_reward(run.rounds)[:, None])
    at_most(run.shortfall(), theory.violation_without_reward(run.rounds)[:, None])


def test_without_targets_regret_grows_like_the_root():
    """λ = 0: t/V + 2√(2Nt), at every checkpoint."""
    free = bq.Problem(PAPER.means, np.zeros(5))
    run = bq.simulate(bq.BanditQ("full"), free, 50_000, runs=10, checkpoints=50)
    at_most(run.regret(), theory.regret_without_targets(5, run.rounds, np.sqrt(50_000)))


@pytest.mark.parametrize("name", ["paper-5", "many"])
def test_tsallis_keeps_its_bound_on_the_surrogate_problem(name):
    """Regret of the surrogate gains against every fixed arm is at most 4√(N E ΣB²) in expectation."""
    problem, rounds, runs = INSTANCES[name], 3000, 40
    excess = np.zeros((runs, problem.n_arms))
    for seed in range(runs):
        agent = bq.BanditQ(learner=bq.TsallisInf("iw"), v=50.0).start(problem.targets, seed=seed)
        rng = np.random.default_rng(seed)
        gains, squares, gained = np.zeros(problem.n_arms), 0.0, 0.0
        for _ in range(rounds):
            choice = agent.choose()
            *_, bound, _ = agent._open[choice.id]
            debts = agent._state.books
            queue = debts.queue + debts.targets * (debts.clock[0] - 1 - debts.touched)
            rewards = (rng.random(problem.n_arms) < problem.means).astype(float)
            surrogate = (queue + 50.0) * rewards
            gains += surrogate
            gained += surrogate[choice.arm]
            squares += bound**2
            agent.learn(choice, rewards[choice.arm])
        excess[seed] = (gains - gained) / np.sqrt(problem.n_arms * squares)
    at_most(excess, theory.tsallis_regret(1, 1.0))


@pytest.mark.parametrize("feedback", ["full", "bandit"])
def test_the_papers_five_arms(feedback):
    """Both promises are met but for the standing debt V · price, and the rest goes to arm 3."""
    rounds, runs = 2_000_000, 20
    run = bq.simulate(bq.BanditQ(feedback), PAPER, rounds, runs=runs, arms="all")
    standing = theory.standing_shortfall(np.sqrt(rounds), PAPER.price)
    promised = PAPER.protected
    at_most(run.shortfall()[:, -1, promised], standing[promised])
    settled = run.queues()[:, run.rounds > rounds // 2][:, :, promised].mean(axis=1)
    error = settled.std(ddof=1, axis=0) / np.sqrt(runs)
    # V · price is where a fluid queue settles; a real one, reflected at zero, lies a little above it
    assert (
        np.abs(settled.mean(axis=0) - standing[promised]) <= 0.05 * standing[promised] + 5 * error
    ).all()
    shares = run.played[:, -1] / rounds
    error = shares.std(ddof=1, axis=0) / np.sqrt(runs)
    mix = PAPER.benchmark().mix
    owed = standing / PAPER.means / rounds  # the share that the standing debt has not been given
    slack = np.where(PAPER.targets > 0, owed, owed[promised].sum() + 4 * np.sqrt(5 / rounds)) + 5 * error
    assert (np.abs(shares.mean(axis=0) - mix) <= slack).all()
    at_most(run.priced_regret()[None, -1:].repeat(2, axis=0), theory.regret(5, rounds, np.sqrt(rounds)))


def test_the_anytime_form_keeps_its_promises_at_every_scale():
    """No number of rounds is given; the debt grows like V_t · price."""
    rounds, runs = 400_000, 20
    run = bq.simulate(
        bq.BanditQ("full", horizon=None), PAPER, rounds, runs=runs, checkpoints=[4000, 40_000]
    )
    for j, t in enumerate(run.rounds):
        standing = theory.standing_shortfall(np.sqrt(t), PAPER.price[PAPER.protected])
        at_most(run.shortfall()[:, j], 1.1 * standing)  # a tenth for the rounds before it settled
