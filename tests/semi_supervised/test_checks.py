"""Every check that scikit-learn has, none of them expected to fail."""

import checks
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from colabel import LabelRidge
from colabel.semi_supervised import CNMF, SGT, LabelledOnly, SemiSupervisedMLSI

# Without these, scikit-learn skips checks silently.
pytest.importorskip("pandas")
pytest.importorskip("polars")


class RBF:
    """A callable similarity whose name in a test does not hold an address."""

    def __call__(self, X, Z):
        return rbf_kernel(X, Z)

    def __repr__(self):
        return "RBF()"


#: Of rounds that need not go far: what is checked does not depend on how many there are.
FEW_ROUNDS = {"early_stopping": False, "tol": 1e-2}
ESTIMATORS = [
    CNMF(),
    CNMF(similarity="knn", **FEW_ROUNDS),
    CNMF(similarity="rbf-knn", init=LabelRidge(), **FEW_ROUNDS),
    CNMF(similarity="precomputed", **FEW_ROUNDS),
    SGT(),
    SGT(similarity="rbf-knn", spectrum="eigenvalues"),
    SGT(n_neighbors=10, similarity=RBF()),
    LabelledOnly(),
    LabelledOnly(extractor=SemiSupervisedMLSI()),
    SemiSupervisedMLSI(),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    checks.run(estimator, check)
