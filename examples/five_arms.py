"""The paper's five arms in both settings: what each protected arm got, and at what cost.

Arm 0 is promised 0.167 a round and arm 1 is promised 0.067. By themselves they would get nothing,
since arm 3 pays most. Run it with ``python examples/five_arms.py``.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # write files, open no windows

import matplotlib.pyplot as plt

import banditq as bq
from banditq import plots

ROUNDS = 2_000_000
RUNS = 20


def main() -> None:
    """Play, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("five-arms"), help="where the plots go")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--runs", type=int, default=RUNS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)

    problem = bq.instance("paper-5").problem
    best = problem.benchmark()
    print(f"load {problem.load:.4f}; the best mix that keeps the promises earns {best.value:.4f} a round\n")
    for feedback in ("full", "bandit"):
        policy = bq.BanditQ(feedback=feedback)
        run = bq.simulate(policy, problem, rounds=arguments.rounds, runs=arguments.runs, seed=0)
        standing = arguments.rounds**0.5 * problem.price[problem.protected]
        print(f"{feedback} feedback: {run.summary()}")
        print(f"  {run.info['seconds']:.2f} s for {arguments.runs} runs")
        print(f"  standing shortfall V · price, as theory predicts it: {standing.round()}\n")
        run.save(arguments.out / f"{feedback}.npz")
        written = plots.save_all(run, arguments.out, prefix=f"{feedback}-", weight=arguments.rounds**0.5)
        written.append(pair(run, arguments.out / f"{feedback}-five-arms.png", arguments.rounds**0.5))
        print("  " + "\n  ".join(map(str, written)) + "\n")


def pair(run: bq.Result, path: Path, weight: float) -> Path:
    """Rates and queues side by side; the README shows the one for bandit feedback."""
    with plt.rc_context(plots.STYLE):
        figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    plots.rates(run, axes[0])
    plots.queues(run, axes[1], weight=weight)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    main()
