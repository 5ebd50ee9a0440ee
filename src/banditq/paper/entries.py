"""What the report is made of, by stable ids: figures, claims and errata."""

from ..errors import InvalidInput
from .beyond import beyond_figures
from .claims import claims
from .claims.base import Claim
from .errata import Erratum, errata
from .figures import Figure, paper_figures
from .settings import Setting, settings

Entry = Figure | Claim | Erratum


def everything() -> list[Entry]:
    """All entries, in the order of the report."""
    return [*paper_figures(), *claims(), *errata(), *beyond_figures()]


def entries() -> dict[str, Entry]:
    """All entries by id."""
    return {entry.id: entry for entry in everything()}


def chosen(only: str | None) -> list[Entry]:
    """The entries named in ``only``, with commas between them; all of them without it."""
    known = entries()
    if only is None:
        return list(known.values())
    names = [name.strip() for name in only.split(",") if name.strip()]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise InvalidInput(
            f"only is {only!r}; it must be ids with commas between them, of {', '.join(known)}"
        )
    return [known[name] for name in known if name in names]


def needed(wanted: list[Entry]) -> list[Setting]:
    """The simulations that some entries are made from."""
    names = {name for entry in wanted for name in entry.settings}
    return [setting for name, setting in settings().items() if name in names]
