"""Labels that are probably wrong, by models that have not seen the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.utils import indexable

from colabel._indicator import dense_labels
from colabel._labels import Labels, as_labels
from colabel._parameters import Folds, FoldSeed
from colabel._public import public
from colabel._rows import AnyRows
from colabel.linalg.containers import canonical
from colabel.tuning.calibration import calibrate
from colabel.tuning.out_of_fold import Target, fit_and_hold_out, is_ours
from colabel.tuning.ridge import LabelRidgeCV

if TYPE_CHECKING:
    import pandas

#: "missing": not given, and probably there. "surplus": given, and probably not there.
Kind = Literal["missing", "surplus"]


@dataclass(frozen=True)
class Suspect:
    """An entry of y that may be wrong."""

    row: int
    label: str
    given: int
    probability: float
    suspicion: float
    kind: Kind


@public
@dataclass(frozen=True, eq=False)
class Audit:
    """How probable it is that each label of each row is wrong; made by :func:`colabel.audit`.

    Attributes
    ----------
    suspicion : ndarray of shape (n, q)
        The probability of the opposite, larger for what is more probably wrong. It is not the
        probability of an error, for which one had to know how often labels are wrong; but if they
        are wrong by chance, and probabilities are right, no other order finds more of them.
    probabilities : ndarray of shape (n, q)
        Of the label, by models that have not seen the row.
    given : ndarray of bool of shape (n, q)
    label_names : ndarray of shape (q,)

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import Audit
    >>> P, given = np.array([[0.9, 0.2], [0.1, 0.6]]), np.array([[1, 1], [0, 0]]) > 0
    >>> found = Audit(np.where(given, 1 - P, P), P, given, np.array(["a", "b"]))
    >>> [(one.row, one.label, one.kind) for one in found.suspects(2)]
    [(0, 'b', 'surplus'), (1, 'b', 'missing')]
    """

    suspicion: np.ndarray
    probabilities: np.ndarray
    given: np.ndarray
    label_names: np.ndarray

    def suspects(self, most: int | None = None, kind: Kind | None = None) -> list[Suspect]:
        """Entries, the most suspicious first.

        Parameters
        ----------
        most : int, optional
            How many; all if not given.
        kind : {"missing", "surplus"}, optional
            Labels that are not given and probably there, or given and probably not; both if not
            given.
        """
        order = self._ranked(most, kind)
        rows, labels = np.unravel_index(order, self.given.shape)
        return [
            Suspect(
                int(i),
                str(self.label_names[j]),
                int(self.given[i, j]),
                float(self.probabilities[i, j]),
                float(self.suspicion[i, j]),
                "surplus" if self.given[i, j] else "missing",
            )
            for i, j in zip(rows, labels, strict=True)
        ]

    def _ranked(self, most: int | None, kind: Kind | None) -> np.ndarray:
        """Numbers of entries, the most suspicious first."""
        kept = np.flatnonzero(
            np.ones(self.given.size, bool)
            if kind is None
            else self.given.ravel() == (kind == "surplus")
        )
        values = -self.suspicion.ravel()[kept]
        if most is not None and most < len(kept):
            some = np.argpartition(values, most)[:most]
            kept, values = kept[some], values[some]
        return kept[np.lexsort((kept, values))]

    def to_frame(self, most: int | None = None, kind: Kind | None = None) -> pandas.DataFrame:
        """The entries as a table: row, label, given, probability, suspicion, kind.

        Parameters
        ----------
        most, kind
            As of :meth:`suspects`.
        """
        import pandas as pd

        columns = list(Suspect.__dataclass_fields__)
        found = self.suspects(most, kind)
        return pd.DataFrame([[getattr(one, c) for c in columns] for one in found], columns=columns)


@public
def audit(
    X: AnyRows,
    y: Labels,
    estimator: Any = None,
    *,
    cv: Folds = 5,
    random_state: FoldSeed = 0,
    n_jobs: int | None = None,
) -> Audit:
    """Which labels are probably wrong: how unlikely each is by models that have not seen its row.

    Scores of rows that a model has not seen become probabilities; the suspicion of an entry is the
    probability of the other label.

    Parameters
    ----------
    estimator : classifier, optional
        Any with scores; :class:`LabelRidgeCV` if not given, which leaves out each row by itself in
        closed form. Scale X for it as you would for a fit. Where X is too large to factor it
        holds out a fifth of the rows, and the others are not suspected: ``LabelRidgeCV(cv=5)``
        judges all of them.
    cv
        Folds, for classifiers that have no held-out scores of their own; shuffled if an int.
    n_jobs : int or None, default=None
        Folds fitted at a time.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import audit
    >>> X = np.random.default_rng(0).normal(size=(200, 5))
    >>> Y = (X[:, :3] > 0).astype(int)
    >>> Y[7, 1] = 1 - Y[7, 1]  # a slip
    >>> [(one.row, one.label) for one in audit(X, Y).suspects(1)]
    [(7, 'label1')]
    """
    if estimator is None:
        estimator = LabelRidgeCV(random_state=random_state, verbose=False)
    labels = as_labels(estimator, y, X)
    labels.warn_of_constant()
    target = Target(y, labels, takes_sparse=is_ours(estimator))
    X = canonical(*indexable(X))
    _, found = fit_and_hold_out(estimator, X, target, cv, random_state, n_jobs)
    scores, truth = found.known(target)
    given = dense_labels(truth) > 0
    P = calibrate(scores, given).apply(found.scores)
    # what no model has learned is taken as it is given
    P = np.where(np.isnan(P), given, P)
    suspicion = np.where(given, 1.0 - P, P)
    if labels.unknown is not None:  # of which nothing is said that could be wrong
        rows = slice(None) if found.rows is None else found.rows
        suspicion[dense_labels(labels.unknown)[rows]] = 0.0
    return Audit(suspicion, P, given, labels.names)
