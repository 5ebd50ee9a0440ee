"""What is played: named instances, files, and refusals in one sentence."""

import numpy as np
import pytest

import banditq as bq
from banditq.arena.contests import contests
from banditq.errors import InvalidInput
from banditq.instances import INSTANCES


def only(wanted, *args, **options):
    (found,) = contests(wanted, *args, **options)
    return found


@pytest.mark.parametrize("name", INSTANCES)
def test_every_instance_is_feasible_and_has_any_length(name):
    assert only(name).rounds == bq.instance(name).rounds
    for rounds in (1, 2, 777):
        contest = only(name, rounds)
        assert contest.rounds == rounds
        assert contest.problem.averaged(rounds).feasible


@pytest.mark.parametrize("rounds", [2, 1_000, 1_001])
def test_the_drift_is_half_way_whatever_the_length(rounds):
    """Before, the best arm pays .781 and after .3: on average in between, by halves."""
    problem = only("drift", rounds).problem
    before = rounds // 2
    expected = (0.781 * before + 0.3 * (rounds - before)) / rounds
    assert problem.averaged(rounds).means[3] == pytest.approx(expected, rel=1e-12)


def test_what_the_degenerate_ones_are():
    made = {name: bq.instance(name).problem for name in INSTANCES if name.startswith("degenerate-")}
    assert made["degenerate-one-arm"].n_arms == 1
    assert (made["degenerate-all-protected"].targets > 0).all()
    assert np.ptp(made["degenerate-equal-means"].means) == 0
    assert made["degenerate-sure-arm"].means.max() == 1
    best = made["degenerate-protected-best"]
    assert best.targets[best.means.argmax()] > 0
    assert bq.instance("zero-slack").problem.load == pytest.approx(1.0)


def test_families():
    assert [c.name for c in contests("gap")] == ["gap-0", "gap-10", "gap-50", "gap-90"]
    assert [c.name for c in contests("paper-5")] == ["paper-5"]  # the name goes before the family
    assert len(contests("degenerate,paper-5")) == 6


def test_made_in_python():
    problem = bq.Problem([0.3, 0.5], [0.1, 0.0])
    assert only(problem) == only([problem]) == ("own", problem, 100_000)
    assert only({"mine": bq.Instance(problem, 50)}) == ("mine", problem, 50)
    assert (
        only(
            {
                "mine": problem,
            },
            70,
        ).rounds
        == 70
    )


@pytest.mark.parametrize("targets", [(0.1, 0.0, 0.0, 0.0, 0.0), ()])
@pytest.mark.parametrize(
    "wanted", ["paper-5", "shop.toml", bq.Problem([0.3], [0.1]), {"mine": bq.instance("gap-0")}]
)
def test_who_has_targets_is_given_none(tmp_path, monkeypatch, wanted, targets):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.toml").write_text("means = [0.3]\ntargets = [0.1]")
    with pytest.raises(InvalidInput, match=r"targets are given.* recorded tables only"):
        contests(wanted, targets=targets)


class TestFiles:
    def write(self, folder, text):
        path = folder / "shop.toml"
        path.write_text(text)
        return str(path)

    def test_toml(self, tmp_path):
        path = self.write(
            tmp_path,
            'name = "my shop"\nmeans = [0.6, 1.2]\ntargets = [0.1, 0]\nrewards = "Beta(20)"\n'
            "reward_max = 2.0\nrounds = 5e3",
        )
        contest = only(path)
        assert (contest.name, contest.rounds) == ("my shop", 5_000)
        assert contest.problem.rewards == bq.Beta(20)
        assert contest.problem.reward_max == 2.0
        np.testing.assert_array_equal(contest.problem.means, [0.6, 1.2])
        assert only(path, 100).rounds == 100

    def test_a_toml_file_with_a_table_beside_it(self, tmp_path):
        log = np.random.default_rng(0).random((40, 3))
        np.save(tmp_path / "log.npy", log)
        path = self.write(tmp_path, 'table = "log.npy"\ncolumns = [2, 0]\ntargets = [0.1, 0]')
        contest = only(path)
        assert (contest.name, contest.rounds, contest.recorded) == ("shop", 40, True)
        np.testing.assert_allclose(contest.problem.means, log[:, [2, 0]].mean(axis=0))

    @pytest.mark.parametrize("suffix", [".csv", ".npy", ".parquet"])
    def test_a_recorded_table_is_played_as_far_as_it_goes(self, tmp_path, suffix):
        pl = pytest.importorskip("polars")
        log = np.random.default_rng(0).random((40, 2))
        path = tmp_path / f"log{suffix}"
        frame = pl.DataFrame(log, schema=["a", "b"])
        {".csv": frame.write_csv, ".parquet": frame.write_parquet, ".npy": lambda p: np.save(p, log)}[
            suffix
        ](path)
        for rounds, expected in ((None, 40), (100_000, 40), (7, 7)):
            contest = only(str(path), rounds, targets=[0.1, 0.0])
            assert (contest.name, contest.rounds) == ("log", expected)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("means = [.3, .5]", "cannot be read as TOML.*0.3 and not .3"),
            ("means = [0.3, 0.5]", "targets are missing"),
            ("targets = [0.3, 0.5]", "means are missing"),
            ("means = [0.3]\ntargets = [0.1]\nhorizon = 3", "'horizon'.*an instance has name, means"),
            ("means = [0.3]\ntargets = [0.1, 0.2]", "targets has 2 numbers"),
            ("means = [0.3]\ntargets = [-0.1]", r"targets\[0\] is -0.1"),
            ('means = [0.3]\ntargets = [0.1]\nrewards = "gauss"', "'gauss'"),
            ("means = [0.3]\ntargets = [0.1]\nrounds = 0", "rounds is 0"),
            ('means = [0.3]\ntargets = [0.1]\ntable = "log.csv"', "means and table cannot both"),
            ('targets = [0.1]\ntable = "log.csv"', "there is no file"),
            ('targets = [0.1]\ntable = "log.csv"\ncolumns = 5', "columns is 5; it must be a list"),
            ('targets = [0.1]\ntable = "log.csv"\ncolumns = "ab"', "columns is 'ab'; it must be a list"),
            ("means = [0.3, 0.5]\ntargets = [0.2, 0.4]", "largest common scaling"),
        ],
    )
    def test_what_is_wrong_with_a_file_is_said_with_its_path(self, tmp_path, text, words):
        with pytest.raises(InvalidInput, match=words) as said:
            contests(self.write(tmp_path, text))
        assert "shop" in str(said.value)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("paper-6", "'paper-6'.*paper-5.*degenerate"),
        ("", "name at least one"),
        ([], "name at least one"),
        ("nope.toml", "no file nope.toml"),
        ("nope.txt", "must be a .toml file"),
        ("nope.csv", "targets are missing"),
        ("gap-0,gap", "'gap-0' twice"),
        ([3], "instances has 3"),
        (bq.Problem([0.3, 0.5], [0.2, 0.4]), "load"),
    ],
)
def test_bad_instances(wanted, words):
    with pytest.raises(InvalidInput, match=words):
        contests(wanted)
