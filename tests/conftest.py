"""Helpers of the tests are plain modules beside them; what holds for all tests is here."""

import signal

import numpy as np
import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a suite that runs in the background hands this on to the programs that tests interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)

# the same examples in every run, however slow the machine: what fails once fails always
settings.register_profile("suite", derandomize=True, deadline=None)
settings.load_profile("suite")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    """Folds and forests without a seed are the same whatever ran before, and on every worker."""
    np.random.seed(0)  # noqa: NPY002  what scikit-learn draws from where it is given no seed


@pytest.fixture
def in_this_process():
    """No comparison or reproduction of a paper starts a process, which would import for seconds."""
    from this_process import without_processes

    with without_processes():
        yield
