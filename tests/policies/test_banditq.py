"""BanditQ against its twin, round by round, and the laws it obeys."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import banditq as bq
from banditq.kernels.noise import Stream, scramble, stream_key
from twins.bandit_learners import Exp3Twin, LogBarrierTwin, TsallisTwin
from twins.banditq import BanditQTwin
from twins.full_learners import AdaHedgeTwin, HedgeTwin, OGATwin, SoloTwin, SquintTwin

MEANS = np.array([0.335, 0.203, 0.241, 0.781, 0.617])
TARGETS = np.array([0.167, 0.067, 0, 0, 0])

BANDIT = {
    "logbarrier": (bq.LogBarrier(), LogBarrierTwin),
    "tsallis-rv": (bq.TsallisInf(), lambda n: TsallisTwin(n, "rv")),
    "tsallis-iw": (bq.TsallisInf("iw"), lambda n: TsallisTwin(n, "iw")),
    "exp3": (bq.Exp3(), lambda n: Exp3Twin(n, 0.0)),
    "exp3ix": (bq.Exp3IX(), lambda n: Exp3Twin(n, 0.5)),
}
FULL = {
    "oga": (bq.OGA(), OGATwin),
    "squint": (bq.Squint(), SquintTwin),
    "adahedge": (bq.AdaHedge(), AdaHedgeTwin),
    "hedge": (bq.Hedge(), HedgeTwin),
    "solo": (bq.SoloFTRL(), SoloTwin),
}
FORMS = {
    "fixed": ({"v": 20.0}, {"v": 20.0}),
    "zero": ({"v": 0.0}, {"v": 0.0}),
    "after": ({"v": 20.0, "queue": "after"}, {"v": 20.0, "after": True}),
    "anytime": ({"horizon": None, "growth": 2.0}, {"growth": 2.0}),
    "backlog": (
        {"v": 20.0, "backlog": (1.3, 2.8, 9.0, 9.0, 9.0)},
        {"v": 20.0, "start": [26.0, 56.0, 0.0, 0.0, 0.0]},
    ),
}


def compare_with_twin(policy, twin, *, rounds=150, delay=0, targets=TARGETS, seed=3):
    """Walk both along the same arms and rewards; every law must agree."""
    rng = np.random.default_rng(seed)
    agent = policy.start(targets, seed=seed)
    waiting = []
    for t in range(rounds):
        law = agent.law()
        choice, record = agent.choose(), twin.open()
        assert_allclose(law, record["law"], rtol=1e-7, atol=1e-12, err_msg=f"round {t + 1}")
        assert_allclose(choice.probability, record["law"][choice.arm], rtol=1e-7)
        rewards = (rng.random(MEANS.size) < MEANS).astype(float)
        waiting.append((choice, record, rewards))
        while waiting and (len(waiting) > delay or t == rounds - 1):
            choice, record, rewards = waiting.pop(int(rng.integers(len(waiting))))
            agent.learn(choice, rewards if policy.feedback == "full" else rewards[choice.arm])
            twin.learn(record, choice.arm, rewards)


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("name", BANDIT)
def test_bandit_agrees_with_its_twin(name, delay):
    learner, twin = BANDIT[name]
    policy = bq.BanditQ(learner=learner, v=20.0)
    compare_with_twin(policy, BanditQTwin(TARGETS, twin(5), full=False, v=20.0), delay=delay)


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("name", FULL)
def test_full_information_agrees_with_its_twin(name, delay):
    learner, twin = FULL[name]
    policy = bq.BanditQ("full", learner, v=20.0)
    rounds = 60 if name in ("squint", "adahedge") else 150
    compare_with_twin(policy, BanditQTwin(TARGETS, twin(5), full=True, v=20.0), delay=delay, rounds=rounds)


@pytest.mark.parametrize("feedback", ["bandit", "full"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_agrees_with_its_twin(form, feedback):
    options, twin_options = FORMS[form]
    full = feedback == "full"
    learner, twin = FULL["hedge"] if full else BANDIT["tsallis-rv"]  # both look at the bound
    policy = bq.BanditQ(feedback, learner, **options)
    compare_with_twin(policy, BanditQTwin(TARGETS, twin(5), full=full, **twin_options), delay=2)


def test_as_published_is_the_authors_code():
    policy = bq.BanditQ.as_published("full")
    twin = BanditQTwin(TARGETS, OGATwin(5, alpha=np.sqrt(0.5)), full=True, v=30.0, after=True)
    compare_with_twin(
        bq.BanditQ("full", policy.learner, v=30.0, queue=policy.queue, unit=policy.unit), twin
    )
    # its V is √rounds in plain units whatever the largest reward is, and rewards are not scaled
    assert policy.weight(bq.Terms(TARGETS, 2.0, 100)) == 10.0
    assert policy.state(bq.Terms(TARGETS, 2.0, 100)).books.rules.scale == 1.0


@pytest.mark.parametrize("name", [*BANDIT, *FULL])
def test_without_targets_it_is_its_learner(name):
    """The learner driven by hand on V times the rewards plays the very same arms with the same odds."""
    full = name in FULL
    learner, _ = (FULL if full else BANDIT)[name]
    v, rounds = 37.0, 300
    agent = bq.BanditQ("full" if full else "bandit", learner, v=v).start(np.zeros(5), seed=5)
    state = learner.state(5)
    bound = v if bq.uses_bound(state) else np.inf
    key = stream_key(5, 0, Stream.CHOICES)
    rng = np.random.default_rng(0)
    for t in range(1, rounds + 1):
        rewards = (rng.random(5) < MEANS).astype(float)
        law = np.zeros(5)
        bq.law(state, bound, law)
        assert_array_equal(agent.law(), law)
        choice = agent.choose()
        if full:
            agent.learn(choice, rewards)
            bq.learn(state, law, v * rewards, bound)
        else:
            arm, probability = bq.draw(state, bound, scramble(key, t))
            assert (choice.arm, choice.probability) == (arm, probability)
            agent.learn(choice, rewards[arm])
            bq.learn(state, arm, probability, v * rewards[arm], bound)


@pytest.mark.parametrize("feedback", ["bandit", "full"])
@pytest.mark.parametrize("explicit", [False, True])
def test_the_unit_of_reward_does_not_matter(feedback, explicit):
    """Rewards, targets, reward_max and V scaled together (by a power of two) change nothing."""

    def play(unit):
        v = 30.0 * unit if explicit else None
        problem = bq.Problem(MEANS * unit, TARGETS * unit, reward_max=unit)
        return bq.simulate(bq.BanditQ(feedback, v=v), problem, 400, seed=1)

    one, eight = play(1.0), play(8.0)
    assert_array_equal(one.played, eight.played)
    assert_allclose(eight.queues(), 8.0 * one.queues(), rtol=1e-12)
    assert_allclose(eight.regret(), 8.0 * one.regret(), rtol=1e-9, atol=1e-9)


def test_the_backlog_removes_the_standing_shortfall():
    """With the true prices the control queue starts where it settles, so nothing is owed for good."""
    problem = bq.instance("paper-5").problem
    rounds, runs = 100_000, 20
    plain = bq.simulate(bq.BanditQ("full"), problem, rounds, runs=runs)
    started = bq.simulate(bq.BanditQ("full", backlog=tuple(problem.price)), problem, rounds, runs=runs)
    standing = np.sqrt(rounds) * problem.price[problem.protected].max()
    samples = started.shortfall()[:, -1].max(axis=-1)
    error = samples.std(ddof=1) / np.sqrt(runs)
    assert plain.violation()[-1] > 0.8 * standing
    assert started.violation()[-1] < 0.1 * standing + 4 * error  # 1 in 30 000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"feedback": "none"}, "feedback is 'none'; it must be one of 'bandit', 'full'"),
        ({"v": -1.0}, "v is -1; it must be at least 0"),
        ({"v": float("nan")}, "v is nan; it must be a finite number"),
        ({"horizon": None, "v": 3.0}, "set growth instead"),
        ({"horizon": "long"}, "horizon is 'long'"),
        ({"growth": 0.0}, "growth is 0; it must be greater than 0"),
        ({"queue": "during"}, "queue is 'during'"),
        (
            {"learner": bq.OGA()},
            "learns from 'full' feedback, but feedback is 'bandit'; give feedback='full'",
        ),
        ({"learner": bq.TsallisInf}, r"learner is the class TsallisInf; write TsallisInf\(\)"),
        ({"learner": 3}, r"learner is 3; it must be a learner such as bq.TsallisInf\(\)$"),
        (
            {"learner": "squint", "feedback": "full"},
            r"'squint'; it must be a learner such as bq.Squint\(\)$",
        ),
        ({"learner": bq.UCB1()}, "it must be a learner such as"),
        ({"v": 10**400}, "v is 1000.* it must be a finite number"),
        ({"backlog": (1.0, -2.0)}, r"backlog\[1\] is -2"),
        ({"backlog": (1.0,), "horizon": None}, "backlog needs a fixed V"),
        ({"unit": 0.0}, "unit is 0"),
    ],
)
def test_bad_options_say_what_works(options, words):
    with pytest.raises(bq.InvalidInput, match=words):
        bq.BanditQ(**options)


@pytest.mark.parametrize("learner", [None, 3, bq.TsallisInf, "hedge"])
def test_only_a_learner_plays_alone(learner):
    with pytest.raises(bq.InvalidInput, match="learner is"):
        bq.Alone(learner)


def test_an_unknown_number_of_rounds_is_asked_for():
    with pytest.raises(bq.InvalidInput, match=r"V = sqrt\(rounds\) needs it"):
        bq.BanditQ().start([0.1, 0.0])
