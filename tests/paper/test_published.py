import numpy as np
import pytest

import banditq as bq
from banditq.paper.lines import curve, level, published, read_lines, write_lines
from banditq.paper.published import average_over_time, distances, published_curves, published_rounds


def test_ten_curves_over_the_same_rounds():
    curves = published_curves()
    assert len(curves) == 10
    assert {key[0] for key in curves} == {"full", "bandit"}
    for rounds, values in curves.values():
        assert rounds.tolist() == published_rounds()
        assert (np.diff(rounds) > 0).all()
        assert rounds[-1] == 3_000_000
        assert np.isfinite(values).all()


def test_the_author_s_rates_end_at_his_targets():
    """An outside check of what was read off: λ₁ = μ₁/2, λ₂ = μ₂/3 with NumPy's RandomState(100)."""
    means = np.random.RandomState(100).rand(1000)
    for arm, target in (("1", means[0] / 2), ("2", means[1] / 3)):
        for feedback in ("full", "bandit"):
            _, values = published_curves()[feedback, "rate", arm]
            assert values[-1] == pytest.approx(target, rel=0.04)


def test_a_mean_over_time_on_uneven_rounds_is_that_of_the_straight_pieces():
    rounds = np.array([1.0, 5.0, 10.0, 11.0, 40.0, 100.0])
    values = 3.0 + 0.5 * rounds
    assert average_over_time(rounds, values) == pytest.approx(3.0 + 0.5 * 55.0, rel=1e-12)
    both = np.stack([values, 2 * values])
    np.testing.assert_allclose(average_over_time(rounds, both), [30.5, 61.0], rtol=1e-12)


def test_distances_name_what_is_far():
    instance = bq.instance("paper-1000")
    run = bq.simulate(
        bq.BanditQ.as_published("full"), instance.problem, 2_000, runs=3, checkpoints=[200, 500, 1000, 2000]
    )
    rows = distances("full", run)
    assert [row["what"].split()[0] for row in rows].count("mean") == 4
    regret = next(row for row in rows if row["what"] == "realised regret at the end")
    assert regret["ours"] == pytest.approx(run.regret(realised=True)[:, -1].mean())
    assert not regret["inside"]  # 2 000 rounds against three million
    assert regret["low"] < regret["ours"] < regret["high"]


def test_lines_come_back_from_their_file(tmp_path):
    rng = np.random.default_rng(0)
    rounds = np.arange(1.0, 6.0)
    values = rng.normal(size=(7, 5))
    lines = [curve("a", 0, rounds, values), level("b, with a comma", 1, 0.25)]
    lines.append(published("c", 6, rounds, values[0]))
    write_lines(tmp_path / "lines.csv", lines)
    again = read_lines(tmp_path / "lines.csv")
    assert [line[:3] for line in again] == [line[:3] for line in lines]
    for one, other in zip(again, lines, strict=True):
        for mine, theirs in zip(one[3:], other[3:], strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9)
    np.testing.assert_allclose(again[0].mean, np.mean(values, axis=0), rtol=1e-9)
    assert (again[0].low <= again[0].high).all()
