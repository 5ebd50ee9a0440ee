"""What one waits for before anything runs: import, the command line, the first compilation; and memory."""

import json
import os
import subprocess
import sys
import tempfile
from time import perf_counter
from typing import Any

Rows = list[dict[str, Any]]

_IMPORT = "from time import perf_counter; t = perf_counter(); import banditq; print(perf_counter() - t)"
_CALL = "from banditq.cli import main; main()"
_SIMULATE = ("simulate", "--instance", "paper-5", "--rounds", "10000", "--runs", "2")
_PLAY = """
import json, sys
import banditq as bq
from banditq.bench.entries import bench_problem
from banditq.bench.startup import peak_mebibytes
n_arms, rounds = map(int, sys.argv[1:])
bq.simulate(bq.BanditQ(), bench_problem(n_arms), rounds, jobs=1, progress=False)
print(json.dumps(peak_mebibytes()))
"""


def _python(code: str, *arguments: str, **environment: str) -> str:
    """Run a program in a Python of its own; returns what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def import_seconds(repeats: int = 5) -> Rows:
    """``import banditq``, NumPy and Numba with it."""
    return [{"what": "import", "seconds": min(float(_python(_IMPORT)) for _ in range(repeats))}]


def _call_seconds(**environment: str) -> float:
    started = perf_counter()
    _python(_CALL, *_SIMULATE, **environment)
    return perf_counter() - started


def warm_call_seconds(repeats: int = 3) -> Rows:
    """``banditq simulate`` with everything compiled."""
    _call_seconds()
    return [{"what": "warm call", "seconds": min(_call_seconds() for _ in range(repeats))}]


def first_call_seconds() -> Rows:
    """The same on a machine that has compiled nothing yet."""
    with tempfile.TemporaryDirectory() as cache:
        return [{"what": "first call", "seconds": _call_seconds(NUMBA_CACHE_DIR=cache)}]


def peak_mebibytes() -> float | None:
    """The most memory this process has had; None where the system does not say.

    Not ``ru_maxrss``: on Linux a child starts with its parent's.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123 - no Path in a child
            peak = [line.split()[1] for line in status if line.startswith("VmHWM:")]
    except OSError:
        return None
    return int(peak[0]) / 1024


def memory(cases: tuple[tuple[int, int], ...]) -> Rows:
    """The peak of a process that plays so many arms for so many rounds."""
    rows = []
    for n_arms, rounds in cases:
        peak = json.loads(_python(_PLAY, str(n_arms), str(rounds)))
        if peak is not None:
            rows.append({"n_arms": n_arms, "rounds": rounds, "mebibytes": peak})
    return rows
