"""What the machine did to a worker was kept for ever, hung the run, ended it, or left it behind."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest
from odd_methods import Constant, problem

from colabel.evaluation import compare, crew
from colabel.evaluation.crew import Crew

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
GIVEN = {"metrics": ["f1_macro"], "cv": 1, "n_jobs": 1}


class Once(Constant):
    """Does something the first time, and fits the second."""

    def __init__(self, path=""):
        self.path = path

    def fit(self, X, Y):
        if not os.path.exists(self.path):
            with open(self.path, "w"):
                pass
            self.first()
        return super().fit(X, Y)

    def first(self):
        os.kill(os.getpid(), signal.SIGKILL)


class OnceTerminated(Once):
    def first(self):
        os.kill(os.getpid(), signal.SIGTERM)


class OnceWithoutMemory(Once):
    def first(self):
        raise MemoryError("8 GiB")


class OnceWithAFullDisk(Once):
    def first(self):
        raise OSError(28, "No space left on device")


class OnceWrong(Once):
    def first(self):
        raise ValueError("wrong by itself")


class Orphaning(Constant):
    """Dies, and leaves a child behind that has its pipes."""

    def fit(self, X, Y):
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(3)


class Daemon(Constant):
    """The same with a child in a session of its own."""

    def __init__(self, path=""):
        self.path = path

    def fit(self, X, Y):
        if (child := os.fork()) == 0:
            os.setsid()
            time.sleep(1000)
        with open(self.path, "w") as file:
            file.write(f"{child}")
        os._exit(3)


def test_what_the_machine_stopped_is_tried_again_and_what_a_method_did_itself_is_not(tmp_path):
    kinds = [Once, OnceTerminated, OnceWithoutMemory, OnceWithAFullDisk, OnceWrong]
    methods = {kind.__name__: kind(str(tmp_path / kind.__name__)) for kind in kinds}
    seen = []
    given = {**GIVEN, "journal": tmp_path / "j.jsonl", "progress": seen.append}
    first = compare(methods, problem(), **given)
    assert {r["status"] for r in first.results} == {"failed"}
    assert all(r["reason"] and "by_machine" not in r for r in first.results)
    second = compare(methods, problem(), **given)
    assert [r["status"] for r in second.results] == ["ok"] * 4 + ["failed"]
    assert second.results[-1]["reason"] == "wrong by itself"
    assert seen[-1].taken == 1


def test_a_child_that_lives_on_does_not_hang_the_run(tmp_path):
    path = tmp_path / "child"
    methods = {"leaves": Orphaning(), "daemon": Daemon(str(path)), "constant": Constant()}
    try:
        found = compare(methods, problem(), **GIVEN, progress=False)
    finally:
        os.kill(int(path.read_text()), signal.SIGKILL)
    assert [r["status"] for r in found.results] == ["failed", "failed", "ok"]
    assert {r["reason"] for r in found.results[:2]} == {"its process ended with the exit code 3"}


class Killed:
    """Starts workers of which the first few are killed before they are ready."""

    def __init__(self, times, monkeypatch):
        self.left = times
        self.started = 0
        real = crew.subprocess.Popen

        def popen(*arguments, **options):
            process = real(*arguments, **options)
            self.started += 1
            if self.left > 0:
                self.left -= 1
                process.send_signal(signal.SIGKILL)
            return process

        monkeypatch.setattr(crew.subprocess, "Popen", popen)


def test_a_worker_killed_before_it_is_ready_is_started_again(monkeypatch):
    kills = Killed(2, monkeypatch)
    (result,) = compare({"constant": Constant()}, problem(), **GIVEN, progress=False).results
    assert result["status"] == "ok"
    assert kills.started == 3


def test_one_that_is_always_killed_ends_in_a_line_with_a_way_out(monkeypatch):
    Killed(99, monkeypatch)
    with pytest.raises(ChildProcessError, match=r"killed by signal 9 before it was ready.*n_jobs"):
        compare({"constant": Constant()}, problem(), **GIVEN, progress=False)


BUSY = """
    import itertools, sys
    sys.path[:0] = {paths!r}
    from odd_methods import Constant, problem
    from colabel.evaluation import compare

    class Busy(Constant):
        def fit(self, X, Y):
            with open({path!r}, "w"):
                pass
            sum(itertools.repeat(1, 10**13))  # in C, where no other thread is heard

    compare({{"busy": Busy()}}, problem(), metrics=["f1_macro"], cv=1, n_jobs=2)
"""


def test_a_signal_ends_the_workers_with_the_run(tmp_path):
    path = tmp_path / "begun"
    code = textwrap.dedent(BUSY).format(paths=sys.path, path=str(path))
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE) as process:
        while not path.exists():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        workers = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        process.wait()
        left = [w for w in workers if w.is_running() and w.status() != psutil.STATUS_ZOMBIE]
    assert workers
    assert left == []
    assert process.returncode == 128 + signal.SIGTERM


def test_handlers_of_ones_own_are_left_alone():
    mine = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        ours = signal.getsignal(signal.SIGTERM)
        with Crew(1, dict.get):
            assert signal.getsignal(signal.SIGTERM) is ours
    finally:
        signal.signal(signal.SIGTERM, mine)
    with Crew(1, dict.get):
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) == mine
