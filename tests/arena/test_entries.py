"""Who plays: everybody, by themselves, and what is said about them."""

from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

import banditq as bq
from banditq.arena.entries import IGNORES, enter, policy_classes
from banditq.arena.frames import written_out
from banditq.config import in_words
from banditq.errors import InvalidInput
from banditq.policies.fractions import promised_fractions

PROBLEM = bq.instance("paper-5").problem
ENTRIES = enter(PROBLEM, 1_000)[0]


def names(wanted, problem=PROBLEM):
    return [entry.name for entry in enter(problem, 1_000, wanted)[0]]


@pytest.mark.parametrize("cls", policy_classes(), ids=lambda cls: cls.__name__)
def test_every_policy_enters_by_itself(cls):
    """A class without defaults gives ``on`` or ``entries``."""
    forms = cls.entries(PROBLEM)
    assert forms or cls is bq.FloorPlusLearner  # whose named forms enter
    for name, policy in forms.items():
        assert name == name.lower().strip()
        assert bq.Policy.from_dict(policy.to_dict()) == policy
    assert set(forms) <= {entry.name for entry in ENTRIES}


def test_nobody_is_forgotten():
    found = {cls.__name__ for cls in policy_classes()}
    public = {
        name
        for name in bq.__all__
        if isinstance(getattr(bq, name), type) and issubclass(getattr(bq, name), bq.Policy)
    }
    assert found == public - {"Policy"}
    assert {"banditq", "banditq-tsallis", "banditq-anytime", "banditq-full", "benchmark", "ucb1"} <= {
        entry.name for entry in ENTRIES
    }


def test_an_oracle_says_so_and_is_not_ranked():
    told = {entry.name: entry for entry in ENTRIES}
    assert told["benchmark"].needs == "the benchmark's mix"
    assert told["banditq-backlog"].needs == "prices"
    assert told["banditq-backlog"].aside == "is told prices"
    for entry in ENTRIES:
        assert bool(entry.needs) == entry.aside.startswith("is told")


def test_only_the_benchmark_s_mix_tells_the_best_arm():
    """Others are told what the promises take, λ/μ, which is less than 1 in all."""
    told = {entry.name: entry.needs for entry in ENTRIES}
    assert told["benchmark"] == told["lfg-eta-100"] == "the benchmark's mix"
    for name in ("strict-rate-ucb", "stochastic-rate-ucb", "fair-learn"):
        assert told[name] == "pull fractions"
    mixes = {"even": bq.FixedMix([0.2] * 5), "lfg": bq.LFG(promised_fractions(PROBLEM))}
    assert {e.needs for e in enter(PROBLEM, 1_000, mixes)[0]} == {"pull fractions"}


def test_settings_hold_for_the_entries_that_have_the_field():
    plain = {entry.name: entry.policy for entry in ENTRIES}
    for name, policy in {e.name: e.policy for e in enter(PROBLEM, 1_000, None, {"width": 2.0})[0]}.items():
        wide = "width" in {field.name for field in fields(policy)}
        assert policy == (replace(plain[name], width=2.0) if wide else plain[name])
        assert wide == (name in ("goc", "sgoc", "doc", "poc", "spoc", "etc"))
    (own,) = enter(PROBLEM, 1_000, "DOC(width=4)", {"width": 2.0})[0]
    assert own.policy == bq.DOC(width=4)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_configuration_is_written_out_in_full(entry):
    text = written_out(entry.policy)
    assert bq.Policy.parse(text) == entry.policy
    for field in fields(entry.policy):
        assert f"{field.name}=" in text


def test_who_starts_the_same_without_targets_is_not_ranked():
    told = {entry.name: entry.aside for entry in ENTRIES}
    assert told["ucb1"] == told["thompson-sampling"] == told["tsallis-inf-alone"] == IGNORES
    assert told["banditq"] == told["banditq-full-anytime"] == ""


def test_without_promises_everybody_keeps_them():
    free = bq.Problem([0.3, 0.5], [0.0, 0.0])
    assert all(entry.aside != IGNORES for entry in enter(free, 1_000)[0])


def test_an_oracle_of_a_drifting_problem_knows_the_average():
    problem = bq.instance("drift", rounds=1_000).problem
    mix = {entry.name: entry.policy for entry in enter(problem, 1_000)[0]}["benchmark"].mix
    means = (np.array(problem.means) + np.array(problem.rewards.changes[0][1])) / 2
    expected = np.array(problem.targets) / means
    expected[means.argmax()] += 1 - expected.sum()
    np.testing.assert_allclose(mix, expected, rtol=1e-12)


def test_entries_expressions_policies_and_learners():
    assert names("UCB1, banditq ,BanditQ(v=5, learner=TsallisInf()),tsallis-inf") == [
        "ucb1",
        "banditq",
        "BanditQ(v=5, learner=TsallisInf())",
        "tsallis-inf",
    ]
    assert names([bq.MOSS(), bq.Squint()]) == ["MOSS()", "Alone(learner=Squint())"]
    assert names({"mine": bq.BanditQ(v=3.0), "theirs": "ucb1"}) == ["mine", "theirs"]
    assert names(bq.BanditQ(v=3.0)) == [str(bq.BanditQ(v=3.0))]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("nobody", "'nobody'.*banditq-tsallis"),
        ("BanditQ(w=1)", "'w'"),
        ("bernoulli", "'bernoulli'"),
        ([3], "policies has 3"),
        ([], "name at least one"),
        ("", "name at least one"),
    ],
)
def test_bad_names(wanted, words):
    with pytest.raises(InvalidInput, match=words):
        enter(PROBLEM, 1_000, wanted)


def test_who_refuses_is_listed_with_the_reason():
    """Here for a horizon that nobody gave: what a policy says is kept, and the others play."""
    one_too_many = bq.BanditQ(backlog=(1.0,) * 7)
    entries, absent = enter(PROBLEM, 1_000, {"mine": one_too_many, "banditq": "banditq"})
    assert [entry.name for entry in entries] == ["banditq"]
    assert [(a.name, "7" in a.reason) for a in absent] == [("mine", True)]


def test_warnings_stand_beside_the_entry():
    @dataclass(frozen=True)
    class Worried(bq.UCB1):
        def state(self, terms):
            import warnings

            warnings.warn("five arms are many", stacklevel=1)
            return super().state(terms)

    entries, _ = enter(PROBLEM, 1_000, {"worried": Worried()})
    assert entries[0].notes == ("five arms are many",)
    assert not fields(Worried)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("EpsilonGreedy", "epsilon-greedy"),
        ("ETCAnytime", "etc-anytime"),
        ("BanditQ", "banditq"),
        ("UCB1", "ucb1"),
        ("StrictRateUCB", "strict-rate-ucb"),
        ("LagrangeBwK", "lagrange-bwk"),
    ],
)
def test_names_of_classes_in_words(name, words):
    assert in_words(name, "-") == words
