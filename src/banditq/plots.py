"""Result in, Axes out."""

from pathlib import Path
from typing import Any

import numpy as np

from .result import Result

# Okabe & Ito's palette, which readers who do not see all colours can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

STYLE: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.titlesize": 11,
    "axes.labelsize": 10,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "figure.dpi": 130,
    "savefig.bbox": "tight",
    "svg.fonttype": "none",
}


def _axes(ax: Any, title: str, ylabel: str) -> Any:
    import matplotlib.pyplot as plt

    if ax is None:
        with plt.rc_context(STYLE):
            _, ax = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
    ax.set_title(title, loc="left")
    ax.set_xlabel("round")
    ax.set_ylabel(ylabel)
    return ax


def _tidy(ax: Any) -> None:
    from matplotlib.ticker import EngFormatter

    ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    ax.yaxis.set_major_formatter(
        EngFormatter(sep="") if max(map(abs, ax.get_ylim())) >= 1e4 else ax.yaxis.get_major_formatter()
    )


def _curve(ax: Any, run: Result, values: Any, colour: str, label: str) -> None:
    """The mean over runs, with a band that holds the middle 90 % of them."""
    ax.plot(run.rounds, values.mean(axis=0), color=colour, linewidth=1.6, label=label)
    if run.runs > 1:
        low, high = np.quantile(values, [0.05, 0.95], axis=0)
        ax.fill_between(run.rounds, low, high, color=colour, alpha=0.18, linewidth=0)


def rates(run: Result, ax: Any = None) -> Any:
    """Reward per round of each recorded arm, against its target.

    Examples
    --------
    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.5, 1.0], targets=[0.25, 0.0])
    >>> run = bq.simulate(bq.FixedMix([0, 1]), problem, rounds=100)
    >>> ax = rates(run)
    >>> [line.get_label() for line in ax.lines]
    ['arm 0', 'its target 0.25']
    """
    ax = _axes(ax, "Reward accrual rates", "reward per round")
    settled = run.rates()[:, run.rounds >= 0.01 * run.rounds[-1]]
    for k, arm in enumerate(run.arms):
        colour = COLOURS[k % len(COLOURS)]
        _curve(ax, run, run.rates()[:, :, k], colour, f"arm {arm}")
        if run.targets[k] > 0:
            ax.axhline(
                run.targets[k],
                color=colour,
                linestyle="--",
                linewidth=1,
                label=f"its target {run.targets[k]:g}",
            )
    if settled.size:
        ax.set_ylim(0, 1.25 * max(settled.max(), run.targets.max()))
    _tidy(ax)
    ax.legend(ncols=2)
    return ax


def queues(run: Result, ax: Any = None, weight: float | None = None) -> Any:
    """Queue length of each recorded arm; with V given, the level V · price where it settles.

    Examples
    --------
    An arm of price 1 that gets nothing of its ¼ a round is owed 25 after 100; the dotted line is at V.

    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.5, 1.0], targets=[0.25, 0.0])
    >>> run = bq.simulate(bq.FixedMix([0, 1]), problem, rounds=100)
    >>> ax = queues(run, weight=10.0)
    >>> [float(line.get_ydata()[-1]) for line in ax.lines]
    [25.0, 10.0]
    """
    ax = _axes(ax, "Queues: what each arm is owed", "queue length")
    for k, arm in enumerate(run.arms):
        colour = COLOURS[k % len(COLOURS)]
        _curve(ax, run, run.queues()[:, :, k], colour, f"arm {arm}")
        if weight is not None and np.isfinite(run.price[k]):
            ax.axhline(weight * run.price[k], color=colour, linestyle=":", linewidth=1.2, label="V · price")
    ax.set_ylim(bottom=0)
    _tidy(ax)
    ax.legend(ncols=2)
    return ax


def regret(run: Result, ax: Any = None) -> Any:
    """Regret, and regret with the protected arms' shortfalls charged at their price.

    Examples
    --------
    A debt of 25 at price 1 takes the shine off a regret of −25: see :class:`banditq.Result`.

    >>> import banditq as bq
    >>> problem = bq.Problem(means=[0.5, 1.0], targets=[0.25, 0.0])
    >>> run = bq.simulate(bq.FixedMix([0, 1]), problem, rounds=100)
    >>> ax = regret(run)
    >>> [float(line.get_ydata()[-1]) for line in ax.lines[:2]]
    [-25.0, 0.0]
    """
    ax = _axes(ax, "Regret", "reward lost against the benchmark")
    _curve(ax, run, run.regret(), COLOURS[0], "regret")
    ax.plot(run.rounds, run.priced_regret(), color=COLOURS[1], linewidth=1.6, label="priced regret")
    ax.axhline(0, color="#555555", linewidth=0.8)
    _tidy(ax)
    ax.legend()
    return ax


def save_all(run: Result, folder: Path, prefix: str = "", weight: float | None = None) -> list[Path]:
    """Write the three plots as PNG and SVG."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    drawn = {
        "rates": rates(run),
        "queues": queues(run, weight=weight),
        "regret": regret(run),
    }
    written = []
    for name, ax in drawn.items():
        for suffix in (".png", ".svg"):
            path = folder / f"{prefix}{name}{suffix}"
            ax.figure.savefig(path)
            written.append(path)
        plt.close(ax.figure)
    return written
