"""Rows that count differently: whole weights are repeated rows, and weight 0 is a row left out."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from methods import CASES
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import colabel
from colabel.classifiers import ChainEnsemble, MLkNN
from colabel.semi_supervised import LabelledOnly, SemiSupervisedMLSI


def problem(n, d, q=4):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    X[:, 0] += 3.0  # a mean that centring has to find
    scores = X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q))
    Y = (scores > np.quantile(scores, 0.6, axis=0)).astype(int)
    weights = rng.integers(0, 4, n)
    assert 0 < np.count_nonzero(weights == 0) < n / 2  # some are left out, others repeated
    return X, Y, weights


SHAPES = {"tall": (60, 12), "wide": (30, 60)}
CONTAINERS = {
    "dense": np.asarray,
    "sparse": sp.csr_array,
    "blocks": lambda X: colabel.row_blocks(np.array_split(X, 3)),
    "sparse blocks": lambda X: colabel.row_blocks(list(map(sp.csr_array, np.array_split(X, 3)))),
    "factored": colabel.factor,
}
LEAST_SQUARES = [colabel.LabelRidge(), colabel.SharedSubspaceClassifier(n_components=2)]
KERNELS = {"rbf": {"kernel": "rbf"}, "landmarks": {"kernel": "rbf", "n_landmarks": 50}}


def output(model, X):
    return getattr(model, "decision_function", getattr(model, "transform", None))(X)


def assert_same(model, X, Y, weights, make=np.asarray, tol=1e-8):
    repeated = np.repeat(np.arange(len(X)), weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels that do not vary, of rounds, of landmarks
        expected = output(clone(model).fit(make(X[repeated]), Y[repeated]), X)
        found = output(clone(model).fit(make(X), Y, sample_weight=weights), X)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tol * np.abs(expected).max())


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_whole_weights_are_repeated_rows_in_extractors(case, shape, container):
    assert_same(case.make(), *problem(*SHAPES[shape]), CONTAINERS[container])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_solver_weighs_rows(case, shape):
    X, Y, weights = problem(*SHAPES[shape])
    for solver in set(case.solvers) - {"truncated"}:
        assert_same(case.make(solver=solver), X, Y, weights)
    assert_same(case.make(n_components=2, solver="truncated", tol=1e-13), X, Y, weights)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("model", LEAST_SQUARES, ids=lambda model: type(model).__name__)
def test_whole_weights_are_repeated_rows_in_least_squares(model, shape, container):
    for solver in ("factor", "two-stage"):
        given = clone(model).set_params(solver=solver)
        assert_same(given, *problem(*SHAPES[shape]), CONTAINERS[container])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "kind",
    [colabel.OPLS, colabel.MVMD, colabel.MLDA, colabel.LabelRidge, colabel.RankSVM],
    ids=lambda kind: kind.__name__,
)
def test_whole_weights_are_repeated_rows_under_a_kernel(kind, shape, kernel):
    assert_same(kind(**KERNELS[kernel]), *problem(*SHAPES[shape]), tol=1e-7)


@pytest.mark.parametrize("container", ["dense", "sparse"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "model",
    [
        colabel.ASOClassifier(0.01),
        colabel.ASOClassifier(0.01, loss="squared_hinge"),
        colabel.ASOClassifier(0.01, loss="least_squares"),
        colabel.RankSVM(),
        colabel.MtSDA(),
        colabel.MtSDA(rho=0.2, l2=0.5),
        colabel.MtSDA(decode="exact"),
        colabel.HypergraphSpectral(approximate=True),
    ],
    ids=str,
)
def test_whole_weights_are_repeated_rows_in_other_losses(model, shape, container):
    assert_same(model, *problem(*SHAPES[shape]), CONTAINERS[container])


def test_the_hinge_of_a_ranking_weighs_rows():
    # as accurate as the bound of its error lets it be
    model = colabel.RankSVM(loss="hinge", tol=1e-8, max_iter=5000)
    assert_same(model, *problem(*SHAPES["tall"]), tol=1e-5)


@pytest.mark.parametrize("container", ["dense", "sparse"])
@pytest.mark.parametrize(
    "kind",
    [colabel.OPLS, colabel.LabelCCA, colabel.PCA, colabel.LabelRidge],
    ids=lambda kind: kind.__name__,
)
def test_parts_and_merged_parts_weigh_rows(kind, container):
    X, Y, weights = problem(*SHAPES["tall"])
    make = CONTAINERS[container]
    whole = kind().fit(make(X), Y, sample_weight=weights)
    first, second = slice(0, 25), slice(25, None)
    one, other = (
        kind().partial_fit(make(X[part]), Y[part], sample_weight=weights[part])
        for part in (first, second)
    )
    both = kind().partial_fit(make(X[first]), Y[first], sample_weight=weights[first])
    both.partial_fit(make(X[second]), Y[second], sample_weight=weights[second])
    for model in (both, one.merge(other)):
        np.testing.assert_allclose(output(model, X), output(whole, X), rtol=0, atol=1e-8)


TUNED = {
    "ridge": colabel.LabelRidgeCV(verbose=False),
    "training rows": colabel.LabelRidgeCV(thresholds="train", verbose=False),
    "kernel": colabel.LabelRidgeCV(kernel="rbf", gammas=[0.05, 0.5], verbose=False),
    "subspace": colabel.SharedSubspaceClassifierCV([0.0, 0.1], [0.01, 1.0], verbose=False),
}


@pytest.mark.parametrize("container", ["dense", "sparse", "blocks", "factored"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", TUNED)
def test_folds_and_thresholds_weigh_rows(name, shape, container):
    model, make = TUNED[name], CONTAINERS[container]
    if container == "factored" and model.kernel is not None:
        pytest.skip("a FactoredMatrix holds no rows for a kernel")
    if container == "blocks" and name in ("training rows", "kernel"):
        pytest.skip("tried in one piece: blocks change the products, not the folds")
    X, Y, weights = problem(*SHAPES[shape])
    numbers = np.repeat(np.arange(len(X)), weights)
    splits = list(KFold(4, shuffle=True, random_state=0).split(X))
    repeated = [tuple(np.flatnonzero(np.isin(numbers, part)) for part in split) for split in splits]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = clone(model).set_params(cv=repeated).fit(make(X[numbers]), Y[numbers])
        found = clone(model).set_params(cv=splits).fit(make(X), Y, sample_weight=weights)
    scores = [model.cv_results_["mean_test_score"] for model in (found, expected)]
    np.testing.assert_allclose(*scores, rtol=1e-9)
    np.testing.assert_allclose(output(found, X), output(expected, X), rtol=0, atol=1e-7)


@pytest.mark.parametrize("container", ["dense", "sparse", "factored"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_row_that_is_left_out_takes_its_weight_with_it(shape, container):
    X, Y, _ = problem(*SHAPES[shape])
    weights = np.random.default_rng(0).uniform(0.1, 2.0, len(X))
    model = colabel.LabelRidgeCV([0.5], keep_scores=True, verbose=False)
    found = model.fit(CONTAINERS[container](X), Y, sample_weight=weights).held_out_scores_
    for i in range(0, len(X), 7):
        rest = np.arange(len(X)) != i
        one = colabel.LabelRidge(0.5).fit(X[rest], Y[rest], sample_weight=weights[rest])
        np.testing.assert_allclose(found[i], one.decision_function(X[i : i + 1])[0], atol=1e-9)


def test_held_out_scores_of_rows_without_weight_are_unknown():
    X, Y, weights = problem(*SHAPES["tall"])
    model = colabel.LabelRidgeCV(keep_scores=True, verbose=False)
    scores = model.fit(X, Y, sample_weight=weights).held_out_scores_
    np.testing.assert_array_equal(np.isnan(scores).all(axis=1), weights == 0)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "sample_weight has 3 numbers, and X has 60 rows"),
        (np.ones((60, 2)), r"must have the shape \(rows,\)"),
        (np.r_[-1.0, np.ones(59)], "holds -1 for row 0"),
        (np.zeros(60), "zero for every row"),
        (np.r_[np.nan, np.ones(59)], "sample_weight contains NaN"),
    ],
)
@pytest.mark.parametrize("kind", [colabel.OPLS, colabel.LabelRidge, colabel.LabelRidgeCV])
def test_weights_that_make_no_sense_are_refused(kind, weights, message):
    X, Y, _ = problem(*SHAPES["tall"])
    with pytest.raises(ValueError, match=message):
        kind().fit(X, Y, sample_weight=weights)


def test_nothing_that_is_given_is_changed():
    X, Y, weights = problem(*SHAPES["tall"])
    weights = weights.astype(float)
    before = X.copy(), Y.copy(), weights.copy()
    for model in (colabel.MVMD(), colabel.LabelRidgeCV(verbose=False), colabel.MtSDA()):
        model.fit(X, Y, sample_weight=weights)
    for given, kept in zip((X, Y, weights), before, strict=True):
        np.testing.assert_array_equal(given, kept)


@pytest.mark.parametrize("strategy", ["per-label", "global", "top-k", "cardinality"])
@pytest.mark.parametrize("container", ["dense", "sparse"])
def test_a_tuner_of_thresholds_weighs_rows(strategy, container):
    X, Y, weights = problem(*SHAPES["tall"])
    make = CONTAINERS[container]
    numbers = np.repeat(np.arange(len(X)), weights)
    splits = list(KFold(4, shuffle=True, random_state=0).split(X))
    repeated = [tuple(np.flatnonzero(np.isin(numbers, part)) for part in split) for split in splits]
    ridge = colabel.LabelRidge()
    expected = colabel.ThresholdTuner(ridge, strategy, cv=repeated)
    expected.fit(make(X[numbers]), Y[numbers])
    found = colabel.ThresholdTuner(ridge, strategy, cv=splits).fit(make(X), Y, weights)
    np.testing.assert_allclose(output(found, X), output(expected, X), rtol=0, atol=1e-8)
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize(
    "inside",
    [colabel.LabelRidge(), colabel.LabelRidgeCV(verbose=False), colabel.RankSVM(tol=1e-10)],
    ids=lambda model: type(model).__name__,
)
def test_probabilities_weigh_rows(inside, method):
    X, Y, weights = problem(300, 8)
    weights[Y[:, 0] == 1] *= 2  # so that they change what is likely
    numbers = np.repeat(np.arange(len(X)), weights)
    splits = list(KFold(4, shuffle=True, random_state=0).split(X))
    repeated = [tuple(np.flatnonzero(np.isin(numbers, part)) for part in split) for split in splits]
    make = colabel.ProbabilityCalibrator
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = make(inside, method, cv=repeated).fit(X[numbers], Y[numbers])
        found = make(inside, method, cv=splits).fit(X, Y, weights)
    P, without = found.predict_proba(X), make(inside, cv=splits).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(P, expected.predict_proba(X), rtol=0, atol=1e-6)
    assert P[:, 0].mean() > without[:, 0].mean() + 0.05


@pytest.mark.parametrize(
    "model",
    [
        LabelledOnly(),
        LabelledOnly(extractor=colabel.PCA(3)),
        LabelledOnly(extractor=colabel.OPLS(2)),
        LabelledOnly(extractor=SemiSupervisedMLSI(2)),
        LabelledOnly(LogisticRegression(tol=1e-10, max_iter=1000)),
        SemiSupervisedMLSI(2),
    ],
    ids=str,
)
@pytest.mark.parametrize("container", ["dense", "sparse"])
def test_labelled_and_unlabelled_rows_are_weighed(model, container):
    X, Y, weights = problem(*SHAPES["tall"])
    if isinstance(getattr(model, "estimator", None), LogisticRegression):
        Y = Y[:, 0]
    labelled, numbers = np.arange(len(X)) % 3 > 0, np.repeat(np.arange(len(X)), weights)
    make = CONTAINERS[container]
    found = clone(model).fit(make(X), Y, labelled, weights)
    expected = clone(model).fit(make(X[numbers]), Y[numbers], labelled[numbers])
    tol = 1e-4 if isinstance(getattr(model, "estimator", None), LogisticRegression) else 1e-8
    np.testing.assert_allclose(output(found, X), output(expected, X), rtol=0, atol=tol)


def test_a_tuner_passes_weights_to_every_step_that_takes_them():
    X, Y, weights = problem(*SHAPES["tall"])
    model = make_pipeline(StandardScaler(), colabel.OPLS(1), LogisticRegression())
    tuner = colabel.ThresholdTuner(model, cv="train").fit(X, Y[:, 0], weights)
    steps = [clone(step) for _, step in model.steps]
    Z = X
    for step in steps[:-1]:
        Z = step.fit(Z, Y[:, 0], sample_weight=weights).transform(Z)
    last = steps[-1].fit(Z, Y[:, 0], sample_weight=weights)
    np.testing.assert_allclose(tuner.uncut_scores(X), last.decision_function(Z), atol=1e-6)


# Newton's steps end at rounding, where the default solver ends at a tolerance.
ONE_LABEL = LogisticRegression(C=0.1, solver="newton-cholesky", tol=1e-12, max_iter=1000)


@pytest.mark.parametrize("container", ["dense", "sparse"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "one_label",
    [ONE_LABEL, make_pipeline(StandardScaler(with_mean=False), ONE_LABEL)],
    ids=["plain", "pipeline"],
)
def test_whole_weights_are_repeated_rows_in_chains(one_label, shape, container):
    model = ChainEnsemble(one_label, 3, random_state=0)
    assert_same(model, *problem(*SHAPES[shape]), CONTAINERS[container])


def test_weighted_chains_are_the_same_where_metadata_are_routed(tmp_path):
    X, Y, weights = problem(*SHAPES["tall"])
    model = ChainEnsemble(ONE_LABEL, 2, random_state=0).fit(X, Y, weights)
    with config_context(enable_metadata_routing=True):
        routed = clone(model).fit(X, Y, weights)
    np.testing.assert_array_equal(routed.uncut_scores(X), model.uncut_scores(X))
    # requests for weights, which scikit-learn would have kept inside, cannot be saved
    colabel.save(routed, tmp_path / "chains.skops")
    again = colabel.load(tmp_path / "chains.skops")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("wrap", [colabel.ThresholdTuner, ChainEnsemble])
def test_a_classifier_without_weights_is_named(wrap):
    X, Y, weights = problem(*SHAPES["tall"])
    with pytest.raises(ValueError, match="KNeighborsClassifier takes none"):
        wrap(KNeighborsClassifier()).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize(
    ("model", "way_out"),
    [
        (MLkNN(), "leave it out, or repeat rows"),
        (colabel.BestOf(["label-ridge"]), "such as LabelRidgeCV"),
        (colabel.LabelSets(colabel.LabelRidge()), "give ratios="),
        (colabel.CNMF(), "leave it out, or repeat rows"),
        (colabel.SGT(), "leave it out, or repeat rows"),
        (colabel.KernelFeatures(), "give weights to the estimator behind it"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_where_weights_have_no_meaning_one_sentence_says_what_to_do(model, way_out):
    X, Y, weights = problem(*SHAPES["tall"])
    with pytest.raises(TypeError, match=rf"fit\(\) takes no sample_weight: .*{way_out}"):
        model.fit(X, Y, sample_weight=weights)
