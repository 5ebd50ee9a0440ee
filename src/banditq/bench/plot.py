"""The page's plot: what a round costs against the number of arms, one line a system."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ..plots import COLOURS, STYLE
from .figures import by_entry
from .yardsticks import YARDSTICKS

Figures = Mapping[str, Any]

_INK, _GRID, _QUIET = "#222222", "#e4e4e4", "#8a8a8a"
_DARK = {_INK: "#e6e6e6", _GRID: "#3d3d3d", _QUIET: "#9a9a9a", "#0072b2": "#56b4e9", "#d55e00": "#ff8c42"}
_STYLE = STYLE | {
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "grid.color": _GRID,
    "axes.grid.which": "major",
    "svg.hashsalt": "banditq",
    "savefig.bbox": "standard",
}
_PANELS = {"bandit": "bandit feedback", "full": "full information"}
_PEERS = (*COLOURS[2:5], "#9467bd")  # none like ours, neither in light nor in dark
_ROOM = 11.0  # between labels, in points
_NAMED = 6  # more companions than this go by the name of their kind


@dataclass(frozen=True)
class Curve:
    """One system: where it was measured, and how it is drawn. ``weight`` 2 is ours, 0 a companion."""

    label: str
    n_arms: Sequence[int]
    ns: Sequence[float]
    colour: str
    weight: int
    style: str = "-"
    kind: str = ""


def curves(figures: Figures, peers: Figures, feedback: str) -> list[Curve]:
    """The systems of one panel."""
    found = []
    palette = iter(_PEERS)
    for name, rows in by_entry(figures["rounds"]).items():
        if rows[0]["feedback"] != feedback:
            continue
        sizes = [row["n_arms"] for row in rows]
        if name in YARDSTICKS[:2]:
            found.append(Curve(name, sizes, [row["ns"] for row in rows], COLOURS[0], 2))
            plain = [row for row in rows if row.get("plain_ns")]
            costs = [row["plain_ns"] for row in plain]
            told = "its plain loop"
            found.append(Curve(told, [row["n_arms"] for row in plain], costs, COLOURS[1], 1))
        else:
            found.append(Curve(name, sizes, [row["ns"] for row in rows], _QUIET, 0, kind=rows[0]["kind"]))
    by_feedback = [row for row in figures.get("author", []) if row["feedback"] == feedback]
    if by_feedback:
        found.append(_curve("author's code, Octave", by_feedback, _INK))
    if feedback == "bandit":
        for name, rows in _harnesses(peers).items():
            found.append(
                _curve(name, [{**row, "ns": 1e3 * row["us"]} for row in rows], next(palette, _QUIET))
            )
    return [curve for curve in found if len(curve.n_arms)]


def _curve(label: str, rows: Sequence[Mapping[str, Any]], colour: str) -> Curve:
    """Other people's code, sizes rising."""
    rising = sorted(rows, key=lambda row: int(row["n_arms"]))
    return Curve(label, [row["n_arms"] for row in rising], [row["ns"] for row in rising], colour, 1, "--")


def _harnesses(peers: Figures) -> dict[str, list[dict[str, Any]]]:
    """Each peer's rows in its own harness, or stepwise where it has none."""
    found: dict[str, list[dict[str, Any]]] = {}
    rows = peers.get("rows", [])
    own = {row["peer"] for row in rows if row["how"] == "harness"}
    for row in rows:
        if row["how"] == "harness" or (row["peer"] not in own and row["how"] == "stepwise"):
            found.setdefault(f"{row['peer']} {row['policy']}", []).append(row)
    return found


def draw(figures: Figures, peers: Figures) -> Any:
    """A matplotlib figure with a panel for each kind of feedback."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context(_STYLE):
        picture, axes = plt.subplots(
            1, 2, figsize=(10.4, 4.9), sharex=True, sharey=True, layout="constrained"
        )
        for ax, (feedback, title) in zip(axes, _PANELS.items(), strict=True):
            shown = curves(figures, peers, feedback)
            ax.set_title(title, loc="left")
            ax.set_xscale("log")
            ax.set_yscale("log")
            for curve in sorted(shown, key=lambda curve: curve.weight):
                _draw_curve(ax, curve)
            ax.set_xlabel("number of arms")
            ax.set_xlim(1.6, 9e8)
        axes[0].set_ylabel("time of a round")
        low, high = axes[0].get_ylim()
        axes[0].set_ylim(low, 4 * high)
        _ticks(axes)
        picture.draw_without_rendering()
        for ax, feedback in zip(axes, _PANELS, strict=True):
            _label(ax, curves(figures, peers, feedback))
    return picture


def _draw_curve(ax: Any, curve: Curve) -> None:
    width = (0.8, 1.4, 2.4)[curve.weight]
    ax.plot(
        curve.n_arms,
        curve.ns,
        color=curve.colour,
        linewidth=width,
        linestyle=curve.style,
        marker="o",
        markersize=(0, 3, 4)[curve.weight],
        alpha=(0.65, 1, 1)[curve.weight],
    )


def _ticks(axes: Any) -> None:
    """Sizes as powers of ten up to a million, times as ns, µs, ms and s."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    names = {0: "1 ns", 3: "1 µs", 6: "1 ms", 9: "1 s"}
    powers = {0: "1", 1: "10", 2: "100", 3: "1 000"} | {k: f"$10^{k}$" for k in (4, 5, 6)}
    for ax in axes:
        ax.xaxis.set_major_locator(FixedLocator([10.0**k for k in range(1, 7)]))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: powers[round(np.log10(x))]))
        ax.yaxis.set_major_locator(FixedLocator([10.0**k for k in range(1, 10)]))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: _time(round(np.log10(y)), names)))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_minor_locator(NullLocator())


def _time(power: int, names: Mapping[int, str]) -> str:
    return names[power] if power in names else f"{10 ** (power % 3)} {names[power - power % 3].split()[1]}"


def named(shown: Sequence[Curve]) -> list[Curve]:
    """The curves that get a label: of many companions, the middle one speaks for its kind."""
    companions = [curve for curve in shown if not curve.weight]
    if len(companions) <= _NAMED:
        return list(shown)
    chosen = [curve for curve in shown if curve.weight]
    for kind, many in (("learner", "learners"), ("policy", "policies")):
        alike = sorted((c for c in companions if c.kind == kind), key=lambda c: c.ns[-1] / c.n_arms[-1])
        if alike:
            middle = alike[len(alike) // 2]
            told = f"{len(alike)} other {many}" if len(alike) > 1 else middle.label
            chosen.append(replace(middle, label=told))
    return chosen


def _label(ax: Any, shown: Sequence[Curve]) -> None:
    """Names at the right ends of the lines, moved apart where they would overlap."""
    points = ax.figure.dpi / 72.0
    ends = [(ax.transData.transform((curve.n_arms[-1], curve.ns[-1])), curve) for curve in named(shown)]
    ends.sort(key=lambda end: end[0][1])
    column = ax.transData.transform((2.2e6, 1.0))[0]
    heights = spread_out([end[0][1] for end in ends], _ROOM * points)
    for (place, curve), height in zip(ends, heights, strict=True):
        ax.annotate(
            curve.label,
            xy=ax.transData.inverted().transform(place),
            xytext=ax.transData.inverted().transform((column, height)),
            textcoords="data",
            color=curve.colour,
            fontsize=(7, 8, 8.5)[curve.weight],
            fontweight=("normal", "normal", "bold")[curve.weight],
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "color": curve.colour,
                "linewidth": 0.5,
                "alpha": 0.6,
                "shrinkA": 1,
            },
        )


def spread_out(wanted: Sequence[float], room: float) -> list[float]:
    """Heights at least ``room`` apart, in the same order, and nearest to those wanted in least squares."""
    shifted = [height - k * room for k, height in enumerate(wanted)]
    pools: list[tuple[float, int]] = []  # means of what must not fall, and how many are in each
    for value in shifted:
        mean, count = value, 1
        while pools and pools[-1][0] > mean:
            other, others = pools.pop()
            mean, count = (mean * count + other * others) / (count + others), count + others
        pools.append((mean, count))
    level = [mean for mean, count in pools for _ in range(count)]
    return [value + k * room for k, value in enumerate(level)]


def save(picture: Any, stem: Path) -> list[Path]:
    """Write PNG, on white, and SVG, which follows the reader's light or dark."""
    import matplotlib.pyplot as plt

    buffer = BytesIO()
    png, svg = stem.with_suffix(".png"), stem.with_suffix(".svg")
    with plt.rc_context(_STYLE):
        picture.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
        picture.savefig(png, dpi=160)
    plt.close(picture)
    svg.write_text(two_sided(buffer.getvalue().decode()), encoding="utf-8")
    return [svg, png]


def two_sided(svg: str) -> str:
    """An SVG with its colours as variables, which a dark reader's style sets otherwise."""
    names = {colour: f"--c{k}" for k, colour in enumerate(_DARK)}
    svg = re.sub(
        r"#[0-9a-f]{6}\b", lambda found: f"var({names[found[0]]})" if found[0] in names else found[0], svg
    )
    light = ";".join(f"{name}:{colour}" for colour, name in names.items())
    dark = ";".join(f"{names[colour]}:{other}" for colour, other in _DARK.items())
    style = f"<style>:root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}</style>"
    return re.sub(r"(<svg [^>]*>)", lambda found: found[0] + style, svg, count=1)
