"""Sentences on figures, from lines made up for each case."""

import json

import numpy as np
import pytest

from banditq.paper.brief import brief
from banditq.paper.drawing import draw
from banditq.paper.entries import entries
from banditq.paper.figures import Figure
from banditq.paper.lines import curve, level, published, write_lines
from banditq.paper.remarks import of_lead, of_queues, of_regret, of_variants, settled

T = np.array([25.0, 50.0, 75.0, 100.0])


def ending(series, value, spread=0.1, colour=0):
    """Ten runs on straight lines from zero, which end within ``spread`` of a value."""
    noise = spread * np.linspace(-1.0, 1.0, 10)
    return curve(series, colour, T, (value + noise[:, None]) * T / T[-1])


def flat(series, value, spread=0.1, colour=0):
    noise = spread * np.linspace(-1.0, 1.0, 10)
    return curve(series, colour, T, value + noise[:, None] + 0.0 * T)


@pytest.mark.parametrize(
    ("regret", "priced", "said"),
    [
        (
            ending("r", -9.0),
            ending("p", 3.0),
            "because arms are owed: with debts at their price it ends above",
        ),
        (
            ending("r", -9.0),
            ending("p", 3.0, spread=90.0),
            "because arms are owed: with debts at their price it cannot",
        ),
        (ending("r", -9.0), ending("p", -3.0), "below zero, also with debts"),
        (ending("r", 9.0), ending("p", 12.0), "above zero, before any debt"),
        (ending("r", -9.0, spread=90.0), ending("p", 12.0), "cannot be told"),
    ],
)
def test_the_sign_of_regret_is_read_off_the_runs(regret, priced, said):
    assert said in of_regret([regret, priced])


def test_queues_are_set_against_where_they_should_stand():
    lines = [flat("arm 1", 30.0), level("V", 0, 60.0), flat("arm 2", 99.0), level("W", 1, 100.0)]
    assert "average 50% and 99% of it" in of_queues(lines)
    assert of_queues([line for line in lines if line.kind == "curve"]) == ""


def test_the_second_half_of_a_straight_line_is_its_mean_there():
    assert settled(ending("a", 4.0)) == pytest.approx(3.0)  # from 2 to 4


@pytest.mark.parametrize(
    ("plain", "priced", "said"),
    [
        (5.0, -5.0, "BanditQ is ahead; with debts paid, LFG is ahead"),
        (-5.0, 0.01, "LFG is ahead; with debts paid, who is ahead cannot be told"),
    ],
)
def test_who_leads(plain, priced, said):
    assert said in of_lead([ending("a", plain), ending("b", priced), level("equal", 6, 0.0)])


def test_the_lowest_and_the_highest_variant_with_those_too_near_to_tell():
    lines = [ending("a", 1.0), ending("b", 1.01), ending("c", 5.0), level("zero", 6, 0.0)]
    told = of_variants(lines)
    assert "Lowest at the end: a (which cannot be told from b)." in told
    assert "Highest at the end: c." in told


def test_no_caption_says_what_only_data_can():
    for entry in entries().values():
        if isinstance(entry, Figure):
            assert "negative" not in entry.caption
            assert "As figure" not in entry.caption


def test_the_author_s_two_curves_look_different():
    theirs = [published(f"his arm {k + 1}", k, T, T) for k in (0, 1)]
    figure = entries()["fig12"]
    ax = draw(figure, [flat("arm 1", 1.0), *theirs], "mean").axes[0]
    drawn = {line.get_label(): (line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len({drawn[name] for name in ("arm 1", "his arm 1", "his arm 2")}) == 3


class TestTheBrief:
    def write(self, data, name, lines, verdict=None):
        write_lines(data / f"{name}.csv", lines)
        if verdict:
            told = {"verdict": verdict, "measured": ""}
            (data / "claim-targets-met.json").write_text(json.dumps(told))

    @pytest.mark.parametrize(
        ("verdict", "said"),
        [
            ("holds", "The promises are kept: in bandit"),
            ("does not hold", "Not every promise was kept: in bandit"),
            ("cannot be told", "cannot be told from what was played. In bandit"),
            (None, "In bandit"),
        ],
    )
    def test_promises_by_the_verdict(self, tmp_path, verdict, said):
        arms = [flat("arm 1", 0.5), level("target of arm 1", 0, 1.0)]
        arms += [flat("arm 2", 0.25), level("target of arm 2", 1, 0.25)]
        self.write(tmp_path, "fig4", arms, verdict)
        (sentence,) = brief(tmp_path)
        assert sentence.startswith(said) or said in sentence
        assert ("kept" in sentence) == (verdict is not None)
        assert "50.0% and 100.0%" in sentence

    @pytest.mark.parametrize(("value", "stands"), [(95.0, True), (61.0, False)])
    def test_queues_stand_only_where_they_do(self, tmp_path, value, stands):
        lines = []
        for k in (1, 2):
            lines += [flat(f"arm {k}", value), level(f"V · price of arm {k}", k, 100.0)]
        self.write(tmp_path, "fig5", lines)
        (sentence,) = brief(tmp_path)
        assert ("for ever" in sentence) == stands
        assert f"{value:.0f} where theory says 100" in sentence

    @pytest.mark.parametrize(("regret", "win"), [(-9.0, True), (9.0, False)])
    def test_negative_regret_only_where_it_is(self, tmp_path, regret, win):
        self.write(
            tmp_path, "fig6", [ending("pseudo-regret", regret), ending("priced pseudo-regret", 12.0)]
        )
        (sentence,) = brief(tmp_path)
        assert ("is not a win" in sentence) == win

    @pytest.mark.parametrize(
        ("other", "spread", "said"),
        [
            (1.0, 0.1, "There is room beyond"),
            (9.0, 0.1, "no variant ends below the paper's own choice"),
            (4.9, 2.0, "which is lower cannot be told"),
        ],
    )
    def test_the_best_variant_is_not_better_than_itself(self, tmp_path, other, spread, said):
        lines = [ending("the paper's", 5.0, spread), ending("another", other, spread)]
        self.write(tmp_path, "beyond-priced", lines)
        (sentence,) = brief(tmp_path)
        assert said in sentence


def test_the_brief_leaves_out_what_was_not_made(tmp_path):
    assert brief(tmp_path) == []
