"""Pictures of a league: how far everybody is from the leader, and each policy over time."""

from collections.abc import Sequence
from math import floor, log10, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from ..page.pictures import INK, STYLE, as_svg, save
from ..plots import COLOURS

_PANEL = (2.1, 1.55)  # inches
_ROW = 0.21  # inches a policy
_COLUMNS = 5  # of the picture that holds all panels


def knee(rounds: int) -> float:
    """Where the axes turn from linear to logarithmic: the power of ten near √rounds / 2."""
    return float(10.0 ** max(round(log10(max(sqrt(rounds) / 2.0, 1.0))), 0))


def _plt() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _ticks(low: float, high: float, linear: float) -> list[float]:
    """0 and powers of ten on both sides, five or so."""
    powers = []
    first = round(log10(linear))
    for end, sign in ((high, 1.0), (low, -1.0)):
        reach = sign * end
        if reach >= linear:
            powers += [(sign, k) for k in range(first, floor(log10(reach)) + 1)]
    step = 1 + (len(powers) > 6)
    return sorted([0.0, *(sign * 10.0**k for sign, k in powers if (k - first) % step == 0)])


def _symmetric(ax: Any, axis: str, low: float, high: float, linear: float) -> None:
    """An axis that is linear about zero and logarithmic beyond."""
    from matplotlib.ticker import EngFormatter, FixedLocator, NullLocator

    getattr(ax, f"set_{axis}scale")("symlog", linthresh=linear, linscale=0.7)
    getattr(ax, f"set_{axis}lim")(low, high)
    line = getattr(ax, f"{axis}axis")
    line.set_major_locator(FixedLocator(_ticks(low, high, linear)))
    line.set_minor_locator(NullLocator())
    line.set_major_formatter(EngFormatter(sep=""))


def draw_gaps(pairs: Sequence[dict[str, Any]], rounds: int) -> Any:
    """Priced regret above the leader's, with the simultaneous intervals of the verdict."""
    plt = _plt()
    linear = knee(rounds)
    leader = pairs[0]["better"]
    rows = [pair for pair in pairs if pair["better"] == leader]
    with plt.rc_context(STYLE | {"axes.grid.axis": "x"}):
        picture, ax = plt.subplots(figsize=(5.0, 0.75 + _ROW * (len(rows) + 1)), layout="constrained")
        ax.axvline(0.0, color=INK, linewidth=0.8)
        ax.plot([0.0], [0], "D", color=COLOURS[2], markersize=4.5)
        ends = [0.0]
        for k, pair in enumerate(rows, 1):
            colour = COLOURS[0] if pair["apart"] else COLOURS[2]
            low, high = _shown(pair["low"]), _shown(pair["high"])
            ax.plot([low, high], [k, k], color=colour, linewidth=1.6, solid_capstyle="butt")
            ax.plot([pair["difference"]], [k], "o", color=colour, markersize=4.0)
            ends += [low, high, pair["difference"]]
        ax.set_yticks(range(len(rows) + 1), [leader, *(pair["worse"] for pair in rows)])
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(len(rows) + 0.6, -0.6)
        ax.spines["left"].set_visible(False)
        room, reach = 1.25, max(map(abs, ends))
        linear = min(linear, 10.0 ** floor(log10(reach)) if reach > 0.0 else 1.0)
        _symmetric(
            ax,
            "x",
            min(room * min(ends), -0.3 * linear),
            room * max(ends, default=1.0) + 0.2 * linear,
            linear,
        )
        ax.set_xlabel(f"priced regret above {leader}'s")
    return picture


def _shown(end: float) -> float:
    """An interval without an end is drawn to nowhere."""
    return end if np.isfinite(end) else 0.0


class Panels:
    """Regret and shortfall of each policy over time, all on the same axes."""

    def __init__(self, curves: dict[str, dict[str, Any]]) -> None:
        self.curves = curves
        last = next(iter(curves.values()))["round"]
        self.rounds = int(last[-1])
        keys = ("regret_low", "regret_high", "shortfall_low", "shortfall_high", "priced_regret")
        ends = [values[key] for values in curves.values() for key in keys]
        self.low = min(0.0, *(float(np.min(end)) for end in ends))
        self.high = max(0.0, *(float(np.max(end)) for end in ends))
        self.linear = knee(self.rounds)

    def svg(self, policy: str) -> str:
        """One policy."""
        plt = _plt()
        with plt.rc_context(STYLE | {"font.size": 8}):
            picture, ax = plt.subplots(figsize=_PANEL, layout="constrained")
            self._draw(ax, policy)
            svg = as_svg(picture)
            plt.close(picture)
        return svg

    def save(self, stem: Path) -> None:
        """All of them in one picture, as PNG and SVG."""
        plt = _plt()
        columns = min(_COLUMNS, len(self.curves))
        rows = -(-len(self.curves) // columns)
        with plt.rc_context(STYLE | {"font.size": 8}):
            size = (_PANEL[0] * columns, (_PANEL[1] + 0.2) * rows + 0.3)
            picture, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
            for ax, policy in zip(axes.flat, self.curves, strict=False):
                self._draw(ax, policy)
                ax.set_title(policy, loc="left", fontsize=8)
            for ax in axes.flat[len(self.curves) :]:
                ax.set_axis_off()
            picture.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside lower left", ncols=3)
        save(picture, stem)

    def _draw(self, ax: Any, policy: str) -> None:
        from matplotlib.ticker import EngFormatter

        values = self.curves[policy]
        t = values["round"]
        for key, colour, label in (
            ("regret", COLOURS[0], "regret"),
            ("shortfall", COLOURS[1], "worst mean shortfall"),
        ):
            ax.fill_between(
                t, values[f"{key}_low"], values[f"{key}_high"], color=colour, alpha=0.2, linewidth=0
            )
            ax.plot(t, values[key], color=colour, linewidth=1.4, label=label)
        ax.plot(t, values["priced_regret"], color=INK, linewidth=0.9, linestyle="--", label="priced regret")
        ax.axhline(0.0, color=INK, linewidth=0.5)
        _symmetric(
            ax, "y", 1.2 * self.low - 0.1 * self.linear, 1.2 * self.high + 0.1 * self.linear, self.linear
        )
        ax.set_xlim(0, self.rounds)
        ax.set_xticks([0, self.rounds / 2, self.rounds])
        ax.xaxis.set_major_formatter(EngFormatter(sep=""))
        for label, place in zip(ax.get_xticklabels(), ("left", "center", "right"), strict=True):
            label.set_horizontalalignment(place)
