"""The clock: minima of each stretch first, means over stretches after; growth; what is left out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import linregress

import banditq as bq
from banditq.bench.clock import Budget, Prepared, TooSlow, measure, prepare
from banditq.bench.entries import bench_problem, chosen, entries
from banditq.bench.growth import growth
from banditq.bench.trial import Ours, copied


class Scripted:
    """A trial whose every round has a cost, and whose clock is disturbed now and then."""

    def __init__(self, cost, disturb=lambda _: 0.0):
        self.cost, self.disturb = cost, disturb
        self.at = self.marked = self.calls = 0

    def play(self, rounds):
        seconds = sum(self.cost(t) for t in range(self.at + 1, self.at + rounds + 1))
        self.at += rounds
        self.calls += 1
        return seconds + self.disturb(self.calls)

    def mark(self):
        self.marked = self.at

    def back(self):
        self.at = self.marked


def test_noise_goes_and_rare_work_stays():
    """Every fourth call is disturbed; every 50th round costs a hundred times as much, and counts."""
    cost = lambda t: 1e-4 if t % 50 == 0 else 1e-6  # noqa: E731
    trial = Scripted(cost, disturb=lambda call: 1.0 if call % 3 == 0 else 0.0)
    budget = Budget(passes=3)
    (point,) = measure([Prepared(trial, before=0, length=25)], budget)
    assert_allclose(point.ns, 1e9 * (4 * 1e-4 + 196 * 1e-6) / 200, rtol=1e-12)
    assert point.rounds == 200


def test_all_trials_play_the_same_rounds_in_every_pass():
    seen = []
    one = Scripted(lambda t: seen.append(t) or 1e-6)
    measure([Prepared(one, 0, 5)], Budget(passes=2))
    assert seen == [*range(1, 41), *range(1, 41)]


def test_playing_in_never_runs_on_from_cheap_rounds_into_dear_ones():
    """Until each arm was played once a round costs 1 ns, then 10 ms: no call takes much over 0.2 s."""
    longest = 0.0

    class Watched(Scripted):
        def play(self, rounds):
            nonlocal longest
            seconds = super().play(rounds)
            longest = max(longest, seconds)
            return seconds

    trial = Watched(lambda t: 1e-9 if t <= 5_000 else 1e-2)
    ready = prepare(trial, 5_000, Budget(play_in=0.1), settles=False)
    assert ready.before > 5_000
    assert longest <= 0.2
    assert trial.marked == ready.before


def test_a_policy_that_never_gets_past_its_first_rounds_is_left_out():
    with pytest.raises(TooSlow, match="its first 1,000 rounds"):
        prepare(Scripted(lambda _: 0.1), 1_000, Budget(play_in=0.1, patience=1.0), settles=False)
    assert prepare(Scripted(lambda _: 0.1), 1_000, Budget(patience=1.0), settles=True).before < 1_000


def test_the_first_rounds_are_timed_for_themselves():
    ready = prepare(Scripted(lambda t: 1e-6 if t <= 500 else 1e-3), 500, Budget(), settles=False)
    assert_allclose(ready.early_ns, 1e3)


def test_a_power_law_is_found_and_its_error_is_that_of_least_squares():
    sizes = np.array([2, 10, 100, 1_000, 10_000, 100_000])
    exact = growth(sizes, 3.0 * sizes**0.75)
    assert_allclose([exact.exponent, exact.error], [0.75, 0.0], atol=1e-9)
    assert (exact.first, exact.last) == (100, 100_000)
    noisy = 3.0 * sizes * np.random.default_rng(0).uniform(0.5, 2.0, 6)
    found, reference = growth(sizes, noisy, least=1), linregress(np.log(sizes), np.log(noisy))
    assert_allclose([found.exponent, found.error], [reference.slope, reference.stderr], rtol=1e-9)
    assert growth([100, 1_000], [1.0, 2.0]) is None


@pytest.mark.parametrize("name", ["BanditQ+LogBarrier", "UCB1"])
def test_from_the_mark_the_same_rounds_are_played_again(name):
    problem = bench_problem(4)
    trial = Ours(chosen(name)[0].make(problem), problem)
    trial.play(50)
    trial.mark()
    trial.play(70)
    once = copied(trial.state)
    trial.play(5)
    trial.back()
    trial.play(70)
    for one, other in zip(numbers(once), numbers(trial.state), strict=True):
        assert np.array_equal(one, other)


def numbers(state):
    return [x for m in state for x in (numbers(m) if isinstance(m, tuple) else [m])]


def test_a_stretch_is_what_simulate_plays():
    problem = bench_problem(5)
    trial = Ours(bq.UCB1(), problem)
    trial.play(300)
    trial.play(200)
    run = bq.simulate(bq.UCB1(), problem, 500, arms="all", checkpoints=[500], seed=0)
    assert np.array_equal(trial.state.counts.seen, run.played[0, -1])


def test_every_learner_and_policy_is_entered_under_a_name_of_its_own():
    names = [entry.name for entry in entries()]
    assert len(set(names)) == len(names)
    kinds = {cls.__name__ for cls in bq.Config._by_name.values() if cls.__module__.startswith("banditq.l")}
    learners = {n for n in kinds if issubclass(bq.Config._by_name[n], bq.Learner)} - {"Learner"}
    assert {name.partition("+")[2].partition("-")[0] for name in names if "+" in name} == learners
    assert {"UCB1", "LFG", "ThompsonSampling"} <= set(names)
    assert not {"Alone", "BanditQ", "Policy"} & set(names)


@pytest.mark.filterwarnings("ignore")  # a policy may say that its theorem does not hold
def test_every_entry_can_be_made_at_any_number_of_arms():
    for n_arms in (4, 9):
        problem = bench_problem(n_arms)
        assert problem.feasible
        assert problem.n_arms == n_arms
        for entry in entries():
            assert entry.make(problem).feedback == entry.feedback


def test_entries_are_chosen_by_name_whatever_the_case():
    assert [entry.name for entry in chosen("logbarrier, ucb1")] == ["BanditQ+LogBarrier", "UCB1"]
    with pytest.raises(bq.InvalidInput, match=r"which names nonsense; .*BanditQ\+OGA"):
        chosen("ucb1,nonsense")
