"""The best mixture beside every contestant: average ranks by four measures, set by set.

``python -m benchmarks.mixtures SPLITS SET ...`` runs some sets, and goes on where it was stopped:
each method on each set has a journal of its own. ``python -m benchmarks mixtures`` writes the page
of what has been run.
"""

import json
import sys
import time
import warnings

import numpy as np
from scipy.stats import rankdata

from benchmarks.measure import FOLDER, RESULTS, table
from colabel import compare
from colabel.catalogue import BEST, comparable
from colabel.comparison.plan.request import request
from colabel.mixture import MEMBERS

#: The small and full ones first; of the others most rows are zeros.
SETS = (
    "emotions", "birds", "image", "scene", "yeast", "gnegativego", "enron", "slashdot", "humango",
    "yahoo5k_computers", "corel5k", "eukaryotego", "bibtex", "yahoo_arts", "yahoo_business",
    "yahoo_education", "yahoo_reference", "rcv1subset1", "delicious",
)  # fmt: skip
MEASURES = {
    "f1_macro": "macro F1",
    "f1_micro": "micro F1",
    "auc_macro": "macro AUC",
    "average_precision": "LRAP",
}
#: Seconds for one method on one split; what takes longer has no score there.
LONGEST = 600.0
#: How far behind the best by macro F1 is still beside it.
MARGIN = 0.01
JOURNALS, KEPT = RESULTS / "journals", RESULTS / "mixtures_scores.json"


def contestants():
    """What a comparison runs by itself, the members of the mixture and the mixture included."""
    return [name for name, method in comparable().items() if method.by_default]


def compared(name, method, splits):
    """The scores of a method on each split, None where it has none, and its mean seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of ends of the grids
        found = compare(
            FOLDER / f"{name}.svm.xz",
            methods=[method],
            metrics=list(MEASURES),
            cv=splits,
            budget=LONGEST * splits,
            n_jobs=1,
            journal=JOURNALS,
            progress=False,
        )
    done = [result for result in found.results if result.status == "ok"]
    reasons = [result.reason for result in found.results if result.status != "ok"]
    return {
        "splits": splits,
        "scores": {
            m: [r.scores[m] for r in done] if len(done) == splits else None for m in MEASURES
        },
        "seconds": float(np.mean([r.fit_seconds for r in done])) if done else None,
        "reason": reasons[0] if reasons else None,
    }


def too_large(name, method):
    """Why a comparison would leave a method out that nobody named; None where it runs."""
    limit = comparable()[method].too_large
    return (
        None if limit is None else limit(request(FOLDER / f"{name}.svm.xz", cv=1).datasets[0].size)
    )


def main(splits, names):
    JOURNALS.mkdir(parents=True, exist_ok=True)
    for name in names:
        for method in contestants():
            kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
            if kept.get(name, {}).get(method, {}).get("splits", 0) >= splits:
                continue
            begin, reason = time.monotonic(), too_large(name, method)
            found = {"splits": splits, "scores": dict.fromkeys(MEASURES), "seconds": None}
            found = {**found, "reason": reason} if reason else compared(name, method, splits)
            kept.setdefault(name, {})[method] = found
            KEPT.write_text(json.dumps(kept, indent=1) + "\n")
            score = found["scores"]["f1_macro"]
            said = found["reason"] if score is None else f"{np.mean(score):.3f}"
            print(f"{name} {method}: {said} ({time.monotonic() - begin:.0f} s)", flush=True)


def run():
    return page(json.loads(KEPT.read_text())) if KEPT.exists() else "Not run."


def means(kept, name, measure):
    """Of each method with scores on a set, the mean over splits."""
    scores = {m: found["scores"][measure] for m, found in kept[name].items()}
    return {m: float(np.mean(values)) for m, values in scores.items() if values is not None}


def ranks(kept, names, measure, methods):
    """The average rank of each method over the sets; one without scores shares the last places."""
    found = []
    for name in names:
        mean = means(kept, name, measure)
        found.append(rankdata([-mean.get(m, -np.inf) for m in methods]))
    return dict(zip(methods, np.mean(found, axis=0), strict=True))


def page(kept):
    """Of the sets that the mixture was run on, and the contestants that ran on all of these."""
    done = [name for name in SETS if BEST in kept.get(name, {})]
    methods = [m for m in contestants() if all(m in kept[name] for name in done)]
    of_all = {measure: ranks(kept, done, measure, methods) for measure in MEASURES}
    order = sorted(methods, key=lambda m: np.mean([of_all[measure][m] for measure in MEASURES]))
    rows = [[m, *(f"{of_all[measure][m]:.2f}" for measure in MEASURES)] for m in order]
    by_set = [row_of(kept, name) for name in done]
    header = ["set", "splits", BEST, "best other", "its macro F1", "behind", "s", "members' s"]
    return "\n\n".join(
        [
            f"Average ranks over {len(done)} sets among {len(order)} contestants (1 is the best; a "
            "method that does not run on a set, or not within "
            f"{LONGEST / 60:.0f} minutes a split, shares the last places).",
            table(["method", *MEASURES.values()], rows),
            "Set by set: the mixture, the best of all others, and what the fits of one split took "
            "on a machine that others used, too. `behind` is by how much the mixture's macro F1 is "
            f"below the best, marked where it is more than {MARGIN:g}.",
            table(header, by_set),
            not_run(done, methods),
        ]
    )


def not_run(done, methods):
    """What the tables are silent about."""
    sets = ", ".join(name for name in SETS if name not in done)
    others = ", ".join(m for m in contestants() if m not in methods)
    return f"Not run: the sets {sets or 'none'}; on all sets, the contestants {others or 'none'}.\n"


def row_of(kept, name):
    found = kept[name]
    mean = means(kept, name, "f1_macro")
    own = mean.pop(BEST)
    other = max(mean, key=mean.get)
    behind = mean[other] - own
    members = sum(found[m]["seconds"] or 0.0 for m in MEMBERS)
    return [
        name, f"{found[BEST]['splits']}", f"{own:.3f}", other, f"{mean[other]:.3f}",
        f"{behind:.3f}{' !' if behind > MARGIN else ''}",
        f"{found[BEST]['seconds']:.0f}", f"{members:.0f}",
    ]  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] or SETS)
