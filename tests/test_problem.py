import json
from math import inf

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from banditq.errors import Infeasible, InvalidInput
from banditq.instances import INSTANCES, instance
from banditq.problem import Problem
from banditq.rewards.base import RewardModel
from banditq.rewards.drift import Drift
from banditq.rewards.table import Table
from banditq.rewards.uniform import Uniform
from twins import feasibility as twin

quick = settings(deadline=None)

DEGENERATE = {
    "one arm": ([0.5], [0.2]),
    "one arm, all of it promised": ([0.5], [0.5]),
    "all protected": ([0.5, 0.8, 0.2], [0.1, 0.2, 0.05]),
    "all means equal": ([0.4, 0.4, 0.4], [0.1, 0.0, 0.0]),
    "a sure arm": ([1.0, 0.3], [0.0, 0.1]),
    "the best arm protected": ([0.9, 0.3], [0.4, 0.1]),
    "nothing promised": ([0.9, 0.3], [0.0, 0.0]),
    "nothing paid": ([0.0, 0.0], [0.0, 0.0]),
    "load exactly one": ([0.8, 0.9, 0.7], [0.8 / 3, 0.9 / 3, 0.7 / 3]),
}


@st.composite
def numbers(draw):
    """Means and targets of a few arms, loads on either side of one."""
    n = draw(st.integers(1, 6))
    means = draw(arrays(np.float64, n, elements=st.floats(0.02, 1)))
    shares = draw(arrays(np.float64, n, elements=st.sampled_from([0.0, 0.05, 0.2, 0.5])))
    return means, shares * means


class TestBenchmark:
    @given(numbers())
    @quick
    def test_is_the_optimum_of_the_linear_programme(self, case):
        problem = Problem(*case)
        assume(abs(problem.load - 1) > 1e-6)  # the solver's tolerance
        expected = twin.benchmark(*case)
        assert problem.feasible == (expected is not None)
        if expected is None:
            with pytest.raises(Infeasible):
                problem.benchmark()
        else:
            mix, value = problem.benchmark()
            assert value == pytest.approx(expected, abs=1e-7)
            self.check(problem, mix, value)

    @staticmethod
    def check(problem, mix, value):
        assert mix.min() >= 0
        assert mix.sum() == pytest.approx(1, abs=1e-12)
        assert (mix * problem.means >= problem.targets - 1e-12).all()
        assert value == pytest.approx(mix @ problem.means, abs=1e-15)

    @pytest.mark.parametrize("name", DEGENERATE)
    def test_degenerate(self, name):
        problem = Problem(*DEGENERATE[name])
        assert problem.feasible
        mix, value = problem.benchmark()
        self.check(problem, mix, value)
        assert value == pytest.approx(twin.benchmark(problem.means, problem.targets), abs=1e-7)

    def test_the_slack_goes_to_the_best_arm_even_if_it_is_protected(self):
        mix, _ = Problem([0.9, 0.3], [0.45, 0.03]).benchmark()
        np.testing.assert_allclose(mix, [0.9, 0.1], atol=1e-15)

    @given(numbers())
    @quick
    def test_prices_are_what_the_value_loses(self, case):
        means, targets = case
        problem, step = Problem(means, targets), 1e-4
        assume(problem.load < 0.9)
        for arm in range(problem.n_arms):
            more = np.array(targets)
            more[arm] += step * means[arm]
            loss = problem.benchmark().value - Problem(means, more).benchmark().value
            assert loss == pytest.approx(problem.price[arm] * step * means[arm], abs=1e-12)


class TestNumbers:
    @given(numbers(), st.randoms())
    @quick
    def test_the_names_of_arms_do_not_matter(self, case, random):
        order = list(range(case[0].size))
        random.shuffle(order)
        one, other = Problem(*case), Problem(case[0][order], case[1][order])
        assert other.load == pytest.approx(one.load, rel=1e-13)
        np.testing.assert_array_equal(other.price, one.price[order])
        assert {order[arm] for arm in other.protected} == set(one.protected.tolist())

    @given(numbers(), st.integers(-20, 20))
    @quick
    def test_the_unit_of_reward_does_not_matter(self, case, power):
        scale = 2.0**power
        one, other = Problem(*case), Problem(case[0] * scale, case[1] * scale, reward_max=scale)
        assert other.load == one.load
        np.testing.assert_array_equal(other.price, one.price)
        if one.feasible:
            assert other.benchmark().value == one.benchmark().value * scale

    @given(numbers())
    @quick
    def test_largest_scaling_is_that_of_the_linear_programme(self, case):
        problem = Problem(*case)
        assert problem.largest_scaling == pytest.approx(twin.largest_scaling(*case), abs=1e-7)
        scaled = problem.scaled(problem.largest_scaling)
        assert scaled.feasible
        assert problem.scaled(0).protected.size == 0
        assert scaled.load == pytest.approx(problem.largest_scaling * problem.load)

    def test_an_arm_that_never_pays(self):
        problem = Problem([0.0, 0.5], [0.1, 0.0])
        assert (problem.load, problem.feasible, problem.largest_scaling) == (inf, False, 0.0)
        assert problem.price.tolist() == [inf, 0.0]
        with pytest.raises(Infeasible, match="arm 0 never pays"):
            problem.benchmark()
        assert Problem([0.0, 0.5], [0.0, 0.1]).feasible  # nobody promised it anything

    def test_extremes_pass_in_silence(self):
        assert Problem([5e-324, 1.0], [0.5, 0.0]).load == inf
        assert Problem([5e-324, 1.0], [0.0, 0.0]).price[0] == inf

    @example(load=1.00001)
    @given(load=st.floats(1.0000001, 50))
    @quick
    def test_refusals_say_what_would_work(self, load):
        problem = Problem([0.5, 0.25], [0.25 * load, 0.125 * load])
        with pytest.raises(Infeasible) as caught:
            problem.benchmark()
        words = str(caught.value).split()
        need, scaling = float(words[words.index("need") + 1]), float(words[-1])
        assert need > 1
        assert need == pytest.approx(load, rel=1e-3)
        assert problem.scaled(scaling).feasible
        assert scaling == pytest.approx(1 / load, rel=1e-3)

    def test_load_one_in_floating_point_is_feasible(self):
        for n in (3, 7, 10, 1000):
            means = np.random.default_rng(n).uniform(0.1, 1, n)
            assert Problem(means, means / n).feasible
            assert not Problem(means, means / n * (1 + 1e-11)).feasible
            assert Problem(means, means / n * (1 + 5e-13)).benchmark().mix.sum() == pytest.approx(
                1, abs=1e-15
            )


class TestModels:
    def test_a_table_holds_its_own_means(self):
        problem = Problem(targets=[0.1, 0.0], rewards=Table([[0.0, 1.0], [0.5, 0.0]]))
        assert problem.means.tolist() == [0.25, 0.5]
        assert problem.scaled(0.5).means.tolist() == [0.25, 0.5]
        assert problem.averaged(1).means.tolist() == [0.0, 1.0]
        with pytest.raises(InvalidInput, match="leave means out"):
            Problem([0.25, 0.5], [0.1, 0.0], rewards=Table([[0.0, 1.0]]))

    def test_averages_under_drift(self):
        problem = Problem([0.8, 0.5], [0.1, 0.0], Drift({51: [0.3, 0.5]}))
        averaged = problem.averaged(100)
        np.testing.assert_allclose(averaged.means, [0.55, 0.5])
        assert averaged.load == pytest.approx(0.1 / 0.55)
        assert problem.averaged(50).means.tolist() == [0.8, 0.5]

    def test_reward_max_comes_from_the_model(self):
        assert Problem([0.5], [0.0]).reward_max == 1.0
        assert Problem([0.5], [0.0], Uniform()).reward_max == Uniform().default_max()

    def test_derived_problems_cannot_be_written_to(self):
        problem = Problem([0.5, 0.2], [0.1, 0.0])
        for each in (problem, problem.scaled(0.5), problem.averaged(10)):
            for array in (each.means, each.targets):
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 1.0

    def test_inputs_are_copied(self):
        means = np.array([0.5, 0.2])
        problem = Problem(means, [0.1, 0.0])
        means[0] = 0.9
        assert problem.means[0] == 0.5

    @pytest.mark.parametrize("name", INSTANCES)
    def test_it_can_be_written_down(self, name):
        problem = instance(name).problem
        data = json.loads(json.dumps(problem.to_dict(), allow_nan=False))
        again = Problem.from_dict(data)
        np.testing.assert_array_equal(again.means, problem.means)
        np.testing.assert_array_equal(again.targets, problem.targets)
        assert (again.rewards, again.reward_max) == (problem.rewards, problem.reward_max)


class Careless(RewardModel):
    """A model of a user's that checks nothing."""


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Problem([0.5], [-0.1]), r"targets\[0\] is -0.1; it must be at least 0"),
        (lambda: Problem([0.5, 0.5], [0.1]), "targets has 1 numbers, but there are 2 arms"),
        (lambda: Problem([], []), "means must be a flat list"),
        (lambda: Problem([[0.5]], [0.1]), "means must be a flat list"),
        (lambda: Problem([np.nan], [0.1]), r"means\[0\] is nan"),
        (lambda: Problem([0.5], [inf]), r"targets\[0\] is inf"),
        (lambda: Problem([1.5], [0.1]), r"means\[0\] is 1.5"),
        (lambda: Problem([-0.1], [0.0], Careless()), r"means\[0\] is -0.1"),
        (lambda: Problem(targets=[0.1]), "means are missing"),
        (lambda: Problem([0.5]), "targets are missing"),
        (lambda: Problem([0.5], [0.1], reward_max=0.0), "reward_max is 0; it must be greater"),
        (lambda: Problem([0.5], [0.1], rewards="bernoulli"), "rewards is 'bernoulli'"),
        (lambda: Problem([0.5], [0.1]).scaled(-1), "factor is -1"),
        (lambda: Problem([0.5], [0.1]).averaged(0), "rounds is 0"),
        (lambda: instance("paper-6"), "instance is 'paper-6'; it must be one of paper-5,"),
    ],
)
def test_nonsense_is_refused(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()


class TestInstances:
    def test_the_paper_s_five_arms(self):
        problem, rounds = instance("paper-5")
        assert rounds == 2_000_000
        assert problem.protected.tolist() == [0, 1]
        assert problem.load == pytest.approx(0.167 / 0.335 + 0.067 / 0.203)
        exact = instance("paper-5-exact").problem
        np.testing.assert_allclose(exact.benchmark().mix, [1 / 2, 1 / 3, 0, 1 / 6, 0], atol=1e-15)
        np.testing.assert_allclose(exact.means, problem.means, atol=7e-4)

    def test_the_published_thousand_arms(self):
        problem, rounds = instance("paper-1000")
        # how the Mersenne twister begins with seed 100
        np.testing.assert_allclose(problem.means[:2], [0.54340494, 0.27836939], atol=1e-8)
        assert (problem.n_arms, rounds, problem.reward_max) == (1000, 3_000_000, 2.0)
        assert problem.load == pytest.approx(5 / 6)
        assert isinstance(problem.rewards, Uniform)

    @pytest.mark.parametrize("percent", [0, 10, 50, 90])
    def test_gaps(self, percent):
        problem, rounds = instance(f"gap-{percent}")
        assert rounds == 100_000
        assert problem.load == pytest.approx(1 - percent / 100)
        assert problem.feasible

    def test_drift(self):
        problem, rounds = instance("drift")
        assert problem.means.argmax() == 3
        np.testing.assert_allclose(problem.averaged(rounds // 2).means, problem.means)
        after = problem.averaged(rounds).means
        np.testing.assert_allclose(after[3], (0.781 + 0.3) / 2)
        np.testing.assert_allclose(np.delete(after, 3), np.delete(problem.means, 3))

    @pytest.mark.parametrize("name", INSTANCES)
    def test_all_are_feasible(self, name):
        problem, rounds = instance(name)
        assert problem.averaged(rounds).feasible
