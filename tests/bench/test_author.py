"""The driver of the author's scripts, on a stand-in of the same make."""

import shutil
import stat

import pytest

import banditq as bq
from banditq.bench.author import SCRIPTS, author_nanoseconds, author_rows, timed_script

STAND_IN = """% a stand-in
clear all;
T=3*10^6; % Horizon length
N=1000; % number of arms
mu=rand(1,N);
x=(1/N)*ones(1,N);
progressbar;
for t=1:T
    progressbar(t/T);
    x=projsplx(x+mu/sqrt(t)); % the N=3 of a comment stays
    if any(x < 0) || abs(sum(x) - 1) > 1e-9 || numel(x) ~= N
        error('not a distribution');
    end
end
 figure(1)
 plot(1:T, x);
 save2pdf('never.pdf');
"""
FAKE = """#!/bin/sh
test -f banditq_timed.m && test -f projsplx.m && test -f progressbar.m || exit 3
grep -q '^T=40;' banditq_timed.m && echo 'banditq_seconds 2e-3'
"""


@pytest.fixture
def copy(tmp_path):
    folder = tmp_path / "author"
    folder.mkdir()
    for name in SCRIPTS.values():
        (folder / name).write_text(STAND_IN)
    return folder


def test_the_script_is_his_but_for_size_clock_and_plots():
    timed = timed_script(STAND_IN, n_arms=7, rounds=40)
    assert "\nT=40; % Horizon length\nN=7; % number" in timed
    assert "the N=3 of a comment stays" in timed
    assert "figure" not in timed
    assert "never.pdf" not in timed
    loop = timed.index("for t=1:T")
    assert timed.index("tic") < loop < timed.index("toc")
    assert timed[: timed.index("\nbanditq_clock")].endswith("progressbar;\n")


@pytest.mark.parametrize("missing", ["T=3*10^6;", "N=1000;", "for t=1:T"])
def test_another_version_of_the_script_is_refused(missing):
    with pytest.raises(bq.InvalidInput, match="another version"):
        timed_script(STAND_IN.replace(missing, ""), 5, 10)


@pytest.fixture
def octave(tmp_path, monkeypatch):
    """A program that takes Octave's place and answers 2 ms for 40 rounds."""
    program = tmp_path / "bin" / "octave-cli"
    program.parent.mkdir()
    program.write_text(FAKE)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")


@pytest.mark.usefixtures("octave")
def test_what_octave_says_becomes_nanoseconds_a_round(copy):
    (row,) = author_rows(copy, (("full", 5, 40),))
    assert row == {"feedback": "full", "n_arms": 5, "rounds": 40, "ns": pytest.approx(50_000.0)}


@pytest.mark.usefixtures("octave")
def test_what_goes_wrong_is_a_sentence(copy, tmp_path):
    with pytest.raises(bq.InvalidInput, match="could not run BanditQ_full_info"):
        author_nanoseconds(copy, "full", 5, 41)
    with pytest.raises(bq.InvalidInput, match=r"there is no BanditQ_bandit_expts\.m in it.*github\.com"):
        author_nanoseconds(tmp_path, "bandit", 5, 40)


def test_without_octave_it_says_so(copy, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(bq.InvalidInput, match="Octave is not installed"):
        author_nanoseconds(copy, "full", 5, 40)


@pytest.mark.skipif(shutil.which("octave-cli") is None, reason="GNU Octave is not installed")
def test_octave_itself_runs_the_stand_in_and_its_projection_is_one(copy):
    assert author_nanoseconds(copy, "full", 6, 30) > 0.0
