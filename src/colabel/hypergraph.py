"""The hypergraph method: rows that share labels meet, exactly or by least squares."""

from typing import Annotated

from colabel._documents import Says
from colabel._indicator import LabelMatrix
from colabel.family import LinearExtractor, Ridge, TraceProblem, similarity
from colabel.family.least_squares import solve_least_squares
from colabel.family.problem import Directions
from colabel.family.similarity import EdgeWeights, Laplacian
from colabel.linalg.data import CentredData


class HypergraphSpectral(LinearExtractor):
    """max tr(PᵀX̄ᵀSX̄P) subject to Pᵀ(X̄ᵀX̄ + λI)P = I: embed rows so that those sharing labels meet.

    Instances are the vertices of a hypergraph and each label is a hyperedge; S = I − Laplacian is
    the normalised similarity of the vertices. ``laplacian="cca"`` is :class:`LabelCCA` without
    a label ridge.

    ``approximate=True`` is the least-squares form: W = argmin ‖X̄W − H‖² + λ‖W‖² with H the left
    singular vectors of the centred root of S, ordered by the eigenvalues of S. It replaces the
    singular values by ones, so it is another method, and no faster: the exact one costs the same
    solve (Sun et al. 2008).

    Attributes
    ----------
    similarity_gap_ : float
        With ``approximate=True``, ‖S − HHᵀ‖ for the centred S: 0 where nothing is approximate.
    span_angle_ : float
        With ``approximate=True``, the largest angle between what the directions span and what the
        exact ones do, in radians. It is 0 where all directions are kept.

    Examples
    --------
    >>> from scipy.spatial.distance import cdist
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import HypergraphSpectral
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> Z = HypergraphSpectral(laplacian="zhou").fit(X, Y).transform(X)
    >>> share = Y @ Y.T > 0
    >>> bool(cdist(Z, Z)[share].mean() < cdist(Z, Z)[~share].mean())  # they meet
    True
    """

    laplacian: Laplacian = "clique"
    ridge: Ridge = 0.1
    approximate: Annotated[bool, Says("Whether to fit the least-squares form.")] = False
    edge_weights: EdgeWeights = None

    def problem(self, Y: LabelMatrix) -> TraceProblem:
        S = similarity.hypergraph(Y, self.laplacian, self._of_labels("edge_weights"))
        return TraceProblem(S, similarity.IDENTITY, b=self.ridge)

    def _directions(self, data: CentredData, Y: LabelMatrix) -> Directions:
        if not self.approximate:
            return super()._directions(data, Y)
        found = solve_least_squares(self._task(data, Y), self.solver)
        self.similarity_gap_, self.span_angle_ = found.gap, found.angle
        return found.directions
