"""The command line: what it prints, what it writes, and how it refuses."""

import json
import resource
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import banditq as bq
from banditq.cli import app

MEANS, TARGETS = ".335,.203,.241,.781,.617", ".167,.067,0,0,0"
FIVE = ["--means", MEANS, "--targets", TARGETS]
SMALL = ["simulate", *FIVE, "--rounds", "2e3", "--runs", "3"]


def call(*words):
    return CliRunner().invoke(app, list(map(str, words)))


def test_the_figures_are_those_of_python():
    report = json.loads(call(*SMALL, "--seed", 5, "--json").stdout)
    problem = bq.Problem([0.335, 0.203, 0.241, 0.781, 0.617], [0.167, 0.067, 0, 0, 0])
    run = bq.simulate(bq.BanditQ(), problem, rounds=2_000, runs=3, seed=5)
    told = report["summary"]["total"]["priced regret"]["value"]
    assert told == pytest.approx(run.priced_regret()[-1], rel=1e-12)
    assert report["info"]["seed"] == 5
    assert bq.Policy.from_dict(report["info"]["policy"]) == bq.BanditQ()


def test_the_table_names_every_figure():
    said = call(*SMALL, "--policy", "tsallis-inf")
    assert said.exit_code == 0
    for name in ("regret", "priced regret", "violation", "target", "shortfall", "rounds/s"):
        assert name in said.stdout


def test_what_is_written_comes_back(tmp_path):
    folder = tmp_path / "new" / "folder"
    assert call(*SMALL, "--out", folder).exit_code == 0
    run = bq.Result.load(folder / "result.npz")
    summary = json.loads((folder / "summary.json").read_text())
    value = summary["summary"]["total"]["regret"]["value"]
    assert value == pytest.approx(run.regret()[:, -1].mean(), rel=1e-12)
    drawn = {path.name for path in folder.iterdir()} - {"result.npz", "summary.json"}
    assert drawn == {f"{name}{end}" for name in ("rates", "queues", "regret") for end in (".png", ".svg")}


def test_rewards_may_come_from_a_file(tmp_path):
    path = tmp_path / "log.csv"
    np.savetxt(path, np.random.default_rng(0).random((300, 2)), delimiter=",")
    table = f'Table("{path}")'
    said = call("simulate", "--targets", ".1,0", "--rewards", table, "--rounds", 300, "--runs", 2)
    assert said.exit_code == 0, said.stderr


REFUSALS = {
    "no targets": (["simulate"], "--means and --targets"),
    "not a number": (["simulate", "--means", ".3,x", "--targets", ".1,0"], "'.3,x'"),
    "nan": (["simulate", "--means", ".3,nan", "--targets", ".1,0"], "means[1] is nan"),
    "wrong length": (["simulate", "--means", ".3,.5", "--targets", ".1"], "2 arms"),
    "negative": (["simulate", "--means", ".3,.5", "--targets", "-.1,0"], "targets[0] is -0.1"),
    "over the maximum": (["simulate", "--means", ".3,1.5", "--targets", ".1,0"], "reward_max"),
    "unreachable": (["simulate", "--means", ".3,.5", "--targets", ".2,.4"], "--allow-infeasible"),
    "no rounds": ([*SMALL, "--rounds", "0"], "rounds is 0"),
    "no runs": ([*SMALL, "--runs", "0"], "runs is 0"),
    "unknown policy": ([*SMALL, "--policy", "nosuch"], "'nosuch' is not a policy or learner"),
    "a reward model as policy": ([*SMALL, "--policy", "beta"], "'beta' is not a policy or learner"),
    "bad setting": ([*SMALL, "--policy", "BanditQ(v=-1)"], "v is -1"),
    "unknown setting": ([*SMALL, "--policy", "BanditQ(w=1)"], "'w'"),
    "unknown rewards": ([*SMALL, "--rewards", "gauss"], "'gauss' is not a reward model"),
    "no such file": (["simulate", "--targets", ".1,0", "--rewards", 'Table("nope.csv")'], "nope.csv"),
    "unknown instance": (["simulate", "--instance", "paper-6"], "paper-5"),
    "two problems": (["simulate", "--instance", "paper-5", *FIVE], "leave those out: --means, --targets"),
    "two models": (
        ["simulate", "--instance", "paper-5", "--rewards", "NoSuch("],
        "leave those out: --rewards",
    ),
    "two maxima": (
        ["simulate", "--instance", "paper-5", "--reward-max", 2],
        "leave those out: --reward-max",
    ),
    "a gap in a list": (["simulate", "--means", ".3,,.8", "--targets", ".1,0"], "'.3,,.8'"),
    "endless rounds": ([*SMALL, "--rounds", "1e300"], "it must be at most"),
    "endless seed": ([*SMALL, "--seed", "1" + "0" * 400], "it must be at most"),
    "endless runs": ([*SMALL, "--runs", 10**9], "runs would do"),
    "a negative mean": (["feasible", "--means", "-.3,.5", "--targets", ".1,0"], "means[0] is -0.3"),
    "a mean short": (["feasible", "--means", ".5", "--targets", ".1,0"], "means has 1 numbers"),
    "half a question": (["feasible", "--means", ".3"], "--targets"),
    "negative error": (["feasible", "--means", ".3", "--targets", ".1", "--error", "-1"], "error is -1"),
    "unknown option": (["simulate", "--bogus"], "--bogus"),
    "unknown command": (["bogus"], "bogus"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_is_one_sentence_and_exit_code_2(name):
    words, expected = REFUSALS[name]
    said = call(*words)
    assert said.exit_code == 2
    assert expected in said.stderr
    assert "Traceback" not in said.stderr
    assert said.stdout == ""


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    said = call(*SMALL, "--out", tmp_path / "file" / "folder")
    assert said.exit_code == 2
    assert str(tmp_path / "file") in said.stderr


@contextmanager
def full_disk():
    """No file can grow; the system then names none, as when a disk is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_played(tmp_path, monkeypatch):
    monkeypatch.setattr(bq, "simulate", pytest.fail)
    with full_disk():
        said = call(*SMALL, "--out", tmp_path / "folder")
    assert said.exit_code == 2
    assert said.stderr.startswith(f"banditq: {tmp_path / 'folder'}: ")
    assert not list((tmp_path / "folder").iterdir())


def test_a_disk_that_fills_up_meanwhile_costs_the_files_only(tmp_path, monkeypatch):
    simulate = bq.simulate
    with ExitStack() as full:

        def play(*args, **options):
            run = simulate(*args, **options)
            full.enter_context(full_disk())
            return run

        monkeypatch.setattr(bq, "simulate", play)
        said = call(*SMALL, "--out", tmp_path)
    assert said.exit_code == 2
    assert "priced regret" in said.stdout
    assert "written to" not in said.stdout
    assert said.stderr.startswith(f"banditq: {tmp_path / 'result.npz'}: ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (["--seed", 1], "seed"),
        (["--rounds", 1000], "rounds"),
        (["--runs", 2], "runs"),
        (["--policy", "ucb1"], "policy"),
        (["--reward-max", 2], "problem"),
    ],
)
def test_a_result_is_never_replaced_by_another(change, differs, tmp_path):
    assert call(*SMALL, "--out", tmp_path).exit_code == 0
    before = (tmp_path / "result.npz").read_bytes()
    said = call(*SMALL, *change, "--out", tmp_path)
    assert said.exit_code == 2
    assert said.stdout == ""
    assert (
        f"holds a result that differs in {differs}, and would be lost; give another folder" in said.stderr
    )
    assert (tmp_path / "result.npz").read_bytes() == before


def test_a_result_may_be_replaced_by_one_that_holds_it(tmp_path):
    for runs in (3, 3, 5):  # the same again, and with more runs
        assert call(*SMALL, "--runs", runs, "--policy", "tsallis-inf", "--out", tmp_path).exit_code == 0
    assert bq.Result.load(tmp_path / "result.npz").runs == 5


def test_a_file_in_the_place_of_a_result_is_left_alone(tmp_path):
    (tmp_path / "result.npz").write_text("somebody's")
    said = call(*SMALL, "--out", tmp_path)
    assert said.exit_code == 2
    assert "is not a result saved by banditq, or it is damaged; remove it, or give another" in said.stderr
    assert (tmp_path / "result.npz").read_text() == "somebody's"


def test_an_arm_that_never_pays_is_json_all_the_same(tmp_path):
    words = ["simulate", "--means", "0,.5", "--targets", ".1,.2", "--rounds", 1000, "--runs", 3]
    said = call(*words, "--allow-infeasible", "--json", "--out", tmp_path)
    assert said.stderr == ""
    for text in (said.stdout, (tmp_path / "summary.json").read_text()):
        told = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
        assert told["summary"]["total"]["priced regret"] == {"value": None, "error": None}


def test_a_warning_is_a_line():
    said = call(*SMALL, "--policy", "FairLearn([.9, .05, .02, .02, .01])")
    assert said.exit_code == 0
    assert said.stderr.startswith("banditq: fractions as uneven as these")
    assert said.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("means", "error", "code"), [(".3,.5", "0", 0), (".3,.5", ".15", 3), (".1,.5", "0", 1)]
)
def test_feasible_answers_with_its_exit_code(means, error, code):
    said = call("feasible", "--means", means, "--targets", ".2,.1", "--error", error, "--json")
    assert said.exit_code == code
    verdict = {0: "feasible", 1: "infeasible", 3: "unknown"}[code]
    assert json.loads(said.stdout)["verdict"] == verdict


def test_ctrl_c_says_that_nothing_was_kept(monkeypatch):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(bq, "simulate", interrupted)
    said = call(*SMALL)
    assert said.exit_code == 130
    assert "Ctrl-C" in said.stderr


def test_ctrl_c_while_it_starts_is_quiet(tmp_path):
    """The first import of the package that takes time is Numba's."""
    (tmp_path / "numba.py").write_text("raise KeyboardInterrupt")
    program = "import sys; sys.path.insert(0, sys.argv[1]); import banditq_command; banditq_command.main()"
    said = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, check=False)
    assert (said.returncode, said.stdout, said.stderr) == (130, b"", b"")


def test_it_is_installed_and_says_its_version():
    program = Path(sys.executable).with_name("banditq")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == bq.__version__


def test_help_teaches():
    for words in (["--help"], ["simulate", "--help"], ["feasible", "--help"]):
        said = call(*words)
        assert said.exit_code == 0
    assert "Exit codes" in call("--help").stdout
    assert "Example" in call("simulate", "--help").stdout


@pytest.mark.parametrize("words", [["arena", "--list"], ["--version"], ["paper", "--list"]])
@pytest.mark.parametrize("unbuffered", [[], ["-u"]])
def test_a_reader_that_has_gone_is_no_error_to_tell(words, unbuffered):
    """Whether printing meets the closed pipe at once or at the end."""
    script = "from banditq.cli import main; main()"
    command = [sys.executable, *unbuffered, "-c", script, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        told = process.stderr.read()
    assert told == ""
