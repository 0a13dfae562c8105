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
        is_over = self._seconds is None
        while not is_over:
            try:
                with self._lock:
                    self._over.set()
                # One that is under way comes now, and too late. To call it back would leave the
                # interpreter looking for it for ever after: slowly, and in an endless loop where a
                # profiler stops at calls (CPython 3.11).
                is_over = all(True for _ in range(10))
            except OutOfTimeError:
                pass

    def _watch(self) -> None:
        wait = self._seconds
        while not self._over.wait(wait):
            with self._lock:
                if not self._over.is_set():
                    stop = ctypes.py_object(OutOfTimeError)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), stop)
            wait = AGAIN
