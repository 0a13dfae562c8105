"""Rows that count differently, and entries that nobody knows, in every measure."""

from functools import partial

import numpy as np
import pandas as pd
import plain_measures as plain
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from label_problems import problem
from sklearn import config_context
from sklearn.model_selection import KFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

from colabel import metrics as m

SETS = {"accuracy": m.accuracy, "precision": m.precision, "recall": m.recall, "f1": m.f1}
SETS |= {"specificity": m.specificity, "f2": partial(m.fbeta, beta=2.0)}
EMPTY = (0, 1, "skip", "mulan")
AVERAGES = ("samples", "macro", "weighted", "micro", None)
LEVELS = (None, 11)

OF_SETS = {
    "hamming_loss": m.hamming_loss,
    "subset_accuracy": m.subset_accuracy,
    **{
        f"{name} {average} {empty}": partial(measure, average=average, empty=empty)
        for name, measure in SETS.items()
        for average in AVERAGES
        for empty in EMPTY
    },
}
OF_SCORES = {
    **{
        f"{measure.__name__} {ties}": partial(measure, ties=ties)
        for measure in (m.is_error, m.error_set_size, m.coverage)
        for ties in ("sklearn", "mulan")
    },
    **{
        f"{measure.__name__} {ties} {empty}": partial(measure, ties=ties, empty=empty)
        for measure in (m.one_error, m.ranking_loss, m.average_precision)
        for ties in ("sklearn", "mulan")
        for empty in EMPTY[:3]
    },
    **{measure.__name__: measure for measure in (m.precision_at, m.recall_at, m.f1_at, m.log_loss)},
    **{
        f"{measure.__name__} of samples": partial(measure, average="samples")
        for measure in (m.precision_at, m.recall_at, m.f1_at)
    },
    **{
        f"auc {average} {empty}": partial(m.roc_auc, average=average, empty=empty)
        for average in ("macro", "weighted", "micro", None)
        for empty in ("skip", "sklearn")
    },
    **{
        f"map {average} {levels} {ties} {empty}": partial(
            m.mean_average_precision, average=average, recall_levels=levels, ties=ties, empty=empty
        )
        for average in ("macro", "weighted", "geometric", None)
        for levels in LEVELS
        for ties in ("sklearn", "mulan")
        for empty in ("skip", "sklearn")
    },
}
MEASURES = OF_SETS | OF_SCORES


@st.composite
def problems(draw, unknown=False):
    """Y, weights, sets and scores in [0, 1] with many ties."""
    shape = draw(st.tuples(st.integers(1, 7), st.integers(1, 4)))
    Y = draw(arrays(float, shape, elements=st.sampled_from([0.0, 1.0] + [np.nan] * unknown)))
    weights = draw(arrays(int, shape[:1], elements=st.integers(0, 3)))
    scores = draw(arrays(float, shape, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])))
    return Y, weights, (scores > 0.3).astype(int), scores


def value_of(measure, *args, **options):
    """What it gives, or that it refuses."""
    try:
        return np.asarray(measure(*args, **options))
    except ValueError:
        return "refused"


def assert_same(found, expected):
    if isinstance(expected, str) or isinstance(found, str):
        assert isinstance(expected, str), (found, expected)
        assert isinstance(found, str), (found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("name", MEASURES)
@settings(max_examples=25)
@given(given_=problems(unknown=True))
def test_whole_weights_are_repeated_rows(name, given_):
    Y, weights, sets, scores = given_
    other = sets if name in OF_SETS else scores
    repeated = np.repeat(np.arange(len(Y)), weights)
    # 0 rows are refused, and so are weights that are all 0
    expected = value_of(MEASURES[name], Y[repeated], other[repeated])
    assert_same(value_of(MEASURES[name], Y, other, sample_weight=weights), expected)


@pytest.mark.parametrize("name", [name for name in MEASURES if "mulan" not in name])
def test_the_scale_of_weights_does_not_matter(name):
    Y, sets, scores = problem()
    weights = np.random.default_rng(1).uniform(0.1, 3, size=len(Y))
    other = sets if name in OF_SETS else scores / 2
    values = [MEASURES[name](Y, other, sample_weight=c * weights) for c in (1.0, 0.37)]
    np.testing.assert_allclose(*values, rtol=1e-11)
    if "geometric" not in name:  # which is 0 where one is
        assert not np.array_equal(values[0], MEASURES[name](Y, other))


def known(Y, other):
    """Of each row, the pairs of truth and prediction that are known."""
    return [
        [(int(y), p) for y, p in zip(*pair, strict=True) if not np.isnan(y)]
        for pair in zip(Y, other, strict=True)
    ]


def plain_sets(name, average, empty, Y, P):
    lines = known(Y, P) if average == "samples" else known(Y.T, P.T)
    if average == "micro":
        lines = [[pair for line in lines for pair in line]]
    weights = [sum(y for y, _ in line) for line in lines]
    values = [
        plain.ratio(name, *zip(*line, strict=True), empty) if line else None for line in lines
    ]
    if average is None:
        return [np.nan if value is None else value for value in values]
    kept = [i for i, value in enumerate(values) if value is not None]
    if average == "weighted" and any(weights[i] for i in kept):
        total = sum(weights[i] for i in kept)
        return sum(weights[i] * values[i] for i in kept) / total
    return plain.mean(values)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", SETS)
@settings(max_examples=25)
@given(given_=problems(unknown=True))
def test_sets_count_known_entries_only(name, average, given_):
    Y, _, sets, _ = given_
    for empty in EMPTY:
        try:
            expected = plain_sets(name, average, empty, Y, sets)
        except ZeroDivisionError:
            expected = "refused"
        if np.isnan(Y).all():
            expected = "refused"
        found = value_of(SETS[name], Y, sets, average=average, empty=empty)
        assert_same(found, expected)
        for form in (sp.csr_array(Y), pd.DataFrame(Y)):
            assert_same(value_of(SETS[name], form, sets, average=average, empty=empty), found)
        sparse = sp.csr_array(sets)
        assert_same(value_of(SETS[name], Y, sparse, average=average, empty=empty), found)


@given(given_=problems(unknown=True))
def test_losses_of_sets_count_known_entries_only(given_):
    Y, _, sets, _ = given_
    rows = [row for row in known(Y, sets) if row]
    if not rows:
        return
    flat = [y != p for row in rows for y, p in row]
    assert m.hamming_loss(Y, sets) == pytest.approx(sum(flat) / len(flat), rel=1e-13)
    right = [all(y == p for y, p in row) for row in rows]
    assert m.subset_accuracy(Y, sets) == pytest.approx(sum(right) / len(right), rel=1e-13)


def coverage(y, r):
    return max((rank - 1 for label, rank in zip(y, r, strict=True) if label), default=0)


def ratio_of_ranks(name, y, r):
    pairs = sum(y) * (len(y) - sum(y))
    if name == "ranking_loss":
        return plain.misordered(y, r) / pairs if pairs else None
    if not any(y):
        return None
    return plain.one_error(y, r) if name == "one_error" else plain.mean(plain.precisions(y, r))


@pytest.mark.parametrize("ties", ["sklearn", "mulan"])
@given(given_=problems(unknown=True))
def test_rankings_are_of_known_labels_only(ties, given_):
    Y, _, _, scores = given_
    rows = [tuple(zip(*row, strict=True)) for row in known(Y, scores) if row]
    if not rows:
        return
    ranked = [(y, plain.ranks(s, {"sklearn": "worst", "mulan": "last"}[ties])) for y, s in rows]
    wrong = [plain.misordered(y, r) for y, r in ranked]
    assert m.error_set_size(Y, scores, ties=ties) == pytest.approx(plain.mean(wrong), rel=1e-12)
    assert m.is_error(Y, scores, ties=ties) == pytest.approx(plain.mean(w > 0 for w in wrong))
    depth = plain.mean(coverage(y, r) for y, r in ranked)
    assert m.coverage(Y, scores, ties=ties) == pytest.approx(depth, rel=1e-12)
    for name in ("ranking_loss", "one_error", "average_precision"):
        values = [ratio_of_ranks(name, y, r) for y, r in ranked]
        for empty in (0, 1):
            expected = plain.mean(empty if value is None else value for value in values)
            found = getattr(m, name)(Y, scores, ties=ties, empty=empty)
            assert found == pytest.approx(expected, rel=1e-12)


@given(given_=problems(unknown=True))
def test_the_top_k_are_of_known_labels_only(given_):
    Y, _, _, scores = given_
    rows = [tuple(zip(*row, strict=True)) for row in known(Y, scores) if row]
    if not any(any(y) for y, _ in rows):
        return
    for k in range(1, Y.shape[1] + 1):
        found = sum(y[j] for y, s in rows for j, r in enumerate(plain.ranks(s, "last")) if r <= k)
        size = sum(min(k, len(y)) for y, _ in rows)
        true = sum(sum(y) for y, _ in rows)
        assert m.precision_at(Y, scores, k) == pytest.approx(found / size, rel=1e-13)
        assert m.recall_at(Y, scores, k) == pytest.approx(found / true, rel=1e-13)
        assert m.f1_at(Y, scores, k) == pytest.approx(2 * found / (size + true), rel=1e-13)


@given(given_=problems(unknown=True))
def test_the_top_k_of_each_instance(given_):
    """As Liu et al. (2006) say it: computed for each document, and averaged over them."""
    Y, _, _, scores = given_
    rows = [tuple(zip(*row, strict=True)) for row in known(Y, scores) if row]
    if not any(any(y) for y, _ in rows):
        return
    for k in range(1, Y.shape[1] + 1):
        hits = [sum(y[j] for j, r in enumerate(plain.ranks(s, "last")) if r <= k) for y, s in rows]
        parts = [(hit, min(k, len(y)), sum(y)) for hit, (y, _) in zip(hits, rows, strict=True)]
        precision = plain.mean(hit / size for hit, size, _ in parts)
        recall = plain.mean(hit / true for hit, _, true in parts if true)
        f1 = plain.mean(2 * hit / (size + true) for hit, size, true in parts)
        for measure, expected in (
            (m.precision_at, precision),
            (m.recall_at, recall),
            (m.f1_at, f1),
        ):
            assert measure(Y, scores, k, average="samples") == pytest.approx(expected, rel=1e-12)


def plain_precision(y, s, levels, ties):
    r = plain.ranks(s, "worst" if ties == "sklearn" else "first")
    return plain.interpolated(y, r, levels) if levels else plain.mean(plain.precisions(y, r))


@given(given_=problems(unknown=True))
def test_curves_are_of_known_rows_only(given_):
    Y, _, _, scores = given_
    columns = [tuple(zip(*column, strict=True)) for column in known(Y.T, scores.T)]
    varies = [bool(column) and 0 < sum(column[0]) < len(column[0]) for column in columns]
    if np.isnan(Y).all():
        return
    assert m.scorable_labels(Y).tolist() == varies
    aucs = [plain.auc(*c) if v else np.nan for c, v in zip(columns, varies, strict=True)]
    assert_same(m.roc_auc(Y, scores, average=None), aucs)
    if any(varies):
        assert m.roc_auc(Y, scores) == pytest.approx(np.nanmean(aucs), rel=1e-12)
    flat = tuple(zip(*(pair for row in known(Y, scores) for pair in row), strict=True))
    if 0 < sum(flat[0]) < len(flat[0]):
        assert m.roc_auc(Y, scores, average="micro") == pytest.approx(plain.auc(*flat), rel=1e-12)
    for levels in LEVELS:
        for ties in ("sklearn", "mulan"):
            values = [
                plain_precision(*c, levels, ties) if v else np.nan
                for c, v in zip(columns, varies, strict=True)
            ]
            options = {"average": None, "recall_levels": levels, "ties": ties}
            assert_same(m.mean_average_precision(Y, scores, **options), values)


@given(given_=problems(unknown=True))
def test_log_loss_is_of_known_entries_only(given_):
    Y, _, _, scores = given_
    rows = [tuple(zip(*row, strict=True)) for row in known(Y, scores) if row]
    if rows:
        expected = plain.log_loss(*zip(*rows, strict=True), 1e-8)
        assert m.log_loss(Y, scores) == pytest.approx(expected, rel=1e-12)


def test_weights_equal_those_of_sklearn():
    Y, sets, scores = problem()
    w = np.random.default_rng(0).uniform(size=len(Y))
    for average in AVERAGES:
        options = {"average": average, "sample_weight": w}
        theirs = sk.fbeta_score(Y, sets, beta=0.5, zero_division=0, **options)
        np.testing.assert_allclose(m.fbeta(Y, sets, beta=0.5, **options), theirs, rtol=1e-12)
        theirs = sk.precision_score(Y, sets, zero_division=0, labels=[4, 1], **options)
        ours = m.precision(Y, sets, labels=[4, 1], **options)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    pairs = [
        (ours(Y, other, sample_weight=w), theirs(Y, other, sample_weight=w))
        for ours, theirs, other in (
            (m.hamming_loss, sk.hamming_loss, sets),
            (m.subset_accuracy, sk.accuracy_score, sets),
            (m.ranking_loss, sk.label_ranking_loss, scores),
            (partial(m.coverage, first=1), sk.coverage_error, scores),
        )
    ]
    keep = m.scorable_labels(Y)
    for average in ("macro", "weighted", "micro"):
        options = {"average": average, "sample_weight": w}
        theirs = sk.roc_auc_score(Y[:, keep], scores[:, keep], **options)
        pairs.append((m.roc_auc(Y, scores, labels=np.flatnonzero(keep), **options), theirs))
        if average != "micro":
            theirs = sk.average_precision_score(Y[:, keep], scores[:, keep], **options)
            pairs.append((m.mean_average_precision(Y, scores, **options), theirs))
    np.testing.assert_allclose(*np.transpose(pairs), rtol=1e-12)


def test_labels_by_number_and_by_name():
    Y, sets, scores = problem()
    frame = pd.DataFrame(Y, columns=list("abcdefg"))
    for measure, other in ((m.f1, sets), (m.roc_auc, scores), (m.mean_average_precision, scores)):
        part = measure(Y[:, [3, 0]], other[:, [3, 0]], average=None)
        np.testing.assert_array_equal(measure(Y, other, labels=[3, 0], average=None), part)
        named = measure(frame, other, labels=["d", "a"], average=None)
        np.testing.assert_array_equal(named, part)


@pytest.mark.parametrize("labels", [[7], ["h"], [0, 0], [], [True], [-1], [0.0]])
def test_labels_that_are_not_there(labels):
    Y, sets, _ = problem()
    with pytest.raises(ValueError, match=r"labels (holds|must name)"):
        m.f1(Y, sets, labels=labels)


@pytest.mark.parametrize(
    "weights", [[1.0], np.ones((40, 1)), [-1.0] * 40, [np.nan] * 40, [0] * 40, ["a"] * 40]
)
def test_weights_that_are_none(weights):
    Y, sets, scores = problem()
    for measure, other in ((m.f1, sets), (m.coverage, scores)):
        with pytest.raises(ValueError, match="sample_weight must hold"):
            measure(Y, other, sample_weight=weights)


def test_every_way_to_say_unknown():
    Y = np.array([[1, 0, np.nan], [0, np.nan, 1], [np.nan] * 3])
    sets = np.array([[1, 1, 1], [0, 1, 0], [1, 1, 1]])
    expected = m.f1(Y, sets)
    nulls = [[None if np.isnan(y) else int(y) for y in row] for row in Y]
    forms = [
        nulls,
        pd.DataFrame(nulls, dtype="Int64"),
        pd.DataFrame(nulls, dtype="boolean"),
        pd.DataFrame(nulls),
        pl.DataFrame(nulls, schema=["a", "b", "c"], orient="row"),
        sp.coo_array(Y),
        sp.csr_matrix(Y),
        2 * Y - 1,
        sp.csc_array(2 * Y - 1),
    ]
    assert [m.f1(form, sets) for form in forms] == [expected] * len(forms)


def test_nothing_is_changed():
    Y, sets, scores = problem()
    truth, weights = Y.astype(float), np.arange(len(Y), dtype=float)
    truth[1, 2] = np.nan
    sparse = sp.csr_array(truth)
    for form in (truth, sparse):
        m.f1(form, sets, sample_weight=weights)
        m.roc_auc(form, scores, sample_weight=weights)
    np.testing.assert_array_equal(sparse.toarray(), truth)
    assert np.isnan(truth[1, 2])
    assert weights[0] == 0


def test_all_unknown_is_refused():
    Y, sets, _ = problem()
    with pytest.raises(ValueError, match=r"unknown \(NaN\) in all of its 40 rows"):
        m.f1(np.full(Y.shape, np.nan), sets)


@pytest.mark.parametrize("name", ["f1_macro", "f2", "ranking_loss", "auc_micro"])
def test_scorers_pass_weights_on(name):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), rng.integers(0, 2, size=(60, 4))
    w = rng.integers(0, 4, size=60).astype(float)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    scorer = m.get_scorer(name)
    with config_context(enable_metadata_routing=True):
        tree.set_fit_request(sample_weight=True)
        assert scorer.set_score_request(sample_weight=True) is scorer
        params = {"sample_weight": w}
        found = cross_validate(
            tree, X, Y, scoring=scorer, cv=KFold(3), params=params, return_estimator=True
        )
    for (_, test), model, value in zip(
        KFold(3).split(X), found["estimator"], found["test_score"], strict=True
    ):
        rows = np.repeat(test, w[test].astype(int))
        assert value == pytest.approx(m.get_scorer(name)(model, X[rows], Y[rows]), rel=1e-12)


def test_score_and_metrics_take_weights():
    Y, sets, scores = problem()
    w = np.arange(len(Y)) % 3
    rows = np.repeat(np.arange(len(Y)), w)
    for name, metric in m.METRICS.items():
        found = m.score(name, Y, scores / 2, sets, sample_weight=w)
        other = sets if metric.needs == "labels" else scores / 2
        assert found == pytest.approx(metric(Y[rows], other[rows]), rel=1e-12)


@pytest.mark.parametrize("beta", [0, -1.0, np.inf, np.nan])
def test_beta_is_positive(beta):
    Y, sets, _ = problem()
    with pytest.raises(ValueError, match="beta must be a number > 0; got"):
        m.fbeta(Y, sets, beta=beta)
