"""An audit as a web page of one file, in the frame of the report."""

from colabel.comparison.report.charts.bars import frequencies
from colabel.comparison.report.charts.reliability import diagram
from colabel.comparison.report.frame import render
from colabel.datasets import Dataset
from colabel.metrics import reliability
from colabel.tuning import Audit, Suspect

#: Labels that are drawn, and how wide all pictures are.
DRAWN, WIDTH = 20, 720.0


def page(result: Audit, data: Dataset, most: int) -> str:
    """The page, as text."""
    likely = (result.suspicion > 0.5).sum(axis=0)
    order = sorted(range(len(likely)), key=lambda j: -likely[j])[:DRAWN]
    counts = [(str(result.label_names[j]), int(likely[j])) for j in order if likely[j]]
    n, q = result.given.shape
    trust = reliability(result.given, result.probabilities, bins=40)
    return render(
        "audit.html",
        title=f"{data.name}: labels that are probably wrong",
        rows=n,
        labels=q,
        likely=int(likely.sum()),
        drawn=frequencies(counts, n) if counts else None,
        trusted=diagram(trust.predicted.tolist(), trust.observed.tolist(), WIDTH),
        error=f"{trust.error:.4f}",
        kinds=[
            ("Missing", "Not given, and probably there.", _lines(result.suspects(most, "missing"))),
            ("Surplus", "Given, and probably not there.", _lines(result.suspects(most, "surplus"))),
        ],
    )


def _lines(suspects: list[Suspect]) -> list[tuple[int, str, str, str]]:
    """Rows count from 1, as in messages about files."""
    return [
        (one.row + 1, one.label, f"{one.probability:.3f}", f"{one.suspicion:.3f}")
        for one in suspects
    ]
