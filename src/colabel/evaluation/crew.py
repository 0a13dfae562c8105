"""Worker processes that can be killed: one that hangs or dies costs one result, not the run."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import cloudpickle

from colabel.evaluation.trials import failed
from colabel.evaluation.worker import read_frame, write_frame

#: One thread each: as many processes as cores use them better, and sums come out the same.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
_TICK = 0.25


@dataclass(frozen=True)
class Job:
    """An order for a worker.

    Attributes
    ----------
    key : tuple
        The data set, and the split where there is one; a worker keeps the last.
    order : tuple
        What to send.
    limit : float or None
        Seconds after which it is stopped; None for no limit.
    """

    key: tuple[str, int]
    order: tuple[Any, ...]
    limit: float | None = None


class Source(Protocol):
    """Where jobs come from, and where results go."""

    def next(self, current: Any, others: set[Any]) -> Job | None:
        """The next job for a worker that has the data of `current`; None if there is none now."""

    def finish(self, job: Job, result: dict[str, Any], seconds: float) -> None:
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

    def start(self) -> None:
        self.generation += 1
        self.ready, self.job, self.current = False, None, None
        self.datasets = set()
        paths = [path or os.getcwd() for path in sys.path]
        threads = dict.fromkeys(_THREADS, "1")
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "colabel.evaluation.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("COLABEL_TRACEBACK") else subprocess.DEVNULL,
            env={**os.environ, **threads, "PYTHONPATH": os.pathsep.join(paths)},
        )
        arguments = (self.popen.stdout, self.generation)
        threading.Thread(target=self._listen, args=arguments, daemon=True).start()

    def _listen(self, pipe: Any, generation: int) -> None:
        while (frame := read_frame(pipe)) is not None:
            self.events.put((self, generation, pickle.loads(frame)))
        self.events.put((self, generation, ("gone",)))

    def send(self, *message: Any) -> None:
        write_frame(self.popen.stdin, cloudpickle.dumps(message))

    def stop(self) -> int:
        """Kill it; the exit code."""
        self.popen.kill()
        code = self.popen.wait()
        for pipe in (self.popen.stdin, self.popen.stdout):
            try:
                pipe.close()
            except OSError:  # what could not be sent to a dead process
                continue
        return int(code)


class Crew:
    """A few worker processes, and the loop that keeps them busy.

    Parameters
    ----------
    size : int
        How many.
    payloads : callable
        The data of a name, sent to each worker once.
    """

    def __init__(self, size: int, payloads: Callable[[str], Any]) -> None:
        self._events: queue.Queue[Any] = queue.Queue()
        self._payloads = payloads
        self._processes = [_Process(self._events) for _ in range(size)]

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            if process.popen is not None:
                process.stop()

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

    def _hand_out(self, source: Source) -> bool:
        """Give jobs to the idle; whether some process is not ready yet that could take one."""
        for process in self._processes:
            if process.job is None and process.ready:
                others = {p.current for p in self._processes if p is not process and p.job}
                job = source.next(process.current, others)
                if job is not None:
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
            process.send(*job.order)
        except OSError:
            pass  # it is gone, which its listener says
        except Exception as error:  # what cannot be pickled
            process.job = None
            reason = f"the method cannot be sent to a process: {' '.join(str(error).split())}"
            source.finish(job, failed(reason), 0.0)

    def _hear(self, source: Source, process: _Process, message: tuple[Any, ...]) -> None:
        kind = message[0]
        if kind == "ready":
            process.ready = True
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
        if not process.ready:
            raise RuntimeError(
                f"a worker process ended at once, with the exit code {code}; "
                "COLABEL_TRACEBACK=1 shows why"
            )
        if process.job is not None:
            how = (
                f"was killed by signal {-code}" if code < 0 else f"ended with the exit code {code}"
            )
            memory = ", perhaps for want of memory" if code == -9 else ""
            reason = f"its process {how}{memory}"
            source.finish(process.job, failed(reason), time.monotonic() - process.begun)
        process.start()

    def _stop_late_ones(self, source: Source) -> None:
        now = time.monotonic()
        for process in self._processes:
            if process.job is not None and now > process.deadline:
                job, seconds = process.job, now - process.begun
                process.stop()
                process.start()
                reason = f"stopped after {seconds:.3g} s, its share of the budget"
                source.finish(job, failed(reason, "over budget"), seconds)
