"""CSR and CSC matrices that hold an entry in several parts: distances and norms took the parts.

Kernels, neighbour graphs and cosines were wrong at fit and at predict.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier

import colabel
from colabel.datasets.dataset import Dataset
from colabel.preparation import FrequentColumns
from colabel.semi_supervised import CNMF, SGT, LabelledOnly, SemiSupervisedMLSI
from colabel.tuning import OutOfFoldSearch

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(1.0, size=(60, 8)).astype(float)
LABELS = ((COUNTS - COUNTS.mean(axis=0)) @ RNG.normal(size=(8, 4)) > 0).astype(int)


def in_parts(dense, kind=sp.csr_array):
    """Each entry as two numbers that sum to it, in descending order of the columns."""
    whole = kind(dense)
    order = np.concatenate(
        [
            np.repeat(np.arange(a, b)[::-1], 2)
            for a, b in zip(whole.indptr[:-1], whole.indptr[1:], strict=True)
        ]
    )
    shares = np.tile([0.25, 0.75], whole.nnz)
    return kind(
        (whole.data[order] * shares, whole.indices[order], 2 * whole.indptr), shape=whole.shape
    )


@pytest.fixture(params=[sp.csr_array, sp.csc_array, sp.csr_matrix])
def parts(request):
    X = in_parts(COUNTS, request.param)
    assert not X.has_canonical_format  # to be sure
    assert_allclose(X.toarray(), COUNTS)
    return X


CLASSIFIERS = [
    colabel.RankSVM(kernel="rbf"),
    colabel.RankSVM(kernel="laplacian"),
    colabel.RankSVM(),
    SGT(n_neighbors=5),
    SGT(n_neighbors=5, similarity="rbf-knn"),
    CNMF(random_state=0),
    CNMF(similarity="rbf-knn", n_neighbors=5, random_state=0),
    LabelledOnly(KNeighborsClassifier()),
    colabel.ThresholdTuner(KNeighborsClassifier(), cv="train"),
    OutOfFoldSearch(KNeighborsClassifier(), {}, random_state=0),
    colabel.LabelRidge(),
    colabel.SharedSubspaceClassifier(),
    colabel.MtSDA(),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_entries_in_parts_give_the_model_of_their_sums(model, parts):
    whole = sp.csr_array(COUNTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        expected = clone(model).fit(whole, LABELS)
        found = clone(model).fit(parts, LABELS)
    scores = expected.decision_function(whole)
    assert_allclose(found.decision_function(whole), scores, atol=1e-10)
    assert_allclose(expected.decision_function(parts), scores, atol=1e-10)


@pytest.mark.parametrize("extractor", [colabel.OPLS(), colabel.PCA(), SemiSupervisedMLSI(2)])
def test_so_do_extractors_and_parts_of_fits(extractor, parts):
    whole = sp.csr_array(COUNTS)
    expected = clone(extractor).fit(whole, LABELS)
    assert_allclose(clone(extractor).fit(parts, LABELS).transform(parts), expected.transform(whole))
    if hasattr(extractor, "partial_fit"):
        in_steps = clone(extractor).partial_fit(parts, LABELS)
        assert_allclose(in_steps.eigenvalues_, expected.eigenvalues_)


def test_factors_and_row_blocks_are_those_of_the_sums(parts):
    singular = colabel.factor(COUNTS).singular_values
    assert_allclose(colabel.factor(parts).singular_values, singular)
    assert_allclose(colabel.factor(colabel.row_blocks([parts])).singular_values, singular)


def test_precomputed_and_returned_similarities_may_be_in_parts():
    A = COUNTS @ COUNTS.T
    whole, parts = sp.csr_array(A), in_parts(A)
    expected = CNMF(similarity="precomputed", random_state=0).fit(whole, LABELS).label_scores_
    found = CNMF(similarity="precomputed", random_state=0).fit(parts, LABELS).label_scores_
    assert_allclose(found, expected, atol=1e-10)
    made = CNMF(similarity=lambda *_: parts, random_state=0).fit(COUNTS, LABELS).label_scores_
    assert_allclose(made, expected, atol=1e-10)


def test_the_argument_stays_as_it_was(parts):
    before = [part.copy() for part in (parts.data, parts.indices, parts.indptr)]
    model = colabel.RankSVM(kernel="rbf").fit(parts, LABELS)
    model.predict(parts)
    SGT(n_neighbors=5).fit(parts, LABELS).predict(parts)
    colabel.factor(parts)
    FrequentColumns().fit(parts)
    for old, now in zip(before, (parts.data, parts.indices, parts.indptr), strict=True):
        assert_array_equal(now, old)


def test_rows_are_counted_once(parts):
    assert_array_equal(FrequentColumns().fit(parts).counts_, np.count_nonzero(COUNTS, axis=0))
    names = [f"label{i}" for i in range(4)]
    data = Dataset(X=parts, Y=in_parts(LABELS), label_names=np.array(names, dtype=object))
    found = data.describe()
    assert found["density"] == np.count_nonzero(COUNTS) / COUNTS.size
    assert found["cardinality"] == LABELS.sum(axis=1).mean()
    assert found["distinct_label_sets"] == len(np.unique(LABELS, axis=0))
