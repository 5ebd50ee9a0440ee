"""Plots: their style holds where it is read, and no arms are no reason to complain."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

import banditq as bq

MEANS = [0.335, 0.203, 0.781]
RUN = bq.simulate(bq.BanditQ(), bq.Problem(MEANS, [0.167, 0.067, 0.0]), 500, runs=2)


@pytest.fixture(autouse=True)
def _closed():
    plt.switch_backend("Agg")
    yield
    plt.close("all")


@pytest.mark.parametrize("draw", [bq.plots.rates, bq.plots.queues, bq.plots.regret])
def test_axes_of_our_own_are_in_our_style_and_the_callers_in_his(draw):
    own = draw(RUN)
    assert not own.get_legend().get_frame_on()
    assert not own.spines["top"].get_visible()
    _, ax = plt.subplots()
    assert draw(RUN, ax) is ax
    assert ax.get_legend().get_frame_on()
    assert ax.spines["top"].get_visible()


def test_they_are_at_hand_and_cost_no_import_of_matplotlib():
    use = "import sys, banditq as bq; bq.theory.violation, bq.plots.rates"
    subprocess.run([sys.executable, "-c", f"{use}; assert 'matplotlib' not in sys.modules"], check=True)


def test_text_in_an_svg_stays_text(tmp_path):
    written = bq.plots.save_all(RUN, tmp_path)
    assert len(written) == 6
    assert {path.name for path in tmp_path.iterdir()} == {
        path.name for path in written
    }  # nothing half done
    for path in written:
        if path.suffix == ".svg":
            assert "<text" in path.read_text()
    assert not plt.get_fignums()


def test_without_protected_arms_there_is_nothing_to_warn_about(tmp_path):
    free = bq.simulate(bq.BanditQ(), bq.Problem(MEANS, np.zeros(3)), 500, runs=2)
    assert len(bq.plots.save_all(free, tmp_path, weight=3.0)) == 6  # warnings are errors here
