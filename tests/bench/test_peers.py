"""What runs the peers: a peer that fails is told, and the others go on."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "peers" / "run.py"


@pytest.fixture
def peers(monkeypatch):
    spec = importlib.util.spec_from_file_location("run_peers", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "run_peers", module)  # its dataclass looks itself up
    spec.loader.exec_module(module)
    return module


def test_every_peer_is_pinned_and_can_be_run(peers):
    one = (SCRIPT.parent / "one.py").read_text()
    for peer in peers.PEERS:
        assert peer.version[0].isdigit()
        pins = (SCRIPT.parent / f"{peer.key}.txt").read_text().splitlines()
        assert all("==" in pin for pin in pins)
        for how in ("stepwise", "harness") if peer.harness else ("stepwise",):
            assert f"def {peer.key}_{how}(n_arms)" in one


def test_a_peer_that_fails_does_not_stop_the_others(peers, tmp_path, monkeypatch, capsys):
    def environment(peer):
        if peer.name == "River":
            raise peers.Unavailable("pip: no such version")
        return Path("python")

    def theirs(python, peer, how, n_arms):
        if peer.name == "MABWiser":
            raise peers.Unavailable(f"{how}: ImportError")
        return 7.0

    monkeypatch.setattr(peers, "environment", environment)
    monkeypatch.setattr(peers, "theirs", theirs)
    times = iter([3.0, 5.0, 2.0, 6.0] * 9)  # nearest and BanditQ before, the same two after
    monkeypatch.setattr(peers, "ours", lambda *_: next(times))
    out = tmp_path / "peers.json"
    monkeypatch.setattr(sys, "argv", ["run.py", "--out", str(out), "--sizes", "5"])
    assert peers.main() == 0
    written = json.loads(out.read_text())
    assert {(row["peer"], row["how"]) for row in written["rows"]} == {
        (name, how) for name in ("pymab", "SMPyBandits") for how in ("stepwise", "harness")
    }
    assert written["rows"][0]["us"] == 7.0
    assert (written["rows"][0]["ours_us"], written["rows"][0]["banditq_us"]) == (2.0, 5.0)
    reasons = {row["peer"].split()[0]: row["why"] for row in written["failed"]}
    assert reasons == {"River": "pip: no such version", "MABWiser": "stepwise: ImportError"}
    assert "River: pip: no such version" in capsys.readouterr().err


def test_what_a_process_ends_in_becomes_the_reason(peers, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "Traceback\n  a line\nImportError: no btdtri\n\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(peers.Unavailable, match="harness, N = 5: ImportError: no btdtri"):
        peers.theirs(Path("python"), peers.PEERS[0], "harness", 5)
    assert peers.last_line("ERROR: no such version\nnotice: a new pip") == "ERROR: no such version"
    assert peers.last_line("") == "no reason given"
