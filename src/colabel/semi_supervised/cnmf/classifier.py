"""Constrained non-negative matrix factorisation: labels for unlabelled rows."""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import field
from numbers import Integral
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from colabel._parameters import Count, Matrix, NonNegative, Seed, Verbose
from colabel._sklearn import Interval
from colabel._terminal import progress
from colabel.semi_supervised.cnmf import runs
from colabel.semi_supervised.cnmf.factorisation import check_class_similarity
from colabel.semi_supervised.cnmf.starts import check_init
from colabel.semi_supervised.graphs import check_cosine, row_similarity
from colabel.semi_supervised.partial_labels import PartialLabels
from colabel.semi_supervised.transducer import Transducer

#: With fewer labelled rows than this, none is hidden for early stopping.
FEWEST_TO_HIDE = 10


#: Checked against Y, where that is known.
Start: TypeAlias = Annotated[Any, "no_validation"]


class CNMF(Transducer):
    """min ‖A − TBTᵀ‖² + C‖T − diag(a)T̂‖² over T, T̂, a ≥ 0: rows that are alike share labels.

    A holds the similarities of rows, B those of labels, T the confidences of labels for rows, T̂ the
    same with rows that sum to one: on a labelled row they are what its labels say. Each round is
    one multiplicative update of T and exact ones of T̂ and a, and the objective never rises. The
    cosine A = X̂X̂ᵀ is never formed, so that a round costs as much as a few products with X
    (Liu, Jin & Yang 2006, whose printed update makes the objective rise; see `docs/errata.md`).

    The problem is not convex and the start decides. From the paper's random start it ranks labels
    worse than a linear classifier does. So it starts from the labels of the nearest labelled rows,
    or from any classifier, and goes as many rounds as rank the labels of hidden labelled rows best.
    It improves on its start a little, on some data.

    An empty row, similar to none, keeps its start: the label frequencies. A single label is set
    beside its complement.

    Parameters
    ----------
    C
        C ≥ 0, the price of confidences that the labels contradict.
    similarity
        A. "cosine" of all pairs, for X ≥ 0; "knn": the cosine of each row and its nearest
        neighbours by it; "rbf-knn": exp(−‖x − x'‖²/2σ²) of each row and its nearest neighbours,
        σ their median distance; "precomputed": X is A, and the X of new rows their similarities to
        the fitted ones; a callable f(X, Z) gives the similarities of rows to rows.
    class_similarity
        B, symmetric, no value negative. "rbf": exp(−‖y − y'‖²) of the label columns of the labelled
        rows at unit length; "cosine" of the same.
    n_neighbors
        For the neighbour graphs, and for the start.
    max_iter
        The most rounds.
    tol
        Stop when a round takes less than this share off the objective.
    init
        T at the start. "propagation": labels spread over A, or, with the cosine, taken from the
        `n_neighbors` most similar labelled rows, which costs as much as comparing all rows with the
        labelled ones; "knn-propagation": spread over a graph of nearest neighbours of all rows,
        which is often better and costs a comparison of all pairs; "random", as in the paper; a
        multi-label classifier, which is fitted on the labelled rows; or n×q confidences.
    early_stopping
        Whether to hide labelled rows first, `cv` parts of them in turn, and to take the number of
        rounds after which their labels are ranked best. Fewer than ten labelled rows are too few
        to hide any, and it goes `n_iter_no_change` rounds. Probabilities come from the hidden rows,
        so that there is no `predict_proba` without them; rows without labels are hidden for these
        too, and ranked nowhere.
    cv
        The number of parts, and so of runs before the last one.
    n_iter_no_change
        How many rounds without a better ranking of the hidden rows end the search.
    random_state
        Chooses the hidden rows, and a random start.

    Attributes
    ----------
    label_scores_ : ndarray of shape (n, q)
        T̂. The labels of labelled rows, divided by how many there are.
    transduction_ : ndarray of shape (n, q) of 0 and 1, or (n,) of classes for a 1-D y
        Labels of all rows: given, or with a score above the threshold.
    thresholds_ : ndarray of shape (q,)
        One for all labels, with which the unlabelled rows have as many labels on average as the
        labelled ones; a label that all labelled rows have, or none, is predicted constant.
    objective_ : ndarray of shape (n_iter_ + 1,)
        At the start and after each round.
    n_iter_ : int
        Rounds taken.
    validation_scores_ : ndarray
        Average precision of the hidden rows' labels at the start and after each round; empty where
        none is hidden.
    class_similarity_ : ndarray
        B, of the labels that some labelled row has.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.semi_supervised import CNMF
    >>> X = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 2], [0, 0, 2, 2], [0, 1, 1, 0]])
    >>> Y = np.array([[1, 0], [-1, -1], [0, 1], [-1, -1], [1, 1]])
    >>> model = CNMF(n_neighbors=1, random_state=0).fit(X, Y)
    >>> model.label_scores_.round(1)
    array([[1. , 0. ],
           [1. , 0. ],
           [0. , 1. ],
           [0. , 1. ],
           [0.5, 0.5]])
    >>> model.rank_labels([[0, 0, 0, 1]])
    array([[1, 0]])
    """

    C: NonNegative = field(default=100.0, kw_only=False)
    similarity: Literal["cosine", "knn", "rbf-knn", "precomputed"] | Callable[..., Any] = "cosine"
    class_similarity: Literal["rbf", "cosine"] | Matrix = "rbf"
    n_neighbors: Count = 20
    max_iter: Count = 200
    tol: NonNegative = 1e-4
    init: Start = "propagation"
    early_stopping: bool = True
    cv: Annotated[int, Interval(Integral, 2, None, closed="left")] = 5
    n_iter_no_change: Count = 15
    random_state: Seed = None
    verbose: Verbose = False

    @property
    def _is_cosine(self) -> bool:
        return isinstance(self.similarity, str) and self.similarity == "cosine"

    def _rows(self, X: Any, *, fitting: bool) -> Any:
        X = super()._rows(X, fitting=fitting)
        if self._is_cosine:
            check_cosine(self, X)
        return X

    def _transduce(self, X: Any, labels: PartialLabels) -> tuple[np.ndarray, np.ndarray]:
        Y, q = labels.given.astype(X.dtype), labels.matrix.shape[1]
        init = check_init(self, self.init, X.shape[0], q)
        B = check_class_similarity(self.class_similarity, q)
        self._is_single = q == 1
        if self._is_single:
            Y, init, B = _with_complement(Y, init, B)
        self._active = np.asarray((Y == 1).any(axis=0))
        if isinstance(init, np.ndarray):
            init = init[:, self._active]
        if isinstance(B, np.ndarray):
            B = B[np.ix_(self._active, self._active)]
        A = row_similarity(X, self.similarity, self.n_neighbors)
        setting = runs.Setting(X, A, A.squared_norm(), B, float(self.C), init, self.n_neighbors)
        confidences = self._factorise(setting, Y[:, self._active], labels.rows)
        scores = self._all_labels(confidences)
        return scores, self._thresholds(scores[~labels.labelled], labels)

    def _factorise(self, setting: runs.Setting, Y: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """T̂ of the rows of the fit; what is needed for new rows is kept."""
        rng = check_random_state(self.random_state)
        limit = self._rounds_for_hidden(setting, Y, rows, rng)
        problem, begin, P = setting.begin(Y, rows, rng)
        scale, connected = problem.scale(P), setting.connected
        T, self.objective_, converged = runs.descend(
            problem, np.where(connected, scale * P, 0), limit or self.max_iter, self.tol, self._bar
        )
        self.n_iter_ = len(self.objective_) - 1
        if not (converged or limit):
            self._warn_of_change()
        self.class_similarity_ = problem.B
        BGB = problem.B @ (T.T @ T) @ problem.B
        carried = setting.A.carry(T @ problem.B)
        self._extension = runs.Extension(
            begin, np.nansum(Y, axis=0), scale, setting.A, carried, BGB, problem.C, self.n_iter_
        )
        return np.where(connected, problem.normalise(T), problem.normalise(P))

    def _rounds_for_hidden(
        self, setting: runs.Setting, Y: np.ndarray, rows: np.ndarray, rng: np.random.RandomState
    ) -> int | None:
        """The number of rounds that ranks the labels of hidden rows best; None to go to the end."""
        self.validation_scores_ = np.empty(0)
        if not self.early_stopping:
            return None
        candidates = np.flatnonzero(np.nansum(Y, axis=1))
        if len(candidates) < FEWEST_TO_HIDE:
            return min(self.n_iter_no_change, self.max_iter)
        hidden_runs, count = [], min(self.cv, len(candidates))
        parts = np.array_split(rng.permutation(candidates), count)
        bare = np.flatnonzero(Y.sum(axis=1) == 0)
        others = np.array_split(rng.permutation(bare) if len(bare) else bare, count)
        for hidden, besides in zip(parts, others, strict=True):
            seen = np.setdiff1d(np.arange(len(rows)), np.r_[hidden, besides])
            problem, _, P = setting.begin(Y[seen], rows[seen], rng)
            T = np.where(setting.connected, problem.scale(P) * P, 0)
            hidden_runs.append(runs.HiddenRun(problem, T, rows[hidden], Y[hidden], rows[besides]))
        self.validation_scores_, found = runs.ranking_of_hidden(
            hidden_runs, self.max_iter, self.n_iter_no_change, self._bar
        )
        self._of_hidden = np.concatenate([run.hidden for run in hidden_runs]), np.vstack(found)
        best = int(np.argmax(self.validation_scores_))
        if best == self.max_iter:
            warnings.warn(
                f"CNMF ranks hidden rows still better after max_iter={self.max_iter} rounds "
                f"(average precision {self.validation_scores_[-1]:.4f}); raise max_iter",
                ConvergenceWarning,
                stacklevel=2,
            )
        return max(best, 1)

    def _hide(self, X: Any, labels: PartialLabels) -> np.ndarray | None:
        """T̂ of the rows that early stopping has hidden, after its best round."""
        hidden = self.__dict__.pop("_of_hidden", None)
        if hidden is None:
            return None
        rows, confidences = hidden
        scores = np.full(labels.matrix.shape, np.nan)
        scores[np.searchsorted(labels.rows, rows)] = self._all_labels(confidences)
        return scores

    def _warn_of_change(self) -> None:
        before, after = self.objective_[-2:]
        warnings.warn(
            f"CNMF stopped after max_iter={self.max_iter} rounds, the last of which took "
            f"{(before - after) / before:.1e} off the objective, more than tol={self.tol:g}; raise "
            "max_iter or tol",
            ConvergenceWarning,
            stacklevel=2,
        )

    def _bar(self, steps: Iterable[Any], total: int) -> Iterable[Any]:
        return progress(steps, total=total, description="CNMF", enabled=bool(self.verbose))

    def _all_labels(self, confidences: np.ndarray) -> np.ndarray:
        """Confidences with columns of zeros for the labels that no labelled row has."""
        scores = np.zeros((len(confidences), len(self._active)), dtype=confidences.dtype)
        scores[:, self._active] = confidences
        return scores[:, :1] if self._is_single else scores

    def _thresholds(self, scores: np.ndarray, labels: PartialLabels) -> np.ndarray:
        Y = labels.matrix
        q = Y.shape[1]
        if self._is_single or not self._is_multilabel:
            return np.full(q, 0.5 if self._is_single else 0.0)
        per_row = float(labels.known.shares.sum())
        cut = runs.threshold_for(scores, per_row) if len(scores) else 0.5 / max(per_row, 1.0)
        share = labels.known.shares
        # confidences lie between 0 and 1
        return np.where(share == 1, -1.0, np.where(share == 0, 1.0, cut))

    def _score(self, X: Any) -> np.ndarray:
        return self._all_labels(self._extension.of(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.similarity, str) and self.similarity == "precomputed"
        tags.input_tags.pairwise = precomputed
        tags.input_tags.positive_only = precomputed or self._is_cosine
        # scikit-learn's toy data have two features, of which the cosine sees an angle only
        tags.classifier_tags.poor_score = precomputed or self._is_cosine
        return tags


def _with_complement(Y: np.ndarray, init: Any, B: Any) -> tuple[np.ndarray, Any, Any]:
    """A single label beside its complement: two classes that exclude each other."""
    if isinstance(init, np.ndarray):
        init = np.hstack([init, np.maximum(1.0 - init, 0.0)])
    return np.hstack([Y, 1.0 - Y]), init, B if isinstance(B, str) else B * np.eye(2)
