"""Every example runs as it is told to, small."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs(path, tmp_path):
    words = [
        sys.executable,
        "-W",
        "error",
        path,
        "--rounds",
        "300",
        "--runs",
        "2",
        "--out",
        tmp_path / "out",
    ]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert list((tmp_path / "out").glob("*.png"))
