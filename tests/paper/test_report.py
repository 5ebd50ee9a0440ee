"""The report: complete, made of the data beside it, resumed and never overwritten."""

import csv
import errno
import html
import json
import os
import re

import numpy as np
import pytest
from scipy import stats as scipy_stats
from typer.testing import CliRunner

import banditq as bq
from banditq import store
from banditq.cli import app
from banditq.errors import InvalidInput
from banditq.paper import report as reporting
from banditq.paper.claims.base import Claim
from banditq.paper.entries import chosen, entries, everything, needed
from banditq.paper.errata import Erratum
from banditq.paper.figures import Figure
from banditq.paper.report import make_report
from banditq.paper.settings import FULL, QUICK, TINY, settings
from banditq.result import Result

FEW = "fig4,fig5,fig6"


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def page_of(folder):
    return (folder / "index.html").read_text(encoding="utf-8")


def plain(page):
    """The words of a page, with superscripts as exponents."""
    for set_as, typed in (("<sup>", "^"), ("</sup>", ""), ("−", "-"), ("\u00a0", " "), ("\u202f", " ")):
        page = page.replace(set_as, typed)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", page)))


def make(entry_ids, out):
    return make_report(out, TINY, entry_ids)


class TestEntries:
    def test_every_figure_claim_and_erratum_of_the_issue_has_its_id(self):
        known = entries()
        assert {f"fig{k}" for k in range(1, 14)} <= set(known)
        claims = {name for name, entry in known.items() if isinstance(entry, Claim)}
        assert {f"claim-theorem-{k}" for k in (1, 2, 3, 4, 5)} <= claims
        assert all(name.startswith("claim-") for name in claims)
        assert {"erratum-algorithm-2", "erratum-algorithm-3"} <= set(known)

    def test_no_two_entries_have_one_id(self):
        names = [entry.id for entry in everything()]
        assert sorted(names) == sorted(set(names))

    def test_every_setting_is_used_and_every_used_setting_exists(self):
        used = {name for entry in entries().values() for name in entry.settings}
        assert used == set(settings())
        assert [setting.name for setting in needed(chosen("fig7"))] == ["five-bandit", "five-lfg"]

    def test_the_paper_s_instances_at_the_paper_s_length(self):
        five, thousand = settings()["five-bandit"], settings()["thousand-full"]
        assert (five.problem.n_arms, five.play(FULL).rounds) == (5, 2_000_000)
        assert (thousand.problem.n_arms, thousand.play(FULL).rounds) == (1000, 3_000_000)
        assert thousand.play(QUICK).rounds == 3_000_000  # or there is nothing to compare with
        assert five.play(QUICK).rounds < five.play(FULL).rounds

    @pytest.mark.parametrize("size", [FULL, QUICK, TINY])
    def test_the_small_v_is_a_tenth_of_the_paper_s_at_every_size(self, size):
        for name in ("beyond-small-v", "beyond-all-three"):
            play = settings()[name].play(size)
            assert "V = √T / 10" in entries()["beyond-small-v-regret"].title
            assert play.policy.v == pytest.approx(0.1 * play.rounds**0.5)

    def test_five_horizons_over_two_decades(self):
        for series in ("full-five", "bandit-five", "full-gap", "bandit-gap"):
            rounds = [s.rounds for name, s in settings().items() if name.startswith(f"{series}/")]
            assert len(rounds) >= 5
            assert max(rounds) >= 100 * min(rounds)

    @pytest.mark.parametrize("name", ["figure 4", "fig4;fig5", "", "fig14"])
    def test_an_unknown_id_is_refused_with_the_known_ones(self, name):
        with pytest.raises(InvalidInput, match=r"fig1, fig2.*claim-theorem-2"):
            chosen(name)


class TestThePage:
    def test_everything_is_on_it(self, report):
        page = page_of(report)
        for name, entry in entries().items():
            assert f'id="{name}"' in page
            assert (report / "data" / f"{name}.csv").stat().st_size > 0
            if isinstance(entry, Figure):
                for end, start in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
                    assert (report / "figures" / f"{name}{end}").read_bytes().startswith(start)

    def test_it_needs_no_network_and_no_script(self, report):
        page = page_of(report)
        assert not re.search(r"<(script|link|img|iframe|object)\b", page)
        assert not re.search(r'(src|href)="(?!#)', page)
        assert not re.search(r"url\((?!#)|@import", page)

    def test_names_inside_are_unique_so_that_no_figure_borrows_from_another(self, report):
        names = re.findall(r'\bid="([^"]+)"', page_of(report))
        assert len(names) == len(set(names))
        for used in re.findall(r'(?:url\(|href=")#([^")]+)', page_of(report)):
            assert used in names

    def test_a_reduced_size_is_said(self, report):
        assert "Reduced size" in page_of(report)

    def test_what_was_run_is_there(self, report):
        page, played = page_of(report), json.loads((report / "data" / "played.json").read_text())
        assert set(played) == set(settings())
        for name, row in played.items():
            assert name in page
            assert row["seed"] == settings()[name].seed
            assert row["runs"] == settings()[name].count(TINY)
        assert bq.__version__ in page

    def test_every_claim_has_a_verdict_and_what_was_measured(self, report):
        page = plain(page_of(report))
        for name, entry in entries().items():
            if not isinstance(entry, Claim):
                continue
            told = json.loads((report / "data" / f"{name}.json").read_text())
            assert told["verdict"] in ("holds", "does not hold", "cannot be told")
            assert told["measured"][:60] in page
            assert entry.rule
            assert re.sub(r"\s+", " ", entry.rule) in page

    def test_every_erratum_is_shown_both_ways(self, report):
        for name, entry in entries().items():
            if isinstance(entry, Erratum):
                told = json.loads((report / "data" / f"{name}.json").read_text())
                assert told["as_printed"]
                assert told["corrected"]


class TestNumbersComeFromTheData:
    """Each is computed here once more, from the files beside the page, and looked for on the page."""

    def test_where_the_curves_of_a_figure_end(self, report):
        page = plain(page_of(report))
        for name in ("fig2", "fig6", "beyond-priced"):
            last = {row["series"]: row for row in rows_of(report / "data" / f"{name}.csv")}
            for series, row in last.items():
                if row["kind"] != "curve":
                    continue
                ends = [float(row[column]) for column in ("mean", "low", "high")]
                told = [f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.4g}" for x in ends]
                assert f"{series}: {told[0]} ({told[1]} to {told[2]})" in page

    def test_the_lead_over_lfg(self, report):
        rows = rows_of(report / "data" / "claim-lfg.csv")
        lead = np.array([float(row["banditq"]) - float(row["lfg"]) for row in rows])
        error = lead.std(ddof=1) / lead.size**0.5
        more = "more" if lead.mean() >= 0 else "less"
        said = f"BanditQ receives {abs(lead.mean()):,.0f} ± {error:,.0f} {more} than LFG"
        assert said in plain(page_of(report))

    def test_the_lead_after_debts_is_the_same_in_the_figure_and_in_the_claim(self, report):
        """Both are of the rewards received: figure 7's second panel, and the claim's priced regrets."""
        rows = rows_of(report / "data" / "claim-lfg.csv")
        names = ("lfg priced realised regret", "banditq priced realised regret")
        theirs, ours = (np.mean([float(row[name]) for row in rows]) for name in names)
        last = {row["series"]: row for row in rows_of(report / "data" / "fig7-lead.csv")}
        drawn = float(last["the same, debts paid at their price"]["mean"])
        assert drawn == pytest.approx(theirs - ours, abs=1e-6)

    @pytest.mark.parametrize(("figure", "feedback"), [("fig10", "full"), ("fig13", "bandit")])
    def test_the_author_s_regret_is_drawn_over_and_compared_with_the_same_kind(
        self, report, figure, feedback
    ):
        last = {row["series"]: row for row in rows_of(report / "data" / f"{figure}.csv")}
        rows = rows_of(report / "data" / "claim-thousand.csv")
        what = "realised regret at the end"
        compared = next(row for row in rows if (row["feedback"], row["what"]) == (feedback, what))
        assert float(last["realised regret"]["mean"]) == pytest.approx(float(compared["ours"]), rel=1e-6)

    def test_the_distance_from_the_author_s_curves(self, report):
        page = page_of(report)
        rows = rows_of(report / "data" / "claim-thousand.csv")
        assert len(rows) == 10
        for row in rows:
            runs = int(row["runs"])
            half = scipy_stats.t.ppf(0.9975, runs - 1) * float(row["spread"]) * (1 + 1 / runs) ** 0.5
            published, ours = float(row["published"]), float(row["ours"])
            assert float(row["low"]) == pytest.approx(ours - half, rel=1e-6, abs=1e-6 * half)
            assert float(row["high"]) == pytest.approx(ours + half, rel=1e-6, abs=1e-6 * half)
            inside = "inside" if abs(published - ours) <= half else "outside"
            cells = rf"<td>{row['feedback']}</td><td>{re.escape(row['what'])}</td>.*?(\w+)</td></tr>"
            assert re.search(cells, page)[1] == inside

    def test_the_surrogate_regret_of_theorem_1(self, report):
        rows = rows_of(report / "data" / "claim-theorem-1.csv")
        ratios = [float(row["regret"]) / (2.0 * float(row["squares"]) ** 0.5) for row in rows]
        said = f"Surrogate regret is {np.mean(ratios):.0%} of 2 √Σ‖g‖² on average"
        assert said in plain(page_of(report))

    def test_a_figure_s_data_are_those_of_the_simulation(self, report):
        setting = settings()["five-bandit"]
        run = bq.simulate(setting.policy, setting.problem, 1000, runs=setting.count(TINY))
        rows = [row for row in rows_of(report / "data" / "fig5.csv") if row["series"] == "arm 2"]
        assert [int(float(row["round"])) for row in rows] == run.rounds.tolist()
        means = [float(row["mean"]) for row in rows]
        np.testing.assert_allclose(means, run.queues()[:, :, 1].mean(axis=0), rtol=1e-9)
        single = [float(row["single"]) for row in rows]
        np.testing.assert_allclose(single, run.queues()[0, :, 1], rtol=1e-9)


class TestTheFolder:
    def test_some_of_it_first_and_more_later(self, tmp_path):
        make("fig4", tmp_path)
        assert "Not in this report" in plain(page_of(tmp_path))
        assert 'id="fig5"' not in page_of(tmp_path)
        before = (tmp_path / "data" / "fig4.csv").read_bytes()
        make("fig5", tmp_path)
        assert 'id="fig4"' in page_of(tmp_path)
        assert 'id="fig5"' in page_of(tmp_path)
        assert (tmp_path / "data" / "fig4.csv").read_bytes() == before

    def test_another_size_is_not_mixed_in(self, tmp_path):
        make("erratum-means", tmp_path)
        with pytest.raises(InvalidInput, match="holds a report of tiny size; give another folder"):
            make_report(tmp_path, QUICK, "erratum-means")

    def test_data_without_its_pictures_is_drawn(self, tmp_path):
        """As a run leaves them that is stopped between scoring and drawing."""
        make("fig1", tmp_path)
        for path in (tmp_path / "figures").iterdir():
            path.unlink()
        (tmp_path / "index.html").unlink()
        make("erratum-means", tmp_path)
        assert 'id="fig1"' in page_of(tmp_path)
        assert (tmp_path / "figures" / "fig1-single.svg").exists()

    def test_pictures_older_than_their_data_are_drawn_again(self, tmp_path):
        make("fig1", tmp_path)
        picture = tmp_path / "figures" / "fig1.svg"
        picture.write_text("<svg>old</svg>", encoding="utf-8")
        os.utime(picture, (0, 0))
        make("erratum-means", tmp_path)
        assert "old" not in picture.read_text(encoding="utf-8")[:20]

    def test_a_claim_without_its_verdict_is_one_that_is_missing(self, tmp_path):
        make("erratum-means,erratum-average", tmp_path)
        (tmp_path / "data" / "erratum-means.json").unlink()
        make("erratum-average", tmp_path)
        assert "erratum-means" in plain(page_of(tmp_path)).split("Not in this report")[1]

    @pytest.mark.parametrize("foreign", ["index.html", "data/theirs.csv"])
    def test_somebody_else_s_folder_is_left_alone(self, tmp_path, foreign):
        path = tmp_path / foreign
        path.parent.mkdir(exist_ok=True)
        path.write_text("theirs")
        with pytest.raises(InvalidInput, match=rf"holds {foreign.split('/')[0]} and is not .* report"):
            make("erratum-means", tmp_path)
        assert path.read_text() == "theirs"
        assert [p for p in tmp_path.rglob("*") if p.is_file()] == [path]

    def test_empty_folders_and_hidden_files_are_nobody_s(self, tmp_path):
        (tmp_path / "data").mkdir()
        (tmp_path / ".hidden").write_text("")
        make("erratum-means", tmp_path)
        assert (tmp_path / "index.html").exists()

    def test_what_is_there_is_not_played_again(self, tmp_path, monkeypatch):
        make(FEW, tmp_path)
        monkeypatch.setattr(store, "simulate", lambda *_, **__: pytest.fail("played again"))
        make(FEW, tmp_path)

    def test_a_run_that_was_stopped_goes_on_and_ends_the_same(self, tmp_path, monkeypatch):
        whole, stopped = tmp_path / "whole", tmp_path / "stopped"
        make(FEW + ",fig7", whole)
        played, play = [], store.simulate

        def stop_at(limit):
            def simulate(*args, **options):
                if len(played) == limit:
                    raise KeyboardInterrupt
                played.append(options["runs"])
                return play(*args, **options)

            monkeypatch.setattr(store, "simulate", simulate)

        stop_at(2)
        with pytest.raises(KeyboardInterrupt):
            make(FEW + ",fig7", stopped)
        assert not (stopped / "index.html").exists()
        stop_at(None)
        make(FEW + ",fig7", stopped)
        assert sum(map(len, played)) == 2 * settings()["five-bandit"].count(TINY)  # and LFG; none twice
        for name in ("fig4", "fig5", "fig6", "fig7"):
            path = f"data/{name}.csv"
            assert (stopped / path).read_bytes() == (whole / path).read_bytes()

    def test_a_full_disk_is_one_sentence_and_loses_nothing(self, tmp_path, monkeypatch):
        saved, save = [], Result.save

        def run_out(self, path):
            if saved:
                raise OSError(errno.ENOSPC, "No space left on device", str(path))
            saved.append(path)
            return save(self, path)

        monkeypatch.setattr(reporting, "FULL", TINY)
        monkeypatch.setattr("banditq.paper.settings.FULL", TINY)
        monkeypatch.setattr(Result, "save", run_out)
        words = ["paper", "--only", FEW, "--out", str(tmp_path)]
        said = CliRunner().invoke(app, words)
        assert said.exit_code == 2
        told = [line for line in said.stderr.splitlines() if "runs of" not in line]
        assert len(told) == 1
        assert "No space left on device" in told[0]
        assert saved[0].exists()
        monkeypatch.setattr(Result, "save", save)
        assert CliRunner().invoke(app, words).exit_code == 0

    @pytest.mark.parametrize("held", ["{", '"huge"', "[]"])
    def test_a_damaged_size_says_what_it_must_hold(self, tmp_path, held):
        make("erratum-means", tmp_path)
        (tmp_path / "data" / "size.json").write_text(held)
        with pytest.raises(InvalidInput, match=r'size\.json is damaged.* "full" or "quick"'):
            make("erratum-means", tmp_path)

    @pytest.mark.parametrize("name", ["fig4.csv", "claim-average-regret.json", "played.json"])
    def test_damaged_data_say_which_file_to_delete_and_that_helps(self, tmp_path, name):
        make("fig4,claim-average-regret", tmp_path)
        path = tmp_path / "data" / name
        text = path.read_text(encoding="utf-8")
        path.write_text(text[: len(text) // 2], encoding="utf-8")
        with pytest.raises(InvalidInput, match=f"{name} is damaged; delete it"):
            make("erratum-means", tmp_path)
        path.unlink()
        make("erratum-means", tmp_path)

    def test_a_damaged_measurement_is_set_aside_and_made_again(self, tmp_path, capsys):
        make("erratum-zero", tmp_path)
        whole = (tmp_path / "data" / "erratum-zero.csv").read_bytes()
        (path,) = (tmp_path / "cache" / "measured").iterdir()
        path.write_text(path.read_text()[:30])
        make("erratum-zero", tmp_path)
        assert f"{path} is damaged; it is kept as {path.name}.damaged" in capsys.readouterr().err
        assert (tmp_path / "data" / "erratum-zero.csv").read_bytes() == whole

    @pytest.mark.parametrize("damage", ["cut", "changed"])
    def test_damaged_runs_are_set_aside_and_played_again(self, tmp_path, capsys, damage):
        make("fig4", tmp_path)
        whole = (tmp_path / "data" / "fig4.csv").read_bytes()
        paths = sorted((tmp_path / "cache").rglob("runs-*.npz"))
        held = bytearray(paths[-1].read_bytes())
        half = len(held) // 2
        paths[-1].write_bytes(
            held[:half] if damage == "cut" else held[:half] + b"?" * 99 + held[half + 99 :]
        )
        make("fig4", tmp_path)
        assert f"{paths[-1]} is damaged; it is kept as" in capsys.readouterr().err
        assert (tmp_path / "data" / "fig4.csv").read_bytes() == whole

    def test_a_folder_that_cannot_be_is_one_sentence(self, tmp_path):
        (tmp_path / "file").write_text("")
        said = CliRunner().invoke(app, ["paper", "--quick", "--out", str(tmp_path / "file" / "report")])
        assert said.exit_code == 2
        assert len(said.stderr.splitlines()) == 1
        assert "Not a directory" in said.stderr


class TestTheCommand:
    def test_the_list_names_everything(self):
        said = CliRunner().invoke(app, ["paper", "--list"])
        assert said.exit_code == 0
        assert [line.split()[0] for line in said.stdout.splitlines()] == list(entries())

    def test_an_unknown_id_is_bad_input(self, tmp_path):
        said = CliRunner().invoke(app, ["paper", "--only", "fig99", "--out", str(tmp_path / "new")])
        assert said.exit_code == 2
        assert "'fig99'" in said.stderr
        assert not (tmp_path / "new").exists()
