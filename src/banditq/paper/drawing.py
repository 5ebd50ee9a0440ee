"""Lines in, a picture out."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..page.pictures import INK, STYLE
from ..plots import COLOURS
from .figures import Figure
from .lines import Line

Look = Literal["mean", "single"]

_POINTS = 300  # drawn a curve; the data keep all
_BANDS = 3  # more curves than this are drawn without bands
_THEIRS = ((INK, (0, (4, 1.5))), (COLOURS[2], (0, (4, 1, 1, 1))))  # the author's curves: colour and dash


def draw(figure: Figure, lines: Sequence[Line], look: Look) -> Any:
    """A matplotlib figure: the mean with its band, or the first run alone."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        picture, ax = plt.subplots(figsize=(5.0, 3.5), layout="constrained")
        crowded = sum(line.kind == "curve" for line in lines) > _BANDS
        for line in lines:
            _draw_line(ax, line, look, band=not crowded)
        ax.set_xlabel("round")
        ax.set_ylabel(figure.ylabel)
        _limits(ax, figure, lines)
        _ticks(ax)
        picture.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return picture


def _draw_line(ax: Any, line: Line, look: Look, *, band: bool) -> None:
    colour = COLOURS[line.colour % len(COLOURS)]
    if line.kind == "level":
        ax.axhline(line.mean[0], color=colour, linestyle=":", linewidth=1.3, label=line.series)
        return
    keep = _thinned(line.rounds)
    t = line.rounds[keep]
    if line.kind == "published":
        colour, dash = _THEIRS[line.colour % len(_THEIRS)]
        ax.plot(t, line.mean[keep], color=colour, linestyle=dash, linewidth=1.0, label=line.series)
        return
    if look == "single":
        ax.plot(t, line.single[keep], color=colour, linewidth=1.1, label=line.series)
        return
    if band:
        ax.fill_between(t, line.low[keep], line.high[keep], color=colour, alpha=0.2, linewidth=0)
    ax.plot(t, line.mean[keep], color=colour, linewidth=1.5, label=line.series)


def _thinned(rounds: Any) -> Any:
    """Indices of points about evenly spaced over the rounds; the ends are among them."""
    wanted = np.linspace(rounds[0], rounds[-1], min(_POINTS, rounds.size))
    return np.unique(np.abs(rounds[:, None] - wanted[None, :]).argmin(axis=0))


def _limits(ax: Any, figure: Figure, lines: Sequence[Line]) -> None:
    """Rates jump about in the first rounds, and a queue starts at zero."""
    ax.set_xlim(left=0)
    if figure.ylabel.startswith("reward per round"):
        late = [line.high[line.rounds >= 0.02 * line.rounds[-1]].max() for line in lines]
        ax.set_ylim(0, 1.2 * max(late))
    elif figure.ylabel == "queue length":
        ax.set_ylim(bottom=0)


def _ticks(ax: Any) -> None:
    from matplotlib.ticker import EngFormatter

    ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    if max(map(abs, ax.get_ylim())) >= 1e4:
        ax.yaxis.set_major_formatter(EngFormatter(sep=""))
