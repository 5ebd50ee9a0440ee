"""Whether a simulation fits into memory, asked before anything is allocated."""

import os

import numpy as np
import numpy.typing as npt

from .errors import InvalidInput

_BYTES = 8  # of a number
_RUN = 4096  # bytes that a run takes whatever it records: its task, its state, its row of everything
_UNKNOWN = 16 * 2**30  # where the system does not say what it has


def require_memory(
    runs: int,
    checkpoints: int,
    rounds: int,
    arms: int,
    windows: npt.NDArray[np.int64],
    laws: bool,
    jobs: int,
) -> None:
    """Refuse what takes more than the machine has, with the number of runs that would do.

    ``checkpoints`` may be more than there are rounds, and ``arms`` are those that are recorded.
    """
    points = min(checkpoints, 2 * rounds)  # asked for; each exists once, whatever was asked
    watched = 1 + arms if laws else 0
    recorded = min(points, rounds) * (2 + arms * (4 + windows.size) + watched)
    run = _RUN + 2 * _BYTES * recorded  # twice: the runs that are kept are copied
    longest = int(windows.max()) + 1 if windows.size else 0
    fixed = _BYTES * (4 * points + min(jobs, runs) * longest * arms)
    have = machine_memory() * 3 // 4  # the rest is for everything else
    if fixed + runs * run <= have:
        return
    fit = (have - fixed) // run
    instead = f"{fit:,} runs would do" if fit > 0 else "ask for fewer checkpoints or shorter windows"
    raise InvalidInput(
        f"{runs:,} runs with {min(points, rounds):,} checkpoints of {arms:,} arms take "
        f"{_gigabytes(fixed + runs * run)}, of which there are {_gigabytes(have)} to use here; {instead}"
    )


def machine_memory() -> int:
    """Bytes of main memory, used or not."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return _UNKNOWN


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.3g} GB of memory" if size < 1e12 else f"{size / 1e12:,.0f} TB of memory"
