"""Floors with a residual learner: against the twin, and what theory promises."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import banditq as bq
from banditq.kernels.noise import scramble, uniform
from banditq.kernels.protocol import choose, law, learn
from banditq.policies.base import Terms
from mixture_driver import walk
from policy_driver import KEY, play, table
from twins import floors as twin
from twins import plain_policies

TARGETS = np.array([0.167, 0.0, 0.067, 0.0, 0.11])
FORMS = {
    bq.GOC: ("mean", False),
    bq.SGOC: ("mean", True),
    bq.DOC: ("upper", False),
    bq.POC: ("lower", False),
    bq.SPOC: ("lower", True),
}
RESIDUALS = [bq.KLUCB(), bq.UCB1(), bq.EpsilonGreedy(), bq.TsallisInf()]


def split(form, targets, width=3.03):
    return partial(twin.floors, targets=targets, kind=FORMS[form][0], switch=FORMS[form][1], width=width)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_agrees_with_its_twin(form, late):
    policy = form(width=0.2)  # narrow enough that all bounds leave a share before long
    _, events = walk(policy, TARGETS, split(form, TARGETS, 0.2), late=late, reward_max=3.0, fractional=late)
    shares = [split(form, TARGETS, 0.2)(events[:k])[1] for k in range(10, len(events), 29)]
    assert max(shares) > 0.0


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("residual", RESIDUALS, ids=str)
def test_every_residual_agrees_with_its_twin(residual, late):
    walk(bq.GOC(residual=residual), TARGETS, split(bq.GOC, TARGETS), late=late, fractional=late, seed=1)


@pytest.mark.parametrize("form", [bq.GOC, bq.SPOC])
@pytest.mark.parametrize(
    "targets", [[0.3], [0.5, 0.5], [0.0, 0.0, 0.0], [0.9, 0.4, 0.0], [1.2, 0.3], [0.25] * 4], ids=str
)
def test_odd_targets_agree_with_the_twin(form, targets):
    """One arm; all of a round promised; nothing promised; more than can be kept; all arms protected."""
    targets = np.array(targets)
    walk(form(), targets, split(form, targets), rounds=60)


def test_arms_are_drawn_by_inversion():
    """A uniform draw below Σq falls on a floor, in order; above, it is the residual learner's turn."""
    rewards = table(200, 5)
    state, events = bq.GOC().state(Terms(TARGETS, 1.0, None)), []
    turns = 0
    for t in range(200):
        floors, _ = twin.floors(events, TARGETS, "mean", False, 3.03)
        passed = np.flatnonzero(uniform(scramble(KEY, t), 0) < np.cumsum(floors) - 1e-12)
        own = plain_policies.kl_ucb(twin.plain(events), 5)
        decision = choose(state, scramble(KEY, t))
        assert decision.arm == (passed[0] if passed.size else own)
        turns += not passed.size
        learn(state, decision, rewards[t, decision.arm])
        events += [("open", decision.arm, False), ("reward", decision.arm, rewards[t, decision.arm], t + 1)]
    assert turns > 10


def test_thompson_sampling_as_a_residual_logs_no_propensities():
    policy = bq.GOC(residual=bq.ThompsonSampling())
    assert not policy.logs_propensities
    rewards, targets = table(80, 3), np.array([0.2, 0.0, 0.1])
    arms, probabilities, laws = play(policy.state(Terms(targets, 1.0, None)), rewards)
    assert (probabilities == 1.0).all()
    events = []
    for t, arm in enumerate(arms):
        if t in (3, 20, 79):
            floors, share = twin.floors(events, targets, "mean", False, 3.03)
            odds = plain_policies.thompson_law(twin.plain(events), 3)
            np.testing.assert_allclose(laws[t], floors + share * odds, atol=1e-9)
        events += [("open", arm, False), ("reward", arm, rewards[t, arm], t + 1)]
    residual = play_counts(policy, rewards, targets)
    assert_array_equal(residual.seen, np.bincount(arms, minlength=3))


def play_counts(policy, rewards, targets):
    state = policy.state(Terms(targets, 1.0, None))
    play(state, rewards)
    return state.residual.policy.counts


@pytest.mark.parametrize("residual", [bq.KLUCB(), bq.EpsilonGreedy(), bq.UCB1()], ids=str)
def test_a_residual_that_counts_sees_every_round_as_its_own(residual):
    policy = bq.DOC(residual=residual)
    state = policy.state(Terms(TARGETS, 1.0, None))
    arms, _, _ = play(state, table(100, 5))
    counts = state.residual.policy.counts
    assert counts.clock[0] == 100
    assert_array_equal(counts.opened, np.bincount(arms, minlength=5))
    assert_array_equal(counts.gained, state.books.counts.gained)


@pytest.mark.parametrize("learner", [bq.TsallisInf(), bq.LogBarrier()], ids=str)
@pytest.mark.parametrize("policy", [bq.DOC, bq.QueueFirst, bq.ETCAnytime])
def test_a_learner_is_on_its_own_rounds_as_it_would_be_alone(policy, learner):
    """The same draws from the same keys, the same rewards, bit for bit, as if no other round had been."""
    rewards, terms = table(300, 5), Terms(TARGETS, 1.0, 300)
    state = policy(residual=learner).state(terms)
    alone = bq.Alone(learner).state(Terms(np.zeros(5), 1.0, 300))
    own = 0
    for t in range(300):
        decision = choose(state, scramble(KEY, t))
        if decision.queue > 0:
            same = choose(alone, scramble(scramble(KEY, t), 1))
            assert (same.arm, same.probability) == (decision.arm, decision.queue)
            learn(alone, same, rewards[t, same.arm])
            own += 1
        learn(state, decision, rewards[t, decision.arm])
    assert 30 < own < 300
    for mine, same in zip(state.residual.policy.learner, alone.learner, strict=True):
        assert_array_equal(mine, same)


def test_the_law_changes_nothing_and_compiled_and_interpreted_agree():
    rewards = table(150, 5, fractional=True)
    for form in (bq.SGOC, bq.SPOC):
        one, other, silent = (form(width=0.2).state(Terms(TARGETS, 1.0, None)) for _ in range(3))
        fast, slow = play(one, rewards), play(other, rewards, compiled=False)
        for a, b in zip(fast, slow, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)
        for t in range(150):  # never asked for its law
            decision = choose(silent, scramble(KEY, t))
            assert (decision.arm, decision.probability) == (slow[0][t], slow[1][t])
            learn(silent, decision, rewards[t, decision.arm])
        assert_array_equal(silent.books.own, other.books.own)


@pytest.mark.parametrize("form", [bq.DOC, bq.QueueFirst, bq.ETC, bq.ETCAnytime])
def test_without_targets_it_is_its_residual(form):
    """KL-UCB plays each arm once first by itself, and draws nothing."""
    problem = bq.Problem([0.2, 0.5, 0.4], [0.0] * 3)
    plain, mixed = (bq.simulate(policy, problem, 500, arms="all") for policy in (bq.KLUCB(), form()))
    assert_array_equal(plain.played, mixed.played)


@pytest.mark.parametrize("name", ["paper-5", "gap-10"])
def test_doc_never_under_serves_beyond_its_bound(name):
    """E shortfall ≤ N λ + E √(8 w n ln T) + λ B, B the rounds in which a bound fails, in expectation.

    While every upper bound holds, Σ λ/U ≤ load ≤ 1 and x ≥ q = λ/U, so a round falls short by at most
    q (U − μ) ≤ x (U − μ). With μ̂ − μ and U − μ̂ both below √(w ln t / 2n) (Pinsker) that is at most
    x √(2 w ln t / n), and E Σ x_t g(n_t) = E Σ_{n ≤ n_T} g(n) with Σ n^(−1/2) ≤ 2 √n_T. A deviation
    of either side has probability at most t · t^(−w) (a union over n); B ≤ N + 2 |P| Σ t^(1 − w).
    """
    problem, rounds, runs, width = bq.instance(name).problem, 100_000, 24, 3.03
    run = bq.simulate(bq.DOC(), problem, rounds, runs=runs, seed=3, checkpoints=1)
    shortfall, pulls = run.shortfall()[:, -1], run.played[:, -1]
    targets = problem.targets[problem.protected]
    t = np.arange(2.0, rounds + 1)
    failures = problem.n_arms + 2 * targets.size * (t ** (1 - width)).sum()
    bound = np.sqrt(8 * width * pulls * np.log(rounds)).mean(axis=0) + targets * failures
    error = shortfall.std(axis=0, ddof=1) / np.sqrt(runs)
    assert (shortfall.mean(axis=0) <= bound + 5 * error).all()  # false alarm: 1 in 40 000


def test_caution_decides_who_is_short():
    """Upper bounds owe, lower bounds over-serve, means do neither: at 5 standard errors, all arms."""
    problem, rounds, runs = bq.instance("paper-5").problem, 20_000, 24
    owed = {}
    for form in (bq.GOC, bq.DOC, bq.POC):
        samples = bq.simulate(form(), problem, rounds, runs=runs, seed=1, checkpoints=1).shortfall()[:, -1]
        owed[form] = samples.mean(axis=0), samples.std(axis=0, ddof=1) / np.sqrt(runs)
    mean, error = owed[bq.DOC]
    assert (mean > 5 * error).all()
    mean, error = owed[bq.POC]
    assert (mean < -5 * error).all()
    for form in (bq.DOC, bq.POC):
        assert (abs(owed[bq.GOC][0]) < abs(owed[form][0])).all()


@pytest.mark.parametrize("form", FORMS)
def test_named_forms_come_back_by_name(form):
    assert bq.Config.parse(form.__name__.lower()) == form()
    assert bq.Config.parse(f"{form.__name__}(residual=tsallis-inf)".replace("-", "")) == form(
        residual=bq.TsallisInf()
    )
    for policy in (form(), form(residual=bq.Exp3(), width=1.0)):
        assert bq.Policy.from_dict(policy.to_dict()) == policy
    kind, switch = FORMS[form]
    assert (form.index, form.switch) == (kind, switch)
    general = bq.FloorPlusLearner(kind, switch).state(Terms(TARGETS, 1.0, None)).books
    named = form().state(Terms(TARGETS, 1.0, None)).books
    assert (named.kind, named.switch, named.width) == (general.kind, general.switch, general.width)


def test_a_base_is_no_configuration():
    with pytest.raises(bq.InvalidInput, match="not a policy"):
        bq.Policy.parse("named")


class Timid:
    """A plain Python residual learner that always plays the first arm."""

    def draw(self, bound, noise):
        return 0, 1.0

    def learn(self, arm, probability, gain, bound):
        pass

    def law(self, bound, out):
        out[:] = 0.0
        out[0] = 1.0


@dataclass(frozen=True)
class TimidLearner(bq.Learner):
    feedback = "bandit"

    def state(self, n_arms):
        return Timid()


def test_somebodys_plain_python_learner_may_be_the_residual():
    problem = bq.Problem([0.4, 0.5], [0.0, 0.2])
    run = bq.simulate(bq.GOC(residual=TimidLearner()), problem, 400, arms="all", progress=False)
    assert run.info["compiled"] is False
    assert run.played[0, -1, 1] < 320
    agent = bq.GOC(residual=TimidLearner()).start([0.0, 0.2])
    for _ in range(20):
        agent.learn(agent.choose(), 1.0)
    np.testing.assert_allclose(agent.law(), [0.8, 0.2])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bq.FloorPlusLearner("middle"), "index is 'middle'"),
        (lambda: bq.DOC(width=0.0), "width is 0; it must be greater than 0"),
        (lambda: bq.DOC(residual=bq.OGA()), "residual is OGA.*it must be a bandit policy or learner"),
        (lambda: bq.DOC(residual=3), "residual is 3"),
        (lambda: bq.DOC(residual=bq.LFG((0.5, 0.5))), "needs pull fractions; it must get by without"),
        (lambda: bq.DOC(residual=bq.GOC()), "has a residual of its own"),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(bq.InvalidInput, match=words):
        make()


def test_law_of_many_arms_is_exact():
    """2 000 promises at once: every law sums to one and agrees with the logged probability."""
    state = bq.DOC().state(Terms(np.full(2000, 0.4 / 2000), 1.0, None))
    rng, out = np.random.default_rng(0), np.empty(2000)
    for t in range(2050):
        decision = choose(state, scramble(KEY, t))
        learn(state, decision, float(rng.random() < 0.6))
    law(state, out)
    assert abs(out.sum() - 1) < 1e-12
    decision = choose(state, scramble(KEY, 2050))
    assert decision.probability == pytest.approx(out[decision.arm], rel=1e-12)
