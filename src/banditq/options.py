"""Options that several commands take."""

from typing import Annotated

import typer

from .errors import InvalidInput


def numbers(name: str, text: str) -> list[float]:
    """Numbers with commas between them."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput(
            f"{name} is {text!r}; it must be numbers with commas, such as .3,.5,.8"
        ) from None


Means = Annotated[
    str | None, typer.Option(help="Mean reward of each arm, such as .335,.203,.781", show_default=False)
]
Targets = Annotated[
    str | None,
    typer.Option(
        help="Promised reward per round of each arm, 0 for none, such as .167,.067,0", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
