"""The command line: from a file to a model, and from a model to predictions."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments of this process name, and exit with its code."""
    from colabel.cli.app import run

    sys.exit(run(sys.argv[1:]))
