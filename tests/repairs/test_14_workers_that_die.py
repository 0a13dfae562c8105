"""What the machine did to a worker was kept for ever, hung the run, ended it, or left it behind."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import psutil
import pytest
from dying_methods import (
    Daemon,
    Once,
    OnceTerminated,
    OnceWithAFullDisk,
    OnceWithoutMemory,
    OnceWrong,
    Orphaning,
)
from odd_methods import Constant, problem

from colabel.comparison import compare
from colabel.comparison.run import pool
from colabel.comparison.run.pool import Pool

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of Unix")
GIVEN = {"metrics": ["f1_macro"], "cv": 1, "n_jobs": 1}


def test_what_the_machine_stopped_is_tried_again_and_what_a_method_did_itself_is_not(tmp_path):
    kinds = [Once, OnceTerminated, OnceWithoutMemory, OnceWithAFullDisk, OnceWrong]
    methods = {kind.__name__: kind(str(tmp_path / kind.__name__)) for kind in kinds}
    seen = []
    given = {**GIVEN, "journal": tmp_path / "j.jsonl", "progress": seen.append}
    first = compare(problem(), methods=methods, **given)
    assert {r.status for r in first.results} == {"failed"}
    assert all(r.reason for r in first.results)
    second = compare(problem(), methods=methods, **given)
    assert [r.status for r in second.results] == ["ok"] * 4 + ["failed"]
    assert second.results[-1].reason == "wrong by itself"
    assert seen[-1].taken == 1


def test_a_child_that_lives_on_does_not_hang_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "_LAST_WORDS", 0.2)
    path = tmp_path / "child"
    methods = {"leaves": Orphaning(), "daemon": Daemon(str(path)), "constant": Constant()}
    try:
        found = compare(problem(), methods=methods, **GIVEN, progress=False)
    finally:
        os.kill(int(path.read_text()), signal.SIGKILL)
    assert [r.status for r in found.results] == ["failed", "failed", "ok"]
    assert {r.reason for r in found.results[:2]} == {"its process ended with the exit code 3"}


class Killed:
    """Starts workers of which the first few are killed before they are ready."""

    def __init__(self, times, monkeypatch):
        self.left = times
        self.started = 0
        real = pool.subprocess.Popen

        def popen(*arguments, **options):
            process = real(*arguments, **options)
            self.started += 1
            if self.left > 0:
                self.left -= 1
                process.send_signal(signal.SIGKILL)
            return process

        monkeypatch.setattr(pool.subprocess, "Popen", popen)


def test_a_worker_killed_before_it_is_ready_is_started_again(monkeypatch):
    kills = Killed(2, monkeypatch)
    (result,) = compare(
        problem(), methods={"constant": Constant()}, **GIVEN, progress=False
    ).results
    assert result.status == "ok"
    assert kills.started == 3


def test_one_that_is_always_killed_ends_in_a_line_with_a_way_out(monkeypatch):
    Killed(99, monkeypatch)
    with pytest.raises(ChildProcessError, match=r"killed by signal 9 before it was ready.*n_jobs"):
        compare(problem(), methods={"constant": Constant()}, **GIVEN, progress=False)


BUSY = """
    import itertools, sys
    sys.path[:0] = {paths!r}
    from odd_methods import Constant, problem
    from colabel.comparison import compare

    class Busy(Constant):
        def fit(self, X, Y):
            with open({path!r}, "w"):
                pass
            sum(itertools.repeat(1, 10**13))  # in C, where no other thread is heard

    compare(problem(), methods={{"busy": Busy()}}, metrics=["f1_macro"], cv=1, n_jobs=2)
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
        with Pool(1, dict.get):
            assert signal.getsignal(signal.SIGTERM) is ours
    finally:
        signal.signal(signal.SIGTERM, mine)
    with Pool(1, dict.get):
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) == mine
