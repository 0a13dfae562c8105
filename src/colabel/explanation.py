"""Why a linear model gives a row a label: its score split into the parts of features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from colabel._public import public
from colabel._rows import AnyRows
from colabel.classifiers.shared_subspace import SharedSubspaceScorer
from colabel.family import LinearExtractor
from colabel.linalg.kernel_map import KernelMap
from colabel.persistence.bundle import Bundle
from colabel.persistence.linear import Head, label_names, taken_apart

#: What the part is called that no feature has: the score of a row of zeros.
BASE = "(base)"


@public
@dataclass(frozen=True, eq=False)
class Explanation:
    """Scores of rows, split exactly; made by :func:`colabel.explain`.

    Attributes
    ----------
    scores : ndarray of shape (n, q)
        As of `decision_function`: a label is predicted where its score is above 0.
    parts : ndarray of shape (n, q, m)
        What each feature adds to a score, the base last; over features they sum to the scores.
        Features that are 0 in all rows add nothing, and are left out.
    features : ndarray of str of shape (m,)
        Names of the features, and "(base)".
    label_names : ndarray of shape (q,)
    shared : ndarray of shape (n, q, m) or None
        Of a model with a shared subspace, what of the parts lies in it; the rest is the label's
        own.
    sharing : ndarray of shape (q, q) or None
        How much each two labels share: the cosine of their weights within the subspace.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import LabelRidge, explain
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    >>> found = explain(LabelRidge(0.1).fit(X, X), X[:1])
    >>> [(name, round(part, 2)) for name, part in found.strongest(0, 1)]
    [('x1', 1.82), ('(base)', -0.91)]
    """

    scores: np.ndarray
    parts: np.ndarray
    features: np.ndarray
    label_names: np.ndarray
    shared: np.ndarray | None = None
    sharing: np.ndarray | None = None

    def strongest(self, row: int, label: int, most: int | None = None) -> list[tuple[str, float]]:
        """The features that add most to a score or take most off it, with what that is."""
        values = self.parts[row, label]
        order = np.argsort(-np.abs(values), kind="stable")[:most]
        return [(str(self.features[j]), float(values[j])) for j in order if values[j] != 0]

    def shares_with(self, label: int, most: int | None = None) -> list[tuple[str, float]]:
        """The labels whose weights in the shared subspace are most alike, with their cosines."""
        if self.sharing is None:
            return []
        values = self.sharing[label]
        order = [j for j in np.argsort(-np.abs(values), kind="stable") if j != label]
        return [(str(self.label_names[j]), float(values[j])) for j in order[:most] if values[j]]


@public
def explain(model: Any, X: AnyRows) -> Explanation:
    """Split the scores of rows into what each feature adds, exactly.

    Of a score wᵀz + b the feature j adds w_j z_j, z being what standardisation, TF-IDF and the like
    make of it, one number of each feature; through extractors, w is what their directions and the
    weights behind them come to. So after standardisation a part tells how far a feature is from its
    mean, and of a text the words have parts that are in it.

    Parameters
    ----------
    model : estimator, pipeline or Bundle
        Fitted; a linear classifier, in what :func:`colabel.to_onnx` takes, but for kernels.
    X : whatever the model takes, with n rows

    Returns
    -------
    Explanation

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> from colabel import LabelRidge, explain
    >>> texts = ["sea and ship", "ship of gold", "gold and debt", "debt of a bank"]
    >>> Y = [[1, 0], [1, 1], [0, 1], [0, 1]]
    >>> model = make_pipeline(TfidfVectorizer(), LabelRidge()).fit(texts, Y)
    >>> found = explain(model, ["a ship of the bank"])
    >>> found.strongest(0, 0, 1)[0][0]
    'ship'
    >>> bool(abs(found.parts.sum(axis=2) - found.scores).max() < 1e-12)
    True
    """
    try:
        steps, head = taken_apart(model)
    except TypeError as error:
        why = str(error).split("; ")[0].removesuffix(" that can become ONNX")
        raise TypeError(
            f"{why}; only scores of linear models can be split: fit one, such as LabelRidgeCV "
            "(-m label-ridge)"
        ) from None
    head = _as_decided(head)
    asked = model.estimator if isinstance(model, Bundle) else model
    scores = np.asarray(asked.decision_function(X), dtype=np.float64)
    rows, names = _seen(model, X)
    rows, names, tail = _one_to_one(steps, rows, names)
    back = _Back.of(rows, tail)
    subspace = _subspace(model)
    columns = _occurring(rows)
    Z = np.asarray(rows[:, columns].toarray() if sp.issparse(rows) else rows[:, columns])
    parts, base = back.split(head.coef, Z, columns)
    whole = np.concatenate([parts, (head.intercept + base)[:, :, None]], axis=2)
    shared = sharing = None
    if subspace is not None:
        within = head.coef @ subspace.T
        of_features, of_base = back.split(within @ subspace, Z, columns)
        shared = np.concatenate([of_features, of_base[:, :, None]], axis=2)
        sharing = _cosines(within)
    found, q = np.append(names[columns], BASE), len(head.coef)
    labels = label_names(model)
    labels = np.array([f"label{i}" for i in range(q)], dtype=object) if labels is None else labels
    return Explanation(scores.reshape(len(Z), q), whole, found, labels, shared, sharing)


def _as_decided(head: Head) -> Head:
    """Coefficients and intercepts of the scores that are decided by, in float64."""
    coef, intercept = (np.asarray(part, dtype=np.float64) for part in (head.coef, head.intercept))
    if head.by_probability and head.calibration is not None:
        if head.calibration.steps:
            raise TypeError(
                "isotonic probabilities are no linear scores; explain the estimator inside"
            )
        coef = coef * head.calibration.slopes[:, None]
        intercept = intercept * head.calibration.slopes + head.calibration.offsets
    if head.row_threshold is not None:
        coef, intercept = coef - head.row_threshold[0], intercept - head.row_threshold[1]
    if head.thresholds is not None:
        intercept = intercept - head.thresholds
    return replace(head, coef=coef, intercept=intercept)


def _seen(model: Any, X: Any) -> tuple[Any, np.ndarray]:
    """The rows as the first step behind a vectorizer sees them, and names of their features."""
    names = getattr(X, "columns", None)
    if isinstance(model, Bundle):
        names = model.columns.names if names is None else names
        model = model.estimator
    while not isinstance(model, Pipeline):
        inner = getattr(model, "best_estimator_", getattr(model, "estimator_", None))
        if inner is None or not hasattr(inner, "fit"):
            break
        model = inner
    if isinstance(model, Pipeline) and isinstance(model.steps[0][1], CountVectorizer):
        first = model.steps[0][1]
        return first.transform(X).tocsr(), first.get_feature_names_out().astype(object)
    X = X.tocsr() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    if names is None:
        names = [f"x{j}" for j in range(X.shape[1])]
    return X, np.array([str(name) for name in names], dtype=object)


def _one_to_one(
    steps: list[Any], rows: Any, names: np.ndarray
) -> tuple[Any, np.ndarray, list[Any]]:
    """The rows behind the first steps, as long as these keep features apart; and the others."""
    for i, step in enumerate(steps):
        if isinstance(step, SelectorMixin):
            names = names[step.get_support()]
        elif not isinstance(step, StandardScaler | TfidfTransformer | Normalizer):
            return rows, names, steps[i:]
        rows = step.transform(rows)
    return rows, names, []


@dataclass(frozen=True)
class _Back:
    """How coefficients behind some steps become coefficients before them, for each row.

    A score wᵀz is f(wᵀMx − wᵀm): the steps are linear but for the lengths of rows, in f.
    """

    steps: list[Any]
    #: For each step, what its output is multiplied by in each row.
    lengths: list[np.ndarray]

    @staticmethod
    def of(rows: Any, steps: list[Any]) -> _Back:
        lengths, n = [], rows.shape[0]
        for step in steps:
            after = _transform(step, rows)
            if isinstance(step, Normalizer):
                size = np.abs(after).max(axis=1)
                lengths.append(np.abs(rows).max(axis=1) / np.where(size > 0, size, 1.0))
            else:
                lengths.append(np.ones(n))
            rows = after
        return _Back(steps, [1.0 / np.where(f > 0, f, 1.0) for f in lengths])

    def split(
        self, coef: np.ndarray, Z: np.ndarray, columns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """What the features add to the scores, n×q×m, and what is the same for all rows, n×q."""
        factor, base = np.ones(len(Z)), np.zeros((len(Z), len(coef)))
        for step, length in zip(self.steps[::-1], self.lengths[::-1], strict=True):
            factor = factor * length
            coef, shift = _before(step, coef)
            base += factor[:, None] * shift
        parts = Z[:, None, :] * coef[None, :, columns]
        parts *= factor[:, None, None]
        return parts, base


def _directions(step: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """P and m of a step that gives P(x − m)."""
    if isinstance(step, LinearExtractor) and not hasattr(step, "kernel_map_"):
        return step.components_, step.mean_
    if isinstance(step, SharedSubspaceScorer) and not hasattr(step, "kernel_map_"):
        return step.subspace_, step.mean_
    return None


def _transform(step: Any, rows: Any) -> np.ndarray:
    if isinstance(step, KernelMap) or not hasattr(step, "transform"):
        raise TypeError("a kernel mixes the features, so that no part of a score is one of theirs")
    return np.asarray(step.transform(rows))


def _before(step: Any, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of what a step is given, from those of what it gives, and what is added."""
    none = np.zeros(len(coef))
    if isinstance(step, Normalizer):
        return coef, none
    if isinstance(step, SelectorMixin):
        support = step.get_support()
        whole = np.zeros((len(coef), len(support)))
        whole[:, support] = coef
        return whole, none
    if isinstance(step, StandardScaler):
        coef = coef / step.scale_ if step.with_std else coef
        return coef, -coef @ step.mean_ if step.with_mean else none
    found = _directions(step)
    if found is None:
        raise TypeError(
            f"{type(step).__name__} mixes the features in a way that is not linear; scores of "
            "linear models behind extractors, StandardScaler, TfidfTransformer, Normalizer and "
            "selectors of columns can be split"
        )
    coef = coef @ found[0].astype(np.float64)
    return coef, -coef @ found[1].astype(np.float64)


def _subspace(model: Any) -> np.ndarray | None:
    """Θ of a model with a shared subspace at its end."""
    if isinstance(model, Bundle):
        kept = model.subspace
        return _subspace(model.estimator) if kept is None else kept.astype(np.float64)
    if isinstance(model, Pipeline):
        return _subspace(model.steps[-1][1])
    if isinstance(model, SharedSubspaceScorer):
        # which is not saved with what serves predictions alone
        found = getattr(model, "subspace_", None)
        return None if found is None else found.astype(np.float64)
    inner = getattr(model, "best_estimator_", getattr(model, "estimator_", None))
    return None if inner is None else _subspace(inner)


def _occurring(rows: Any) -> np.ndarray:
    if sp.issparse(rows):
        return np.unique(rows.tocsr().indices)
    return np.flatnonzero(np.any(rows != 0, axis=0))


def _cosines(V: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(V, axis=1, keepdims=True)
    V = V / np.where(length > 0, length, 1.0)
    return V @ V.T
