"""One method fitted and judged on one split: what a worker process does."""

from __future__ import annotations

import errno
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from colabel import metrics
from colabel._text import one_line
from colabel._validation import dense_labels
from colabel.classifiers.thresholds import scores_of
from colabel.evaluation.scales import SCALERS
from colabel.evaluation.shared_rows import SharedRows, shared
from colabel.metrics import METRICS

_LONGEST = 200
#: What a system says when it has no more of something: memory, disk, files, processes.
_EXHAUSTED = {errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EAGAIN}


@dataclass(frozen=True)
class Trial:
    """What is to be done: fit a model on a split of a data set, and measure it.

    Attributes
    ----------
    dataset, method : str
    split : int
    model : classifier
        Unfitted.
    factored : bool
        Whether it takes rows that are factored once for all.
    metrics : tuple of str
    """

    dataset: str
    method: str
    split: int
    model: Any
    factored: bool
    metrics: tuple[str, ...]


class SplitData:
    """The rows of a split, scaled as the training rows ask for, and factored when first needed."""

    def __init__(self, X: Any, Y: Any, rows: tuple[np.ndarray, np.ndarray], scale: str) -> None:
        train, test = rows
        self.X_train, self.X_test = X[train], X[test]
        # dense, as several classifiers of scikit-learn refuse sparse labels
        self.Y_train, self.Y_test = (dense_labels(Y[part]).astype(int) for part in rows)
        if SCALERS[scale] is not None:
            scaler = clone(SCALERS[scale]).fit(self.X_train)
            self.X_train, self.X_test = (
                _sparse_or_dense(scaler.transform(part)) for part in (self.X_train, self.X_test)
            )

    @cached_property
    def shared(self) -> SharedRows | None:
        """The training rows factored once for all methods; None where they are too large."""
        return shared(self.X_train)


def _sparse_or_dense(X: Any) -> Any:
    return sp.csr_array(X) if sp.issparse(X) else X


def run(trial: Trial, data: SplitData) -> dict[str, Any]:
    """The result of a trial as plain data; what goes wrong is its reason."""
    try:
        return _measured(trial, data)
    except Exception as error:
        return failed(reason_of(error), by_machine=_is_of_the_machine(error))


def _is_of_the_machine(error: Exception) -> bool:
    """Whether a method might do on another day what it could not do today."""
    return isinstance(error, MemoryError) or getattr(error, "errno", None) in _EXHAUSTED


def failed(reason: str, status: str = "failed", *, by_machine: bool = False) -> dict[str, Any]:
    """A result without scores; one that is the machine's fault is not kept, and tried again."""
    return {
        **({"by_machine": True} if by_machine else {}),
        "status": status,
        "reason": reason,
        "scores": {},
        "label_scores": {},
        "chosen": {},
        "fit_seconds": None,
        "predict_seconds": None,
    }


def reason_of(error: BaseException) -> str:
    """What went wrong, with the kind of error where the message needs it."""
    text = one_line(error)
    if isinstance(error, MemoryError):
        text = f"not enough memory ({text})" if text else "not enough memory"
    elif not isinstance(error, ValueError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _measured(trial: Trial, data: SplitData) -> dict[str, Any]:
    X = data.shared if trial.factored else None
    if X is not None:
        X.open_account()
    begin = time.perf_counter()
    model = clone(trial.model).fit(data.X_train if X is None else X, data.Y_train)
    # alone, it would have had to factor by itself
    fit_seconds = time.perf_counter() - begin + (0.0 if X is None else X.ledger.spared)
    begin = time.perf_counter()
    labels = dense_labels(model.predict(data.X_test)).reshape(data.Y_test.shape)
    scores = _scores(model, data.X_test, data.Y_test.shape[1])
    predict_seconds = time.perf_counter() - begin
    each = metrics.f1(data.Y_test, labels, average=None, empty="skip")
    return {
        "status": "ok",
        "reason": None,
        "scores": {name: _value(name, data.Y_test, labels, scores) for name in trial.metrics},
        "label_scores": {"f1": [_number(value) for value in np.atleast_1d(each)]},
        "chosen": _chosen(model),
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
    }


def _scores(model: Any, X: Any, q: int) -> np.ndarray | None:
    if not hasattr(model, "decision_function") and not hasattr(model, "predict_proba"):
        return None
    return scores_of(model, X, q)


def _value(name: str, truth: np.ndarray, labels: np.ndarray, scores: Any) -> float | None:
    metric = METRICS[name]
    given = labels if metric.needs == "labels" else scores
    if given is None:
        return None
    try:
        return _number(metric(truth, given))
    except ValueError:  # nothing to rank in these rows
        return None


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _chosen(model: Any) -> dict[str, Any]:
    """What the model found best, by the last parts of the names of its parameters."""
    found = getattr(model, "best_params_", None)
    if found is None:
        results = getattr(model, "cv_results_", None)
        names = results["params"][0] if results else ()
        found = {name: getattr(model, f"{name}_") for name in names}
    found = {name.rpartition("__")[2]: value for name, value in found.items()}
    first = getattr(getattr(model, "estimator_", None), "steps", [(None, None)])[0][1]
    if hasattr(first, "n_components_"):
        found["n_components"] = first.n_components_
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, str | bool | int | float) else repr(value)
