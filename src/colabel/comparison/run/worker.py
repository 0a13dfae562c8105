"""What a worker process is asked, what it keeps, and what it replies."""

from __future__ import annotations

import errno
import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, Protocol

import cloudpickle

from colabel._terminal import one_line

_LENGTH = struct.Struct("<Q")
_LONGEST = 200
#: What a system says when it has no more of something: memory, disk, files, processes.
_EXHAUSTED = {errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EAGAIN}


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


@dataclass(frozen=True)
class Reply:
    """What came of a task: its value, or the reason why there is none."""

    value: Any = None
    reason: str | None = None
    status: Literal["ok", "failed", "over budget"] = "ok"
    #: Whether it is the machine's fault, and not kept but tried again.
    by_machine: bool = False


class Task(Protocol):
    """What a process is asked to do; it is sent there whole."""

    def prepare(self, held: Held) -> None:
        """Before the clock starts: what others would have done as well."""

    def run(self, held: Held) -> Any:
        """The work itself; what it raises is the reason of a failure."""


class Held:
    """What a process keeps between tasks: the data sets, and the rows worked on last."""

    def __init__(self) -> None:
        self.datasets: dict[str, Any] = {}
        self._key: Any = None
        self._rows: Any = None

    def rows(self, key: Any, make: Callable[[], Any]) -> Any:
        """The rows of a split, made when another was worked on before."""
        if self._key != key:
            self._key = self._rows = None  # let go of the old ones before there are new ones
            self._key, self._rows = key, make()
        return self._rows


class Worker:
    """Obeys orders, one after another."""

    def __init__(self, answers: BinaryIO) -> None:
        self._answers = answers
        self._held = Held()

    def say(self, *message: Any) -> None:
        """Send a message to the process that gives the orders."""
        write_frame(self._answers, cloudpickle.dumps(message))

    def obey(self, order: bytes) -> None:
        """Carry out one order, and say what came of it."""
        try:
            kind, *arguments = pickle.loads(order)
        except Exception as error:
            reason = f"the method cannot be sent to a process: {reason_of(error)}"
            self.say("done", Reply(reason=reason, status="failed"))
            return
        if kind == "data":
            self._held.datasets[arguments[0]] = arguments[1]
            return
        self.say("done", self._done(arguments[0]))

    def _done(self, task: Task) -> Reply:
        try:
            task.prepare(self._held)
            self.say("begun")
            return Reply(task.run(self._held))
        except Exception as error:
            of_machine = isinstance(error, MemoryError) or getattr(error, "errno", 0) in _EXHAUSTED
            return Reply(reason=reason_of(error), status="failed", by_machine=of_machine)


def reason_of(error: BaseException) -> str:
    """What went wrong, with the kind of error where the message needs it."""
    text = one_line(error)
    if isinstance(error, MemoryError):
        text = f"not enough memory ({text})" if text else "not enough memory"
    elif not isinstance(error, ValueError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
