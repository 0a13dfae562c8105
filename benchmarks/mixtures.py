"""The best mixture beside every contestant: average ranks by four measures, set by set.

``python -m benchmarks.mixtures SPLITS SET ...`` runs some sets, and goes on where it was stopped:
each method on each split is kept when it is done. ``python -m benchmarks mixtures`` writes the page
of what has been run.
"""

import json
import sys
import time
import warnings

import numpy as np
from scipy.stats import rankdata

from benchmarks.measure import FOLDER, RESULTS, table
from colabel.catalogue import BEST, QUICK, comparable
from colabel.comparison.plan.request import Request, request
from colabel.comparison.run.trial import trials_of
from colabel.comparison.run.worker import Held
from colabel.datasets import load
from colabel.mixture import MEMBERS
from colabel.mixture.time_limit import OutOfTimeError, TimeLimit

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
#: The budget: so many rows of a set, drawn once, and so many seconds for a method on a split, fewer
#: on sets of many labels or features; what takes longer has no score there.
ROWS, LONGEST, LONGEST_ON_LARGE = 2000, 300.0, 100.0
LARGE = SETS[10:]
#: How far behind the best by macro F1 is still beside it.
MARGIN = 0.01
KEPT = RESULTS / "mixtures_scores.json"


def contestants():
    """What a comparison runs by itself, members of mixtures included, and both mixtures."""
    named = {BEST, QUICK}
    return [name for name, m in comparable().items() if m.by_default or name in named]


def asked(name: str, splits: int) -> Request:
    """A set of at most `ROWS` rows, and its splits."""
    data = load(FOLDER / f"{name}.svm.xz")
    n = data.X.shape[0]
    if n > ROWS:
        data = data.select(rows=np.sort(np.random.RandomState(0).permutation(n)[:ROWS]))
    return request({name: data}, methods=contestants(), metrics=list(MEASURES), cv=splits)


def tried(trial, held, reason, longest):
    """What came of a method on a split: its scores and seconds, or why there are none."""
    begin = time.monotonic()
    if reason is None:
        try:
            with warnings.catch_warnings(), TimeLimit(longest):
                warnings.simplefilter("ignore")
                trial.prepare(held)
                found = trial.run(held)
            return {"scores": dict(found.scores), "seconds": found.fit_seconds, "reason": None}
        except OutOfTimeError:
            reason = f"more than {longest:g} s"
        except Exception as error:
            reason = f"failed: {error}"
    return {"scores": None, "seconds": time.monotonic() - begin, "reason": reason}


def main(splits, names):
    for name in names:
        kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        done = kept.setdefault(name, {})
        if all(len(done.get(method, [])) >= splits for method in contestants()):
            continue
        wanted, held = asked(name, splits), Held()
        (data,) = wanted.datasets
        held.datasets[name] = (data.data.X, data.data.Y, data.splits, data.scale)
        for trial in trials_of(wanted):
            of_method = done.setdefault(trial.method, [])
            if len(of_method) > trial.split:
                continue
            # who was too slow, or is too large, on the first split is so on the others
            known = next((one["reason"] for one in of_method if one["scores"] is None), None)
            reason = known or wanted.too_large(trial.method, name)
            longest = LONGEST_ON_LARGE if name in LARGE else LONGEST
            of_method.append(tried(trial, held, reason, longest))
            KEPT.write_text(json.dumps(kept, indent=1) + "\n")
            print(name, trial.split, trial.method, said(of_method[-1]), flush=True)


def said(found):
    if found["scores"] is None:
        return found["reason"]
    return f"{found['scores']['f1_macro']:.3f} ({found['seconds']:.1f} s)"


def run():
    return page(json.loads(KEPT.read_text())) if KEPT.exists() else "Not run."


def means(kept, name, measure):
    """Of each method with scores on all splits of a set, the mean over splits."""
    splits = len(kept[name][BEST])
    found = {}
    for method, of_method in kept[name].items():
        values = [one["scores"][measure] for one in of_method if one["scores"] is not None]
        if len(values) >= splits and None not in values:
            found[method] = float(np.mean(values))
    return found


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
    header = ["set", "splits", BEST, QUICK, "best other", "its macro F1", "behind", "s", "quick s"]
    header += ["members' s"]
    return "\n\n".join(
        [
            f"Average ranks over {len(done)} sets among {len(order)} contestants (1 is the best; a "
            f"method that does not run on a set, or not within {LONGEST:g} s a split, "
            f"{LONGEST_ON_LARGE:g} from {LARGE[0]} on, shares the last places). Of sets with more "
            f"rows, {ROWS:,} were drawn once; two thirds of them are trained on.",
            table(["method", *MEASURES.values()], rows),
            "Set by set: macro F1 of both mixtures and of the best of all others, and what the "
            "fits of one split took on a machine that others used, too. `behind` is by how much "
            f"`{BEST}` is below the best other, marked where it is more than {MARGIN:g}.",
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
    own, quick = mean.pop(BEST), mean.pop(QUICK)
    other = max(mean, key=mean.get)
    behind = mean[other] - own
    members = sum(seconds(found[m]) for m in MEMBERS)
    return [
        name, f"{len(found[BEST])}", f"{own:.3f}", f"{quick:.3f}", other, f"{mean[other]:.3f}",
        f"{behind:.3f}{' !' if behind > MARGIN else ''}",
        f"{seconds(found[BEST]):.0f}", f"{seconds(found[QUICK]):.0f}", f"{members:.0f}",
    ]  # fmt: skip


def seconds(of_method):
    """The mean over splits, zero where it was not run."""
    return float(np.mean([one["seconds"] for one in of_method]))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] or SETS)
