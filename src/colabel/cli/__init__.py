"""The command line: from a file to a model, and from a model to predictions."""

import os
import signal
import sys
from typing import Any


def main() -> None:
    """Run the command that the arguments of this process name, and exit with its code."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)
    from colabel.cli.app import run  # a second of imports, some of which hide a KeyboardInterrupt

    if usual is signal.default_int_handler:
        signal.signal(signal.SIGINT, usual)
    sys.exit(run(sys.argv[1:]))


def _stop(*_: Any) -> None:
    """End at once: nothing is begun yet that would have to be tidied."""
    os.write(2, b"colabel: stopped\n")
    os._exit(130)
