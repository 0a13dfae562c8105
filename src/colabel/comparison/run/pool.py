"""Worker processes that can be killed: one that hangs or dies costs one result, not the run."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import cloudpickle

from colabel.comparison.run.worker import Reply, Task, read_frame, write_frame

#: One thread each: as many processes as cores use them better, and sums come out the same.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
_TICK = 0.25
#: Seconds for the last words of a process that is gone, while something holds its pipe open.
_LAST_WORDS = 2.0
#: How often in a row a process may be killed before it is ready.
_STARTS = 3
#: Signals that come from outside, and not from what the process did.
_FROM_OUTSIDE = frozenset(
    -number
    for name in ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT")
    if (number := getattr(signal, name, None)) is not None
)
#: The signals that end a run; as exceptions they reach what has to be tidied.
_ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Terminated(SystemExit):
    """A signal asked this process to end."""


@dataclass(frozen=True)
class Job:
    """An order for a worker."""

    #: The data set, and the split where there is one; a worker keeps the last.
    key: tuple[str, int]
    #: What to do.
    task: Task
    #: Seconds after which it is stopped; None for no limit.
    limit: float | None = None


class Source(Protocol):
    """Where jobs come from, and where results go."""

    def next(self, current: Any, others: set[Any]) -> Job | None:
        """The next job for a worker that has the data of `current`; None if there is none now."""

    def finish(self, job: Job, reply: Reply, seconds: float) -> None:
        """Take the result of a job."""


@dataclass
class _Process:
    """A worker as the process that gives the orders sees it."""

    events: queue.Queue[Any]
    generation: int = 0
    ready: bool = False
    job: Job | None = None
    begun: float = 0.0
    deadline: float = float("inf")
    current: Any = None
    datasets: set[str] = field(default_factory=set)
    popen: Any = None
    gone: float | None = None
    stillborn: int = 0

    def start(self) -> None:
        self.generation += 1
        self.ready, self.job, self.current, self.gone = False, None, None, None
        self.datasets = set()
        paths = [path or os.getcwd() for path in sys.path]
        threads = dict.fromkeys(_THREADS, "1")
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "colabel.comparison.run.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("COLABEL_TRACEBACK") else subprocess.DEVNULL,
            env={**os.environ, **threads, "PYTHONPATH": os.pathsep.join(paths)},
            # a group of its own, so that what a method starts ends with it
            process_group=0 if os.name == "posix" else None,
        )
        arguments = (self.popen.stdout, self.generation)
        threading.Thread(target=self._listen, args=arguments, daemon=True).start()

    def _listen(self, pipe: Any, generation: int) -> None:
        with pipe:  # closed here: elsewhere that would wait for a read that may not end
            while (frame := read_frame(pipe)) is not None:
                self.events.put((self, generation, pickle.loads(frame)))
        self.events.put((self, generation, ("gone",)))

    def send(self, *message: Any) -> None:
        write_frame(self.popen.stdin, cloudpickle.dumps(message))

    def is_lost(self, now: float) -> bool:
        """Whether it ended, and a child of it keeps the pipe open on which it would be heard."""
        if self.popen.poll() is None:
            return False
        if self.gone is None:
            self.gone = now
            self._kill()
        return now > self.gone + _LAST_WORDS

    def stop(self) -> int:
        """Kill it and what it started; the exit code."""
        self._kill()
        code = self.popen.wait()
        with suppress(OSError):  # what could not be sent to a dead process
            self.popen.stdin.close()
        return int(code)

    def _kill(self) -> None:
        self.popen.kill()
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.popen.pid, signal.SIGKILL)


class Pool:
    """A few worker processes, and the loop that keeps them busy.

    Parameters
    ----------
    size : int
        How many.
    payloads : callable
        The data of a name, sent to each worker once.
    """

    def __init__(self, size: int, payloads: Callable[[str], Any]) -> None:
        self.size = size
        self._events: queue.Queue[Any] = queue.Queue()
        self._payloads = payloads
        self._processes = [_Process(self._events) for _ in range(size)]
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Pool:
        self._handlers = _raising()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            if process.popen is not None:
                process.stop()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def work(self, source: Source, tick: Callable[[list[Job]], None]) -> None:
        """Do all jobs; `tick` is called with those under way, several times a second."""
        for process in self._processes:
            if process.popen is None:
                process.start()
        while True:
            waiting = self._hand_out(source)
            if not waiting and not any(process.job for process in self._processes):
                return
            tick([process.job for process in self._processes if process.job])
            try:
                process, generation, message = self._events.get(timeout=_TICK)
            except queue.Empty:
                pass
            else:
                if generation == process.generation:
                    self._hear(source, process, message)
            self._stop_late_ones(source)
            for process in self._processes:
                if process.is_lost(time.monotonic()):
                    self._bury(source, process)

    def _hand_out(self, source: Source) -> bool:
        """Give jobs to the idle; whether some process is not ready yet that could take one."""
        for process in self._processes:
            while process.job is None and process.ready:  # one that cannot be sent is done at once
                others = {p.current for p in self._processes if p is not process and p.job}
                job = source.next(process.current, others)
                if job is None:
                    break
                self._give(source, process, job)
        return any(not process.ready for process in self._processes)

    def _give(self, source: Source, process: _Process, job: Job) -> None:
        process.job, process.current, process.begun = job, job.key, time.monotonic()
        process.deadline = float("inf") if job.limit is None else process.begun + 2 * job.limit + 60
        try:
            name = job.key[0]
            if name not in process.datasets:
                process.send("data", name, self._payloads(name))
                process.datasets.add(name)
            process.send("task", job.task)
        except OSError:
            pass  # it is gone, which its listener says
        except Exception as error:  # what cannot be pickled
            process.job = None
            reason = f"the method cannot be sent to a process: {' '.join(str(error).split())}"
            source.finish(job, Reply(reason=reason, status="failed"), 0.0)

    def _hear(self, source: Source, process: _Process, message: tuple[Any, ...]) -> None:
        kind = message[0]
        if kind == "ready":
            process.ready, process.stillborn = True, 0
        elif kind == "begun" and process.job is not None:
            process.begun = time.monotonic()
            if process.job.limit is not None:
                process.deadline = process.begun + process.job.limit
        elif kind == "done" and process.job is not None:
            job, process.job = process.job, None
            source.finish(job, message[1], time.monotonic() - process.begun)
        elif kind == "gone":
            self._bury(source, process)

    def _bury(self, source: Source, process: _Process) -> None:
        code = process.stop()
        how = f"was killed by signal {-code}" if code < 0 else f"ended with the exit code {code}"
        memory = ", perhaps for want of memory" if code == -9 else ""
        if not process.ready:
            process.stillborn += 1
            if code not in _FROM_OUTSIDE or process.stillborn == _STARTS:
                raise ChildProcessError(
                    f"a worker process {how} before it was ready{memory}; use fewer at a time "
                    "(n_jobs=1, --jobs 1), or see why with COLABEL_TRACEBACK=1"
                )
        elif process.job is not None:
            reason, by_machine = f"its process {how}{memory}", code in _FROM_OUTSIDE
            reply = Reply(reason=reason, status="failed", by_machine=by_machine)
            source.finish(process.job, reply, time.monotonic() - process.begun)
        process.start()

    def _stop_late_ones(self, source: Source) -> None:
        now = time.monotonic()
        for process in self._processes:
            if process.job is not None and now > process.deadline:
                job, seconds = process.job, now - process.begun
                process.stop()
                process.start()
                reason = f"stopped after {seconds:.3g} s, its share of the budget"
                source.finish(job, Reply(reason=reason, status="over budget"), seconds)


def _raising() -> dict[int, Any]:
    """Let signals that would end this process at once raise instead; what was done at them."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    usual = [number for number in _ENDINGS if signal.getsignal(number) == signal.SIG_DFL]
    return {number: signal.signal(number, _end) for number in usual}


def _end(number: int, _: Any) -> None:
    raise Terminated(128 + number)
