"""Pages a person reads: one HTML file each, that needs no network, in light and dark and on paper."""

from pathlib import Path
from typing import Any

from ..errors import InvalidInput

_HERE = Path(__file__).parent


def render(template: Path, **context: Any) -> str:
    """Fill in a template, which may extend ``base.html``."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise InvalidInput("pages need jinja2: pip install 'banditq[report]'") from None
    environment = Environment(
        loader=FileSystemLoader([template.parent, _HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = lambda number: f"{number:,}".replace(",", "\u202f")
    style = (_HERE / "style.css").read_text(encoding="utf-8")
    return environment.get_template(template.name).render(style=style, **context)
