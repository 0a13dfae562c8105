import numpy as np
import plain_measures as plain
import pytest
import scipy.sparse as sp
import sklearn.metrics as sk
from label_problems import FORMS, problem

from colabel import metrics as m

ALL = {
    "accuracy": m.accuracy,
    "precision": m.precision,
    "recall": m.recall,
    "f1": m.f1,
    "specificity": m.specificity,
}
THEIRS = {
    "accuracy": sk.jaccard_score,
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
}
ZERO_DIVISION = {0: 0, 1: 1, "skip": np.nan}


def with_opposite(Y, P):
    """The opposite has a full row and a full label where the problem has empty ones."""
    assert (1 - Y)[0].all()
    assert (1 - Y)[:, 2].all()
    return (Y, P), (1 - Y, 1 - P)


@pytest.mark.parametrize("average", ["samples", "macro", "micro", None])
@pytest.mark.parametrize(
    ("name", "empty"),
    # jaccard_score has no zero_division=nan
    [
        (name, empty)
        for name in THEIRS
        for empty in ZERO_DIVISION
        if (name, empty) != ("accuracy", "skip")
    ],
)
def test_equals_sklearn(name, empty, average):
    for seed in range(3):
        for Y, P in with_opposite(*problem(seed)[:2]):
            ours = ALL[name](Y, P, average=average, empty=empty)
            theirs = THEIRS[name](Y, P, average=average, zero_division=ZERO_DIVISION[empty])
            np.testing.assert_allclose(ours, theirs, rtol=1e-13)


@pytest.mark.parametrize("average", ["samples", "macro", "micro"])
def test_specificity_is_the_recall_of_absent_labels(average):
    Y, P, _ = problem()
    theirs = sk.recall_score(1 - Y, 1 - P, average=average, zero_division=0)
    np.testing.assert_allclose(m.specificity(Y, P, average=average), theirs, rtol=1e-13)


def test_losses_of_whole_sets_equal_sklearn():
    Y, P, _ = problem()
    assert m.hamming_loss(Y, P) == pytest.approx(sk.hamming_loss(Y, P), rel=1e-13)
    assert m.subset_accuracy(Y, P) == pytest.approx(sk.accuracy_score(Y, P), rel=1e-13)
    assert 0 < m.subset_accuracy(Y, P) < 1


@pytest.mark.parametrize("average", ["samples", "macro", "micro"])
@pytest.mark.parametrize("empty", [0, 1, "skip", "mulan"])
@pytest.mark.parametrize("name", ALL)
def test_equals_the_plain_formula(name, empty, average):
    for seed in range(3):
        for Y, P in with_opposite(*problem(seed, n=15)[:2]):
            ours = ALL[name](Y, P, average=average, empty=empty)
            assert ours == pytest.approx(plain.set_measure(name, Y, P, average, empty), rel=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_the_ways_of_counting_an_empty_set_differ(name):
    Y, P, _ = problem()
    if name == "specificity":
        Y, P = 1 - Y, 1 - P
    P[5] = 1 if name == "specificity" else 0
    values = [ALL[name](Y, P, empty=empty) for empty in (0, "skip", 1)]
    assert values == sorted(set(values))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [*ALL, "hamming_loss", "subset_accuracy"])
def test_every_form_of_labels_gives_the_same(name, form):
    Y, P, _ = problem()
    measure = getattr(m, name)
    assert measure(FORMS[form](Y), FORMS[form](P)) == measure(Y, P)
    assert measure(FORMS[form](Y), P) == measure(Y, P)
    assert measure(Y, FORMS[form](P)) == measure(Y, P)


def test_sparse_labels_are_never_made_dense(monkeypatch):
    Y, P, _ = problem()
    expected = {name: ALL[name](Y, P) for name in ALL}
    given = sp.csr_array(Y), sp.csr_array(P)

    def refuse(*args, **kwargs):
        raise AssertionError("a sparse matrix was made dense")

    for kind in (sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array):
        for method in ("toarray", "todense"):
            monkeypatch.setattr(kind, method, refuse)
    with pytest.raises(AssertionError, match="made dense"):
        given[0].toarray()
    assert {name: ALL[name](*given) for name in ALL} == expected
    for average in ("macro", "micro"):
        m.f1(*given, average=average)
    m.hamming_loss(*given)
    m.subset_accuracy(*given)


def test_a_matrix_too_large_to_be_dense():
    n, q = 200_000, 50_000
    rows = np.arange(n)
    Y = sp.csr_array((np.ones(n, dtype=np.int8), (rows, rows % q)), shape=(n, q))
    P = sp.csr_array((np.ones(n, dtype=np.int8), (rows, np.where(rows < n // 2, rows % q, 7))))
    P.resize(n, q)
    right = n // 2 + 2  # rows 100007 and 150007 have label 7
    assert m.precision(Y, P) == right / n
    assert m.f1(Y, P, average="micro") == right / n
    assert m.hamming_loss(Y, P) == pytest.approx(2 * (n - right) / (n * q), rel=1e-13)


def test_counts_do_not_overflow_small_integers():
    Y = np.ones((3, 300), dtype=np.int8)
    P = Y.copy()
    P[:, :30] = 0
    assert m.recall(Y, P) == pytest.approx(0.9, rel=1e-15)
    assert m.recall(sp.csr_array(Y), sp.csr_array(P), average="micro") == pytest.approx(0.9)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (6, 1)])
def test_perfect_and_opposite_predictions(name, shape):
    Y = np.arange(np.prod(shape)).reshape(shape) % 2
    assert ALL[name](Y, Y, average="micro", empty="mulan") == 1
    assert ALL[name](Y, 1 - Y, average="micro", empty="mulan") == 0


def test_nothing_left_after_skipping_is_an_error():
    empty = np.zeros((4, 3))
    with pytest.raises(ValueError, match=r"leaves out all 4 ratios.*pass empty=0"):
        m.precision(empty, empty, empty="skip")
    assert np.isnan(m.precision(empty, empty, average=None, empty="skip")).all()
    assert m.precision(empty, empty) == 0
    assert m.precision(empty, empty, empty="mulan") == 1


def test_unknown_options_name_the_choices():
    Y, P, _ = problem()
    with pytest.raises(ValueError, match=r"empty must be one of 0, 1, 'skip', 'mulan'; got 'zero'"):
        m.f1(Y, P, empty="zero")
    with pytest.raises(ValueError, match=r"average must be one of 'samples'.*got 'total'"):
        m.f1(Y, P, average="total")
