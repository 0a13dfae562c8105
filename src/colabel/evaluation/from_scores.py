"""A comparison made of scores that come from elsewhere, such as a paper's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from colabel.evaluation.comparison import Comparison


def from_scores(
    scores: Mapping[str, Mapping[str, Sequence[float | None]]],
    *,
    metric: str = "score",
    greater_is_better: bool = True,
    train_rows: int = 2,
    test_rows: int = 1,
    title: str = "Which method is best?",
) -> Comparison:
    """A comparison by one metric, to rank, to test and to report.

    Parameters
    ----------
    scores : mapping
        For each data set, for each method, its scores on the splits; None for a failure.
    metric : str, default="score"
        What the scores are.
    greater_is_better : bool, default=True
    train_rows, test_rows : int
        How many rows a split trains on and tests on; only their ratio counts, for the correction
        of the t-test.
    title : str

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from colabel.evaluation.from_scores import from_scores
    >>> comparison = from_scores({"birds": {"a": [0.71, 0.73, 0.72], "b": [0.52, 0.55, 0.53]}})
    >>> from colabel.evaluation.summary import winner
    >>> winner(comparison)
    'a'
    """
    names = list(dict.fromkeys(method for row in scores.values() for method in row))
    splits = {name: max(map(len, row.values()), default=1) for name, row in scores.items()}
    rows = {"train_rows": train_rows, "test_rows": test_rows}
    return Comparison(
        meta={
            "title": title,
            "created": None,
            "colabel": version("colabel"),
            "versions": {},
            "machine": {},
            "seed": None,
            "arguments": {},
        },
        metrics=[{"name": metric, "title": metric, "greater_is_better": greater_is_better}],
        methods=[
            {"name": name, "title": name, "kind": "classifier", "about": "", "code": ""}
            for name in names
        ],
        datasets=[_dataset(name, {"n": n, **rows}) for name, n in splits.items()],
        results=[
            _result(dataset, method, split, metric, value)
            for dataset, row in scores.items()
            for method, values in row.items()
            for split, value in enumerate(values)
        ],
    )


def _dataset(name: str, splits: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "rows": splits["train_rows"] + splits["test_rows"],
        "features": 0,
        "labels": 0,
        "density": 0.0,
        "cardinality": 0.0,
        "label_names": [],
        "label_counts": [],
        "feature_density": 0.0,
        "splits": {"kind": "given scores", "fingerprint": "", **splits},
        "pictures": {},
    }


def _result(
    dataset: str, method: str, split: int, metric: str, value: float | None
) -> dict[str, Any]:
    return {
        "dataset": dataset,
        "method": method,
        "split": split,
        "status": "failed" if value is None else "ok",
        "reason": None,
        "scores": {} if value is None else {metric: float(value)},
        "label_scores": {},
        "chosen": {},
        "fit_seconds": None,
        "predict_seconds": None,
    }
