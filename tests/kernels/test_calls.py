import re

import pytest
from numba import njit

from banditq.bench.entries import bench_problem
from banditq.bench.trial import Ours
from banditq.kernels.compiling import INTERPRETED, OPTIONS, python_form
from banditq.loops import bandit_rounds, full_rounds
from banditq.policies.banditq import BanditQ

# At a checkpoint, where somebody watches, or where LogBarrier sets a new point, none of it in most rounds.
SELDOM = {"_record", "_is_distribution", "watch_windows", "set_point"}


def called_by(code):
    """The functions of ours that the machine code of a loop calls."""
    body = re.search(r"^_+ZN7banditq5loops\w+:\n(.*?)^\.?Lfunc_end", code, re.DOTALL | re.MULTILINE)
    return {
        re.search(r"\d([a-z_]+)$", name)[1] for name in re.findall(r"_ZN7banditq(\w*?)B\d+v\d", body[1])
    }


@pytest.mark.skipif(INTERPRETED, reason="there is no machine code")
@pytest.mark.parametrize(
    ("policy", "loop", "n_arms"),
    [(BanditQ(), bandit_rounds, 5), (BanditQ(), bandit_rounds, 100), (BanditQ("full"), full_rounds, 5)],
)
def test_an_ordinary_round_calls_nothing(policy, loop, n_arms):
    """A call hands over seven words an array, which at five arms costs more than what is called."""
    fresh = njit(nogil=True, **OPTIONS)(python_form(loop))  # what comes from the disk has no text
    trial = Ours(policy, bench_problem(n_arms))
    trial._loop = fresh
    trial.play(1)
    (code,) = fresh.inspect_asm().values()
    assert called_by(code) - SELDOM == set()
