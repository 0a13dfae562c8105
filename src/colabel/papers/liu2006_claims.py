"""What Liu, Jin & Yang (2006) say of their curves, put to ours."""

from collections.abc import Callable, Iterator

import numpy as np

from colabel.comparison.result import ComparisonData, DataFacts
from colabel.comparison.stats.standings import spread_of
from colabel.papers import protocol as paper
from colabel.papers.claims import leads, means
from colabel.papers.liu2006_methods import LABELLED, at_rank, ranks_of
from colabel.semi_supervised import RankingCurves
from colabel.semi_supervised.ranking import MEASURES as CURVES

CNMF = "CNMF (random start)"
THEIRS = ("SGT", "MLSI+SVM", "SVM")


def curves(found: ComparisonData, data: DataFacts) -> RankingCurves:
    """Measures at every rank, over splits, of the methods that finished any."""
    ranks = ranks_of(data.labels)
    values: dict[str, dict[str, list[list[float | None]]]] = {name: {} for name in CURVES}
    for result in found.results:
        if result.dataset == data.name and result.status == "ok":
            for name, of in values.items():
                curve = [result.scores[at_rank(name, k)] for k in ranks]
                of.setdefault(result.method, []).append(curve)
    arrays = {
        name: {method: np.array(rows, dtype=float) for method, rows in of.items()}
        for name, of in values.items()
    }
    return RankingCurves(np.array(ranks), data.splits.train_rows, arrays)


def _peak_between(found: ComparisonData) -> paper.Verdict | None:
    """Where the F1 of CNMF is highest."""
    peaks = {
        data.name: int(np.argmax(of.mean(axis=0))) + 1
        for data in found.datasets
        if (of := curves(found, data).values["F1"].get(CNMF)) is not None
    }
    said = "; ".join(f"{name}: rank {peak}" for name, peak in peaks.items())
    inside = all(3 <= peak <= 4 for peak in peaks.values())
    return ((paper.HOLDS if inside else paper.FAILS), said) if peaks else None


def _gain_falls(found: ComparisonData) -> paper.Verdict | None:
    """What CNMF is ahead of the best baseline by, with 100 labelled rows and with 500."""
    gains: dict[str, list[float]] = {}
    for data in found.datasets:
        of = means(found, data.name, "highest F1", (CNMF, *THEIRS))
        if len(of) == 1 + len(THEIRS):
            ahead = of[CNMF] - max(of[name] for name in THEIRS)
            gains.setdefault(data.name.split(",")[0], []).append(ahead)
    both = {text: of for text, of in gains.items() if len(of) == len(LABELLED)}
    said = "; ".join(f"{text}: {few:+.3f} and {many:+.3f}" for text, (few, many) in both.items())
    right = all(few > many for few, many in both.values())
    return ((paper.HOLDS if right else paper.FAILS), said) if both else None


def _mean_curves(found: ComparisonData, name: str) -> Iterator[dict[str, np.ndarray]]:
    """Of each data set, a measure by rank, for the methods of the paper."""
    for data in found.datasets:
        of = curves(found, data).values[name]
        yield {m: of[m].mean(axis=0) for m in (CNMF, *THEIRS) if m in of}


def _every(right: Callable[[np.ndarray], bool], name: str, words: str) -> paper.Claim:
    """A claim that all curves of a measure are so."""

    def test(found: ComparisonData) -> paper.Verdict | None:
        seen = [right(curve) for of in _mean_curves(found, name) for curve in of.values()]
        said = f"so are {sum(seen)} of {len(seen)} curves"
        return ((paper.HOLDS if all(seen) else paper.FAILS), said) if seen else None

    return paper.Claim(words, "figure 1", test)


def _falls(curve: np.ndarray) -> bool:
    return bool(np.all(np.diff(curve) <= 0))


def _rises(curve: np.ndarray) -> bool:
    return bool(np.all(np.diff(curve) >= 0))


def _has_peak(curve: np.ndarray) -> bool:
    """Neither at the first rank nor at the last."""
    return 0 < int(np.argmax(curve)) < len(curve) - 1


def _ahead(found: ComparisonData, name: str, others: tuple[str, ...]) -> list[float]:
    """By how much CNMF is above the mean of others, in the mean over ranks, on each data set."""
    return [
        float(np.mean(of[CNMF] - np.mean([of[other] for other in others], axis=0)))
        for of in _mean_curves(found, name)
        if {CNMF, *others} <= set(of)
    ]


def _more_recall(found: ComparisonData) -> paper.Verdict | None:
    recall, precision = (_ahead(found, name, THEIRS) for name in ("recall", "precision"))
    if not recall:
        return None
    right = all(r > p for r, p in zip(recall, precision, strict=True))
    said = f"by {np.mean(recall):+.3f} in recall, {np.mean(precision):+.3f} in precision on average"
    return (paper.HOLDS if right else paper.FAILS), said


def _above_sgt(found: ComparisonData) -> paper.Verdict | None:
    ahead = _ahead(found, "recall", ("SGT",))
    said = f"on {sum(by > 0 for by in ahead)} of {len(ahead)} sets"
    right = all(by > 0 for by in ahead)
    return ((paper.HOLDS if right else paper.FAILS), said) if ahead else None


def _as_precise(found: ComparisonData) -> paper.Verdict | None:
    precision, recall = (_ahead(found, name, ("SGT",)) for name in ("precision", "recall"))
    if not precision:
        return None
    right = all(abs(p) < abs(r) for p, r in zip(precision, recall, strict=True))
    apart = ", ".join(f"{p:+.3f} and {r:+.3f}" for p, r in zip(precision, recall, strict=True))
    return (paper.HOLDS if right else paper.FAILS), f"ahead of SGT by {apart}, over ranks"


def _most_variance(found: ComparisonData) -> paper.Verdict | None:
    """Whether MLSI has the largest deviation over splits."""
    largest = []
    for data in found.datasets:
        of = {m: spread_of(found, data.name, m, "highest F1").sd for m in (CNMF, *THEIRS)}
        known = {method: sd for method, sd in of.items() if sd is not None}
        if len(known) == len(of):
            largest.append(max(known, key=known.__getitem__))
    said = f"so it is on {largest.count('MLSI+SVM')} of {len(largest)} sets"
    right = set(largest) == {"MLSI+SVM"}
    return ((paper.HOLDS if right else paper.FAILS), said) if largest else None


CLAIMS = (
    paper.Claim(
        "CNMF is above SGT, MLSI and SVM (highest F1, on every set)",
        "figure 1",
        leads(CNMF, THEIRS, "highest F1", at_least=1.0),
    ),
    paper.Claim(
        "(the same from our start, which is not the paper's)",
        "figure 1",
        leads("CNMF", THEIRS, "highest F1", at_least=1.0),
    ),
    paper.Claim("the F1 of CNMF is highest at rank 3 to 4", "figure 1", _peak_between),
    paper.Claim(
        "more improvement by CNMF with 100 labelled rows than with 500", "figure 1", _gain_falls
    ),
    _every(_falls, "precision", "precision falls with the number of labels, for all four"),
    _every(_rises, "recall", "recall rises with the number of labels, for all four"),
    _every(_has_peak, "F1", "each F1 curve shows a peak"),
    paper.Claim(
        "CNMF improves more on recall than on precision, beside the three others",
        "figure 1",
        _more_recall,
    ),
    paper.Claim("CNMF has better recall than SGT, on every set", "figure 1", _above_sgt),
    paper.Claim(
        "CNMF and SGT have similar precision (here: nearer to each other than their recall)",
        "figure 1",
        _as_precise,
    ),
    paper.Claim(
        "MLSI has a large variance (here: the largest of the four, of the highest F1)",
        "section 4",
        _most_variance,
        "one split has no variance",
    ),
)
