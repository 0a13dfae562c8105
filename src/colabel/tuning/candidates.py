"""Candidates of a search, those that share the first steps of a pipeline side by side."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array

from colabel._bases import LinearScorer
from colabel._rows import FLOATS
from colabel._scores import scores_of
from colabel.linalg.containers import as_matrix, canonical
from colabel.linalg.data import CentredData
from colabel.linalg.dense import DenseMatrix
from colabel.tuning.cut_scores import fit_quietly

Parameters: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Tried:
    """A candidate, and its scores of rows that it has not seen."""

    parameters: Parameters
    scores: np.ndarray
    #: Fitted on all rows, where that is how it was tried.
    model: Any = None


def _last_step(estimator: Any) -> str:
    """The prefix of the parameters of a pipeline's last step; every parameter has an empty one."""
    return f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""


def groups_of(estimator: Any, grid: Any) -> Iterator[tuple[Parameters, list[Parameters]]]:
    """Parameters of the steps before the last, each with all parameters of the last."""
    prefix = _last_step(estimator)
    groups: dict[Any, tuple[Parameters, list[Parameters]]] = {}
    for candidate in list(ParameterGrid(grid)):  # kept, so that no identity is used again
        front = {key: value for key, value in candidate.items() if not key.startswith(prefix)}
        rear = {key: value for key, value in candidate.items() if key not in front}
        key = frozenset((name, _identity(value)) for name, value in front.items())
        groups.setdefault(key, (front, []))[1].append(rear)
    yield from groups.values()


def _identity(value: Any) -> Any:
    """The same for values of a grid that are surely equal: scalars by value, others as objects."""
    scalar = value is None or isinstance(value, str | int | float)
    return (type(value), value) if scalar else id(value)


def with_parameters(estimator: Any, parameters: Parameters) -> Any:
    """A clone with these parameters; those that are estimators are cloned as well."""
    return clone(estimator).set_params(**clone(parameters, safe=False))


def scores_of_all(
    estimator: Any, groups: Any, parts: tuple[Any, Any], Y: Any, given: Parameters | None = None
) -> list[np.ndarray]:
    """Scores of held-out rows by every candidate fitted on the others.

    With anything `given` besides, as weights, a pipeline sends it to its steps, and is whole.
    """
    given = given or {}
    prefix, found = "" if given else _last_step(estimator), []
    for front, rears in groups:
        model, rows = with_parameters(estimator, front), _Rows(*parts)
        if isinstance(model, Pipeline) and not given:
            *before, (_, model) = model.steps
            if before:
                extract = fit_quietly(Pipeline(before), rows.fitted_on, Y)
                rows = _Extracted(*(_transform(extract, part) for part in parts))
        for rear in rears:
            last = with_parameters(
                model, {key.removeprefix(prefix): value for key, value in rear.items()}
            )
            fitted_on, held_out = rows.of(last)
            fitted = fit_quietly(last, fitted_on, Y, **given)
            found.append(scores_of(fitted, held_out, Y.shape[1]))
    return found


def try_out_of_bag(
    estimator: Any, grid: Any, X: Any, Y: np.ndarray, varying: np.ndarray, given: Parameters
) -> Iterator[Tried]:
    """Candidates fitted on all rows, each row scored by the trees that were grown without it."""
    if "oob_score" not in estimator.get_params(deep=False):
        raise ValueError(
            f"cv='oob' needs a classifier with out-of-bag votes, such as RandomForestClassifier; "
            f"{type(estimator).__name__} has none: use folds, cv=5"
        )
    for candidate in ParameterGrid(grid):
        scores = np.full(Y.shape, np.nan)
        model = None
        if varying.any():
            model = with_parameters(estimator, {**candidate, "oob_score": True})
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Some inputs do not have OOB scores")
                model = fit_quietly(model, X, Y[:, varying], **given)
            scores[:, varying] = _votes(model.oob_decision_function_)
        yield Tried(candidate, scores, model)


def _votes(shares: np.ndarray) -> np.ndarray:
    """Shares of votes for each label, rows × labels; NaN for a row that every tree has seen."""
    # rows × classes for one label, rows × classes × labels for several
    shares = shares.reshape(len(shares), 2, -1)
    return np.where(shares.sum(axis=1) > 0, shares[:, 1], np.nan)


def _transform(extract: Pipeline, X: Any) -> Any:
    """Rows after all steps."""
    # Pipeline.transform refuses a last step that a fit leaves no trace on: here it is not the last
    for _, step in extract.steps:
        X = X if step is None or step == "passthrough" else step.transform(X)
    return X


@dataclass(frozen=True)
class _Rows:
    """Rows to fit a last step on, and held-out ones."""

    fitted_on: Any
    held_out: Any

    def of(self, model: Any) -> tuple[Any, Any]:
        """As they are given to this classifier."""
        return self.fitted_on, self.held_out


@dataclass(frozen=True)
class _Extracted(_Rows):
    """Rows that steps before the last gave, in whatever container these were set to."""

    def of(self, model: Any) -> tuple[Any, Any]:
        """With one Gram for all penalties, where the classifier takes that."""
        if isinstance(model, LinearScorer) and model._takes_factored:
            return self._centred
        return super().of(model)

    @cached_property
    def _centred(self) -> tuple[CentredData, Any]:
        fitted_on, held_out = (
            canonical(check_array(part, accept_sparse="csr", dtype=FLOATS))
            for part in (self.fitted_on, self.held_out)
        )
        if sparse.issparse(fitted_on):
            return CentredData(as_matrix(fitted_on)), held_out
        # by its Gram, which falls back on QR where it must
        return CentredData(_OneGram(fitted_on, rank_by_gram=True)), held_out


class _OneGram(DenseMatrix):
    """Rows whose Gram each penalty asks for: hundreds of directions make it dearer than a solve."""

    def gram(self, weights: np.ndarray | None = None) -> np.ndarray:
        return super().gram(weights) if weights is not None else self._gram.copy()

    @cached_property
    def _gram(self) -> np.ndarray:
        return super().gram()
