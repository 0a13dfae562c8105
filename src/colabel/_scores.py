"""Scores as rankings want them: before anything is taken off to decide."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline


def uncut_scores(model: Any, X: Any) -> np.ndarray:
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
    >>> from colabel.classifiers import uncut_scores
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
