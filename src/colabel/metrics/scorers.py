"""The measures by name, for tables of results and for scikit-learn's model selection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

from sklearn import metrics as sklearn_metrics

from colabel._scores import is_cutting, uncut_scores
from colabel.metrics.curves import mean_average_precision, roc_auc
from colabel.metrics.ranking import (
    average_precision,
    coverage,
    error_set_size,
    is_error,
    log_loss,
    one_error,
    ranking_loss,
)
from colabel.metrics.sets import (
    accuracy,
    f1,
    hamming_loss,
    precision,
    recall,
    specificity,
    subset_accuracy,
)
from colabel.metrics.top_k import f1_at, precision_at, recall_at


@dataclass(frozen=True)
class Metric:
    """A measure under a name, with what there is to know about it.

    Attributes
    ----------
    name : str
    function : callable
        A function of (y_true, y_pred) or (y_true, y_score), and options.
    needs : {"labels", "scores", "probabilities"}
        What its second argument is; probabilities are scores in [0, 1].
    greater_is_better : bool
    description : str
    options : mapping
        Options of the function that the name stands for.

    Examples
    --------
    >>> from colabel.metrics import METRICS
    >>> METRICS["f1_macro"].options, METRICS["ranking_loss"].greater_is_better
    ({'average': 'macro'}, False)
    """

    name: str
    function: Callable[..., Any]
    needs: Literal["labels", "scores", "probabilities"]
    greater_is_better: bool
    description: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __call__(self, y_true: Any, prediction: Any) -> float:
        """The measure's own value: a loss is not negated."""
        return float(self.function(y_true, prediction, **self.options))


_SINGLE = (
    Metric("hamming_loss", hamming_loss, "labels", False, "share of label decisions wrong"),
    Metric("subset_accuracy", subset_accuracy, "labels", True, "share of sets exactly right"),
    Metric("accuracy", accuracy, "labels", True, "Jaccard index, mean over instances"),
    Metric("auc_macro", roc_auc, "scores", True, "area under the ROC curve, mean over labels"),
    Metric(
        "auc_micro",
        roc_auc,
        "scores",
        True,
        "area under the ROC curve of all decisions",
        {"average": "micro"},
    ),
    Metric(
        "mean_average_precision",
        mean_average_precision,
        "scores",
        True,
        "average precision of the instances of a label, mean over labels",
    ),
    Metric(
        "average_precision",
        average_precision,
        "scores",
        True,
        "average precision of the labels of an instance, mean over instances",
    ),
    Metric("ranking_loss", ranking_loss, "scores", False, "share of label pairs misordered"),
    Metric("one_error", one_error, "scores", False, "share of top labels not true"),
    Metric("is_error", is_error, "scores", False, "share of rankings not perfect"),
    Metric("error_set_size", error_set_size, "scores", False, "label pairs misordered"),
    Metric("coverage", coverage, "scores", False, "ranks down to the last true label"),
    Metric("log_loss", log_loss, "probabilities", False, "surprise at the true labels"),
)
_OF_SETS = (
    Metric(name + suffix, function, "labels", True, f"{what}, {how}", {"average": average})
    for name, function, what in (
        ("precision", precision, "share of predicted labels that are true"),
        ("recall", recall, "share of true labels that are predicted"),
        ("f1", f1, "harmonic mean of precision and recall"),
        ("specificity", specificity, "share of absent labels that are not predicted"),
    )
    for suffix, average, how in (
        ("", "samples", "mean over instances"),
        ("_macro", "macro", "mean over labels"),
        ("_micro", "micro", "over all decisions"),
    )
)
_AT_RANKS = (
    Metric(f"{name}_{k}", function, "scores", True, f"{what}, {k} labels each", {"k": k})
    for name, function, what in (
        ("precision_at", precision_at, "share of labels given that are true"),
        ("recall_at", recall_at, "share of true labels that are given"),
        ("f1_at", f1_at, "harmonic mean of precision and recall"),
    )
    for k in (1, 3, 5)
)

METRICS: dict[str, Metric] = {m.name: m for m in (*_SINGLE, *_OF_SETS, *_AT_RANKS)}

# scikit-learn asks an estimator for the first of these that it has
_RESPONSES: dict[str, str | tuple[str, str]] = {
    "labels": "predict",
    "scores": ("decision_function", "predict_proba"),
    "probabilities": "predict_proba",
}


def get_scorer(scoring: str | Callable[..., float]) -> Callable[..., float]:
    """A scorer (estimator, X, y) → number, greater is better, for scikit-learn's model selection.

    Parameters
    ----------
    scoring : str or callable
        A name of ``METRICS``, else one of scikit-learn's; a callable is returned unchanged. Two
        names mean something else here than in scikit-learn: "accuracy" is the Jaccard index and
        "average_precision" ranks the labels of an instance.

    Returns
    -------
    callable
        Losses are negated, as scikit-learn does. Measures of scores judge them before they are cut
        (:func:`colabel.classifiers.uncut_scores`), where the estimator cuts them.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from colabel.metrics import get_scorer
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X, Y)
    >>> get_scorer("f1_macro")(tree, X, Y)
    1.0
    """
    if callable(scoring):
        return scoring
    theirs = sklearn_metrics.get_scorer_names()
    if scoring not in METRICS and scoring in theirs:
        return sklearn_metrics.get_scorer(scoring)
    metric = _find(scoring, [*METRICS, *theirs])
    scorer = sklearn_metrics.make_scorer(
        metric.function,
        response_method=_RESPONSES[metric.needs],
        greater_is_better=metric.greater_is_better,
        **metric.options,
    )
    return RankingScorer(scorer) if metric.needs == "scores" else scorer


@dataclass(frozen=True)
class RankingScorer:
    """A scorer of scikit-learn that judges scores before they are cut, where a model cuts them."""

    scorer: Any

    def __call__(self, estimator: Any, X: Any, y: Any, **options: Any) -> float:
        """The measure, greater being better."""
        seen = _Uncut(estimator) if is_cutting(estimator) else estimator
        return self.scorer(seen, X, y, **options)


class _Uncut:
    """A fitted classifier in whose decision function nothing is cut."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def decision_function(self, X: Any) -> Any:
        return uncut_scores(self.model, X)


def score(name: str, y_true: Any, y_score: Any = None, y_pred: Any = None) -> float:
    """The measure of a given name, from one prediction that serves them all.

    Parameters
    ----------
    name : str
        A name of ``METRICS``.
    y_true : array, sparse array or DataFrame of shape (n, q)
        True labels.
    y_score : array or DataFrame of shape (n, q), optional
        Scores, for the measures that need them.
    y_pred : array, sparse array or DataFrame of shape (n, q), optional
        Predicted labels, for the measures that need them.

    Returns
    -------
    float
        The measure's own value: a loss is not negated.

    Examples
    --------
    >>> from colabel.metrics import score
    >>> Y, scores, sets = [[1, 0], [0, 1]], [[0.9, 0.2], [0.8, 0.7]], [[1, 0], [1, 1]]
    >>> {name: score(name, Y, scores, sets) for name in ("hamming_loss", "one_error")}
    {'hamming_loss': 0.25, 'one_error': 0.5}
    """
    metric = _find(name, list(METRICS))
    argument, prediction = ("y_pred", y_pred) if metric.needs == "labels" else ("y_score", y_score)
    if prediction is None:
        raise ValueError(f"{name} needs {metric.needs}, and {argument} is None; pass {argument}=")
    return metric(y_true, prediction)


def _find(name: Any, known: list[str]) -> Metric:
    if name in METRICS:
        return METRICS[name]
    near = get_close_matches(str(name), known, n=4)
    meant = f"did you mean {' or '.join(map(repr, near))}?" if near else f"use one of {known}"
    raise ValueError(f"unknown metric {name!r}; {meant}")
