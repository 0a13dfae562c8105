"""Comparisons that start no process, for tests of what they find and say.

A process imports for two seconds before it does anything. What processes are for, such as methods
that hang or die, is tested with real ones, in ``comparison/run``, ``repairs`` and by the programs.
"""

import io
import time
import warnings
from contextlib import contextmanager

import cloudpickle
import pytest

from colabel.comparison.run import runner
from colabel.comparison.run.worker import Worker, read_frame
from colabel.papers import reproduction


class ThisProcess:
    """In place of the pool: the same orders for the same worker, packed as for a pipe."""

    def __init__(self, size, payloads):
        self.size, self.payloads, self.sent = 1, payloads, set()
        self.answers = io.BytesIO()
        self.worker = Worker(self.answers)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def work(self, source, tick):
        current = None
        while (job := source.next(current, set())) is not None:
            current = job.key
            tick([job])
            name = job.key[0]
            if name not in self.sent:
                self.ask("data", name, self.payloads(name))
                self.sent.add(name)
            begin = time.monotonic()
            *_, (_, reply) = self.ask("task", job.task)
            source.finish(job, reply, time.monotonic() - begin)

    def ask(self, *order):
        """What the worker answers to one order."""
        start = self.answers.tell()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.worker.obey(cloudpickle.dumps(order))
        self.answers.seek(start)
        answers = []
        while (frame := read_frame(self.answers)) is not None:
            answers.append(cloudpickle.loads(frame))
        return answers


@contextmanager
def without_processes():
    with pytest.MonkeyPatch.context() as patch:
        for module in (runner, reproduction):
            patch.setattr(module, "Pool", ThisProcess)
        yield
