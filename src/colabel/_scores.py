"""Scores as rankings want them: before anything is taken off to decide."""

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from colabel._rows import AnyRows
from colabel._sklearn import class_scores_of_pairs
from colabel.linalg.containers import canonical


def uncut_scores(model: Any, X: AnyRows) -> np.ndarray:
    """Scores of the labels before thresholds are taken off, of whatever the model is wrapped in.

    What labels are ranked by, within a row or across rows. Thresholds serve to decide, each for its
    own label, and less them the scores of two labels do not compare. For pipelines and searches of
    scikit-learn, too, whose last step or best estimator has a method of this name; for all other
    classifiers it is `decision_function`.

    Parameters
    ----------
    model : classifier, fitted
    X : whatever it takes, with n rows

    Returns
    -------
    ndarray of shape (n, q), or (n,) for a 1-D y of two classes

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from colabel import LabelRidgeCV
    >>> from colabel.tuning import uncut_scores
    >>> X, Y = make_multilabel_classification(n_samples=200, random_state=0)
    >>> model = make_pipeline(StandardScaler(), LabelRidgeCV(random_state=0)).fit(X, Y)
    >>> uncut_scores(model, X).shape
    (200, 5)
    """
    if not is_cutting(model):
        return np.asarray(model.decision_function(X))
    while not _tells(model):
        if isinstance(model, Pipeline):
            for _, step in model.steps[:-1]:
                X = X if step in (None, "passthrough") else step.transform(X)
        model = _inside(model)
    return np.asarray(model.uncut_scores(X))


def is_cutting(model: Any) -> bool:
    """Whether a fitted model, or what is inside of it, offers its scores before they are cut."""
    while not _tells(model):
        if _inside(model) is None:
            return False
        model = _inside(model)
    return True


def _tells(model: Any) -> bool:
    for kind in type(model).__mro__:
        if "uncut_scores" in vars(kind):
            return True
        if "decision_function" in vars(kind):  # of a subclass, which may score in another way
            return False
    return hasattr(model, "uncut_scores")


def _inside(model: Any) -> Any:
    """What a pipeline or a search asks for scores; None of anything else."""
    if isinstance(model, Pipeline):
        return model.steps[-1][1]
    return getattr(model, "best_estimator_", None)


def own_cut(estimator: Any) -> float:
    """Above which of the scores that :func:`scores_of` gives a classifier predicts a label."""
    return 0.0 if hasattr(estimator, "decision_function") else 0.5


def scores_of(estimator: Any, X: Any, q: int) -> np.ndarray:
    """What a classifier says of its q labels, n×q, by `decision_function` or `predict_proba`.

    Before any cut, where it tells.
    """
    X = canonical(X)
    if is_cutting(estimator):  # who cuts here, cuts what nobody has cut
        return label_columns(estimator, uncut_scores(estimator, X), q)
    if hasattr(estimator, "decision_function"):
        return label_columns(estimator, estimator.decision_function(X), q)
    if hasattr(estimator, "predict_proba"):
        return label_columns(estimator, estimator.predict_proba(X), q)
    raise TypeError(
        f"{type(estimator).__name__} has neither decision_function nor predict_proba, so there "
        "are no scores to cut; use a classifier that has one of them"
    )


def label_columns(estimator: Any, found: Any, q: int) -> np.ndarray:
    """What `decision_function` or `predict_proba` gave, as a column for each of q labels."""
    if isinstance(found, list):  # an array a label, as forests give
        found = positive_probabilities(found, estimator.classes_)
    scores = np.asarray(found)
    scores = scores[:, None] if scores.ndim == 1 else scores
    if q == 1 and scores.shape[1] == 2:  # of the two classes of a single label
        scores = scores[:, 1:]
    if q > 2 and _compares_pairs(estimator):
        scores = class_scores_of_pairs(scores < 0, -scores, q)
    if scores.shape[1] != q:
        raise ValueError(
            f"{type(estimator).__name__} gave {scores.shape[1]} scores a row for {q} labels; "
            "wrap it in sklearn.multiclass.OneVsRestClassifier"
        )
    return scores


def _compares_pairs(estimator: Any) -> bool:
    """Whether scores are of pairs of classes, as those of ``SVC(decision_function_shape="ovo")``.

    Three classes have three pairs, so that the shape does not tell.
    """
    while isinstance(estimator, Pipeline) or hasattr(estimator, "best_estimator_"):
        is_pipeline = isinstance(estimator, Pipeline)
        estimator = estimator.steps[-1][1] if is_pipeline else estimator.best_estimator_
    return getattr(estimator, "decision_function_shape", None) == "ovo"


def positive_probabilities(found: list[np.ndarray], classes: list[np.ndarray]) -> np.ndarray:
    """Probabilities of the labels, n×q, from those of the classes of each label, as forests give.

    A label of one class has one column, which is of 0 or of 1.
    """
    return np.column_stack(
        [p[:, np.asarray(own) == 1].sum(axis=1) for p, own in zip(found, classes, strict=True)]
    )
