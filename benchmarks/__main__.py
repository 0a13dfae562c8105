"""Run benchmarks and rebuild RESULTS.md: ``python -m benchmarks [NAME ...]``, all without names.

At the end stands what is slower than the numbers kept beside the pages; ``--keep`` keeps the new.
"""

import argparse
import importlib
import os
import platform
import re
import sys
import time

import numpy as np
import scipy
import sklearn

from benchmarks import kept
from benchmarks.measure import HERE, NOTES, RECORDED, RESULTS

#: In the order of the page. A module has ``run() -> str``, which returns its section.
SECTIONS = {
    "readers": "Reading files",
    "extractors": "The linear family",
    "ridge": "Ridge regression with many targets",
    "krylov": "Conjugate gradients and their products",
    "cost": "The rates that solvers are chosen by",
    "peers": "Peers, side by side",
    "scale": "A million rows",
    "many_labels": "Thousands of labels",
    "hypergraph": "Exact hypergraph learning",
    "mvmd_by_least_squares": "MVMD as a least-squares problem",
    "tuning": "Tuning the shared-subspace classifier",
    "tuned": "Tuned fits beside their bare products",
    "dense": "Dense rows beside scikit-learn",
    "held_out": "Leave-one-out beside five folds",
    "kernels": "Where a kernel pays",
    "kernel_speed": "What kernels cost",
    "kernel_methods": "Kernels beside linear methods and a forest",
    "mixtures": "The best mixture beside every contestant",
    "probabilities": "Probabilities",
    "calibration": "What probabilities cost",
    "promises": "Sets with a promise",
    "audits": "Labels that are wrong",
    "masked": "What unknown labels cost",
    "unknown_labels": "Half of the labels unknown",
    "texts": "A large file of texts",
    "mtsda": "Sparse discriminant directions",
    "large_margin": "Large margins",
    "semi_supervised": "Factorisation at linear cost",
    "scaling": "What is done to the features first",
}


def machine():
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}; "
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}"
    )


def main(names, keep):
    unknown = set(names) - SECTIONS.keys()
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    RESULTS.mkdir(exist_ok=True)
    slower = []
    for name in names or SECTIONS:
        print(f"running {name} ...", flush=True)
        RECORDED.clear()
        start = time.perf_counter()
        section = importlib.import_module(f"benchmarks.{name}").run()
        made = f"{time.strftime('%Y-%m-%d')}, `python -m benchmarks {name}`"
        text = f"## {SECTIONS[name]}\n\n{made}; {machine()}.\n\n{section}"
        (RESULTS / f"{name}.md").write_text(text)
        print(f"{text}\n({time.perf_counter() - start:.0f} s)\n", flush=True)
        before = kept.read(name)
        slower += [f"{name}: {line}" for line in kept.fallen(before, RECORDED, machine())]
        kept.write(name, before, RECORDED, machine(), replace=keep)
    write_page()
    limit = f"slower than what is kept by more than {kept.LIMIT - 1:.0%}"
    print("\n  ".join([f"{limit}:", *slower]) if slower else f"nothing is {limit}")
    print(*NOTES, sep="\n")


def write_page():
    found = [RESULTS / f"{name}.md" for name in SECTIONS]
    sections = [path.read_text() for path in found if path.exists()]
    opening = (
        "# Results\n\nWritten by `make bench`. Times are the least of several runs, side by side "
        "in one process; each answer is checked before it is timed. How good predictions are, "
        "beside the papers' figures, comes at the end.\n\n"
    )
    (HERE / "RESULTS.md").write_text(opening + "\n".join([*sections, papers()]))


def papers():
    """What `colabel reproduce` found, with its figures."""
    folder = HERE.parent / "docs" / "reproduction"
    _, *parts = folder.with_suffix(".md").read_text().split("\n## ")
    shown = []
    for part in parts:
        name = re.search(r"\(reproduction/(\w+)\.md\)", part)[1]
        pictures = [
            f"![{path.stem}](../docs/reproduction/{path.name})\n"
            for path in sorted(folder.glob(f"{name}_*.svg"))
        ]
        text = part.replace("(reproduction/", "(../docs/reproduction/")
        shown.append("\n".join([f"### {text}", *pictures]))
    opening = "## The papers' experiments\n\nBy `colabel reproduce`; each with all its tables.\n"
    return "\n".join([opening, *shown])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--keep", action="store_true", help="replace the kept numbers")
    arguments = parser.parse_args()
    main(arguments.names, arguments.keep)
