"""The process that fits and measures; its orders come in on one pipe and results go out on another.

It ends when the process that started it ends, however that happens.
"""

import os
import queue
import signal
import sys
import threading
import warnings
from typing import BinaryIO

# ready means that nothing is left to import
import colabel.comparison.run.trial  # noqa: F401
from colabel._terminal import silence
from colabel.comparison.run.worker import Worker, read_frame


def main() -> None:
    """Obey until there are no more orders."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that gives the orders
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what methods print is no answer
    warnings.simplefilter("ignore")

    silence()  # the process that gives the orders says how far all is

    orders: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, orders), daemon=True).start()
    worker = Worker(answers)
    worker.say("ready")
    while True:
        worker.obey(orders.get())


def _listen(pipe: BinaryIO, orders: queue.SimpleQueue[bytes]) -> None:
    while (order := read_frame(pipe)) is not None:
        orders.put(order)
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with what a method started
    os._exit(0)  # in the middle of a fit, too


if __name__ == "__main__":
    main()
