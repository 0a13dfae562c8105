"""Methods with a kernel, without one, and a forest, in comparisons of five splits."""

import json
import warnings

import numpy as np

from benchmarks.measure import FOLDER, RESULTS, table
from colabel import compare
from colabel.catalogue import BEST, of_library

SETS = ("scene", "yeast", "image", "birds", "emotions")
#: Of these sets, where a kernel is to reach the forest, and where to pass what is linear.
BESIDE_FOREST = ("scene", "yeast", "image", "emotions")
ABOVE_LINEAR = ("scene", "yeast", "image", "birds")
FOREST, SPLITS, MARGIN = "random-forest", 5, 0.01
#: Which of the kernels' methods are asked to.
ASKED = ("kernel-ridge", "kernel-shared-subspace")
#: Where an interrupted run goes on from, and every score of the last whole one.
JOURNALS, KEPT = RESULTS / "journals", RESULTS / "kernel_methods_scores.json"

OF_LIBRARY = [
    method
    for method in of_library().values()
    if method.kind in ("classifier", "extractor") and method.name != BEST
]
KERNELS = [method.name for method in OF_LIBRARY if method.name.startswith("kernel-")]
LINEAR = [method.name for method in OF_LIBRARY if method.name not in KERNELS]


def run():
    JOURNALS.mkdir(parents=True, exist_ok=True)
    scores = {name: compared(name) for name in SETS}
    KEPT.write_text(json.dumps(scores, indent=1) + "\n")
    return page(scores)


def compared(name):
    """Macro F1 of each method on each split of a set; of what failed, the reason is printed."""
    print(f"  {name}", flush=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of ends of the grids
        found = compare(
            FOLDER / f"{name}.svm.xz",
            methods=[*KERNELS, *LINEAR, FOREST],
            metrics=["f1_macro"],
            cv=SPLITS,
            n_jobs=1,
            journal=JOURNALS,
            progress=False,
        )
    for result in found.results:
        if result.status != "ok":
            print(f"  {result.method}, split {result.split}: {result.reason}", flush=True)
    return {
        method.name: [r.scores.get("f1_macro") for r in found.results if r.method == method.name]
        for method in found.methods
    }


def page(scores):
    opening = (
        f"Macro F1 of test rows, mean ± standard deviation over {SPLITS} splits of `colabel "
        "compare`: all rows, two thirds of them to train; features, penalties, widths and "
        "thresholds as it chooses them, from training rows alone. Bold the best of a set.\n"
    )
    rows = [
        (method, *(cell(scores[name], method) for name in SETS))
        for method in [*KERNELS, FOREST, *by_rank(scores)]
    ]
    return "\n".join([opening, table(("", *SETS), rows), verdict(scores)])


def by_rank(scores):
    """The linear methods, by their mean over the sets."""
    return sorted(LINEAR, key=lambda method: -np.mean([mean(scores[s], method) for s in SETS]))


def mean(found, method):
    values = [np.nan if value is None else value for value in found[method]]
    return float(np.mean(values))


def cell(found, method):
    here = mean(found, method)
    if np.isnan(here):
        return "–"
    shown = f"{here:.3f} ± {np.std(found[method], ddof=1):.3f}"
    best = np.nanmax([mean(found, other) for other in found])
    return f"**{shown}**" if here == best else shown


def verdict(scores):
    """Whether what is asked holds, for each of the methods that are asked to."""
    lines = [
        f"Asked of tuned kernel ridge or kernel shared subspace: at least the forest's less "
        f"{MARGIN:.2f} on {', '.join(BESIDE_FOREST)}; above every linear method of the library on "
        f"{', '.join(ABOVE_LINEAR)}.\n"
    ]
    for method in ASKED:
        missed = misses(scores, method)
        lines.append(f"- {method}: {'; '.join(missed) if missed else 'both hold'}.")
    holds = any(not misses(scores, method) for method in ASKED)
    each = all(
        any(not misses(scores, method, [name]) for method in ASKED)
        for name in {*BESIDE_FOREST, *ABOVE_LINEAR}
    )
    one = "one method does on all sets" if holds else "no method does on all sets"
    lines.append(f"- So {one}; on each set one of the two {'does' if each else 'does not'}.")
    return "\n".join(lines) + "\n"


def misses(scores, method, sets=SETS):
    """What a method falls short of, a phrase for each."""
    found = []
    for name in sets:
        here = mean(scores[name], method)
        forest = mean(scores[name], FOREST)
        if name in BESIDE_FOREST and not here >= forest - MARGIN:
            found.append(f"{name} {here:.3f}, the forest {forest:.3f}")
        best = max(LINEAR, key=lambda other: np.nan_to_num(mean(scores[name], other)))
        linear = mean(scores[name], best)
        if name in ABOVE_LINEAR and not here > linear:
            found.append(f"{name} {here:.3f}, {best} {linear:.3f}")
    return found
