"""Long calls of BLAS and LAPACK, in which Python hears no Ctrl-C, run where one is heard."""

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")

#: Seconds between two looks at whether the call is done.
INTERVAL = 0.1
#: Multiplications that take less than a second, whoever makes them.
SHORT = 1e10


def wait_for(function: Callable[[], Result]) -> Result:
    """The result of a call, for which the main thread waits so that an interrupt ends the wait.

    The call itself cannot be ended: its thread goes on, and ends with the process at the latest.
    """
    if threading.current_thread() is not threading.main_thread():  # who hears no interrupt anyway
        return function()
    results: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:  # to be raised where the call was made
            errors.append(error)

    thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(INTERVAL)
    if errors:
        raise errors[0]
    return results[0]


def wait_if_long(operations: float, function: Callable[[], Result]) -> Result:
    """The result of a call of so many multiplications; see `wait_for`."""
    return function() if operations < SHORT else wait_for(function)
