"""``banditq bench``: what it measures, keeps and refuses; at tiny sizes."""

import json
import os
from contextlib import nullcontext
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import banditq as bq
from banditq.bench import command, measuring, startup
from banditq.bench.clock import Budget, TooSlow
from banditq.bench.experiments import experiment_seconds
from banditq.bench.figures import no_figures, read_figures, write_figures
from banditq.bench.live import live_calls, saving
from banditq.cli import app

TINY = Budget(play_in=0.0005, patience=0.005, passes=1, measured=0.0005)
SCOPE = measuring.Scope(
    "quick", sizes=(2, 4), budget=TINY, headline=TINY, sections=("live",), author=(), memory=(), repeats=1
)


def call(*words):
    return CliRunner().invoke(app, ["bench", *map(str, words)])


@pytest.fixture
def tiny(monkeypatch):
    """A bench of milliseconds under the quick one's name, without a live agent's million calls."""
    monkeypatch.setattr(command, "QUICK", SCOPE)
    monkeypatch.setattr(measuring, "live_calls", lambda: [{"n_arms": 5, "microseconds": 1.0}])


@pytest.mark.usefixtures("tiny")
def test_the_figures_are_written_printed_and_drawn(tmp_path):
    out, docs = tmp_path / "new" / "bench.json", tmp_path / "docs"
    said = call("--quick", "--only", "ucb1,logbarrier,live", "--out", out, "--docs", docs)
    assert said.exit_code == 0, said.stderr
    figures = read_figures(out)
    assert [(r["entry"], r["n_arms"]) for r in figures["rounds"]] == [
        ("BanditQ+LogBarrier", 2),
        ("BanditQ+LogBarrier", 4),
        ("UCB1", 2),
        ("UCB1", 4),
    ]
    assert all(row["ns"] > 0 and row["plain_ns"] > 0 and row["before"] > 0 for row in figures["rounds"])
    assert figures["live"] == [{"n_arms": 5, "microseconds": 1.0}]
    assert "against a plain loop" in said.stdout
    assert (docs / "speed.md").exists()
    again = call("--redraw", "--out", out, "--docs", tmp_path / "again")
    assert again.exit_code == 0
    assert (tmp_path / "again" / "speed.md").read_text() == (docs / "speed.md").read_text()


@pytest.mark.usefixtures("tiny")
def test_json_is_what_would_be_written():
    said = call("--quick", "--only", "live", "--json")
    assert json.loads(said.stdout)["live"] == [{"n_arms": 5, "microseconds": 1.0}]


@pytest.mark.usefixtures("tiny")
def test_ctrl_c_keeps_what_is_done(tmp_path, monkeypatch):
    def stop():
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "live_calls", stop)
    out = tmp_path / "bench.json"
    said = call("--quick", "--only", "ucb1,live", "--out", out)
    assert said.exit_code == 130
    assert not out.exists()
    kept = read_figures(tmp_path / "bench.json.partial")
    assert [row["n_arms"] for row in kept["rounds"]] == [2, 4]
    assert "bench.json.partial" in said.stderr
    assert "UCB1" in said.stdout
    assert call("--quick", "--only", "live", "--out", out).exit_code == 130  # and with nothing to keep


@pytest.mark.usefixtures("tiny")
def test_a_part_does_not_take_the_place_of_a_whole(tmp_path):
    out = tmp_path / "full.json"
    write_figures(out, no_figures("full"))
    said = call("--quick", "--only", "live", "--out", out)
    assert said.exit_code == 2
    assert "holds a full bench" in said.stderr
    assert read_figures(out)["scope"] == "full"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--only", "nonsense"], "only is 'nonsense', which names nonsense; the entries are BanditQ"),
        (["--only", ","], "which names nothing"),
        (["--docs", "docs"], "docs needs --out"),
        (["--redraw"], "redraw needs --out"),
        (["--redraw", "--out", "none.json", "--docs", "docs"], "none.json does not exist"),
    ],
)
def test_bad_wishes_are_one_sentence(words, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = call(*words)
    assert said.exit_code == 2
    assert told in said.stderr


def test_the_list_names_entries_and_sections():
    said = call("--list").stdout
    for name in ("BanditQ+LogBarrier", "UCB1", "experiments", "startup"):
        assert name in said


@pytest.mark.usefixtures("tiny")
def test_after_a_size_that_is_too_slow_no_larger_one_is_tried(monkeypatch):
    sizes = []

    def too_slow(figures, entry, n_arms, budget):
        sizes.append(n_arms)
        raise TooSlow("slow")

    monkeypatch.setattr(measuring, "_measure_point", too_slow)
    figures = no_figures("quick")
    for step in measuring.steps(SCOPE, command.chosen("ucb1"), (), None):
        step.run(figures)
    assert sizes == [2]
    assert [row["n_arms"] for row in figures["left_out"]] == [2, 4]


def test_a_policy_that_refuses_a_size_may_take_the_next():
    figures = no_figures("quick")
    (entry,) = command.chosen("fixedmix")

    def make(problem):
        if problem.n_arms < 3:
            raise bq.InvalidInput("two are too few")
        return bq.FixedMix((0.25,) * 4)

    for step in measuring.steps(SCOPE, [replace(entry, make=make)], (), None):
        step.run(figures)
    assert [(row["n_arms"], row["why"]) for row in figures["left_out"]] == [(2, "two are too few")]
    assert [row["n_arms"] for row in figures["rounds"]] == [4]


def test_a_missing_octave_or_copy_is_told_before_anything_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "_measure_point", pytest.fail)
    said = call("--quick", "--author", tmp_path / "nowhere")
    assert said.exit_code == 2
    assert "nowhere" in said.stderr or "Octave is not installed" in said.stderr


def test_what_octave_refuses_half_way_is_left_out(monkeypatch):
    def refuse(folder, cases):
        raise bq.InvalidInput("Octave could not run it")

    monkeypatch.setattr(measuring, "author_rows", refuse)
    figures = no_figures("quick")
    measuring._author_step(None, ("full", 5, 10)).run(figures)
    assert figures["left_out"][0]["why"] == "Octave could not run it"


@pytest.mark.parametrize(("early", "gets_in"), [(80.0, True), (20.0, False), (None, False)])
def test_who_began_as_he_went_on_need_not_play_the_first_rounds(early, gets_in):
    """At N = 100,000 nobody gets past them in five milliseconds."""
    figures = no_figures("quick")
    row = {"entry": "ThompsonSampling", "n_arms": 1_000, "ns": 100.0, "early_ns": early}
    figures["rounds"].append(row)
    entry = command.chosen("thompsonsampling")[0]
    with nullcontext() if gets_in else pytest.raises(TooSlow):
        measuring._measure_point(figures, entry, 100_000, TINY)
    assert len(figures["rounds"]) == 1 + gets_in


def test_every_section_of_the_full_bench_has_its_steps():
    steps = measuring.steps(measuring.FULL, [], measuring.SECTIONS, None)
    assert len(steps) == 1 + 1 + 3 + 2 + 4
    assert sum(step.weight for step in steps) > 0


def test_live_calls_and_files_are_timed():
    (row,) = live_calls(sizes=(3,), calls=20)
    assert 0.0 < row["microseconds"] < 1e5
    (row,) = saving(n_arms=300, rounds=3)
    assert 0.0 < row["save_ms"] < 1e4
    assert 0.0 < row["load_ms"] < 1e4
    assert row["mebibytes"] * 2**20 > 300 * 8


def test_an_experiment_is_both_settings(monkeypatch):
    (row,) = experiment_seconds("paper-5", repeats=1, rounds=2_000)
    assert row["pair"] == row["bandit"] + row["full"]
    assert (row["n_arms"], row["rounds"]) == (5, 2_000)


def test_a_process_of_its_own_says_how_long_it_took():
    (row,) = startup.import_seconds(repeats=1)
    assert 0.0 < row["seconds"] < 60.0


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system does not say")  # noqa: PTH110
def test_peak_memory_is_the_child_s_own():
    """A parent that has held 300 MiB does not show in the child."""
    ballast = bytearray(300 * 2**20)
    ballast[::4096] = b"x" * len(ballast[::4096])
    code = "from banditq.bench.startup import peak_mebibytes; print(peak_mebibytes())"
    assert startup.peak_mebibytes() >= 300 > float(startup._python(code))
