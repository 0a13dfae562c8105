import subprocess
import sys
import time

import pytest

from colabel.mixture.time_limit import OutOfTimeError, TimeLimit

#: A profiler that stops a call, once a limit was not needed. Where the interpreter is left looking
#: for a stop that never comes, this takes for ever (CPython 3.11).
AFTERWARDS = """
import sys
from colabel.mixture.time_limit import TimeLimit

with TimeLimit(60.0):
    pass

def called():
    pass

def stop(frame, event, argument):
    if event == "call" and frame.f_code is called.__code__:
        sys.setprofile(None)
        raise KeyboardInterrupt

sys.setprofile(stop)
try:
    called()
except KeyboardInterrupt:
    print("stopped")
"""


def go_on(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.001)


def test_what_takes_too_long_is_stopped():
    with pytest.raises(OutOfTimeError), TimeLimit(0.05):
        go_on(60.0)
    go_on(0.01)  # and nothing after it


def test_what_ends_in_time_is_left_alone():
    for limit in (None, 60.0):
        with TimeLimit(limit):
            go_on(0.01)


def test_an_error_inside_is_its_own():
    with pytest.raises(ZeroDivisionError), TimeLimit(60.0):
        1 / 0  # noqa: B018


def test_the_interpreter_is_as_it_was():
    command = [sys.executable, "-c", AFTERWARDS]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout == "stopped\n"
