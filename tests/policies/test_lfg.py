import numpy as np
import pytest

import banditq as bq
from banditq.errors import InvalidInput
from banditq.kernels.noise import scramble
from banditq.kernels.protocol import choose, learn
from banditq.policies.lfg import LFG
from policy_driver import KEY, play, start, table
from twins import pull_policies as twin

# sums of multiples of 1/64 are exact, and so are the ties that go to the lowest arm
DYADIC = {1: (0.75,), 2: (0.5, 0.5), 4: (0.25, 0.0, 0.625, 0.125), 7: (0.25, 0.25, 0, 0, 1 / 64, 0.125, 0)}


def check_arm(arm, values):
    assert arm == int(np.flatnonzero(values >= values.max() - 1e-11)[0])


@pytest.mark.parametrize("n_arms", DYADIC)
@pytest.mark.parametrize("eta", [0.0, 0.5, 4.0, 100.0])
@pytest.mark.parametrize("fractional", [False, True])
def test_it_plays_the_arms_of_its_twin(n_arms, eta, fractional):
    rewards, reward_max = table(300, n_arms, fractional=fractional), 3.0
    state = start(LFG(DYADIC[n_arms], eta), n_arms, reward_max=reward_max)
    arms, probabilities, laws = play(state, reward_max * rewards)
    events = []
    for t, arm in enumerate(arms):
        check_arm(arm, twin.lfg_values(events, DYADIC[n_arms], eta))
        events += [("open", arm), ("reward", arm, rewards[t, arm])]
    np.testing.assert_allclose(state.debts, twin.debts(events, DYADIC[n_arms]), atol=1e-12)
    assert (probabilities == 1.0).all()
    assert (laws == np.eye(n_arms)[arms]).all()


@pytest.mark.parametrize("fractions", [(1 / 3, 1 / 3, 1 / 3), (0.1, 0.6, 0.3), (0.7, 0.1, 0.0)])
def test_any_fractions_lead_to_an_arm_of_the_largest_value(fractions):
    """Where debts are not exact a tie may go either way."""
    rewards = table(400, 3)
    arms, _, _ = play(start(LFG(fractions, 5.0), 3), rewards)
    events = []
    for t, arm in enumerate(arms):
        values = twin.lfg_values(events, fractions, 5.0)
        assert values[arm] >= values.max() - 1e-10
        events += [("open", arm), ("reward", arm, rewards[t, arm])]


def test_it_plays_the_arms_of_its_twin_when_rewards_are_late():
    rng, rewards = np.random.default_rng(3), table(300, 4)
    state = start(LFG(DYADIC[4], 4.0), 4)
    events, waiting = [], []
    for t in range(300):
        decision = choose(state, scramble(KEY, t))
        check_arm(decision.arm, twin.lfg_values(events, DYADIC[4], 4.0))
        assert decision.round == t + 1
        events.append(("open", decision.arm))
        waiting.append(decision)
        while waiting and rng.random() < 0.6:  # any one of them, in any order
            late = waiting.pop(rng.integers(len(waiting)))
            reward = rewards[late.round - 1, late.arm]
            learn(state, late, reward)
            events.append(("reward", late.arm, reward))
    assert waiting


def test_compiled_and_interpreted_agree():
    rewards = table(200, 4, fractional=True)
    for a, b in zip(
        play(start(LFG(DYADIC[4], 4.0), 4), rewards),
        play(start(LFG(DYADIC[4], 4.0), 4), rewards, compiled=False),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("eta", [0.0, 1.0, 20.0])
@pytest.mark.parametrize("fractions", [(0.5, 0.5, 0.0), (0.2, 0.7, 0.1), (0.3, 0.4, 0.0)])
def test_every_arm_gets_its_fraction_at_every_round(eta, fractions):
    """On every path f t − n ≤ D ≤ √(2(η+1)t); with slack s no more than √(N((η+1)/s)² + 2(η+1)).

    ΣD² changes by at most 2(η + 1 − s max D) in a round: it grows only while max D < (η+1)/s.
    """
    problem, rounds = bq.Problem([0.1, 0.2, 0.9], [0.0, 0.0, 0.0]), 20_000
    run = bq.simulate(LFG(fractions, eta), problem, rounds, arms="all", checkpoints=range(1, rounds + 1))
    t, owed = run.rounds, run.rounds[:, None] * np.array(fractions) - run.played[0]
    assert (owed.max(axis=1) <= np.sqrt(2 * (eta + 1) * t) + 1e-9).all()
    slack = 1 - sum(fractions)
    if slack > 0.01:
        assert owed.max() <= np.sqrt(3 * ((eta + 1) / slack) ** 2 + 2 * (eta + 1))


def test_it_says_what_it_needs():
    assert LFG.needs == "pull fractions"
    assert bq.UCB1.needs == bq.BanditQ().needs == ""
    problem = bq.instance("paper-5-exact").problem
    np.testing.assert_allclose(LFG(problem.benchmark().mix).fractions, (1 / 2, 1 / 3, 0, 1 / 6, 0))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: LFG((0.6, 0.6)),
            "fractions sum to 1.2; a round has one pull, so they may sum to 1 at most",
        ),
        (lambda: LFG((0.6, -0.1)), r"fractions\[1\] is -0.1; it must be between 0 and 1"),
        (lambda: LFG((0.6, 0.1), eta=-1.0), "eta is -1"),
        (lambda: start(LFG((0.5, 0.5)), 3), "fractions has 2 numbers, but there are 3 arms"),
    ],
)
def test_what_cannot_be_played_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
