"""Pages a person reads: one HTML file each, that needs no network, in light and dark and on paper."""

import re
from pathlib import Path
from typing import Any

from ..errors import InvalidInput

_HERE = Path(__file__).parent


def render(template: Path, **context: Any) -> str:
    """Fill in a template, which may extend ``base.html``."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup, escape
    except ImportError:
        raise InvalidInput("pages need jinja2: pip install 'banditq[report]'") from None
    environment = Environment(
        loader=FileSystemLoader([template.parent, _HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["typeset"] = lambda text: Markup(_typeset(str(escape(text))))
    environment.filters["count"] = lambda number: f"{number:,}".replace(",", "\u202f")
    style = (_HERE / "style.css").read_text(encoding="utf-8")
    return environment.get_template(template.name).render(style=style, **context)


def _typeset(text: str) -> str:
    """Exponents raised, minus signs for hyphens before numbers, and no line ends inside N = 1 000."""
    text = re.sub(r"(?<![\w.])-(?=\d)|(?<=\^)-(?=\d)", "−", text)
    text = re.sub(r"\b(\w) = ", "\\1\u00a0=\u00a0", text)
    text = re.sub(r"(?<=\d) (?=\d{3}\b)", "\u202f", text)
    return re.sub(r"\^(−?[\d.]*\d|[¼½¾⅜⅝])", r"<sup>\1</sup>", text)
