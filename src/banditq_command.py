"""The command ``banditq``, from before anything is imported: Ctrl-C during the imports ends it quietly."""

import sys


def main() -> None:
    """Entry point; what the command does is in :mod:`banditq.cli`."""
    try:
        from banditq.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
