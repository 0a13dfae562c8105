"""Statements, advice and lists that were not true.

Labels with one class and scikit-learn's means; how to calibrate; the labels most often together;
names that are offered.
"""

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics as sk
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from colabel import ProbabilityCalibrator
from colabel import metrics as m
from colabel.cli.show.page import page
from colabel.comparison.report.sections import _together
from colabel.comparison.run.insights import cooccurrence
from colabel.datasets.dataset import Dataset

RNG = np.random.default_rng(0)
# no row has label 1, and all have label 4
LABELS = RNG.integers(0, 2, size=(50, 5)) * [1, 0, 1, 1, 1] | [0, 0, 0, 0, 1]
SCORES = RNG.normal(size=(50, 5)).round(1)


@pytest.mark.parametrize("labels", [LABELS, LABELS[:, :2], LABELS[:, 4:], LABELS[:, [0, 2]]])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_mean_average_precision_is_sklearns_where_that_is_asked_for(labels, kind):
    scores = SCORES[:, : labels.shape[1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a label without positives
        each = [sk.average_precision_score(y, s) for y, s in zip(labels.T, scores.T, strict=True)]
    ours = m.mean_average_precision(kind(labels), scores, empty="sklearn")
    assert ours == pytest.approx(np.mean(each), rel=1e-12)
    found = m.mean_average_precision(kind(labels), scores, average=None, empty="sklearn")
    np.testing.assert_allclose(found, each, rtol=1e-12)
    product = m.mean_average_precision(kind(labels), scores, average="geometric", empty="sklearn")
    assert product == pytest.approx(np.prod(each) ** (1 / len(each)), rel=1e-12)


def test_interpolation_counts_labels_of_one_class_alike():
    found = m.mean_average_precision(
        LABELS, SCORES, average=None, recall_levels=11, empty="sklearn"
    )
    assert (found[1], found[4]) == (0.0, 1.0)
    skipped = m.mean_average_precision(LABELS, SCORES, average=None, recall_levels=11)
    np.testing.assert_array_equal(skipped[[0, 2, 3]], found[[0, 2, 3]])
    assert np.isnan(skipped[[1, 4]]).all()


@pytest.mark.parametrize("average", ["macro", "micro", None])
def test_roc_auc_is_sklearns_where_that_is_asked_for(average):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        theirs = sk.roc_auc_score(LABELS, SCORES, average=average)
    ours = m.roc_auc(LABELS, SCORES, average=average, empty="sklearn")
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert np.isnan(m.roc_auc(LABELS[:, 1:2], SCORES[:, 1:2], empty="sklearn"))


@pytest.mark.parametrize("measure", [m.roc_auc, m.mean_average_precision])
def test_other_ways_to_count_are_refused_by_name(measure):
    with pytest.raises(ValueError, match=r"empty must be one of 'skip', 'sklearn'; got 0"):
        measure(LABELS, SCORES, empty=0)


def test_what_the_module_says_of_sklearn_is_true():
    sets = (SCORES > 0).astype(int)
    rows = {"average": "samples", "zero_division": 0}
    for ours, theirs in [
        (m.hamming_loss(LABELS, sets), sk.hamming_loss(LABELS, sets)),
        (m.subset_accuracy(LABELS, sets), sk.accuracy_score(LABELS, sets)),
        (m.accuracy(LABELS, sets), sk.jaccard_score(LABELS, sets, **rows)),
        (m.f1(LABELS, sets), sk.f1_score(LABELS, sets, **rows)),
        (m.precision(LABELS, sets), sk.precision_score(LABELS, sets, **rows)),
        (m.recall(LABELS, sets), sk.recall_score(LABELS, sets, **rows)),
        (m.ranking_loss(LABELS, SCORES), sk.label_ranking_loss(LABELS, SCORES)),
        (m.coverage(LABELS, SCORES, first=1), sk.coverage_error(LABELS, SCORES)),
        (
            m.average_precision(LABELS, SCORES),
            sk.label_ranking_average_precision_score(LABELS, SCORES),
        ),
    ]:
        assert ours == pytest.approx(theirs, rel=1e-12)
    assert "every measure" not in m.__doc__
    for name in ("roc_auc", "mean_average_precision", "coverage", "log_loss"):
        assert f":func:`{name}`" in m.__doc__


def test_the_advice_of_log_loss_can_be_followed():
    with pytest.raises(ValueError, match="Calibrate") as refused:
        m.log_loss(LABELS, SCORES)
    assert "colabel.ProbabilityCalibrator(classifier)" in str(refused.value)
    X, Y = RNG.normal(size=(60, 3)), RNG.integers(0, 2, size=(60, 2))
    model = ProbabilityCalibrator(OneVsRestClassifier(LinearSVC())).fit(X, Y)
    assert m.log_loss(Y, model.predict_proba(X)) > 0


@pytest.mark.parametrize("name", ["f1macro", "f1_marco", "precisionmicro"])
def test_a_name_is_offered_once(name):
    with pytest.raises(ValueError, match="did you mean") as refused:
        m.get_scorer(name)
    offered = re.findall(r"'(\w+)'", str(refused.value).partition(";")[2])
    assert len(offered) == len(set(offered)) > 1


def frequent_alone():
    """Labels a and b are frequent and never together; c, d and e are rarer and often are."""
    Y = np.zeros((30, 5), dtype=int)
    Y[:12, 0] = Y[12:22, 1] = 1
    Y[20:28, 2:4] = 1
    Y[20:27, 4] = 1
    names = np.array(list("abcde"), dtype=object)
    return Dataset(X=np.ones((30, 1)), Y=sp.csr_array(Y), label_names=names, name="few")


def test_labels_most_often_together_are_counted_over_all_labels():
    data = frequent_alone()
    pairs = data.describe(most=2)["co_occurrence"]["pairs"]
    assert [(pair["first"] + pair["second"], pair["rows"]) for pair in pairs] == [
        ("cd", 8),
        ("ce", 7),
        ("de", 7),
        ("bc", 2),
        ("bd", 2),
        ("be", 2),
    ]


def test_pages_and_reports_list_them_in_that_order():
    data = frequent_alone()
    listed = "c with d (8 rows); c with e (7 rows); d with e (7 rows)"
    assert f"Most often together: {listed}" in page(data.describe(most=2))

    found = _together(cooccurrence(data))
    drawn = [(pair["first"] + pair["second"], pair["rows"]) for pair in found.pairs]
    assert drawn[:3] == [("cd", 8), ("ce", 7), ("de", 7)]


def test_no_pairs_where_no_row_has_two_labels():
    Y = sp.csr_array(np.eye(3, dtype=int))
    data = Dataset(X=np.ones((3, 1)), Y=Y, label_names=np.array(list("abc"), dtype=object))
    assert data.describe()["co_occurrence"]["pairs"] == []
