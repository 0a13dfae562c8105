"""A comparison made of scores that come from elsewhere, such as a paper's table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version

from colabel.comparison import result as typed
from colabel.comparison.comparison import Comparison


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

    Examples
    --------
    >>> from colabel.comparison.from_scores import from_scores
    >>> comparison = from_scores({"birds": {"a": [0.71, 0.73, 0.72], "b": [0.52, 0.55, 0.53]}})
    >>> from colabel.comparison.stats import winner
    >>> winner(comparison)
    'a'
    """
    names = list(dict.fromkeys(method for row in scores.values() for method in row))
    splits = {name: max(map(len, row.values()), default=1) for name, row in scores.items()}
    return Comparison(
        meta=typed.RunFacts(title, None, version("colabel"), {}, {}, None, {}),
        metrics=[typed.MetricFacts(metric, metric, greater_is_better)],
        methods=[typed.MethodFacts(name, name, "classifier", "", "") for name in names],
        datasets=[
            _dataset(name, typed.SplitFacts("given scores", n, train_rows, test_rows, ""))
            for name, n in splits.items()
        ],
        results=[
            typed.Result.of(dataset, method, split, _outcome(metric, value))
            for dataset, row in scores.items()
            for method, values in row.items()
            for split, value in enumerate(values)
        ],
    )


def _dataset(name: str, splits: typed.SplitFacts) -> typed.DataFacts:
    rows = splits.train_rows + splits.test_rows
    return typed.DataFacts(name, rows, 0, 0, 0.0, 0.0, [], [], 0.0, splits, typed.Insights())


def _outcome(metric: str, value: float | None) -> typed.Outcome:
    done = typed.Outcome(
        status="ok",
        reason=None,
        scores={} if value is None else {metric: float(value)},
        label_scores={},
        chosen={},
        fit_seconds=None,
        predict_seconds=None,
    )
    return done if value is not None else replace(done, status="failed")
