"""Times other packages beside ours and writes ``peers.json``; about five minutes.

``python benchmarks/peers/run.py`` in banditq's environment. Each peer gets an environment of its own in
``benchmarks/peers/.envs``, made from its file of pinned requirements the first time. A peer that cannot be
installed or does not run is reported, and the others go on.
"""

import argparse
import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import banditq as bq
from banditq.bench.entries import bench_problem
from banditq.bench.figures import no_figures, write_figures
from banditq.bench.live import call_microseconds, opened

HERE = Path(__file__).resolve().parent
SIZES = (5, 10, 100, 1_000)


@dataclass(frozen=True)
class Peer:
    """A package, its policy that is nearest to one of ours, and that one."""

    name: str
    package: str
    policy: str
    ours: bq.Policy
    harness: bool = True

    @property
    def key(self) -> str:
        return self.package.lower()

    @property
    def version(self) -> str:
        pins = (HERE / f"{self.key}.txt").read_text().splitlines()
        return next(pin.partition("==")[2] for pin in pins if pin.lower().startswith(f"{self.key}=="))


PEERS = (
    Peer("pymab", "pymab", "UCB (Rust)", bq.UCB1()),
    Peer("River", "river", "UCB", bq.UCB1()),
    Peer("SMPyBandits", "SMPyBandits", "TsallisInf", bq.Alone(bq.TsallisInf())),
    Peer("MABWiser", "mabwiser", "UCB1", bq.UCB1(), harness=False),  # its simulator replays a log
)


class Unavailable(Exception):
    """A peer could not be installed or did not run."""


def environment(peer: Peer) -> Path:
    """The Python of a peer's environment, made if it is not there."""
    folder = HERE / ".envs" / peer.key
    python = folder / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        print(f"installing {peer.name} {peer.version} …", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*pip, "-r", HERE / f"{peer.key}.txt"], capture_output=True, text=True)
        if done.returncode:
            raise Unavailable(f"pip: {last_line(done.stderr)}")
        ready.touch()
    return python


def last_line(text: str) -> str:
    """What an error comes down to."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["no reason given"])[-1]


def theirs(python: Path, peer: Peer, how: str, n_arms: int) -> float:
    """A peer's microseconds a round."""
    command = [python, HERE / "one.py", peer.key, how, str(n_arms)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(f"{how}, N = {n_arms:,}: {last_line(done.stderr)}")
    return float(json.loads(done.stdout))


def ours(policy: bq.Policy, how: str, n_arms: int) -> float:
    """Our microseconds a round, of the same kind."""
    if how == "stepwise":
        agent = opened(n_arms, policy)
        call_microseconds(agent, max(100, n_arms // 10))  # 20 batches: past the first N rounds
        return call_microseconds(agent, 1_000)
    problem, rounds = bench_problem(n_arms), max(50_000, 10_000_000 // n_arms)
    runs = [bq.simulate(policy, problem, rounds, jobs=1, progress=False) for _ in range(3)]
    return 1e6 * min(run.info["seconds"] for run in runs) / rounds


def rows_of(peer: Peer, sizes: tuple[int, ...]) -> list[dict]:
    """A peer at every size, ours just before and just after."""
    python, rows = environment(peer), []
    for how in ("stepwise", "harness") if peer.harness else ("stepwise",):
        for n_arms in sizes:
            policies = (peer.ours, bq.BanditQ())
            before = [ours(policy, how, n_arms) for policy in policies]
            took = theirs(python, peer, how, n_arms)
            after = [ours(policy, how, n_arms) for policy in policies]
            nearest, banditq = map(min, before, after)
            row = {"peer": peer.name, "version": peer.version, "policy": peer.policy, "how": how}
            name = str(getattr(peer.ours, "learner", peer.ours))  # a bare learner goes by its own name
            row |= {"n_arms": n_arms, "us": took, "ours": name, "ours_us": nearest}
            rows.append(row | {"banditq_us": banditq})
            print(
                f"{peer.name:<12}{how:<10}N = {n_arms:<6,}{took:>10.3g} µs {nearest:>10.3g} µs", flush=True
            )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE.parent / "peers.json")
    parser.add_argument("--only", help="some peers, such as pymab,river")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of arms")
    options = parser.parse_args()
    wanted = options.only.lower().split(",") if options.only else [peer.key for peer in PEERS]
    sizes = tuple(int(size) for size in options.sizes.split(","))
    figures = no_figures("peers") | {"rows": [], "failed": []}
    for peer in PEERS:
        if peer.key not in wanted:
            continue
        try:
            figures["rows"] += rows_of(peer, sizes)
        except Unavailable as reason:
            figures["failed"].append({"peer": f"{peer.name} {peer.version}", "why": str(reason)})
            print(f"{peer.name}: {reason}", file=sys.stderr)
        write_figures(options.out, figures)
    print(f"written to {options.out}")
    return 0 if figures["rows"] else 1


if __name__ == "__main__":
    sys.exit(main())
