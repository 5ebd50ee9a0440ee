"""FairLearn and StrictRateUCB: the arms of their twins, and no arm ever further behind than is proven."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import banditq as bq
from banditq.errors import Infeasible, InvalidInput, Unproven
from banditq.policies.fair_learn import FairLearn
from banditq.policies.strict_rate import StrictRateUCB
from policy_driver import play, play_late, start, table
from twins import pull_policies as twin

# sums of multiples of 1/64 are exact, and so are the ties that go to the lowest arm
DYADIC = {1: (0.75,), 2: (0.5, 0.5), 4: (0.25, 0.0, 0.375, 0.125), 7: (0.25, 0.25, 0, 0, 1 / 64, 0.125, 0)}
UNEVEN = tuple(share / 64 for share in (58, 4, 1, 1, 0))
TWINS = {
    "fair": (FairLearn, lambda events, f: twin.fair_learn(events, f, 0.0)),
    "tolerant": (lambda f: FairLearn(f, alpha=2.5), lambda events, f: twin.fair_learn(events, f, 2.5)),
    "strict": (StrictRateUCB, twin.strict_rate),
}


def proven_or_not(make, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Unproven)
        return make(*args)


def lag_of(arms, fractions):
    """How far behind its fraction each arm is after each round."""
    pulls = np.cumsum(arms[:, None] == np.arange(len(fractions)), axis=0)
    return np.arange(1, len(arms) + 1)[:, None] * np.array(fractions) - pulls


@pytest.mark.parametrize("n_arms", DYADIC)
@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("fractional", [False, True])
def test_it_plays_the_arms_of_its_twin(name, n_arms, fractional):
    make, expected = TWINS[name]
    rewards, reward_max, fractions = table(200, n_arms, fractional=fractional), 3.0, DYADIC[n_arms]
    arms, probabilities, laws = play(
        start(make(fractions), n_arms, reward_max=reward_max), reward_max * rewards
    )
    events = []
    for t, arm in enumerate(arms):
        assert arm == expected(events, fractions)
        events += [("open", arm), ("reward", arm, rewards[t, arm])]
    assert (probabilities == 1.0).all()
    assert (laws == np.eye(n_arms)[arms]).all()


@pytest.mark.parametrize("name", TWINS)
def test_it_plays_the_arms_of_its_twin_when_rewards_are_late(name):
    make, expected = TWINS[name]
    for events, before, decision in play_late(start(make(DYADIC[4]), 4), table(200, 4)):
        assert decision.arm == expected(events, DYADIC[4])
        assert before[decision.arm] == 1.0


@pytest.mark.parametrize("name", TWINS)
def test_compiled_and_interpreted_agree(name):
    make, _ = TWINS[name]
    rewards = table(150, 4, fractional=True)
    fast = play(start(make((0.3, 0.1, 0.2, 0.0)), 4), rewards)
    slow = play(start(make((0.3, 0.1, 0.2, 0.0)), 4), rewards, compiled=False)
    for a, b in zip(fast, slow, strict=True):
        np.testing.assert_array_equal(a, b)


@st.composite
def shares(draw):
    """Fractions of up to seven arms, some of them 0, often with no slack."""
    weights = draw(st.lists(st.integers(0, 40), min_size=1, max_size=7))
    spare = draw(st.sampled_from([0, 0, 1, 20]))
    return tuple((np.array(weights) / max(sum(weights) + spare, 1)).tolist())


@settings(max_examples=150, deadline=None)
@given(fractions=shares(), alpha=st.sampled_from([0.0, 0.5, 3.0]), seed=st.integers(0, 2**32 - 1))
def test_no_arm_ever_lags_more_than_is_proven(fractions, alpha, seed):
    """At every round, whatever the rewards."""
    rewards = table(400, len(fractions), seed=seed)
    fair, strict = proven_or_not(FairLearn, fractions, alpha), StrictRateUCB(fractions)
    last_term = np.mean(fractions) if min(fractions) > 0 else 0.0  # of all N arms, which never lag together
    assert fair.lag == pytest.approx(alpha + twin.worst_lag(fractions, 1) - last_term, abs=1e-12)
    assert strict.lag == pytest.approx(twin.worst_lag(fractions, 2), abs=1e-12)
    for policy in (fair, strict):
        arms, _, _ = play(start(policy, len(fractions)), rewards)
        assert lag_of(arms, fractions).max() <= policy.lag + 1e-9


@settings(max_examples=50, deadline=None)
@given(n_arms=st.integers(1, 7), v=st.floats(0.0, 1.0), seed=st.integers(0, 2**32 - 1))
def test_one_rate_for_all_is_kept_as_strictly_as_whole_pulls_can(n_arms, v, seed):
    v /= n_arms
    arms, _, _ = play(start(StrictRateUCB([v] * n_arms), n_arms), table(400, n_arms, seed=seed))
    pulls = np.cumsum(arms[:, None] == np.arange(n_arms), axis=0)
    assert (pulls >= np.floor(v * np.arange(1, 401) - 1e-9)[:, None]).all()


@pytest.mark.parametrize(
    "fractions", [(0.25, 0.25, 0.25, 0.25, 0.0), (0.2,) * 5, (0.1, 0.2, 0.0, 0.25, 0.05)]
)
def test_the_floor_of_the_paper_holds_at_every_round_of_a_long_run(fractions):
    """⌊f t⌋ − n ≤ α for a whole α, as they write it."""
    problem, rounds = bq.Problem([0.1, 0.2, 0.9, 0.4, 0.3], [0.0] * 5), 20_000
    for alpha in (0, 2):
        policy = FairLearn(fractions, alpha)
        assert policy.lag <= alpha + 1 + 1e-12
        run = bq.simulate(policy, problem, rounds, arms="all", checkpoints=range(1, rounds + 1))
        floors = np.floor(run.rounds[:, None] * np.array(fractions) - 1e-9)
        assert (floors - run.played[0] <= alpha).all()
        assert (floors - run.played[0]).max() >= alpha - 1  # it does wait before it helps


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 9), st.data())
def test_under_the_condition_of_the_paper_nothing_is_unproven(n_arms, data):
    limit = 1.0 / max(n_arms - 1, 1)
    fractions = np.array(data.draw(st.lists(st.floats(0, limit), min_size=n_arms, max_size=n_arms)))
    fractions /= max(fractions.sum(), 1.0)
    assert FairLearn(fractions).lag <= 1.0 + 1e-12  # and a warning would be an error


def test_fractions_too_uneven_are_warned_of_and_an_arm_does_fall_behind():
    with pytest.warns(
        Unproven, match=r"largest is 0.90625, .* alpha \+ 1 = 1 pulls .* 1/\(n_arms - 1\) = 0.25"
    ) as seen:
        policy = FairLearn(UNEVEN)
    assert seen[0].filename == __file__
    arms, _, _ = play(start(policy, 5), table(200, 5))
    assert 1.25 < lag_of(arms, UNEVEN).max() <= policy.lag


def test_slack_is_played_as_ucb1_would():
    """Without fractions it is UCB1 itself."""
    rewards = table(300, 4)
    alone, _, _ = play(start(bq.UCB1(), 4), rewards)
    for make in (FairLearn, StrictRateUCB):
        arms, _, _ = play(start(make([0.0] * 4), 4), rewards)
        np.testing.assert_array_equal(arms, alone)


@pytest.mark.parametrize(
    "cls", [FairLearn, StrictRateUCB, bq.StochasticRateUCB, bq.ConstrainedEpsilonGreedy]
)
def test_on_a_problem_it_takes_what_the_promises_need_and_no_slack(cls):
    problem = bq.instance("paper-5-exact").problem
    assert cls.needs == "pull fractions"
    np.testing.assert_allclose(cls.on(problem).fractions, (1 / 2, 1 / 3, 0, 0, 0))
    with pytest.raises(Infeasible, match=r"load Σ λ/μ = 1.2"):
        cls.on(bq.Problem([0.5, 0.5], [0.6, 0.0]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FairLearn((0.6, 0.6)), "fractions sum to 1.2; a round has one pull"),
        (lambda: FairLearn((0.6, 0.1), alpha=-1.0), "alpha is -1; it must be at least 0"),
        (lambda: StrictRateUCB((0.6, -0.1)), r"fractions\[1\] is -0.1; it must be between 0 and 1"),
        (lambda: start(FairLearn((0.5, 0.5)), 3), "fractions has 2 numbers, but there are 3 arms"),
        (lambda: start(StrictRateUCB((0.5, 0.5)), 3), "fractions has 2 numbers, but there are 3 arms"),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
