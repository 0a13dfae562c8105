"""The measures by name, for tables of results and for scikit-learn's model selection."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import metrics as sklearn_metrics
from sklearn.utils.metadata_routing import MetadataRequest

from colabel._labels import Labels
from colabel._scores import is_cutting, positive_probabilities, uncut_scores
from colabel.metrics import curves, probabilities, ranking, sets, top_k
from colabel.metrics._inputs import RowWeights


@dataclass(frozen=True)
class Metric:
    """A measure under a name, with what there is to know about it.

    Attributes
    ----------
    function : callable
        A function of (y_true, y_pred) or (y_true, y_score), and options.
    needs : {"labels", "scores", "probabilities"}
        What its second argument is; probabilities are scores in [0, 1].
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

    def __call__(self, y_true: Any, prediction: Any, sample_weight: Any = None) -> float:
        """The measure's own value: a loss is not negated."""
        # a function of somebody else's need not know of weights
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.function(y_true, prediction, **self.options, **weights))


_SINGLE = (
    Metric("hamming_loss", sets.hamming_loss, "labels", False, "share of label decisions wrong"),
    Metric("subset_accuracy", sets.subset_accuracy, "labels", True, "share of sets exactly right"),
    Metric("accuracy", sets.accuracy, "labels", True, "Jaccard index, mean over instances"),
    Metric(
        "auc_macro",
        curves.roc_auc,
        "scores",
        True,
        "area under the ROC curve, mean over labels that vary",
    ),
    Metric(
        "auc_micro",
        curves.roc_auc,
        "scores",
        True,
        "area under the ROC curve of all decisions",
        {"average": "micro"},
    ),
    Metric(
        "mean_average_precision",
        curves.mean_average_precision,
        "scores",
        True,
        "average precision of the instances of a label, mean over labels that vary",
    ),
    Metric(
        "average_precision",
        ranking.average_precision,
        "scores",
        True,
        "average precision of the labels of an instance, mean over instances",
    ),
    Metric(
        "ranking_loss", ranking.ranking_loss, "scores", False, "share of label pairs misordered"
    ),
    Metric("one_error", ranking.one_error, "scores", False, "share of top labels not true"),
    Metric("is_error", ranking.is_error, "scores", False, "share of rankings not perfect"),
    Metric("error_set_size", ranking.error_set_size, "scores", False, "label pairs misordered"),
    Metric("coverage", ranking.coverage, "scores", False, "ranks down to the last true label"),
    Metric("log_loss", ranking.log_loss, "probabilities", False, "surprise at the true labels"),
    Metric(
        "brier_loss",
        probabilities.brier_loss,
        "probabilities",
        False,
        "squared difference of labels and probabilities",
    ),
    Metric(
        "calibration_error",
        probabilities.calibration_error,
        "probabilities",
        False,
        "how far shares of true labels are from the probabilities",
    ),
)
_OF_SETS = (
    Metric(
        name + suffix, function, "labels", True, f"{what}, {how}", {"average": average, **options}
    )
    for name, function, what, options in (
        ("precision", sets.precision, "share of predicted labels that are true", {}),
        ("recall", sets.recall, "share of true labels that are predicted", {}),
        ("f1", sets.f1, "harmonic mean of precision and recall", {}),
        ("f2", sets.fbeta, "F-measure in which recall is worth twice", {"beta": 2.0}),
        ("f0.5", sets.fbeta, "F-measure in which precision is worth twice", {"beta": 0.5}),
        ("specificity", sets.specificity, "share of absent labels that are not predicted", {}),
    )
    for suffix, average, how in (
        ("", "samples", "mean over instances"),
        ("_macro", "macro", "mean over labels"),
        ("_weighted", "weighted", "mean over labels by their positives"),
        ("_micro", "micro", "over all decisions"),
    )
)
_AT_RANKS = (
    Metric(f"{name}_{k}", function, "scores", True, f"{what}, {k} labels each", {"k": k})
    for name, function, what in (
        ("precision_at", top_k.precision_at, "share of labels given that are true"),
        ("recall_at", top_k.recall_at, "share of true labels that are given"),
        ("f1_at", top_k.f1_at, "harmonic mean of precision and recall"),
    )
    for k in (1, 3, 5)
)

METRICS: dict[str, Metric] = {m.name: m for m in (*_SINGLE, *_OF_SETS, *_AT_RANKS)}

# an estimator is asked for the first of these that it has
_RESPONSES: dict[str, tuple[str, ...]] = {
    "labels": ("predict",),
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
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
    return LabelScorer(_find(scoring, [*METRICS, *theirs]))


@dataclass(frozen=True)
class LabelScorer:
    """A measure as scikit-learn's model selection calls it: (estimator, X, y) → number.

    Of a model that cuts its scores, those before the cut are ranked. scikit-learn's own scorers
    take two labels for two classes, and drop the scores of one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn import config_context
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from colabel.metrics import get_scorer
    >>> X, Y, w = np.arange(12.0)[:, None], np.eye(3)[np.arange(12) % 3], np.arange(1.0, 13)
    >>> with config_context(enable_metadata_routing=True):
    ...     tree = DecisionTreeClassifier().set_fit_request(sample_weight=True)
    ...     scorer = get_scorer("f1_macro").set_score_request(sample_weight=True)
    ...     given = {"sample_weight": w}
    ...     scores = cross_val_score(tree, X, Y, scoring=scorer, cv=2, params=given)
    >>> len(scores)
    2
    """

    metric: Metric
    #: Which metadata a search is to pass on, by scikit-learn's routing.
    requests: dict[str, bool | str | None] = field(default_factory=dict, compare=False)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The measure, greater being better."""
        response = self._response(estimator, X, np.shape(y))
        value = self.metric(y, response, sample_weight)
        return value if self.metric.greater_is_better else -value

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Ask for metadata, as scikit-learn's scorers do: ``sample_weight=True`` for weights.

        Parameters
        ----------
        **requests : bool, str or None
            Of `sample_weight`: whether it is passed on, or the name under which it is given.
        """
        self.requests.clear()
        self.requests.update(requests)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """What is asked for, as scikit-learn's searches look at it."""
        found = MetadataRequest(owner=self)
        for name, alias in self.requests.items():
            found.score.add_request(param=name, alias=alias)
        return found

    def _response(self, estimator: Any, X: Any, shape: tuple[int, ...]) -> Any:
        """What the estimator says of the rows, as a matrix where y is one."""
        wanted = _RESPONSES[self.metric.needs]
        name = next((name for name in wanted if hasattr(estimator, name)), None)
        if name is None:
            raise AttributeError(
                f"{self.metric.name} needs {' or '.join(wanted)}, and "
                f"{type(estimator).__name__} has not; use another measure or classifier"
            )
        ranks = name == "decision_function" and is_cutting(estimator)
        found = uncut_scores(estimator, X) if ranks else getattr(estimator, name)(X)
        if isinstance(found, list):  # an array a label, as forests give
            found = positive_probabilities(found, estimator.classes_)
        if name == "predict_proba" and shape[1:] == (1,) and found.ndim == 2:
            found = found[:, -1]  # of the two classes of a single label
        return found.reshape(shape) if shape[1:] == (1,) and found.ndim == 1 else found


def score(
    name: str,
    y_true: Labels,
    y_score: ArrayLike | None = None,
    y_pred: Labels = None,
    *,
    sample_weight: RowWeights = None,
) -> float:
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
    sample_weight

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
    return metric(y_true, prediction, sample_weight)


def _find(name: Any, known: list[str]) -> Metric:
    if name in METRICS:
        return METRICS[name]
    known = list(dict.fromkeys(known))  # a name of ours may be one of scikit-learn's too
    near = get_close_matches(str(name), known, n=4)
    meant = f"did you mean {' or '.join(map(repr, near))}?" if near else f"use one of {known}"
    raise ValueError(f"unknown metric {name!r}; {meant}")
