"""Result in, Axes out."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from .policies.banditq import BanditQ
from .policies.base import Policy
from .result import Result
from .saving import write_whole
from .terms import Terms

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


@contextmanager
def _axes(ax: Any, title: str, ylabel: str, columns: int = 2) -> Iterator[Any]:
    """Axes of our own in our style, or the caller's in his; what was drawn gets its ticks and legend."""
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE if ax is None else {}):
        if ax is None:
            _, ax = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
        ax.set_title(title, loc="left")
        ax.set_xlabel("round")
        ax.set_ylabel(ylabel)
        yield ax
        _tidy(ax)
        if ax.get_legend_handles_labels()[1]:  # without protected arms there may be nothing to tell apart
            ax.legend(ncols=columns)


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
    settled = run.rates()[:, run.rounds >= 0.01 * run.rounds[-1]]
    with _axes(ax, "Reward accrual rates", "reward per round") as ax:
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
    with _axes(ax, "Queues: what each arm is owed", "queue length") as ax:
        for k, arm in enumerate(run.arms):
            colour = COLOURS[k % len(COLOURS)]
            _curve(ax, run, run.queues()[:, :, k], colour, f"arm {arm}")
            if weight is not None and np.isfinite(run.price[k]):
                level = weight * run.price[k]
                ax.axhline(level, color=colour, linestyle=":", linewidth=1.2, label="V · price")
        ax.set_ylim(bottom=0)
    return ax


def weight_of(run: Result) -> float | None:
    """V in the run, if the queues will stand at V · price: one V for all rounds, and no backlog."""
    policy = Policy.from_dict(run.info["policy"])
    if not isinstance(policy, BanditQ) or policy.backlog is not None:
        return None
    terms = Terms(run.targets, run.info["problem"]["reward_max"], run.info["rounds"])
    return policy.weight(terms)


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
    with _axes(ax, "Regret", "reward lost against the benchmark", columns=1) as ax:
        _curve(ax, run, run.regret(), COLOURS[0], "regret")
        ax.plot(run.rounds, run.priced_regret(), color=COLOURS[1], linewidth=1.6, label="priced regret")
        ax.axhline(0, color="#555555", linewidth=0.8)
    return ax


def save_all(run: Result, folder: Path, prefix: str = "", weight: float | None = None) -> list[Path]:
    """Write the three plots as PNG and SVG, each file whole or not at all."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    drawn = {
        "rates": rates(run),
        "queues": queues(run, weight=weight),
        "regret": regret(run),
    }
    written = []
    try:
        for name, ax in drawn.items():
            for kind in ("png", "svg"):
                path = folder / f"{prefix}{name}.{kind}"
                written.append(write_whole(path, partial(_print, ax.figure, kind)))
    finally:
        for ax in drawn.values():
            plt.close(ax.figure)
    return written


def _print(figure: Any, kind: str, file: IO[bytes]) -> None:
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        figure.savefig(file, format=kind)
