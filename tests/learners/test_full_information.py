"""What every full-information learner must do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banditq.config import Config
from banditq.learners.adahedge import AdaHedge
from banditq.learners.hedge import Hedge
from banditq.learners.oga import OGA
from banditq.learners.solo import SoloFTRL
from banditq.learners.squint import Squint
from full_driver import law_of, play
from twins.gain_tables import RANGED

LEARNERS = (OGA(), OGA(alpha=0.3), Squint(), AdaHedge(), Hedge(), SoloFTRL())
every = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


@st.composite
def tables(draw):
    """Gains with ties, empty rounds and scales from 1e-30 to 1e13."""
    n_arms, rounds = draw(st.integers(1, 12)), draw(st.integers(1, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    steps = draw(st.sampled_from([1, 3, 2**40]))
    low, high = sorted(draw(st.tuples(st.integers(-30, 13), st.integers(-30, 13))))
    bounds = 10.0 ** rng.uniform(low, high, rounds) * (rng.random(rounds) < 0.9)
    gains = np.floor(rng.random((rounds, n_arms)) * (steps + 1)) / steps * bounds[:, None]
    return np.minimum(gains, bounds[:, None]), bounds * draw(st.sampled_from([1.0, 3.0]))


def assert_distributions(laws):
    assert laws.min() >= 0.0
    np.testing.assert_allclose(laws.sum(axis=-1), 1.0, rtol=0, atol=1e-12)


@every
@given(table=tables(), delay=st.sampled_from([0, 3]))
@settings(deadline=None, max_examples=60)
def test_every_law_is_a_distribution(learner, table, delay):
    gains, bounds = table
    assert_distributions(play(learner.state(gains.shape[1]), gains, bounds, delay=delay))


@every
@given(table=tables(), seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=40)
def test_names_of_arms_do_not_matter(learner, table, seed):
    gains, bounds = table
    order = np.random.default_rng(seed).permutation(gains.shape[1])
    laws = play(learner.state(gains.shape[1]), gains, bounds)
    permuted = play(learner.state(gains.shape[1]), gains[:, order], bounds)
    np.testing.assert_allclose(permuted, laws[:, order], rtol=0, atol=1e-12)


@every
@pytest.mark.parametrize("name", RANGED)
def test_compiled_and_interpreted_agree(learner, name):
    gains, bounds = RANGED[name]
    compiled = play(learner.state(gains.shape[1]), gains, bounds)
    interpreted = play(learner.state(gains.shape[1]), gains, bounds, compiled=False)
    np.testing.assert_allclose(compiled, interpreted, rtol=0, atol=1e-13)


@every
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e13])
def test_thousands_of_arms(learner, scale):
    rng = np.random.default_rng(2)
    gains = scale * rng.random((50, 2000)) ** 3
    assert_distributions(play(learner.state(2000), gains, np.full(50, scale)))


@every
@pytest.mark.parametrize(("ahead", "share"), [(1.0, 0.99), (1e-3, 0.01)])
def test_a_long_lead(learner, ahead, share):
    """One of a hundred arms wins every round, until the others' weights are too small to be numbers."""
    gains = np.tile(np.where(np.arange(100) == 3, 1e13, 1e13 * (1.0 - ahead)), (4_000, 1))
    laws = play(learner.state(100), gains, np.full(4_000, 1e13))
    assert_distributions(laws)
    assert laws[-1, 3] > share


@every
def test_one_arm_is_always_played(learner):
    gains, bounds = RANGED["single"]
    assert np.all(play(learner.state(1), gains * 1e13, bounds * 1e13) == 1.0)


@every
def test_nothing_gained_nothing_learnt(learner):
    nothing = np.zeros((10, 4)), np.zeros(10)
    assert np.all(play(learner.state(4), *nothing) == 0.25)

    gains, bounds = RANGED["ties"]
    state = learner.state(5)
    play(state, gains, bounds)
    before = law_of(state, 5, 0.0)
    play(state, np.zeros((10, 5)), np.zeros(10))
    np.testing.assert_allclose(law_of(state, 5, 0.0), before, rtol=0, atol=1e-15)


@every
def test_asking_for_the_law_changes_nothing(learner):
    gains, bounds = RANGED["bernoulli"]
    state = learner.state(5)
    play(state, gains, bounds)
    before = [np.array(member, copy=True) for member in state]
    first, second = law_of(state, 5, 1.0), law_of(state, 5, 1.0)
    np.testing.assert_array_equal(first, second)
    for then, now in zip(before, state, strict=True):
        np.testing.assert_array_equal(then, now)


@every
def test_the_configuration_can_be_written_down(learner):
    assert learner.feedback == "full"
    assert Config.from_dict(learner.to_dict()) == learner
