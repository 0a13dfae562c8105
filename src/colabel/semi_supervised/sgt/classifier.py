"""The spectral graph transducer: a cut of a neighbour graph for each label."""

from collections.abc import Callable
from dataclasses import field
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state, gen_batches

from colabel._parameters import Count, NonNegative, Positive, Seed
from colabel.linalg.products import BLOCK_BYTES
from colabel.semi_supervised.graphs import ExplicitSimilarity, row_similarity
from colabel.semi_supervised.partial_labels import PartialLabels
from colabel.semi_supervised.sgt import spectral
from colabel.semi_supervised.transducer import ConstantLabels, Transducer

#: In how many parts labelled rows are hidden for probabilities, and from how many rows on.
PARTS, FEWEST_TO_HIDE = 5, 10


class SGT(Transducer):
    """min zᵀLz + c(z − γ)ᵀC(z − γ) subject to zᵀz = n, z ⊥ 1, for each label: cut a graph in two.

    L is the Laplacian of a graph of nearest neighbours, γ a standardised label on labelled rows, C
    the costs of missing it, in which a label's presence and its absence weigh the same. z = Vw is
    sought among the eigenvectors V of L with the smallest eigenvalues, which the graph alone
    decides: one graph and one eigen-decomposition serve all labels, and a label takes one secular
    equation of the size of V (Joachims 2003; a baseline of Liu, Jin & Yang 2006).

    z is on the scale of a standardised label; ``p + √(p(1 − p))·z``, p the share of labelled rows
    with the label, is on that of the label itself, so that the scores of labels can be compared. A
    new row has the mean of its neighbours' scores, weighted by similarity. A row without
    neighbours has z = 0. A label that all labelled rows have, or none, is predicted constant.

    Parameters
    ----------
    n_neighbors
        Neighbours of each row in the graph.
    n_eigenvectors
        Columns of V; fewer where the graph has fewer.
    c
        c > 0, the weight of the labels against the graph.
    similarity
        Weights of the graph. "knn": the cosine of each row and its nearest neighbours by it;
        "rbf-knn": exp(−‖x − x'‖²/2σ²), σ the median distance of neighbours; "precomputed": X is
        the matrix of similarities, and the X of new rows their similarities to the fitted ones; a
        callable f(X, Z) gives the similarities of rows to rows. Each row is divided by its sum.
    spectrum
        What D in wᵀDw = zᵀLz is: 1, 4, 9, … as Joachims has it, equal eigenvalues sharing the mean
        of theirs, or the eigenvalues themselves.
    tol
        Relative accuracy of the eigenvectors of a large graph; those of a small one are exact.
    random_state
        Seeds the start of the iteration for a large graph.

    Attributes
    ----------
    label_scores_ : ndarray of shape (n, q)
        p + √(p(1 − p))·z: about 0 where a label is absent, 1 where it is present.
    transduction_ : ndarray of shape (n, q) of 0 and 1, or (n,) of classes for a 1-D y
        Labels of all rows: given, or with a score above ½.
    thresholds_ : ndarray of shape (q,)
    eigenvalues_ : ndarray of shape (k,)
        The smallest of L, without that of the constant vector.
    eigenvectors_ : ndarray of shape (n, k)
        V.
    weights_ : ndarray of shape (q, k)
        w of each label, with wᵀw = n; zeros for a constant label.
    multipliers_ : ndarray of shape (q,)
        λ, with (G − λI)w = b; NaN for a constant label.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from colabel.semi_supervised import SGT
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> some = np.full(200, -1)
    >>> some[[np.argmax(y == 0), np.argmax(y == 1)]] = 0, 1
    >>> model = SGT(n_neighbors=10, n_eigenvectors=20, similarity="rbf-knn").fit(X, some)
    >>> float((model.transduction_ == y).mean())
    1.0
    """

    n_neighbors: Count = field(default=100, kw_only=False)
    n_eigenvectors: Count = field(default=80, kw_only=False)
    c: Positive = field(default=3200.0, kw_only=False)
    similarity: Literal["knn", "rbf-knn", "precomputed"] | Callable[..., Any] = "knn"
    spectrum: Literal["squares", "eigenvalues"] = "squares"
    tol: NonNegative = 1e-8
    random_state: Seed = None

    def _transduce(self, X: Any, labels: PartialLabels) -> tuple[np.ndarray, np.ndarray]:
        similarity = row_similarity(X, self.similarity, self.n_neighbors)
        assert isinstance(similarity, ExplicitSimilarity)
        W = spectral.graph_weights(similarity.directed)
        self._similarity = similarity
        rng = check_random_state(self.random_state)
        self.eigenvalues_, V = spectral.laplacian_eigenvectors(
            W, self.n_eigenvectors, self.tol, rng
        )
        self.weights_, self.multipliers_ = self._solve(V[labels.rows], labels.given, len(V))
        self.eigenvectors_ = V
        self._shares = labels.known.shares
        self._cuts = V @ self.weights_.T
        scores = self._label_scale(self._cuts)
        self._constants = ConstantLabels.beyond(scores, 0.5, self._shares)
        return self._constants.place(scores), np.full(len(self._shares), 0.5)

    def _solve(self, V: np.ndarray, Y: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        """W and λ of every label that varies, as many at a time as memory allows."""
        q, k = Y.shape[1], V.shape[1]
        weights, multipliers = np.zeros((q, k)), np.full(q, np.nan)
        D = spectral.squares(self.eigenvalues_) if self.spectrum == "squares" else self.eigenvalues_
        both = (Y == 1).any(axis=0) & (Y == 0).any(axis=0)
        varying = np.flatnonzero(both) if k else np.empty(0, dtype=int)
        for part in gen_batches(len(varying), max(1, BLOCK_BYTES // (8 * k * k + 1))):
            chosen = varying[part]
            G, b = spectral.quadratic_forms(V, D, Y[:, chosen], float(self.c))
            weights[chosen], multipliers[chosen] = spectral.secular(G, b, n)
        return weights, multipliers

    def _hide(self, X: Any, labels: PartialLabels) -> np.ndarray | None:
        """The graph and its eigenvectors stay: each part of the rows costs a secular equation."""
        V, Y, rows = self.eigenvectors_, labels.given, labels.rows
        if len(rows) < FEWEST_TO_HIDE:
            return None
        S = self._neighbours(X[rows])
        part = check_random_state(self.random_state).permutation(np.arange(len(rows)) % PARTS)
        scores = np.empty(Y.shape)
        for k in range(PARTS):
            seen, hidden = np.flatnonzero(part != k), part == k
            weights, _ = self._solve(V[rows[seen]], Y[seen], len(V))
            z = _weighted_means(S[hidden], V @ weights.T)
            known = np.maximum(np.sum(~np.isnan(Y[seen]), axis=0), 1)
            scores[hidden] = _label_scale(np.nansum(Y[seen], axis=0) / known, z)
        return scores

    def _label_scale(self, z: np.ndarray) -> np.ndarray:
        return _label_scale(self._shares, z)

    def _neighbours(self, X: Any) -> Any:
        return self._similarity.neighbours(X, np.arange(len(self._cuts)), self.n_neighbors)

    def _score(self, X: Any) -> np.ndarray:
        z = _weighted_means(self._neighbours(X), self._cuts)
        return self._constants.place(self._label_scale(z))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        precomputed = isinstance(self.similarity, str) and self.similarity == "precomputed"
        tags.input_tags.pairwise = tags.input_tags.positive_only = precomputed
        return tags


def _label_scale(p: np.ndarray, z: np.ndarray) -> np.ndarray:
    """On the scale of a label that a share p of the rows has."""
    return p + np.sqrt(p * (1.0 - p)) * z


def _weighted_means(S: Any, values: np.ndarray) -> np.ndarray:
    """Means of the neighbours' values, by similarity; 0 of a row without neighbours."""
    sums, totals = S @ values, np.asarray(S.sum(axis=1)).reshape(-1, 1)
    return np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
