"""Instructions a round, counted. Run as a program, in a process of its own: it changes the compiler.

``python -m banditq.bench.counting`` prints one JSON object: the cases, and what they were compiled with.
:mod:`banditq.bench.guard` starts it with the processor fixed and compares.
"""

import ctypes
import json
import platform
import sys
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import config
from numba.core.codegen import JITCPUCodegen

from ..kernels import compiling
from .entries import bench_problem, chosen
from .instrument import Counts, counted
from .trial import Ours

_COUNTERS = (ctypes.c_uint64 * 3)()

# What the guard watches: an entry, a number of arms, rounds to play in, rounds to count.
CASES: tuple[tuple[str, int, int, int], ...] = (
    ("BanditQ+LogBarrier", 5, 2_000, 20_000),
    ("BanditQ+LogBarrier", 100, 2_000, 5_000),
    ("BanditQ+LogBarrier", 1_000, 4_000, 4_000),
    ("BanditQ+LogBarrier", 10_000, 10_000, 10_000),
    ("BanditQ+OGA", 5, 2_000, 20_000),
    ("BanditQ+OGA", 1_000, 1_000, 2_000),
    ("UCB1", 1_000, 3_000, 3_000),
)


def install() -> None:
    """From here on all compiled code counts itself, and none of it is kept or taken from a cache."""

    def add_counted(self: Any, module: Any) -> None:
        text = counted(str(module), ctypes.addressof(_COUNTERS))
        self._engine.add_module(llvm.parse_assembly(text))

    JITCPUCodegen._add_module = add_counted
    compiling._Cache.load_overload = lambda *_: None  # type: ignore[method-assign]
    compiling._Cache.save_overload = lambda *_: None  # type: ignore[method-assign]


def count(name: str, n_arms: int, before: int, rounds: int) -> dict[str, Any]:
    """Play a case; what its rounds cost, apiece."""
    problem = bench_problem(n_arms)
    trial = Ours(chosen(name)[0].make(problem), problem)
    trial.play(before)
    _COUNTERS[:] = [0, 0, 0]
    trial.play(rounds)
    found = Counts(*_COUNTERS)
    each = {field: round(value / rounds, 1) for field, value in found._asdict().items()}
    return {"case": f"{name}, N = {n_arms:,}", "work": round(found.work / rounds, 1), **each}


def made_with() -> dict[str, str]:
    """What the counts hang on besides the sources."""
    versions = {"numba": numba.__version__, "llvm": ".".join(map(str, llvm.llvm_version_info))}
    python = ".".join(platform.python_version_tuple()[:2])
    return {**versions, "python": python, "machine": platform.machine(), "cpu": str(config.CPU_NAME)}


def main() -> None:
    """Count all cases."""
    install()
    json.dump({"made_with": made_with(), "cases": [count(*case) for case in CASES]}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
