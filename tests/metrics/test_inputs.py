import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from label_problems import problem

from colabel import metrics as m

Y, SETS, SCORES = problem()
OF_SETS = [m.hamming_loss, m.subset_accuracy, m.accuracy, m.precision, m.f1]
OF_SCORES = [m.ranking_loss, m.coverage, m.roc_auc, m.mean_average_precision, m.f1_at, m.log_loss]


@pytest.mark.parametrize("measure", OF_SETS + OF_SCORES)
def test_shapes_that_differ(measure):
    with pytest.raises(ValueError, match=r"y_true has the shape \(40, 7\) and y_\w+ \(40, 6\)"):
        measure(Y, Y[:, :6])
    with pytest.raises(ValueError, match=r"y_true has the shape \(40, 7\) and y_\w+ \(39, 7\)"):
        measure(Y, Y[1:])


@pytest.mark.parametrize("measure", OF_SETS + OF_SCORES)
def test_no_rows(measure):
    with pytest.raises(ValueError, match=r"y_true has 0 rows; .* at least 1"):
        measure(np.zeros((0, 3)), np.zeros((0, 3)))


@pytest.mark.parametrize("measure", OF_SETS + OF_SCORES)
def test_one_class_a_row(measure):
    with pytest.raises(ValueError, match=r"y_true must be an n×q matrix.*y_true.reshape\(-1, 1\)"):
        measure(Y[:, 0], Y[:, 0])


@pytest.mark.parametrize("measure", OF_SCORES)
def test_scores_that_are_no_scores(measure):
    broken = SCORES.copy()
    broken[5, 2] = broken[6, 0] = np.nan
    with pytest.raises(ValueError, match=r"2 NaN of 280 values, the first at row 5, label 2"):
        measure(Y, broken)
    with pytest.raises(ValueError, match=r"must be dense.*y_score.toarray\(\)"):
        measure(Y, sp.csr_array(SCORES))
    with pytest.raises(ValueError, match=r"got \(7, 40, 2\).*np.stack"):
        measure(Y, [np.column_stack([1 - s, s]) for s in SCORES.T])
    with pytest.raises(ValueError, match=r"real numbers; got dtype complex128"):
        measure(Y, SCORES + 1j)
    with pytest.raises(ValueError, match=r"\(40, 7\) and y_score \(280,\)"):
        measure(Y, SCORES.ravel())


@pytest.mark.parametrize("measure", OF_SETS)
def test_scores_in_place_of_sets(measure):
    with pytest.raises(ValueError, match=r"y_pred: Y must hold only 0 and 1.*scores >= 0.5"):
        measure(Y, SCORES + 0.01)


def test_infinite_scores_rank_first_and_last():
    scores = np.array([[np.inf, 0.0, -np.inf], [0.0, 1.0, np.inf]])
    assert m.coverage([[1, 0, 0], [0, 0, 1]], scores) == 0
    assert m.roc_auc([[1, 0, 0], [0, 1, 1]], scores) == 1


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("measure", [m.f1, m.ranking_loss])
def test_columns_in_another_order(measure, frame):
    truth = frame({"a": [1, 0], "b": [0, 1]})
    with pytest.raises(ValueError, match=r"\['a', 'b'\] and y_\w+ the same in another order"):
        measure(truth, frame({"b": [0, 1], "a": [1, 0]}))
    assert measure(truth, frame({"p": [1, 0], "q": [0, 1]})) == measure(truth, truth)


def test_the_inputs_are_not_changed():
    truth, sets, scores = Y.astype(float), sp.csr_array(SETS, dtype=float), SCORES.copy()
    before = truth.copy(), sets.copy(), scores.copy()
    for measure in OF_SETS:
        measure(truth, sets)
    for measure in OF_SCORES[:-1]:
        measure(truth, scores)
    m.log_loss(truth, scores / 2)
    np.testing.assert_array_equal(truth, before[0])
    np.testing.assert_array_equal(sets.toarray(), before[1].toarray())
    np.testing.assert_array_equal(scores, before[2])
