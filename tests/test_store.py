"""Results on disk: played once, found again, carried on, never overwritten."""

import numpy as np
import pytest

import banditq as bq
from banditq import store
from banditq.errors import InterruptedRun
from banditq.store import Play, Store

PROBLEM = bq.instance("paper-5").problem
PLAY = Play(bq.BanditQ(), PROBLEM, 400, checkpoints=20)


@pytest.fixture
def counted(monkeypatch):
    """The runs that were really played."""
    played, simulate = [], store.simulate

    def count(*args, **options):
        played.extend(options["runs"])
        return simulate(*args, **options)

    monkeypatch.setattr(store, "simulate", count)
    return played


def same(one, other):
    for name in ("reward", "expected", "accrued", "queue", "peak"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_it_is_what_simulate_gives(tmp_path):
    kept = Store(tmp_path).result(PLAY, 5)
    same(kept, bq.simulate(bq.BanditQ(), PROBLEM, 400, runs=5, checkpoints=20))
    assert kept.info["runs"] == [0, 1, 2, 3, 4]


def test_played_once(tmp_path, counted):
    first = Store(tmp_path).result(PLAY, 4)
    same(first, Store(tmp_path).result(PLAY, 4))
    assert sorted(counted) == [0, 1, 2, 3]


def test_more_runs_play_the_missing_ones_only(tmp_path, counted):
    few = Store(tmp_path).result(PLAY, 3)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.npz")}
    many = Store(tmp_path).result(PLAY, 7)
    assert sorted(counted) == list(range(7))
    same(few, many.first(3))
    for path, content in files.items():
        assert path.read_bytes() == content
    assert Store(tmp_path).result(PLAY, 2).runs == 2


@pytest.mark.parametrize(
    "other",
    [
        Play(bq.BanditQ(v=3.0), PROBLEM, 400, checkpoints=20),
        Play(bq.BanditQ(), PROBLEM, 401, checkpoints=20),
        Play(bq.BanditQ(), PROBLEM, 400, seed=1, checkpoints=20),
        Play(bq.BanditQ(), PROBLEM, 400, checkpoints=21),
        Play(bq.BanditQ(), PROBLEM, 400, checkpoints=20, windows=(7,)),
        Play(bq.BanditQ(), PROBLEM.scaled(0.5), 400, checkpoints=20),
    ],
)
def test_whatever_differs_is_another_play(other):
    assert other.key != PLAY.key


def test_another_engine_is_another_play(monkeypatch):
    key = PLAY.key
    monkeypatch.setattr(store, "engine_digest", lambda: "of an edited kernel")
    assert PLAY.key != key


def test_the_runs_of_an_interrupted_batch_that_came_to_their_end_are_kept(tmp_path, monkeypatch):
    whole = bq.simulate(bq.BanditQ(), PROBLEM, 400, runs=2, checkpoints=20)

    def interrupted(*args, **options):
        found = bq.simulate(*args, **(options | {"runs": options["runs"][:1]}))
        return bq.Result(**(vars(found) | {"info": found.info | {"interrupted": True}}))

    monkeypatch.setattr(store, "simulate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path).result(PLAY, 2)
    assert Store(tmp_path).done(PLAY) == 1
    monkeypatch.setattr(store, "simulate", bq.simulate)
    same(Store(tmp_path).result(PLAY, 2), whole)


def test_a_batch_that_was_cut_short_is_not_kept(tmp_path, monkeypatch):
    def cut(*args, **options):
        found = bq.simulate(*args, **options)
        short = {n: getattr(found, n)[:, :5] for n in ("reward", "expected", "accrued", "played", "queue")}
        short |= {n: getattr(found, n)[:, :5] for n in ("peak", "worst")}
        short |= {"rounds": found.rounds[:5], "benchmark": found.benchmark[:5]}
        return bq.Result(**(vars(found) | short | {"info": found.info | {"interrupted": True}}))

    monkeypatch.setattr(store, "simulate", cut)
    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path).result(PLAY, 2)
    assert Store(tmp_path).done(PLAY) == 0


def test_ctrl_c_is_not_told_twice(tmp_path, monkeypatch, recwarn):
    def warned(*args, **options):
        import warnings

        warnings.warn("stopped", InterruptedRun, stacklevel=1)
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "simulate", warned)
    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path).result(PLAY, 2)
    assert not recwarn.list


def test_two_processes_may_have_played_the_same_runs(tmp_path):
    kept = Store(tmp_path)
    whole = kept.result(PLAY, 4)
    folder = tmp_path / PLAY.key
    PLAY.simulate(range(0, 3)).save(folder / "runs-000000-000002.npz")
    PLAY.simulate(range(1, 2)).save(folder / "runs-000001-000001.npz")
    same(kept.result(PLAY, 4), whole)


def test_it_tells_of_every_batch(tmp_path):
    told = []
    Store(tmp_path).result(PLAY, 5, told.append)
    assert sum(told) == 5
