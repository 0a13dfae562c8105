"""One method fitted and judged on one split: what a worker process does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from colabel import metrics
from colabel._indicator import dense_labels
from colabel._scores import scores_of
from colabel.comparison.plan.request import Request
from colabel.comparison.result import Outcome, Scalar
from colabel.comparison.run.schedule import Attempt
from colabel.comparison.run.shared_rows import SharedRows, share_rows
from colabel.comparison.run.worker import Held
from colabel.datasets.dataset import as_whole
from colabel.metrics import METRICS
from colabel.scales import SCALERS


@dataclass(frozen=True)
class Trial(Attempt):
    """What is to be done: fit a model on a split of a data set, and measure it."""

    #: Unfitted.
    model: Any
    #: Whether it takes rows that are factored once for all.
    factored: bool
    metrics: tuple[str, ...]

    def prepare(self, held: Held) -> None:
        """Factor the rows before the clock of the method starts."""
        if self.factored:
            self._data(held).shared  # noqa: B018  computed now

    def run(self, held: Held) -> Outcome:
        """Fit and measure."""
        return _measure(self, self._data(held))

    def _data(self, held: Held) -> SplitData:
        X, Y, splits, scale = held.datasets[self.dataset]
        make = partial(SplitData, X, Y, splits[self.split], scale)
        return held.rows((self.dataset, self.split), make)


def trials_of(asked: Request) -> list[Trial]:
    """Every method on every split, split by split; first those that share its factorisation."""
    order = sorted(asked.methods, key=lambda method: not method.factored)
    return [
        Trial(data.name, m.name, split, asked.model(m), m.factored, asked.metrics)
        for data in asked.datasets
        for split in range(len(data.splits))
        for m in order
    ]


class SplitData:
    """The rows of a split, scaled as the training rows ask for, and factored when first needed."""

    def __init__(self, X: Any, Y: Any, rows: tuple[np.ndarray, np.ndarray], scale: str) -> None:
        train, test = rows
        self.X_train, self.X_test = X[train], X[test]
        # dense, as several classifiers of scikit-learn refuse sparse labels
        self.Y_train, self.Y_test = (dense_labels(as_whole(Y[part])) for part in rows)
        if SCALERS[scale] is not None:
            scaler = clone(SCALERS[scale]).fit(self.X_train)
            self.X_train, self.X_test = (
                _sparse_or_dense(scaler.transform(part)) for part in (self.X_train, self.X_test)
            )

    @cached_property
    def shared(self) -> SharedRows | None:
        """The training rows factored once for all methods; None where they are too large."""
        return share_rows(self.X_train)


def _sparse_or_dense(X: Any) -> Any:
    return sp.csr_array(X) if sp.issparse(X) else X


def _measure(trial: Trial, data: SplitData) -> Outcome:
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
    return Outcome(
        status="ok",
        reason=None,
        scores={name: _value(name, data.Y_test, labels, scores) for name in trial.metrics},
        label_scores={"f1": [_number(value) for value in np.atleast_1d(each)]},
        chosen=_chosen(model),
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
    )


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


def _chosen(model: Any) -> dict[str, Scalar]:
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


def _plain(value: Any) -> Scalar:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, str | bool | int | float) else repr(value)
