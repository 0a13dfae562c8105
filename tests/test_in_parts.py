"""Fitting in batches, of any sizes and in any order, is fitting on all rows at once."""

import pickle
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import problems
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from methods import CASES
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import colabel
from colabel.linalg import cost
from colabel.linalg.moments import Moments
from colabel.linalg.svd import svd
from colabel.semi_supervised import SemiSupervisedMLSI

X, Y = problems.make("tall")
EIGENPROBLEMS = [case.make() for case in CASES if hasattr(case.make(), "partial_fit")]
EXTRACTORS = [*EIGENPROBLEMS, colabel.HypergraphSpectral(laplacian="cca", approximate=True)]
CLASSIFIERS = [
    colabel.LabelRidge(0.3),
    colabel.LabelRidge(0.0, solver="factor"),
    colabel.SharedSubspaceClassifier(0.5, 0.01, n_components=1),
    colabel.SharedSubspaceClassifier(solver="factor"),
]
ROW_METHODS = [
    colabel.MLDA(),
    colabel.DMLDA(),
    *(colabel.HypergraphSpectral(laplacian=kind) for kind in ("clique", "star", "zhou")),
    SemiSupervisedMLSI(),
    colabel.LabelRidgeCV(),
    colabel.SharedSubspaceClassifierCV(),
]
SOME = [colabel.PCA(), colabel.OPLS(), colabel.MLSI(), *CLASSIFIERS]
each = pytest.mark.parametrize("model", EXTRACTORS + CLASSIFIERS, ids=str)
some = pytest.mark.parametrize("model", SOME, ids=str)
containers = pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])


def in_batches(model, X, Y, cuts=(7, 8, 30, 31), container=np.asarray):
    """A new model, given the rows between the cuts one after the other."""
    model = clone(model)
    edges = [0, *cuts, len(Y)]
    for start, stop in pairwise(edges):
        rows = container(X[start:stop])
        model.partial_fit(rows, Y[start:stop], solve=stop == len(Y))
    return model


def assert_same(one, other, rtol=1e-8):
    """The same solution, every array of it to a share of its largest entry."""
    names = {"components_", "eigenvalues_", "mean_", "coef_", "intercept_", "subspace_"}
    found = names & vars(one).keys()
    assert found
    assert found == names & vars(other).keys()
    for name in found:
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype
        assert_allclose(a, b, rtol=0, atol=rtol * np.abs(b).max(), err_msg=name)


@each
@containers
def test_batches_are_the_whole(model, container):
    assert_same(in_batches(model, X, Y, container=container), clone(model).fit(X, Y))


@pytest.mark.parametrize("model", EXTRACTORS, ids=str)
@pytest.mark.parametrize("n_components", [2, 0.8])
@pytest.mark.parametrize("solver", ["auto", "factor"])
def test_batches_are_the_whole_for_some_directions(model, n_components, solver):
    model = clone(model).set_params(n_components=n_components, solver=solver)
    assert_same(in_batches(model, X, Y), clone(model).fit(X, Y))


@pytest.mark.parametrize("model", EIGENPROBLEMS, ids=str)
def test_batches_are_the_whole_by_lanczos_iteration(model):
    model = clone(model).set_params(n_components=2, solver="truncated", random_state=0)
    assert_same(in_batches(model, X, Y), clone(model).fit(X, Y))


@each
def test_fitted_after_every_batch(model):
    found = clone(model)
    for stop in (20, 40, 60):
        found.partial_fit(X[stop - 20 : stop], Y[stop - 20 : stop])
        assert_same(found, clone(model).fit(X[:stop], Y[:stop]))


def plain_moments(X, Y):
    """By their definitions."""
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    return {
        "n": len(X),
        "mean": X.mean(axis=0),
        "scatter": (len(X) - 1) * np.cov(X.T),
        "cross": Xc.T @ Yc,
        "counts": Y.sum(axis=0),
        "joint": Y.T @ Y,
    }


def assert_moments(found, expected, rtol=1e-11):
    unlabelled = {"n", "mean", "scatter"}
    for name in expected if len(found.counts) else unlabelled:
        value = expected[name]
        got = getattr(found, name)
        got = got.toarray() if sp.issparse(got) else got
        assert_allclose(got, value, rtol=0, atol=rtol * np.max(np.abs(value)), err_msg=name)


WIDE, WIDE_LABELS = problems.sparse_counts("wide")
HOLDERS = {
    "dense": np.asarray,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "float32": lambda X: X.astype(np.float32),
    "factored": colabel.factor,
    "row blocks": lambda X: colabel.row_blocks([X[:5], sp.csr_array(X[5:])]),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_moments_are_those_of_the_definitions(holder):
    rows = HOLDERS[holder](WIDE)
    assert_moments(Moments.of(rows, WIDE_LABELS), plain_moments(WIDE, WIDE_LABELS))
    assert_moments(Moments.of(rows, sp.csr_array(WIDE_LABELS)), plain_moments(WIDE, WIDE_LABELS))
    assert Moments.of(rows).cross.shape == (WIDE.shape[1], 0)


def test_moments_of_rows_kept_in_the_coordinates_of_others():
    some_rows = np.arange(3, 21)
    found = Moments.of(colabel.factor(WIDE)[some_rows], WIDE_LABELS[some_rows])
    assert_moments(found, plain_moments(WIDE[some_rows], WIDE_LABELS[some_rows]), rtol=1e-9)


@given(st.permutations(range(60)), st.sets(st.integers(1, 59), max_size=12))
@settings(max_examples=30)
def test_neither_order_nor_sizes_matter(order, cuts):
    order = np.array(order)
    for model in (colabel.MVMD(), colabel.LabelCCA(), colabel.SharedSubspaceClassifier()):
        found = in_batches(model, X[order], Y[order], sorted(cuts))
        assert_same(found, clone(model).fit(X, Y), rtol=1e-9)
        assert_moments(found.moments_, plain_moments(X, Y))


@some
def test_merging_is_associative_and_commutative(model):
    a, b, c = (in_batches(model, X[i::3], Y[i::3], cuts=(4,)) for i in range(3))
    expected = clone(model).fit(X, Y)
    before = a.moments_
    for merged in (a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(a).merge(b)):
        assert_same(merged, expected, rtol=1e-10)
        assert merged.moments_.n == len(X)
    assert a.moments_ is before
    assert_same(a.merge(b).partial_fit(X[2::3], Y[2::3]), expected, rtol=1e-10)


def test_merging_solves_what_was_only_added():
    a, b = (colabel.OPLS().partial_fit(X[i::2], Y[i::2], solve=False) for i in range(2))
    with pytest.raises(NotFittedError):
        a.transform(X)
    assert_same(a.merge(b), colabel.OPLS().fit(X, Y))


def test_merging_refuses_what_differs():
    model = colabel.OPLS().partial_fit(X, Y)
    frame = pd.DataFrame(Y, columns=list("abcde"))
    others = {
        "ridge=0.1 here and 2.0 in the other": colabel.OPLS(ridge=2.0).partial_fit(X, Y),
        "n features in differ: 12 here and 11": colabel.OPLS().partial_fit(X[:, 1:], Y),
        r"label names differ.*label0.*'a'": colabel.OPLS().partial_fit(X, frame),
        "the other OPLS was not fitted by partial_fit": colabel.OPLS().fit(X, Y),
    }
    for message, other in others.items():
        with pytest.raises(ValueError, match=message):
            model.merge(other)
    with pytest.raises(TypeError, match="its like only; got MDDMp"):
        model.merge(colabel.MDDMp().partial_fit(X, Y))


@pytest.mark.parametrize("model", EXTRACTORS, ids=str)
def test_directions_wait_for_a_second_row_and_for_a_label(model):
    model = clone(model)
    with pytest.warns(UserWarning, match="one row has no directions: waiting"):
        model.partial_fit(X[:1], Y[:1])
    with pytest.raises(NotFittedError):
        model.transform(X)
    assert_same(model.partial_fit(X[1:], Y[1:]), clone(model).fit(X, Y))
    if not isinstance(model, colabel.PCA):
        with pytest.warns(UserWarning, match="no row has a label: waiting"):
            clone(model).partial_fit(X, np.zeros_like(Y))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_a_classifier_of_one_row(model):
    model = clone(model)
    with pytest.warns(UserWarning, match="5 of 5 labels have only one value"):
        model.partial_fit(X[:1], Y[:1])
    assert_array_equal(model.predict(X[:3]), Y[[0, 0, 0]])
    assert_same(model.partial_fit(X[1:], Y[1:]), clone(model).fit(X, Y))


@each
def test_fewer_rows_than_features_and_a_label_still_to_come(model):
    late = np.argsort(Y[:, 0], kind="stable")[:9]
    assert not Y[late, 0].any()
    rest = np.setdiff1d(np.arange(len(X)), late)
    found, of_these = clone(model), clone(model)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found.partial_fit(X[late], Y[late])
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        of_these.fit(X[late], Y[late])
    assert [str(warning.message) for warning in said] == [str(w.message) for w in expected]
    if not isinstance(model, colabel.PCA):
        assert "label0" in str(said[0].message)
    assert_same(found, of_these)
    assert_same(found.partial_fit(X[rest], Y[rest]), clone(model).fit(X, Y))


@some
def test_too_many_features(model, monkeypatch):
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 11)
    model = clone(model)
    before = vars(model).copy()
    with pytest.raises(ValueError, match=r"12 features.*at most 11; use fit \(with .*row_blocks"):
        model.partial_fit(X, Y)
    assert vars(model) == before


def assert_untouched(model, before):
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)


@some
@pytest.mark.parametrize("solve", [True, False])
@pytest.mark.parametrize("started", [True, False])
def test_a_bad_batch_changes_nothing(model, solve, started):
    model = clone(model)
    if started:
        model.partial_fit(X, Y, solve=solve)
    before = vars(model).copy()
    bad = X.copy()
    bad[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(bad, Y, solve=solve)
    assert_untouched(model, before)
    if started:
        with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 12"):
            model.partial_fit(X[:, :5], Y, solve=solve)
        assert_untouched(model, before)


def test_what_fit_refuses_is_refused_and_not_added():
    model = colabel.OPLS().partial_fit(X, Y, solve=False)
    before = vars(model).copy()
    model.set_params(n_components=13)
    with pytest.raises(ValueError, match="n_components=13 is more than"):
        model.partial_fit(X, Y)
    assert_untouched(model, {**before, "n_components": 13})


@some
def test_float32_rows_are_summed_in_double_precision(model):
    rows = X.astype(np.float32)
    found = in_batches(model, rows, Y)
    assert found.moments_.dtype == np.float32
    assert_moments(found.moments_, plain_moments(rows.astype(float), Y))
    expected = clone(model).fit(rows.astype(float), Y)
    for name in {"components_", "coef_", "mean_"} & vars(found).keys():
        assert getattr(found, name).dtype == np.float32
        vars(expected)[name] = getattr(expected, name).astype(np.float32)
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=0, atol=1e-6)
    assert_moments(
        in_batches(model, X, Y).partial_fit(rows, Y).moments_,
        plain_moments(np.vstack([X, rows]), np.vstack([Y, Y])),
    )
    assert in_batches(model, X, Y).partial_fit(rows, Y).moments_.dtype == np.float64


@some
@pytest.mark.parametrize("cuts", [(), (7, 8, 30, 31), range(1, 60)])
def test_a_large_mean_costs_no_digits(model, cuts):
    far = X + 1e6
    near = far - 1e6  # exactly the same rows but for the mean
    assert_array_equal(near + 1e6, far)
    found, expected = in_batches(model, far, Y, cuts), clone(model).fit(near, Y)
    name = model._solution
    largest = np.abs(getattr(expected, name)).max()
    assert_allclose(getattr(found, name), getattr(expected, name), rtol=0, atol=1e-9 * largest)


def test_sums_say_where_they_are_not_accurate():
    hard, labels = problems.make("tall", condition=1e6)
    with pytest.warns(UserWarning, match="square the condition number of X"):
        in_batches(colabel.PCA(), hard, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = in_batches(colabel.LabelRidge(1e5), hard, labels)
    assert_same(found, colabel.LabelRidge(1e5).fit(hard, labels))


def test_the_rank_is_that_of_the_rows():
    rows, labels = problems.make("rank-deficient tall")
    moments = Moments.of(rows[:9], labels[:9]) + Moments.of(rows[9:], labels[9:])
    assert moments.data.factorise().rank == 7
    expected = svd(colabel.factor(rows).core)
    assert_allclose(moments.data.factorise().singular_values, expected.s, rtol=1e-10)


@pytest.mark.parametrize("model", ROW_METHODS, ids=str)
def test_methods_that_need_the_rows_do_not_have_it(model):
    for name in ("partial_fit", "merge"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError) as info:
            getattr(model, name)
        assert "colabel.row_blocks" in str(info.value.__cause__)


@pytest.mark.parametrize("classes", [["a", "b"], ["a", "b", "c"]])
@some
def test_one_class_a_row(model, classes):
    codes = Y[:, 0] + Y[:, 1] * (len(classes) - 2)
    y = np.array(classes)[codes]
    order = np.argsort(y, kind="stable")  # the first batch knows one class alone
    found = clone(model)
    found.partial_fit(X[order[:5]], y[order[:5]], classes=classes, solve=False)
    found.partial_fit(X[order[5:]], y[order[5:]])
    expected = clone(model).fit(X, y)
    assert_same(found, expected)
    if hasattr(model, "predict"):
        assert_array_equal(found.classes_, expected.classes_)
        assert_array_equal(found.predict(X), expected.predict(X))


def test_few_rows_of_many_classes():
    y = np.arange(60) % 30
    found = colabel.LabelRidge().partial_fit(X[:25], y[:25], classes=range(30))
    assert_same(found.partial_fit(X[25:], y[25:]), colabel.LabelRidge().fit(X, y))


CLASS_Y = np.where(Y[:, 0], "yes", "no")
FRAME = pd.DataFrame(Y, columns=list("abcde"))
DIFFERENT = {
    "a new class": (CLASS_Y, np.where(Y[:, 0], "yes", "maybe"), "the classes maybe, .*no, yes"),
    "a matrix": (CLASS_Y, Y, "a matrix of labels, and .* held one class a row"),
    "a vector": (Y, CLASS_Y, "one class a row, and .* held a matrix of labels"),
    "fewer labels": (Y, Y[:, :3], r"Y has 3 labels .*the first batch 5 \(label0, "),
    "other names": (FRAME, FRAME[list("abced")], "a, b, c, e, d.*a, b, c, d, e"),
    "no labels": (Y, None, "requires y to be passed"),
    "too few": (CLASS_Y, CLASS_Y[:9], "inconsistent numbers of samples"),
    "lists of tags": (CLASS_Y, [["a", "b"], ["c"]] * 30, "tags a, b, c, which are not among"),
    "strange": (Y, 2 * Y, "only 0 and 1.*found 2"),
}


@pytest.mark.parametrize("case", DIFFERENT)
@pytest.mark.parametrize("model", [colabel.OPLS(), colabel.LabelRidge()], ids=str)
def test_labels_have_to_agree(model, case):
    first, second, message = DIFFERENT[case]
    model = clone(model).partial_fit(X, first)
    before = vars(model).copy()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, second)
    assert_untouched(model, before)


def test_classes_have_to_agree():
    with pytest.raises(ValueError, match="classes are for a 1-D y, but Y is a matrix of 5"):
        colabel.LabelRidge().partial_fit(X, Y, classes=[1, 2])
    colabel.LabelRidge().partial_fit(X, Y, classes=range(5))
    model = colabel.LabelRidge().partial_fit(X, CLASS_Y, classes=["no", "yes"])
    with pytest.raises(ValueError, match=r"classes=no, yes, yet differ from .* no, yes"):
        model.partial_fit(X, CLASS_Y, classes=["no", "yes", "yet"])
    names = colabel.LabelRidge().partial_fit(X, FRAME).partial_fit(X, Y).label_names_
    assert list(names) == list("abcde")


def test_features_have_to_agree():
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(12)])
    model = colabel.OPLS().partial_fit(frame, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame[frame.columns[::-1]], Y)


def test_adding_alone_leaves_the_solution():
    model = colabel.OPLS().partial_fit(X[:30], Y[:30])
    solution = model.components_
    model.partial_fit(X[30:], Y[30:], solve=False)
    assert model.components_ is solution
    assert model.moments_.n == 60


@some
def test_fit_keeps_no_sums_and_partial_fit_starts_anew(model):
    model = clone(model).partial_fit(X[:30], Y[:30]).fit(X[30:], Y[30:])
    assert not hasattr(model, "moments_")
    with pytest.warns(UserWarning, match="forgets the rows") as record:
        model.partial_fit(X, Y)
    assert record[0].filename == __file__
    assert_same(model, clone(model).fit(X, Y))


@each
def test_models_in_parts_can_be_saved(model, tmp_path):
    model = clone(model).partial_fit(X[:30], Y[:30])
    assert not hasattr(clone(model), "moments_")
    colabel.save(model, tmp_path / "model.skops")
    for again in (pickle.loads(pickle.dumps(model)), colabel.load(tmp_path / "model.skops")):
        assert_same(again, model, rtol=0)
        assert_same(again.partial_fit(X[30:], Y[30:]), clone(model).fit(X, Y))


def test_batches_in_other_forms():
    da = pytest.importorskip("dask.array")
    model = colabel.OPLS().partial_fit(colabel.row_blocks([X[:10], X[10:20]]), Y[:20])
    model.partial_fit(colabel.factor(X[20:40]), Y[20:40])
    model.partial_fit(da.from_array(X[40:], chunks=(7, 12)), sp.csr_array(Y[40:]))
    assert_same(model, colabel.OPLS().fit(X, Y))
