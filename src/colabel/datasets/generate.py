"""Data whose shared subspace is known, to test methods that look for one."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.special import ndtri

from colabel.datasets.dataset import Dataset, default_names, positions


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SubspaceDataset(Dataset):
    """A generated data set, with the truth behind it.

    Parameters
    ----------
    subspace : ndarray of shape (r, d)
        Θ: orthonormal directions that all labels share.
    coef : ndarray of shape (q, d)
        W: what each label's score is made of, before noise; VᵀΘ and each label's own part.
    labelled : ndarray of bool, shape (n,)
        False for rows whose labels are to be taken as unknown; Y holds them all the same.
    """

    subspace: np.ndarray
    coef: np.ndarray
    labelled: np.ndarray

    def select(
        self,
        *,
        rows: ArrayLike | None = None,
        features: ArrayLike | None = None,
        labels: ArrayLike | None = None,
    ) -> Self:
        """Keep some rows, features or labels, of the truth as well; see :class:`Dataset`."""
        kept = super().select(rows=rows, features=features, labels=labels)
        row, column, label = (
            slice(None) if chosen is None else positions(chosen)
            for chosen in (rows, features, labels)
        )
        return replace(
            kept,
            labelled=self.labelled[row],
            subspace=self.subspace[:, column],
            coef=self.coef[label][:, column],
        )

    @property
    def known_labels(self) -> np.ndarray:
        """Y with −1 in the rows that are not labelled, as semi-supervised classifiers take it."""
        return np.where(self.labelled[:, None], self.Y.toarray(), -1)


def make_multilabel_subspace(
    n_rows: int = 200,
    n_features: int = 50,
    n_labels: int = 10,
    n_components: int = 3,
    *,
    cardinality: float = 2.0,
    correlation: float = 0.0,
    density: float = 1.0,
    specific: float = 0.0,
    noise: float = 0.0,
    unlabelled: float = 0.0,
    random_state: int | np.random.Generator | None = None,
) -> SubspaceDataset:
    """Draw X, and labels that depend on it through a few shared directions.

    The scores are X(ΘᵀV + specific·U) + noise·E, with Θ the orthonormal rows of the shared
    subspace, columns of V and U of length 1; a label is given to the rows that score highest.

    Parameters
    ----------
    n_rows, n_features, n_labels, n_components : int
        n, d, q and r.
    cardinality : float, default=2.0
        Labels in a row, on average; every label has the same number of rows.
    correlation : float in [0, 1), default=0.0
        How alike labels are: 0 draws the columns of V each by itself, near 1 they are the same.
    density : float in (0, 1], default=1.0
        The share of X that is not zero; below 1, X is sparse.
    specific : float, default=0.0
        The length of what is each label's own, against 1 for what is shared.
    noise : float, default=0.0
        The standard deviation of E, against that of the scores.
    unlabelled : float in [0, 1), default=0.0
        The share of rows to take as unlabelled.
    random_state : int, Generator or None

    Examples
    --------
    >>> from colabel.datasets import make_multilabel_subspace
    >>> data = make_multilabel_subspace(n_labels=8, n_components=2, random_state=0)
    >>> data
    <Dataset subspace: 200 rows, 50 features (dense), 8 labels>
    >>> data.subspace.shape
    (2, 50)
    >>> float(data.Y.sum(axis=1).mean())
    2.0
    """
    _check_range("correlation", correlation, correlation >= 0, correlation < 1, "[0, 1)")
    _check_range("density", density, density > 0, density <= 1, "(0, 1]")
    _check_range("unlabelled", unlabelled, unlabelled >= 0, unlabelled < 1, "[0, 1)")
    _check_range("cardinality", cardinality, cardinality > 0, cardinality < n_labels, "(0, q)")
    _check_range("n_components", n_components, n_components > 0, n_components <= n_features, "1..d")
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n_rows, n_features))
    if density < 1:
        X = sp.csr_array(np.where(rng.random(X.shape) < density, X, 0.0))
    subspace = np.linalg.qr(rng.normal(size=(n_features, n_components)))[0].T
    coef = _directions(n_labels, n_components, correlation, rng) @ subspace
    if specific:
        coef = coef + specific * _directions(n_labels, n_features, 0.0, rng)
    scores = X @ coef.T
    scores = scores + noise * scores.std(axis=0) * rng.normal(size=scores.shape)
    labelled = np.ones(n_rows, dtype=bool)
    labelled[rng.choice(n_rows, size=round(unlabelled * n_rows), replace=False)] = False
    return SubspaceDataset(
        X=X,
        Y=_highest(scores, max(1, round(cardinality * n_rows / n_labels))),
        label_names=default_names(n_labels),
        feature_names=default_names(n_features, "feature"),
        name="subspace",
        subspace=subspace,
        coef=coef,
        labelled=labelled,
    )


def _check_range(name: str, value: Any, above: bool, below: bool, allowed: str) -> None:
    if not (above and below):
        raise ValueError(f"{name} must be in {allowed}; got {value}")


def _directions(
    count: int, length: int, correlation: float, rng: np.random.Generator
) -> np.ndarray:
    """Rows of length 1, with a common part that makes their cosines `correlation` on average."""
    common, own = _unit(rng.normal(size=(1, length))), rng.normal(size=(count, length))
    if length == 1:
        # there are two directions only, whose sum is 0: as many take the common one as it needs
        return np.where(common * own > ndtri((1 - np.sqrt(correlation)) / 2), common, -common)
    return _unit(np.sqrt(correlation) * common + np.sqrt(1 - correlation) * _unit(own))


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _highest(scores: np.ndarray, count: int) -> sp.csr_array:
    """Ones at the `count` highest of each column."""
    Y = np.zeros(scores.shape, dtype=np.int64)
    np.put_along_axis(Y, np.argpartition(-scores, count - 1, axis=0)[:count], 1, axis=0)
    return sp.csr_array(Y)
