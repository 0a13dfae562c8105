"""Measures of scores: rankings of labels, the top k, curves of a label, probabilities."""

import numpy as np
import plain_measures as plain
import pytest
import scipy.sparse as sp
import sklearn.metrics as sk
from label_problems import FORMS, problem

from colabel import metrics as m
from colabel.metrics import _ranked, _truth

LOSSES = {
    "one_error": lambda y, r: plain.one_error(y, r),
    "is_error": lambda y, r: float(plain.misordered(y, r) > 0),
    "error_set_size": lambda y, r: plain.misordered(y, r),
    "coverage": lambda y, r: max((r[j] - 1 for j in range(len(y)) if y[j]), default=0),
}
RANKINGS = [*LOSSES, "ranking_loss", "average_precision"]
PLAIN_TIES = {"sklearn": "worst", "mulan": "last"}


def ranked(Y, scores, ties):
    return [
        (list(y), plain.ranks(list(s), PLAIN_TIES[ties])) for y, s in zip(Y, scores, strict=True)
    ]


@pytest.mark.parametrize("ties", PLAIN_TIES)
@pytest.mark.parametrize("name", LOSSES)
def test_losses_of_rankings_equal_the_plain_formula(name, ties):
    for seed in range(3):
        Y, _, scores = problem(seed, n=20)
        for truth in (Y, 1 - Y):
            expected = plain.mean(LOSSES[name](y, r) for y, r in ranked(truth, scores, ties))
            assert getattr(m, name)(truth, scores, ties=ties) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("ties", PLAIN_TIES)
@pytest.mark.parametrize(("empty", "value"), [(0, 0.0), (1, 1.0), ("skip", None)])
@pytest.mark.parametrize("opposite", [False, True])
def test_ratios_of_rankings_equal_the_plain_formula(ties, empty, value, opposite):
    Y, _, scores = problem(n=20)
    Y = 1 - Y if opposite else Y
    rows = ranked(Y, scores, ties)
    pairs = [sum(y) * (len(y) - sum(y)) for y, _ in rows]
    loss = [
        plain.misordered(y, r) / size if size else value
        for (y, r), size in zip(rows, pairs, strict=True)
    ]
    precision = [plain.mean(plain.precisions(y, r)) if any(y) else value for y, r in rows]
    errors = [plain.one_error(y, r) if any(y) else value for y, r in rows]
    options = {"ties": ties, "empty": empty}
    assert m.ranking_loss(Y, scores, **options) == pytest.approx(plain.mean(loss), rel=1e-12)
    assert m.average_precision(Y, scores, **options) == pytest.approx(
        plain.mean(precision), rel=1e-12
    )
    assert m.one_error(Y, scores, **options) == pytest.approx(plain.mean(errors), rel=1e-12)


@pytest.mark.parametrize("tied", [True, False])
def test_rankings_equal_sklearn(tied):
    for seed in range(5):
        Y, _, scores = problem(seed, tied=tied)
        pairs = [
            (m.ranking_loss(Y, scores), sk.label_ranking_loss(Y, scores)),
            (m.average_precision(Y, scores), sk.label_ranking_average_precision_score(Y, scores)),
            (m.coverage(Y, scores, first=1), sk.coverage_error(Y, scores)),
        ]
        np.testing.assert_allclose(*np.transpose(pairs), rtol=1e-12)


@pytest.mark.parametrize("name", RANKINGS)
def test_conventions_differ_only_by_ties(name):
    measure = getattr(m, name)
    Y, _, tied = problem()
    Y, _, free = problem(tied=False)
    assert measure(Y, free, ties="sklearn") == measure(Y, free, ties="mulan")
    assert measure(Y, tied, ties="sklearn") != measure(Y, tied, ties="mulan")
    assert measure(Y, np.exp(tied)) == measure(Y, tied)


def test_constant_scores():
    Y, scores = np.array([[1, 0, 0], [0, 0, 1]]), np.zeros((2, 3))
    assert m.ranking_loss(Y, scores) == m.one_error(Y, scores) == 1
    assert m.coverage(Y, scores) == 2
    assert m.average_precision(Y, scores) == pytest.approx(1 / 3)
    assert m.one_error(Y, scores, ties="mulan") == 0.5  # the last label leads
    assert m.coverage(Y, scores, ties="mulan") == 1
    assert m.roc_auc(Y[:, [0, 2]], scores[:, :2]) == 0.5


def test_rankings_of_rows_without_labels_or_with_all():
    Y, scores = np.array([[0, 0], [1, 1]]), np.array([[0.1, 0.2], [0.2, 0.1]])
    assert m.ranking_loss(Y, scores) == m.error_set_size(Y, scores) == m.is_error(Y, scores) == 0
    assert m.coverage(Y, scores) == 0.5
    assert m.coverage(Y, scores, first=1) == 1
    assert m.average_precision(Y, scores) == 1
    assert m.one_error(Y, scores) == 0.5
    with pytest.raises(ValueError, match=r"leaves out all 2 ratios"):
        m.ranking_loss(Y, scores, empty="skip")


@pytest.mark.parametrize("name", RANKINGS)
def test_one_label_or_one_instance(name):
    measure = getattr(m, name)
    assert measure([[1]], [[-3.0]]) == (1 if name == "average_precision" else 0)
    assert measure([[1, 0]], [[0.2, 0.1]]) == (1 if name == "average_precision" else 0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", [*RANKINGS, "f1_at", "roc_auc", "mean_average_precision"])
def test_every_form_of_labels_and_scores_gives_the_same(name, form):
    Y, _, scores = problem()
    measure = getattr(m, name)
    np.testing.assert_array_equal(measure(FORMS[form](Y), scores), measure(Y, scores))
    if form in ("lists", "pandas", "polars"):
        np.testing.assert_array_equal(measure(Y, FORMS[form](scores)), measure(Y, scores))
    np.testing.assert_array_equal(measure(Y, scores.astype(np.float32)), measure(Y, scores))
    np.testing.assert_array_equal(measure(Y, (4 * scores).astype(int)), measure(Y, scores))


@pytest.mark.parametrize("name", [*RANKINGS, "recall_at", "roc_auc", "mean_average_precision"])
@pytest.mark.parametrize("labels", [np.asarray, sp.csr_array])
def test_blocks_do_not_change_the_result(name, labels, monkeypatch):
    Y, _, scores = problem()
    whole = getattr(m, name)(labels(Y), scores)
    monkeypatch.setattr(_ranked, "BLOCK", 20)
    assert len(list(_ranked.blocks(_truth.Truth(Y), scores))) == 20
    np.testing.assert_allclose(getattr(m, name)(labels(Y), scores), whole, rtol=1e-13)


def test_top_k_equals_the_plain_count():
    Y, _, scores = problem()
    n, q = Y.shape
    for k in range(1, q + 1):
        found = 0
        for y, r in ranked(Y, scores, "mulan"):
            found += sum(y[j] for j in range(q) if r[j] <= k)
        precision, recall = found / (n * k), found / Y.sum()
        assert m.precision_at(Y, scores, k) == pytest.approx(precision, rel=1e-13)
        assert m.recall_at(Y, scores, k) == pytest.approx(recall, rel=1e-13)
        harmonic = 2 * precision * recall / (precision + recall)
        assert m.f1_at(Y, scores, k) == pytest.approx(harmonic, rel=1e-13)
        assert isinstance(m.f1_at(Y, scores, k), float)


def test_top_k_is_the_micro_measure_of_the_top_sets():
    Y, _, scores = problem(tied=False)
    order = np.argsort(-scores, axis=1)
    for k in (1, 3):
        top = np.zeros_like(Y)
        np.put_along_axis(top, order[:, :k], 1, axis=1)
        assert m.f1_at(Y, scores, k) == sk.f1_score(Y, top, average="micro")


def test_top_k_of_several_ranks():
    Y, _, scores = problem()
    for measure in (m.precision_at, m.recall_at, m.f1_at):
        every = measure(Y, scores)
        assert every.shape == (Y.shape[1],)
        np.testing.assert_array_equal(measure(Y, scores, [3, 1]), every[[2, 0]])
    assert m.recall_at(Y, scores)[-1] == 1
    assert m.precision_at(Y, scores)[-1] == Y.mean()


@pytest.mark.parametrize("k", [0, 8, -1, 2.0, [1, 9], [], "3", True])
def test_top_k_refuses_ranks_that_are_not_there(k):
    Y, _, scores = problem()
    with pytest.raises(ValueError, match=r"k must be a whole number from 1 to .*, 7, .*got"):
        m.precision_at(Y, scores, k)


def test_recall_at_without_positives():
    with pytest.raises(ValueError, match=r"no positive in 3 rows"):
        m.recall_at(np.zeros((3, 2)), np.ones((3, 2)))


@pytest.mark.parametrize("tied", [True, False])
def test_auc_equals_sklearn_and_the_plain_count(tied):
    for seed in range(3):
        Y, _, scores = problem(seed, tied=tied)
        keep = m.scorable_labels(Y)
        assert keep.tolist() == [True, True, False, True, True, True, True]
        plain_values = [plain.auc(Y[:, j], scores[:, j]) for j in np.flatnonzero(keep)]
        np.testing.assert_allclose(
            m.roc_auc(Y, scores, average=None)[keep], plain_values, rtol=1e-13
        )
        theirs = sk.roc_auc_score(Y[:, keep], scores[:, keep], average="macro")
        assert m.roc_auc(Y, scores) == pytest.approx(theirs, rel=1e-13)
        micro = sk.roc_auc_score(Y, scores, average="micro")
        assert m.roc_auc(Y, scores, average="micro") == pytest.approx(micro, rel=1e-13)
        assert m.roc_auc(sp.csr_array(Y), scores, average="micro") == pytest.approx(micro)


def test_labels_of_one_class_are_left_out_and_counted():
    Y, _, scores = problem()
    Y = np.column_stack([Y, np.ones(len(Y), dtype=int)])
    scores = np.column_stack([scores, scores[:, 0]])
    assert (~m.scorable_labels(sp.csr_array(Y))).sum() == 2
    for measure in (m.roc_auc, m.mean_average_precision):
        values = measure(Y, scores, average=None)
        assert np.flatnonzero(np.isnan(values)).tolist() == [2, 7]
        assert measure(Y, scores) == np.nanmean(values)
        with pytest.raises(ValueError, match=r"none of the 2 labels .* in its 40 rows"):
            measure(Y[:, [2, 7]], scores[:, [2, 7]])
    with pytest.raises(
        ValueError, match=r"none of the 2 labels of y_true has both classes in its 3 rows"
    ):
        m.roc_auc(np.zeros((3, 2)), np.ones((3, 2)), average="micro")


def test_mean_average_precision_equals_sklearn():
    for seed in range(3):
        Y, _, scores = problem(seed)
        keep = m.scorable_labels(Y)
        theirs = sk.average_precision_score(Y[:, keep], scores[:, keep], average=None)
        ours = m.mean_average_precision(Y, scores, average=None)[keep]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
        geometric = m.mean_average_precision(Y, scores, average="geometric")
        assert geometric == pytest.approx(np.prod(theirs) ** (1 / len(theirs)), rel=1e-12)


@pytest.mark.parametrize("levels", [None, 2, 10, 11])
@pytest.mark.parametrize(("ties", "plain_ties"), [("sklearn", "worst"), ("mulan", "first")])
def test_mean_average_precision_equals_the_plain_formula(levels, ties, plain_ties):
    Y, _, scores = problem()
    expected = []
    for j in np.flatnonzero(m.scorable_labels(Y)):
        y, r = Y[:, j].tolist(), plain.ranks(scores[:, j].tolist(), plain_ties)
        full = levels is None
        expected.append(
            plain.mean(plain.precisions(y, r)) if full else plain.interpolated(y, r, levels)
        )
    ours = m.mean_average_precision(Y, scores, recall_levels=levels, ties=ties)
    assert ours == pytest.approx(plain.mean(expected), rel=1e-12)


@pytest.mark.parametrize("levels", [1, 0, 2.5, "11"])
def test_recall_levels_must_be_whole(levels):
    Y, _, scores = problem()
    with pytest.raises(ValueError, match=r"recall_levels must be a whole number of at least 2"):
        m.mean_average_precision(Y, scores, recall_levels=levels)


def test_log_loss_equals_the_plain_formula_and_a_sum_of_sklearns():
    Y, _, scores = problem()
    p = np.clip(scores - 0.25, 0, 1)
    assert {0.0, 1.0} <= set(p.ravel())
    assert m.log_loss(Y, p) == pytest.approx(plain.log_loss(Y, p, 1e-8), rel=1e-12)
    assert m.log_loss(sp.csr_array(Y), p, eps=0.1) == pytest.approx(plain.log_loss(Y, p, 0.1))
    assert m.log_loss(Y, p.astype(np.float32)) == pytest.approx(m.log_loss(Y, p), rel=1e-6)
    inner = np.clip(p, 0.01, 0.99)
    by_label = [sk.log_loss(y, s, labels=[0, 1]) for y, s in zip(Y.T, inner.T, strict=True)]
    assert m.log_loss(Y, inner) == pytest.approx(sum(by_label), rel=1e-12)


def test_log_loss_refuses_what_is_no_probability():
    with pytest.raises(ValueError, match=r"in \[0, 1\]; got values from -0.5 to 2. Calibrate"):
        m.log_loss([[1, 0]], [[-0.5, 2.0]])
    with pytest.raises(ValueError, match=r"eps must lie in \(0, 0.5\); got 0"):
        m.log_loss([[1, 0]], [[0.5, 0.5]], eps=0)


@pytest.mark.parametrize("option", ["ties", "empty"])
def test_unknown_options_name_the_choices(option):
    Y, _, scores = problem()
    with pytest.raises(ValueError, match=rf"{option} must be one of .*; got 'best'"):
        m.ranking_loss(Y, scores, **{option: "best"})
    with pytest.raises(ValueError, match=r"first must be one of 0, 1; got 2"):
        m.coverage(Y, scores, first=2)
