"""Timing, data and tables for the benchmarks."""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from memory import peak_bytes as peak_bytes

from colabel.datasets import load
from colabel.papers.protocol import Split
from colabel.papers.yahoo import pages

#: Where the public sets are; by default, where the tests look for them.
FOLDER = Path(
    os.environ.get("COLABEL_DATA") or Path(__file__).resolve().parents[1].parent / "shared" / "data"
)
HERE = Path(__file__).parent
RESULTS = HERE / "results"
#: What the section that runs has measured, by work.
RECORDED: dict[str, dict[str, float | None]] = {}
#: What a run is to say at its end.
NOTES: list[str] = []


def best_of(function, repeats=5):
    """The least time of several runs, and the last result: noise only ever adds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return min(times), result


def in_turns(repeats, *functions):
    """`best_of` for each, one after the other in every round, so that noise meets all of them."""
    rounds = [[best_of(function, 1) for function in functions] for _ in range(repeats)]
    return [(min(t for t, _ in runs), runs[-1][1]) for runs in zip(*rounds, strict=True)]


def apart(repeats, *steps):
    """What steps tell, each time in a process of its own, one after the other in every round.

    A step is a function of a module, without arguments, whose result has "seconds" and is JSON; of
    its rounds the fastest counts. A library's threads wait for work for a while after a product, at
    full speed: in one process, those of one BLAS slow down whatever goes to another just after.
    """
    rounds = [[_in_process(step) for step in steps] for _ in range(repeats)]
    return [min(runs, key=lambda told: told["seconds"]) for runs in zip(*rounds, strict=True)]


def _in_process(step):
    code = f"import json, {step.__module__} as m; print(json.dumps(m.{step.__name__}()))"
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
    return json.loads(done.stdout)


def colabel(*arguments):
    """The command in a process of its own: its seconds, its most memory in bytes, what it says."""
    command = [sys.executable, "-m", "colabel", *map(str, arguments)]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return time.perf_counter() - start, 1024 * used.ru_maxrss, said


def memory():
    """The most that this process had so far, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def record(work, time, beside=None):
    """Note how long some work takes, for `kept`; and how long a bare cost or a peer beside it."""
    if work in RECORDED:
        raise ValueError(f"{work} is measured twice")
    RECORDED[work] = {"seconds": short(time), "ratio": beside and short(time / beside)}


def note(line):
    """Have something said at the end of the run."""
    NOTES.append(line)


def short(number):
    return float(f"{number:.4g}")


def data(name):
    """X (csr) and Y (dense 0/1) of a data set beside the repository."""
    found = load(FOLDER / f"{name}.svm.xz")
    Y = found.Y.toarray() if sp.issparse(found.Y) else found.Y
    return sp.csr_array(found.X), Y.astype(int)


def training_pages(rows=1000):
    """X and Y of Arts as Ji et al. (2008) prepare it, the training rows of their first split."""
    split = Split(pages(load(FOLDER / "yahoo_arts.svm.xz"), rows), 0)
    return split.X, split.Y


def check(what, error, limit):
    """Refuse to go on with a wrong answer."""
    if not error <= limit:
        raise AssertionError(f"{what}: off by {error:.2e}, more than {limit:.0e}; not timed")


def relative(found, expected):
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


def table(header, rows):
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in (header, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(header), *lines[1:]]) + "\n"


def seconds(value):
    if value < 0.01:
        return f"{1000 * value:.2f} ms"
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.2f} s"


def save_plot(figure, name):
    """Write a figure beside the results, and return the markdown that shows it."""
    RESULTS.mkdir(exist_ok=True)
    figure.savefig(RESULTS / f"{name}.svg")
    return f"![{name}](results/{name}.svg)\n"
