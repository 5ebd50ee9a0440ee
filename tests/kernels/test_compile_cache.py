"""The cache on disk: it serves what has not changed, notices what has, and holds nothing foreign."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.caching import IndexDataCacheFile

import banditq
from banditq.kernels.compiling import _Files

PROBE = """
from typing import NamedTuple

from .helper import twist
from .kernels.compiling import implements, kernel
from .kernels.protocol import mean


class Ours(NamedTuple):
    inner: tuple


@implements(mean, Ours)
def _(state, round, arm):
    return twist(2.0 * round)


@kernel
def probe(state, round):
    return mean(state, round, 0)


@kernel
def probe_inner(state, round):
    return mean(state.inner, round, 0)
"""

HELPER = """
from .kernels.compiling import kernel


@kernel
def twist(x):
    return x + 1.0
"""

USER = """
import json
from typing import NamedTuple

from banditq.kernels.compiling import implements, kernel
from banditq.kernels.protocol import mean
from banditq.probe import Ours, probe, probe_inner


class Mine(NamedTuple):
    size: float


@kernel
def own(x):
    return x * 10.0


@implements(mean, Mine)
def _(state, round, arm):
    return state.size + round


answers = {
    "ours": probe(Ours((1.0,)), 3),
    "own": own(3.0),
    "mine": probe(Mine(1.0), 3),
    "nested": probe_inner(Ours(Mine(1.0)), 3),
}
hits = sum(probe.stats.cache_hits.values())
foreign = sum(probe_inner.stats.cache_hits.values()) + sum(own.stats.cache_hits.values())
print(json.dumps({"answers": answers, "hits": hits, "foreign": foreign}))
"""


@pytest.fixture
def house(tmp_path):
    """A copy of the kernels in a package of their own, a probe in it, and a user's file beside it."""
    package = tmp_path / "banditq"
    kernels = Path(banditq.__file__).parent / "kernels"
    shutil.copytree(kernels, package / "kernels", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(kernels.parent / "errors.py", package)
    (package / "__init__.py").write_text("")
    (package / "probe.py").write_text(PROBE)
    (package / "helper.py").write_text(HELPER)
    (tmp_path / "user.py").write_text(USER)
    return tmp_path


def run(house):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    environment["PYTHONPATH"] = str(house)
    command = [sys.executable, "-W", "error", str(house / "user.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def replace(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def stored(house):
    """The specialisations on disk, by function."""
    return [path.name.split("-")[0] for path in house.rglob("*.nbc")]


def test_cache_notices_every_edit(house):
    first = run(house)
    assert first["answers"] == {"ours": 7.0, "own": 30.0, "mine": 4.0, "nested": 4.0}
    assert first["hits"] == 0
    assert stored(house).count("probe.probe") == 1  # for Ours, not for Mine
    assert "probe.probe_inner" not in stored(house)  # its state holds a foreign one
    assert not any(name.startswith("user.") for name in stored(house))

    assert run(house) == first | {"hits": 1}

    replace(house / "banditq" / "helper.py", "x + 1.0", "x + 5.0")
    edited = run(house)
    assert edited["answers"] == first["answers"] | {"ours": 11.0}
    assert edited["hits"] == 0
    assert run(house) == edited | {"hits": 1}

    (house / "banditq" / "paper").mkdir()  # a room that no kernel elsewhere calls into
    (house / "banditq" / "paper" / "page.py").write_text("TITLE = 'new'\n")
    assert run(house)["hits"] == 1

    replace(house / "user.py", "x * 10.0", "x * 20.0")
    replace(house / "user.py", "state.size + round", "state.size - round")
    again = run(house)
    assert again["answers"] == {"ours": 11.0, "own": 60.0, "mine": -2.0, "nested": -2.0}
    assert again["hits"] == 1
    assert again["foreign"] == 0


def test_processes_that_save_at_once_never_get_each_others_code(tmp_path):
    """Two that read the index before either wrote it: an entry may be lost, never exchanged."""
    one, other = (_Files(str(tmp_path), "module.function-7.py311", "stamp") for _ in range(2))
    other_view = other._load_index()
    one.save("signature of one", "code of one")
    other._load_index = lambda: dict(other_view)  # read earlier
    IndexDataCacheFile.save(other, "signature of the other", "code of the other")
    del other._load_index
    assert one.load("signature of one") in ("code of one", None)
    assert one.load("signature of the other") in ("code of the other", None)
    one.save("signature of one", "code of one")
    assert other.load("signature of one") == "code of one"
    assert other.load("signature of the other") == "code of the other"


def test_what_older_sources_left_is_cleared_away(tmp_path):
    for line, stamp in ((7, "old"), (9, "older")):
        files = _Files(str(tmp_path), f"module.function-{line}.py311", stamp)
        for signature in "abc":
            files.save(signature, "code")
    bystander = _Files(str(tmp_path), "module.function_too-7.py311", "new")
    bystander.save("a", "code")
    now = _Files(str(tmp_path), "module.function-7.py311", "new")
    assert now.load("a") is None
    now.save("a", "new code")
    assert now.load("a") == "new code"
    assert bystander.load("a") == "code"
    assert len(list(tmp_path.iterdir())) == 4  # an index and a file each


def test_a_damaged_cache_is_no_cache(tmp_path):
    files = _Files(str(tmp_path), "module.function-7.py311", "stamp")
    files.save("a", "code")
    (tmp_path / files._index_name).write_bytes(b"\x80\x05garbage")
    assert files.load("a") is None
    files.save("a", "code")
    assert files.load("a") == "code"
