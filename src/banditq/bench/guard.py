"""The guard against growing slow: instructions a round against the last accepted figures.

Seconds depend on the machine and on what else it does; the instructions that a fixed input executes do
not. ``python -m banditq.bench.guard FILE`` compares, ``--accept`` writes the file anew.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARGIN = 0.03  # the counts are exact; this much may an edit cost without being asked why
LOOSE = 0.25  # where another compiler than the accepted figures' made the code
_CPU = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_JIT": "0"}


def count_all() -> dict[str, Any]:
    """Count every case, in a process of its own and for a processor that all machines can stand in for."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | _CPU | {"NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-m", "banditq.bench.counting"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the counting failed:\n{done.stderr}")
    counted: dict[str, Any] = json.loads(done.stdout)
    return counted


def compare(accepted: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[list[str], bool]:
    """A line for each case, and whether nothing costs more than it may."""
    same = accepted["made_with"] == found["made_with"]
    margin = MARGIN if same else LOOSE
    lines = [] if same else [_other(accepted["made_with"], found["made_with"])]
    before = {case["case"]: case for case in accepted["cases"]}
    good = True
    for case in found["cases"]:
        old = before.pop(case["case"], None)
        change = None if old is None else case["work"] / old["work"] - 1.0
        verdict = "was never accepted" if change is None else _verdict(change, margin)
        good = good and change is not None and change <= margin
        lines.append(f"{case['case']:<32}{case['work']:>12,.1f} a round   {verdict}")
        if old is not None and change is not None and change > margin:
            lines.append(_where(old, case))
    for name in before:
        lines.append(f"{name:<32}was accepted, but is no longer counted")
        good = False
    return lines, good


def _verdict(change: float, margin: float) -> str:
    if change > margin:
        return f"{change:+.1%}: SLOWER, more than the {margin:.0%} that are let pass"
    if change < -margin:
        return f"{change:+.1%}: faster; accept it, so that it stays so"
    return "as accepted" if change == 0.0 else f"{change:+.1%}, within {margin:.0%}"


def _where(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Which kind of instruction there is more of."""
    names = {
        "instructions": "instructions",
        "slow": "divisions and roots",
        "library": "logarithms and such",
    }
    parts = [f"{told} {old[key]:,.1f} → {new[key]:,.1f}" for key, told in names.items()]
    return "    " + ", ".join(parts)


def _other(accepted: Mapping[str, str], found: Mapping[str, str]) -> str:
    keys = [key for key in {**accepted, **found} if accepted.get(key) != found.get(key)]
    differing = ", ".join(f"{key} {accepted.get(key)} → {found.get(key)}" for key in keys)
    return (
        f"counted with another compiler than the accepted figures ({differing}), so {LOOSE:.0%} more are "
        "let pass; `make accept` makes these the accepted ones"
    )


def main(arguments: list[str] | None = None) -> int:
    """Compare, or accept; the exit code says whether all is well."""
    parser = argparse.ArgumentParser(prog="python -m banditq.bench.guard", description=__doc__)
    parser.add_argument("accepted", type=Path, help="the file of accepted figures")
    parser.add_argument("--accept", action="store_true", help="write it anew from what is counted now")
    options = parser.parse_args(arguments)
    found = count_all()
    if options.accept:
        options.accepted.write_text(json.dumps(found, indent=1) + "\n")
        print(f"accepted: {options.accepted}")
        return 0
    lines, good = compare(json.loads(options.accepted.read_text()), found)
    print("\n".join(lines))
    if not good:
        print("if it is worth it, say why in the commit and run: make accept", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
