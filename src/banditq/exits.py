"""How the command line ends: exit codes, and errors and warnings as one line."""

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from .errors import BanditqError, BanditqWarning, InvalidInput

FAILED, BAD_INPUT, UNKNOWN, STOPPED = 1, 2, 3, 130


@contextmanager
def refusals() -> Iterator[None]:
    """Turn errors raised on purpose into one line and an exit code, and warnings into one line."""
    try:
        with _warnings_as_lines():
            yield
    except InvalidInput as error:
        _say(str(error).replace("allow_infeasible=True", "--allow-infeasible"))
        raise typer.Exit(BAD_INPUT) from None
    except BanditqError as error:
        _say(error)
        raise typer.Exit(FAILED) from None
    except KeyboardInterrupt:
        _say("stopped by Ctrl-C before anything was worth keeping")
        raise typer.Exit(STOPPED) from None
    except MemoryError as error:
        _say(f"out of memory ({error}); ask for fewer runs, or fewer arms")
        raise typer.Exit(BAD_INPUT) from None
    except BrokenPipeError:
        _fall_silent()
        raise typer.Exit(FAILED) from None
    except OSError as error:
        _say(f"{error.filename or 'the file system'}: {error.strerror}; give another place or make room")
        raise typer.Exit(BAD_INPUT) from None


def print_the_rest() -> None:
    """Print what waits to be printed, before Python does and complains."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _fall_silent()


def _fall_silent() -> None:
    """Whoever read has gone, as `head` does, and wants no more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(what: object) -> None:
    print(f"banditq: {what}", file=sys.stderr)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Each warning given on purpose is a line; the others stay as Python shows them."""
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
            if issubclass(category, BanditqWarning):
                _say(message)
            else:
                shown(message, category, *place)

        warnings.showwarning = show  # type: ignore[assignment]  # Python calls it by position
        warnings.simplefilter("always", BanditqWarning)
        yield
