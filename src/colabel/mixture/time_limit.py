"""A part of a program that is stopped when it takes too long."""

import ctypes
import threading
from typing import Any, Self

#: Seconds after which what went on all the same is stopped again.
AGAIN = 1.0


class OutOfTimeError(BaseException):
    """Raised inside of what takes too long; no error of its own, which it could take for one."""


class TimeLimit:
    """Stops what it is around after some seconds, between two steps of Python.

    A process that could be ended would need a copy of the data, and give a model back through a
    pipe. Loops of optimisers, trees and folds are in Python, so that it is a matter of moments; a
    single call of LAPACK goes on to its end.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._thread = threading.get_ident()
        self._lock, self._over = threading.Lock(), threading.Event()

    def __enter__(self) -> Self:
        if self._seconds is not None:
            threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *error: Any) -> None:
        with self._lock:
            self._over.set()
            self._send(None)  # one that is under way comes too late

    def _watch(self) -> None:
        wait = self._seconds
        while not self._over.wait(wait):
            with self._lock:
                if not self._over.is_set():
                    self._send(OutOfTimeError)
            wait = AGAIN

    def _send(self, error: type[BaseException] | None) -> None:
        sent = None if error is None else ctypes.py_object(error)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), sent)
