"""The process that fits and measures; its orders come in on one pipe and results go out on another.

It ends when the process that started it ends, however that happens.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import sys
import threading
import warnings
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<Q")


def write_frame(pipe: BinaryIO, payload: bytes) -> None:
    """Send bytes with their length before them."""
    pipe.write(_LENGTH.pack(len(payload)))
    pipe.write(payload)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> bytes | None:
    """The next bytes; None where the other side is gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    payload = pipe.read(length)
    return payload if len(payload) == length else None


class Worker:
    """What a process keeps between orders: the data sets, and the split worked on last."""

    def __init__(self, answers: BinaryIO) -> None:
        self._answers = answers
        self._datasets: dict[str, Any] = {}
        self._current: tuple[Any, Any] = (None, None)

    def say(self, *message: Any) -> None:
        """Send a message to the process that gives the orders."""
        write_frame(self._answers, pickle.dumps(message))

    def obey(self, order: bytes) -> None:
        """Carry out one order, and say what came of it."""
        from colabel.evaluation.trials import failed, reason_of, run

        try:
            kind, *arguments = pickle.loads(order)
        except Exception as error:
            self.say("done", failed(f"the method cannot be sent to a process: {reason_of(error)}"))
            return
        if kind == "data":
            name, self._datasets[name] = arguments[0], arguments[1]
        elif kind == "trial":
            (trial,) = arguments
            data = self._split(trial.dataset, trial.split)
            if trial.factored:
                data.shared  # noqa: B018  before the clock of the method starts
            self.say("begun")
            self.say("done", run(trial, data))
        else:
            from colabel.evaluation.pictures import drawn

            self.say("begun")
            self.say("done", drawn(*arguments))

    def _split(self, dataset: str, split: int) -> Any:
        from colabel.evaluation.trials import SplitData

        key = (dataset, split)
        if self._current[0] != key:
            X, Y, splits, scale = self._datasets[dataset]
            self._current = (None, None)  # let go of the old rows before there are new ones
            self._current = (key, SplitData(X, Y, splits[split], scale))
        return self._current[1]


def main() -> None:
    """Obey until there are no more orders."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that gives the orders
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what methods print is no answer
    warnings.simplefilter("ignore")
    import colabel.evaluation.trials  # noqa: F401  ready means that nothing is left to import
    from colabel._progress import silence

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
