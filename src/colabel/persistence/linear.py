"""A fitted linear classifier taken apart: transformers, then one affine score a label."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline

from colabel.persistence.bundle import Bundle
from colabel.tuning import ProbabilityCalibrator, ThresholdTuner
from colabel.tuning.calibration import Calibration
from colabel.tuning.thresholds import AIMS


@dataclass(frozen=True)
class Head:
    """Scores coef x + intercept, and how they become labels."""

    coef: np.ndarray
    #: Before anything is taken off.
    intercept: np.ndarray
    #: The classes of a 1-D y; None for labels of 0 and 1.
    classes: np.ndarray | None = None
    #: What is taken off the scores to decide.
    thresholds: np.ndarray | None = None
    #: What is taken off that depends on the row: coefficients q×d and intercepts.
    row_threshold: tuple[np.ndarray, np.ndarray] | None = None
    #: So many labels a row, whatever their scores.
    k: int | None = None
    #: How the scores before anything is taken off become probabilities, where they do.
    calibration: Calibration | None = None
    #: Whether it is decided by probabilities above ½.
    by_probability: bool = False


def taken_apart(model: Any) -> tuple[list[Any], Head]:
    """The transformers of a fitted model in their order, the map of a kernel the last, and its
    linear end.

    A vectorizer, which takes text and not rows, is left out.
    """
    if isinstance(model, Bundle):
        return taken_apart(model.estimator)
    if hasattr(model, "best_estimator_"):
        return taken_apart(model.best_estimator_)
    if isinstance(model, ThresholdTuner):
        if model.estimator_ is None:
            raise TypeError("no label varied when this ThresholdTuner was fitted; fit it on more")
        _check_strategy(model)
        steps, head = taken_apart(model.estimator_)
        return steps, _without_cuts(model, head)
    if isinstance(model, ProbabilityCalibrator):
        if model.estimator_ is None:
            raise TypeError("no label varied when this calibrator was fitted; fit it on more")
        steps, head = taken_apart(model.estimator_)
        head = _of_all_labels(model, head)
        return steps, replace(
            head,
            classes=None if model._is_multilabel else model.classes_,
            calibration=model.calibration_,
            by_probability=True,
        )
    if isinstance(model, Pipeline):
        before = [step for _, step in model.steps[:-1] if step not in (None, "passthrough")]
        after, head = taken_apart(model.steps[-1][1])
        steps = [*before, *after]
        return steps[isinstance(steps[0], CountVectorizer) if steps else 0 :], head
    if isinstance(model, OneVsRestClassifier):
        return [], _stack(model)
    kernel_map = getattr(model, "kernel_map_", None)
    return [] if kernel_map is None else [kernel_map], _linear(model)


def label_names(model: Any) -> np.ndarray | None:
    """The names of the labels, where a part of the model knows them."""
    for names in ("label_names", "label_names_"):
        if hasattr(model, names):
            return getattr(model, names)
    if hasattr(model, "best_estimator_"):
        return label_names(model.best_estimator_)
    return label_names(model.steps[-1][1]) if isinstance(model, Pipeline) else None


def _of_all_labels(model: Any, head: Head) -> Head:
    """Scores of all labels; whatever is taken off inside is not, here."""
    coef, intercept, varying = head.coef, head.intercept, model._varying
    found = head.calibration if varying.all() else None
    if not varying.all():
        all_coef, all_intercept = np.zeros((len(varying), coef.shape[1])), model._constant.copy()
        all_coef[varying], all_intercept[varying] = coef, intercept
        coef, intercept = all_coef, all_intercept
    return Head(coef, intercept, calibration=found)


def _without_cuts(model: Any, head: Head) -> Head:
    head, many = _of_all_labels(model, head), model._is_multilabel
    return replace(
        head,
        classes=None if many else model.classes_,
        thresholds=model.thresholds_,
        k=model.k_ if model.strategy == "top-k" and many else None,
        calibration=model.calibration_ or head.calibration,
    )


def _check_strategy(model: Any) -> None:
    if model.strategy in AIMS:
        raise TypeError(
            f"strategy={model.strategy!r} decides by the probabilities of all labels of a row, "
            "which is no linear rule; export the estimator inside, or use another strategy"
        )


def _stack(model: Any) -> Head:
    d = model.n_features_in_
    parts = [
        _linear(part) if hasattr(part, "coef_") else _constant(part, d)
        for part in model.estimators_
    ]
    return Head(
        np.vstack([part.coef for part in parts]),
        np.concatenate([part.intercept for part in parts]),
        None if model.multilabel_ else model.classes_,
    )


def _constant(part: Any, d: int) -> Head:
    """What OneVsRestClassifier puts for a label that does not vary."""
    if not hasattr(part, "y_"):
        raise _not_linear(part)
    return Head(np.zeros((1, d)), np.asarray(part.y_, dtype=np.float64).reshape(1))


def _linear(model: Any) -> Head:
    if not all(hasattr(model, name) for name in ("decision_function", "coef_", "intercept_")):
        raise _not_linear(model)
    coef = model.coef_.toarray() if sp.issparse(model.coef_) else np.atleast_2d(model.coef_)
    intercept = np.broadcast_to(model.intercept_, len(coef))
    kernel_map = getattr(model, "kernel_map_", None)
    d = coef.shape[1] if kernel_map is None else kernel_map.n_features
    rows = np.random.default_rng(0).normal(size=(4, d))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these rows have no feature names
        scores, labels = model.decision_function(rows), model.predict(rows)
    ours = (rows if kernel_map is None else kernel_map.values(rows)) @ coef.T + intercept
    # a kernel machine with a linear kernel has coefficients too, of pairs of classes
    if ours.size != scores.size or not np.allclose(ours.ravel(), scores.ravel(), 1e-4, 1e-4):
        raise _not_linear(model)
    head = _uncut(model, Head(coef, intercept))
    head = replace(head, calibration=getattr(model, "calibration_", None))
    return head if labels.ndim == 2 else replace(head, classes=model.classes_)


def _uncut(model: Any, head: Head) -> Head:
    """The scores before they are cut, and what is taken off them, where the model tells."""
    if getattr(model, "_cuts", None) is not None:
        return replace(head, intercept=model._uncut_intercept, thresholds=model._cuts)
    cut = getattr(
        model, "_thresholded", ()
    )  # the labels of a RankSVM whose scores are less than they were
    if not len(cut):
        return head
    coef, intercept = head.coef.copy(), head.intercept.copy()
    coef[cut] -= coef[cut].mean(axis=0)
    intercept[cut] -= intercept[cut].mean()
    return Head(coef, intercept, row_threshold=(coef - head.coef, intercept - head.intercept))


def _not_linear(model: Any) -> TypeError:
    return TypeError(
        f"{type(model).__name__} is no linear classifier that can become ONNX; save it with "
        "colabel.save, or use a classifier with coef_ and decision_function"
    )
