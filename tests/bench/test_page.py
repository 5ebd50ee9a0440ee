"""What is told: every number on the page is one of the file's."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import banditq as bq
from banditq.bench import plot
from banditq.bench.figures import read_figures, write_figures
from banditq.bench.goals import GOALS, OBSTACLES
from banditq.bench.page import page_text, write_page
from banditq.bench.telling import duration, entry_growth, omissions, report, unreached

ROOT = Path(__file__).parents[2]
PEERS = {
    "rows": [
        {"peer": "Other", "version": "1.2", "policy": "UCB", "how": how, "n_arms": n, "us": 3.0 * n}
        | {"ours": "UCB1()", "ours_us": 1.5, "banditq_us": 0.5}
        for how in ("stepwise", "harness")
        for n in (5, 1_000)
    ],
    "failed": [{"peer": "Gone 0.1", "why": "pip: no such version"}],
}


TOLD = {
    0.5: "0.5 ns",
    61.23: "61.2 ns",
    999.4: "999 ns",
    999.6: "1 µs",
    2_340.0: "2.34 µs",
    151e3: "151 µs",
}


@pytest.mark.parametrize(("ns", "told"), [(None, "–"), (2.5e6, "2.5 ms"), (3.2e10, "32 s"), *TOLD.items()])
def test_durations_have_three_digits_and_a_unit(ns, told):
    assert duration(ns) == told


def test_the_page_tells_the_figures(figures):
    text = page_text(figures, PEERS)
    assert "| BanditQ+OGA | 1,000 | 50 µs | 400 µs | 8 × |" in text
    assert "| choose + learn from Python, N = 5 | 1.25 µs | ≤ 2.5 µs | reached |" in text
    assert "| a round, bandit, the paper's run of five arms | 50 ns | ≤ 60 ns | reached |" in text
    assert "LFG from N = 100,000 on: it takes too long" in text
    assert "| full | 5 | 50 µs | 250 ns | 200 × |" in text
    assert (
        "| Other 1.2, UCB | its own loop | 1,000 | 3 ms | 1.5 µs, UCB1 | 2,000 × | 500 ns | 6,000 × |"
        in text
    )
    assert "Gone 0.1: pip: no such version" in text
    assert "0.01 ± 0.01" in text  # LogBarrier's exponent
    assert "1.00 ± 0.01" in text  # the others'
    assert "{" not in text


def test_a_missed_goal_is_explained_or_said_not_to_be(figures, monkeypatch):
    missed = "choose + learn from Python, N = 1,000"
    assert missed in {goal.name for goal in unreached(figures)}
    assert f"**{missed}**: not explained yet." in page_text(figures, {})
    monkeypatch.setitem(OBSTACLES, missed, "because")
    assert f"**{missed}**: because" in page_text(figures, {})


def test_goals_are_judged_by_their_own_rows(figures):
    found = {goal.name: (goal.read(figures), goal.met(figures)) for goal in GOALS}
    assert found["a round, bandit: N = 100,000 against N = 100"] == (pytest.approx(1_000**0.01), True)
    assert found["a round, full information, N = 5"] == (250.0, False)
    peaks = found["memory: ten times the rounds"]
    assert peaks == (pytest.approx(175 / 165), False)  # the worse of 175 / 165 and 220 / 210
    assert found["import banditq"] == (None, None)
    assert set(OBSTACLES) <= set(found)


def test_what_was_not_measured_is_not_on_the_page(figures):
    del figures["experiments"], figures["memory"], figures["live"]
    text = page_text(figures, {})
    assert "choose + learn from Python" not in text
    assert "make bench-peers" in text


def test_the_exponent_is_fitted_where_the_size_matters(figures):
    rows = [row for row in figures["rounds"] if row["entry"] == "BanditQ+OGA"]
    small = [row | {"ns": 1e9} if row["n_arms"] < 100 else row for row in rows]
    assert entry_growth(small).exponent == pytest.approx(1.0, abs=1e-9)
    assert entry_growth(rows, "plain_ns").exponent == pytest.approx(1.0, abs=1e-9)


def test_the_terminal_says_what_was_left_out(figures):
    said = report(figures)
    assert "against a plain loop" in said
    assert omissions(figures)[0] in said
    assert max(map(len, said.splitlines())) <= 150


def test_figures_come_back_and_nothing_else_does(figures, tmp_path):
    path = tmp_path / "figures.json"
    write_figures(path, figures)
    assert read_figures(path) == figures
    with pytest.raises(bq.InvalidInput, match="does not exist"):
        read_figures(tmp_path / "none.json")
    for text in ("[]", "{}", "not json", '{"what": "banditq bench", "format": 99}'):
        path.write_text(text)
        with pytest.raises(bq.InvalidInput, match="was not written by this version"):
            read_figures(path)


def test_the_plot_is_drawn_from_the_figures_in_colours_for_light_and_dark(figures, tmp_path):
    (tmp_path / "peers.json").write_text(json.dumps(PEERS))
    written = write_page(figures, tmp_path / "peers.json", tmp_path / "docs")
    assert {path.name for path in written} == {"speed.md", "speed.svg", "speed.png"}
    svg = (tmp_path / "docs" / "speed.svg").read_text()
    ElementTree.fromstring(svg)
    for name in ("BanditQ+LogBarrier", "its plain loop", "UCB1", "Other UCB", "author's code, Octave"):
        assert name in svg
    assert "prefers-color-scheme:dark" in svg
    assert set(re.findall(r"var\((--\w+)\)", svg)) <= set(re.findall(r"(--\w+):#", svg))
    assert "#222222" not in svg.partition("</style>")[2]


def test_curves_have_the_rows_of_their_panel(figures):
    drawn = {curve.label: curve for curve in plot.curves(figures, PEERS, "bandit")}
    assert set(drawn) == {"BanditQ+LogBarrier", "UCB1", "Other UCB"}
    assert drawn["Other UCB"].ns == [15e3, 3e6]
    full = {curve.label for curve in plot.curves(figures, PEERS, "full")}
    assert full == {"BanditQ+OGA", "its plain loop", "author's code, Octave"}


def test_of_many_companions_one_speaks_for_all_of_its_kind():
    many = [plot.Curve(f"p{k}", [5, 10], [1.0, k + 1.0], "#8a8a8a", 0, kind="policy") for k in range(9)]
    ours = plot.Curve("ours", [5], [1.0], "#0072B2", 2)
    assert [curve.label for curve in plot.named([*many, ours])] == ["ours", "9 other policies"]
    assert [curve.label for curve in plot.named([*many[:3], ours])] == ["p0", "p1", "p2", "ours"]


def test_labels_are_moved_apart_no_further_than_they_must():
    """No triple on a grid is nearer to what was wanted."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        wanted = np.sort(rng.integers(0, 6, 3)).astype(float)
        found = np.array(plot.spread_out(list(wanted), 2.0))
        assert (np.diff(found) >= 2.0 - 1e-9).all()
        grid = np.arange(-6.0, 14.0, 1.0 / 3.0)
        a, b, c = np.meshgrid(grid, grid, grid, indexing="ij")
        apart = (b - a >= 2.0 - 1e-9) & (c - b >= 2.0 - 1e-9)
        cost = (a - wanted[0]) ** 2 + (b - wanted[1]) ** 2 + (c - wanted[2]) ** 2
        assert ((found - wanted) ** 2).sum() <= cost[apart].min() + 1e-9


def test_the_committed_page_is_that_of_the_committed_figures():
    results, peers = ROOT / "benchmarks" / "results.json", ROOT / "benchmarks" / "peers.json"
    told = json.loads(peers.read_text()) if peers.exists() else {}
    page = (ROOT / "docs" / "speed.md").read_text()
    assert page == page_text(read_figures(results), told), "run: make bench-page"
