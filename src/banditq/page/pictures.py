"""Pictures for pages: as files, and as SVG that takes the page's colours."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

from .. import plots
from ..plots import COLOURS
from ..saving import write_whole
from .files import write_text

INK, GRID = "#222222", "#e4e4e4"
STYLE = plots.STYLE | {
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "svg.hashsalt": "banditq",
    "savefig.bbox": "standard",
}


def save(picture: Any, stem: Path) -> None:
    """Write PNG and SVG, and be done with the picture."""
    import matplotlib.pyplot as plt

    with plt.rc_context(STYLE):
        write_whole(stem.with_suffix(".png"), lambda file: picture.savefig(file, format="png", dpi=150))
    write_text(stem.with_suffix(".svg"), as_svg(picture))  # last: where it is, the picture is
    plt.close(picture)


def as_svg(picture: Any) -> str:
    """The same text for the same picture."""
    import matplotlib.pyplot as plt

    buffer = BytesIO()
    with plt.rc_context(STYLE):
        picture.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return buffer.getvalue().decode()


def for_page(svg: str, name: str) -> str:
    """The SVG as an element of a page: names of its own, the page's ink and palette, no fixed size."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<(metadata|style).*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', r'<svg viewBox="\1" role="img">', svg, count=1)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = svg.replace("url(#", f"url(#{name}-").replace('href="#', f'href="#{name}-')
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    palette = {INK: "var(--ink)", GRID: "var(--grid)"}
    palette |= {colour.lower(): f"var(--c{k})" for k, colour in enumerate(COLOURS)}
    return re.sub(r"#[0-9a-f]{6}\b", lambda found: palette.get(found[0], found[0]), svg)
