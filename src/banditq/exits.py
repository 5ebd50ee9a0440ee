"""How the command line ends: exit codes, and errors as one line."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from .errors import BanditqError, InvalidInput

FAILED, BAD_INPUT, UNKNOWN, STOPPED = 1, 2, 3, 130


@contextmanager
def refusals() -> Iterator[None]:
    """Turn errors raised on purpose into one line and an exit code."""
    try:
        yield
    except InvalidInput as error:
        told = str(error).replace("allow_infeasible=True", "--allow-infeasible")
        print(f"banditq: {told}", file=sys.stderr)
        raise typer.Exit(BAD_INPUT) from None
    except BanditqError as error:
        print(f"banditq: {error}", file=sys.stderr)
        raise typer.Exit(FAILED) from None
    except KeyboardInterrupt:
        print("banditq: stopped by Ctrl-C before anything was worth keeping", file=sys.stderr)
        raise typer.Exit(STOPPED) from None
    except OSError as error:
        where = error.filename or "the file system"
        print(f"banditq: {where}: {error.strerror}; give another place or make room", file=sys.stderr)
        raise typer.Exit(BAD_INPUT) from None
