"""The one convention for unlabelled rows, and what is said when it is not kept."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from partly_labelled import hidden, topics
from sklearn.base import clone

from colabel.semi_supervised import CNMF, SGT, LabelledOnly, SemiSupervisedMLSI
from colabel.semi_supervised.partial_labels import read_partial_labels

X, Y, MASK = topics()
EACH = pytest.mark.parametrize(
    "estimator",
    [CNMF(random_state=0), SGT(10, 10), LabelledOnly(), SemiSupervisedMLSI(3)],
    ids=lambda e: type(e).__name__,
)


def read(Y, labelled=None):
    return read_partial_labels(CNMF(), np.zeros((len(X), 1)), Y, labelled)


def result(model):
    return model.components_ if hasattr(model, "components_") else model.label_scores_


SAYINGS = {
    "rows of -1": (hidden(Y, MASK), None),
    "floats": (hidden(Y, MASK).astype(np.float32), None),
    "int8": (hidden(Y, MASK).astype(np.int8), None),
    "lists": (hidden(Y, MASK).tolist(), None),
    "pandas": (pd.DataFrame(hidden(Y, MASK)), None),
    "polars": (pl.DataFrame(hidden(Y, MASK), schema=list("abcde")), None),
    "mask": (Y, MASK),
    "mask as a list": (Y, MASK.tolist()),
    "mask as a series": (Y, pd.Series(MASK)),
    "mask of bools": (Y.astype(bool), MASK),
    "mask of signs": (2 * Y - 1, MASK),
    "mask and nonsense elsewhere": (np.where(MASK[:, None], Y, np.nan), MASK),
    "mask and rows of -1": (hidden(Y, MASK), MASK),
    "sparse": (sp.csr_array(Y), MASK),
    "csc matrix": (sp.csc_matrix(Y), MASK),
    "sparse with nonsense elsewhere": (sp.csr_array(np.where(MASK[:, None], Y, 7)), MASK),
    "sparse bools": (sp.coo_array(Y.astype(bool)), MASK),
}


@pytest.mark.parametrize("how", SAYINGS)
def test_all_ways_to_say_it_are_the_same(how):
    given, labelled = SAYINGS[how]
    labels = read(given, labelled)
    assert_array_equal(labels.labelled, MASK)
    assert_array_equal(labels.rows, np.flatnonzero(MASK))
    assert_array_equal(labels.matrix, Y[MASK])


@EACH
@pytest.mark.parametrize("how", ["mask", "sparse", "mask of signs", "pandas"])
def test_all_estimators_take_them(estimator, how):
    expected = result(estimator.fit(X, hidden(Y, MASK)))
    given, labelled = SAYINGS[how]
    assert_allclose(result(estimator.fit(X, given, labelled=labelled)), expected)


def test_names_of_columns_are_kept():
    frame = pd.DataFrame(hidden(Y, MASK), columns=["a", "b", "c", "d", "e"])
    assert list(read(frame).known.names) == ["a", "b", "c", "d", "e"]


def test_a_fully_labelled_y_is_fully_labelled():
    for full in (Y, Y.astype(bool), 2 * Y - 1, sp.csr_array(Y)):
        assert read(full).labelled.all()
    assert Y.any(axis=1).all()  # else the rows of −1 in 2Y − 1 would be ambiguous


def test_a_vector_of_classes():
    y = np.where(MASK, np.arange(len(X)) % 3, -1)
    assert_array_equal(read(y).labelled, MASK)
    assert_array_equal(read(y.astype(float)).known.classes, [0, 1, 2])
    assert_array_equal(read(np.arange(len(X)) % 3, MASK).labelled, MASK)


def test_a_vector_of_signs_is_two_classes():
    y = np.where(np.arange(len(X)) % 2, 1, -1)
    labels = read(y)
    assert labels.labelled.all()
    assert_array_equal(labels.known.classes, [-1, 1])


def test_words_may_be_classes():
    y = np.array(["cat", "dog", "emu"])[np.arange(len(X)) % 3]
    assert read(y).labelled.all()
    assert_array_equal(read(y, MASK).labelled, MASK)


mixed = hidden(Y, MASK)
mixed[np.flatnonzero(MASK)[3], 2] = -1
no_labels = 2 * Y - 1
no_labels[4] = -1
BAD = {
    "a mixed row": (mixed, None, rf"row {np.flatnonzero(MASK)[3]} of Y has −1 beside.*as a whole"),
    "no labelled row": (np.full_like(Y, -1), None, "none of the 60 rows is labelled"),
    "no labelled row by mask": (Y, np.zeros(60, bool), "none of the 60 rows is labelled"),
    "no labelled class": (np.full(60, -1), None, "none of the 60 rows is labelled"),
    "a row of signs without labels": (no_labels, None, "only −1 and 1, and 1 of its 60.*labelled="),
    "one column of signs": (2 * Y[:, :1] - 1, None, "only −1 and 1.*labelled="),
    "-1 in a sparse matrix": (sp.csr_array(hidden(Y, MASK)), None, "sparse Y cannot.*labelled="),
    "row numbers": (Y, np.flatnonzero(MASK), r"boolean mask.*60 rows; got int64.*np.isin"),
    "a short mask": (Y, MASK[:-1], r"boolean mask.*got bool of shape \(59,\)"),
    "a mask of ints": (Y, MASK.astype(int), "boolean mask.*got int64"),
    "a short Y": (Y[:-1], None, "inconsistent numbers of samples"),
    "a missing Y": (None, None, "requires y to be passed"),
    "-1 in a labelled row": (hidden(Y, MASK), ~MASK | (np.arange(60) == MASK.argmax()), "found -1"),
    "ragged": ([[1, 0]] * 3 + [[1]] * 57, None, "MultiLabelBinarizer"),
    "strings": (np.where(Y, "yes", "no"), None, "MultiLabelBinarizer"),
    "three": (np.where(MASK[:, None], 3 * Y, -1), None, "found 3"),
}


@EACH
@pytest.mark.parametrize("bad", BAD)
def test_what_is_refused(estimator, bad):
    given, labelled, message = BAD[bad]
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, given, labelled=labelled)


@EACH
def test_labels_without_a_labelled_positive_are_named_once(estimator):
    frame = pd.DataFrame(Y, columns=list("abcde")).assign(never=0)
    frame.loc[~MASK, "never"] = 1  # nobody is told
    with pytest.warns(UserWarning, match="1 of 6 labels .* never") as record:
        model = estimator.fit(X, frame, labelled=MASK)
    assert len(record) == 1
    assert list(model.label_names_) == [*"abcde", "never"]
    if hasattr(model, "predict"):
        assert not model.predict(X)[:, 5].any()
        assert not model.transduction_[:, 5].any()
        assert np.all(model.rank_labels()[~MASK, -1] == 5)


@EACH
def test_values_of_unlabelled_rows_are_not_looked_at(estimator):
    other = np.where(MASK[:, None], Y, 1 - Y)
    expected = result(estimator.fit(X, Y, labelled=MASK)).copy()
    assert_allclose(result(estimator.fit(X, other, labelled=MASK)), expected, rtol=1e-10)


@EACH
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_array])
def test_what_is_observed_can_be_said_beside_a_sparse_y(estimator, form):
    known = MASK[:, None] & (np.random.default_rng(0).random(Y.shape) > 0.2)
    expected = clone(estimator).fit(X, np.where(known, Y, np.nan))
    for labelled in (None, MASK):
        found = clone(estimator).fit(X, sp.csr_array(Y), labelled, observed=form(known))
        assert_allclose(result(found), result(expected))
    with pytest.raises(ValueError, match="observed= must be a boolean mask of the shape of y"):
        clone(estimator).fit(X, sp.csr_array(Y), observed=MASK)
