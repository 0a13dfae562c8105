"""Labels that nobody knows: an entry that is NaN counts for nothing, and its row for the others."""

import warnings

import memory
import numpy as np
import pytest
import scipy.sparse as sp
import transcriptions as direct
from scipy import linalg
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import colabel
from colabel._rows import as_data
from colabel.classifiers.rank_svm.loss import Pairs, hinge, squared_hinge
from colabel.linalg import masked
from colabel.metrics import f1
from colabel.semi_supervised import LabelledOnly, SemiSupervisedMLSI
from colabel.semi_supervised.cnmf.factorisation import Factorisation
from colabel.semi_supervised.cnmf.starts import unit_shares
from colabel.tuning import known_part
from colabel.tuning.known_part import KnownOneOut
from colabel.tuning.leave_one_out import LeaveOneOut


def problem(n, d, q=4, hidden=0.4):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    X[:, 0] += 3.0
    scores = X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q))
    Y = (scores > np.quantile(scores, 0.6, axis=0)).astype(float)
    known = rng.random(Y.shape) >= hidden
    assert all(0 < Y[known[:, j], j].mean() < 1 for j in range(q))  # each varies where it is known
    return X, Y, np.where(known, Y, np.nan)


SHAPES = {"tall": (80, 12), "wide": (40, 90)}
CONTAINERS = {
    "dense": np.asarray,
    "sparse": sp.csr_array,
    "blocks": lambda X: colabel.row_blocks(np.array_split(X, 3)),
    "factored": colabel.factor,
}


def centred(N):
    """Ȳ: ±1 less the mean of what is known, 0 where nothing is."""
    signs = 2 * N - 1
    return np.nan_to_num(signs - np.nanmean(signs, axis=0))


@pytest.mark.parametrize("alpha", [0.1, 10.0])
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_fits_each_label_on_its_own_rows(shape, container, alpha, weighted):
    X, Y, N = problem(*SHAPES[shape])
    weights = np.random.default_rng(0).uniform(0.2, 2.0, len(X)) if weighted else None
    model = colabel.LabelRidge(alpha).fit(CONTAINERS[container](X), N, sample_weight=weights)
    found = model.decision_function(X)
    for j in range(Y.shape[1]):
        own = ~np.isnan(N[:, j])
        given = None if weights is None else weights[own]
        alone = colabel.LabelRidge(alpha).fit(X[own], Y[own, j].astype(int), sample_weight=given)
        np.testing.assert_allclose(found[:, j], alone.decision_function(X), rtol=0, atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_observed_can_be_said_beside_a_sparse_y(shape):
    X, Y, N = problem(*SHAPES[shape])
    for kind in (colabel.LabelRidge, colabel.OPLS, colabel.LabelRidgeCV):
        settings = {"random_state": 0} if kind is colabel.LabelRidgeCV else {}
        one = kind(**settings).fit(X, N)
        other = kind(**settings).fit(sp.csr_array(X), sp.csr_array(Y), observed=~np.isnan(N))
        apply = "transform" if kind is colabel.OPLS else "decision_function"
        np.testing.assert_allclose(
            getattr(other, apply)(X), getattr(one, apply)(X), rtol=0, atol=1e-7
        )


def test_frames_hold_unknown_labels_too():
    pd = pytest.importorskip("pandas")
    X, _, N = problem(*SHAPES["tall"])
    frame = pd.DataFrame(N, columns=list("abcd"))
    expected = colabel.LabelRidge().fit(X, N).coef_
    for given in (frame, frame.astype("Int64"), frame.astype(object).where(frame.notna(), None)):
        model = colabel.LabelRidge().fit(X, given)
        np.testing.assert_allclose(model.coef_, expected)
        assert list(model.label_names_) == list("abcd")


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shared_subspace_is_optimal_over_what_is_known(shape):
    X, _, N = problem(*SHAPES[shape])
    n, alpha, beta = len(X), 0.1, 0.01
    model = colabel.SharedSubspaceClassifier(alpha, beta, n_components=2).fit(X, N)
    U, Theta = model.coef_.T, model.subspace_
    residuals = np.nan_to_num(model.decision_function(X) - (2 * N - 1))  # 0 where unknown
    slope = X.T @ residuals / n + (alpha + beta) * U - alpha * Theta.T @ (Theta @ U)
    np.testing.assert_allclose(slope, 0, atol=1e-9)
    np.testing.assert_allclose(residuals.sum(axis=0), 0, atol=1e-9)  # free intercepts
    # and the subspace is found from ridge solutions of each label's own rows
    S1, S2 = (
        np.column_stack([alone(X, N[:, j], n * b) for j in range(N.shape[1])])
        for b in (beta, alpha + beta)
    )
    _, vectors = linalg.eigh(S2.T @ S1 + S1.T @ S2)  # symmetric by itself where all is known
    assert linalg.subspace_angles(S1 @ vectors[:, -2:], Theta.T).max() < 1e-7


def alone(X, y, ridge):
    """Coefficients of a label by the rows where it is known."""
    own = ~np.isnan(y)
    C = X[own] - X[own].mean(axis=0)
    return linalg.solve(C.T @ C + ridge * np.eye(X.shape[1]), C.T @ (2 * y[own] - 1))


def test_without_alpha_it_is_ridge():
    X, _, N = problem(*SHAPES["tall"])
    ridge = colabel.LabelRidge(len(X) * 0.01).fit(X, N)
    shared = colabel.SharedSubspaceClassifier(0.0, 0.01).fit(X, N)
    np.testing.assert_allclose(shared.coef_, ridge.coef_, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_extractors_see_nothing_where_a_label_is_unknown(shape):
    X, _, N = problem(*SHAPES[shape])
    C, L = X - X.mean(axis=0), centred(N)
    G, F, eye = C.T @ C, C.T @ L, np.eye(X.shape[1])
    inner = linalg.inv(L.T @ L + 0.1 * np.eye(L.shape[1]))
    problems = {
        colabel.MDDMp(): (F @ F.T, eye),
        colabel.OPLS(): (F @ F.T, G + 0.1 * eye),
        colabel.MVMD(): (0.5 * G + 0.5 * F @ F.T, eye),
        colabel.LabelCCA(): (F @ inner @ F.T, G + 0.1 * eye),
    }
    for model, (A, B) in problems.items():
        model.fit(X, N)
        P = model.components_.T
        np.testing.assert_allclose(A @ P, B @ P * model.eigenvalues_, atol=1e-7 * linalg.norm(A))
        np.testing.assert_allclose(P.T @ B @ P, np.eye(P.shape[1]), atol=1e-7)
        lam = linalg.eigh(A, B, eigvals_only=True)[::-1][: P.shape[1]]
        np.testing.assert_allclose(model.eigenvalues_, lam, rtol=1e-7)


def test_extractors_without_unknown_labels_are_what_they_were():
    X, Y, _ = problem(*SHAPES["tall"])
    A, B = direct.opls(X, Y)
    P = colabel.OPLS().fit(X, Y, observed=np.ones(Y.shape, bool)).components_.T
    np.testing.assert_allclose(P.T @ B @ P, np.eye(P.shape[1]), atol=1e-8)
    assert linalg.norm(A @ P) > 0


def test_without_a_subspace_margins_are_those_of_each_label_alone():
    X, Y, N = problem(*SHAPES["tall"])
    settings = {"alpha": 0.05, "n_components": 0, "loss": "squared_hinge", "tol": 1e-10}
    found = colabel.ASOClassifier(**settings).fit(X, N).decision_function(X)
    for j in range(Y.shape[1]):
        own = ~np.isnan(N[:, j])
        alone = colabel.ASOClassifier(**settings).fit(X[own], Y[own, j].astype(int))
        np.testing.assert_allclose(found[:, j], alone.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("loss", [hinge, squared_hinge])
def test_rankings_are_of_pairs_that_are_known(loss):
    rng = np.random.default_rng(0)
    Y, unknown = rng.random((30, 6)) < 0.4, rng.random((30, 6)) < 0.3
    F = rng.normal(size=(30, 6))
    pairs = Pairs.of(Y & ~unknown, 2.0, unknown)
    found = loss(pairs, F)
    value = found[0] if loss is hinge else found.value
    expected = 0.0
    for y, hidden, scores in zip(Y, unknown, F, strict=True):
        yes, no = np.flatnonzero(y & ~hidden), np.flatnonzero(~y & ~hidden)
        slack = np.maximum(0.0, 1.0 - (scores[yes][:, None] - scores[no]))
        slack = slack if loss is hinge else slack**2
        expected += 2.0 * slack.sum() / max(len(yes) * len(no), 1)
    assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_held_out_folds_are_those_of_models_without_these_rows(shape):
    X, _, N = problem(*SHAPES[shape])
    part = np.arange(len(X)) % 3
    splits = [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(3)]
    model = colabel.LabelRidgeCV([0.5], cv=splits, keep_scores=True, verbose=False).fit(X, N)
    for train, test in splits:
        alone = colabel.LabelRidge(0.5).fit(X[train], N[train]).decision_function(X[test])
        np.testing.assert_allclose(model.held_out_scores_[test], alone, atol=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("container", ["dense", "sparse", "factored"])
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_left_out_by_themselves_are_exact(shape, container, weighted):
    X, _, N = problem(*SHAPES[shape])
    w = np.random.default_rng(0).uniform(0.2, 2.0, len(X)) if weighted else None
    settings = {"keep_scores": True, "verbose": False}
    given = CONTAINERS[container](X)
    model = colabel.LabelRidgeCV([1.0], **settings).fit(given, N, sample_weight=w)
    for i in range(0, len(X), 7):
        without = np.vstack([N[:i], np.full((1, N.shape[1]), np.nan), N[i + 1 :]])
        refit = colabel.LabelRidge(1.0).fit(X, without, sample_weight=w)
        expected = refit.decision_function(X[i : i + 1])[0]
        np.testing.assert_allclose(model.held_out_scores_[i], expected, atol=1e-8)


def test_rows_left_out_by_themselves_are_nearly_exact(monkeypatch):
    monkeypatch.setattr(known_part, "SECONDS", 0.0)
    X, _, N = problem(200, 20)
    model = colabel.LabelRidgeCV([1.0], keep_scores=True, verbose=False).fit(X, N)
    refits, seen = np.empty(N.shape), colabel.LabelRidge(1.0).fit(X, N).decision_function(X)
    for i in range(len(X)):
        without = np.vstack([N[:i], np.full((1, N.shape[1]), np.nan), N[i + 1 :]])
        refits[i] = colabel.LabelRidge(1.0).fit(X, without).decision_function(X[i : i + 1])[0]
    error, optimism = (
        float(np.sqrt(np.mean((scores - refits) ** 2))) for scores in (model.held_out_scores_, seen)
    )
    assert error < optimism / 4  # what seeing a row would be worth
    unknown = np.isnan(N)  # of which nothing is approximated: the model has not seen them
    np.testing.assert_allclose(model.held_out_scores_[unknown], seen[unknown], atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_where_all_is_known_it_is_exact(shape):
    X, Y, _ = problem(*SHAPES[shape])
    data = as_data(colabel.LabelRidge(), X)
    one = KnownOneOut(data, Y, np.ones(Y.shape))
    other = LeaveOneOut.of(data, Y > 0)
    for b in (0.5, 5.0):
        np.testing.assert_allclose(one.scores(b), other.scores(b), atol=1e-7)
        moved = [np.zeros(Y.shape), np.zeros(Y.shape)]
        one.put_on_level(moved[0])
        other.put_on_level(moved[1])
        np.testing.assert_allclose(*moved, atol=1e-12)
        assert moved[0].any()


def test_thresholds_are_the_best_of_what_is_known():
    X, _, N = problem(*SHAPES["tall"])
    model = colabel.LabelRidgeCV([1.0], keep_scores=True, thresholds="train", verbose=False)
    model.fit(X, N)
    scores = model.uncut_scores(X)
    for j, cut in enumerate(model.thresholds_):
        own = ~np.isnan(N[:, j])
        truth, given = N[own, j : j + 1], scores[own, j : j + 1]
        values = [f1(truth, given > t, average="macro") for t in np.r_[given.ravel(), -np.inf]]
        assert f1(truth, given > cut, average="macro") == pytest.approx(max(values))


@pytest.mark.parametrize(
    "model",
    [
        colabel.LabelRidgeCV(verbose=False),
        colabel.LabelRidgeCV(cv=3, scoring="auc_macro", random_state=0, verbose=False),
        colabel.SharedSubspaceClassifierCV([0.0, 0.1], [0.01, 1.0], verbose=False),
        colabel.LabelRidgeCV(kernel="rbf", gammas=[0.05], verbose=False),
        colabel.MtSDACV(l1s=2, l2s=[0.1], cv=2, random_state=0, verbose=False),
        colabel.MtSDA(),
        colabel.RankSVM(),
        colabel.MLDA(),
        colabel.HypergraphSpectral(),
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", SHAPES)
def test_labels_that_are_half_known_beat_none(model, shape):
    X, Y, N = problem(*SHAPES[shape])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of grids and rounds
        model.fit(X, N)
    if hasattr(model, "predict"):
        assert set(np.unique(model.predict(X))) <= {0, 1}
        if shape == "tall":  # what "never" would reach is 0.6; wide, there are 24 rows a label
            assert (model.predict(X) == Y).mean() > 0.65
    else:
        assert np.isfinite(model.transform(X)).all()


def test_a_label_that_nobody_knows_is_predicted_absent():
    X, _, N = problem(*SHAPES["tall"])
    N[:, 1] = np.nan
    with pytest.warns(UserWarning, match="1 of 4 labels have only one value.*label1"):
        model = colabel.LabelRidge().fit(X, N)
    assert not model.predict(X)[:, 1].any()


def test_sums_over_rows_cannot_leave_entries_out():
    X, _, N = problem(*SHAPES["tall"])
    with pytest.raises(ValueError, match="partial_fit keeps only sums"):
        colabel.LabelRidge().partial_fit(X, N)


def test_a_mask_of_another_shape_is_refused():
    X, Y, _ = problem(*SHAPES["tall"])
    with pytest.raises(ValueError, match="observed= must be a boolean mask of the shape of y"):
        colabel.LabelRidge().fit(X, Y, observed=np.ones(len(X), bool))


def test_nothing_that_is_given_is_changed():
    X, _, N = problem(*SHAPES["tall"])
    before = X.copy(), N.copy()
    for model in (colabel.MVMD(), colabel.LabelRidgeCV(verbose=False), colabel.ASOClassifier()):
        model.fit(X, N)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(N, before[1])


@pytest.mark.parametrize("strategy", ["per-label", "global", "cardinality"])
def test_a_tuner_of_thresholds_counts_what_is_known(strategy):
    X, Y, N = problem(*SHAPES["tall"])
    part = np.arange(len(X)) % 4
    splits = [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(4)]
    tuner = colabel.ThresholdTuner(colabel.LabelRidge(), strategy, cv=splits, keep_scores=True)
    tuner.fit(X, N)
    scores, known = tuner.held_out_scores_, ~np.isnan(N)
    for train, test in splits:
        alone = colabel.LabelRidge().fit(X[train], N[train]).decision_function(X[test])
        np.testing.assert_allclose(scores[test], alone, atol=1e-8)
    chosen = scores > tuner.thresholds_
    if strategy == "per-label":
        for j in range(Y.shape[1]):
            own = known[:, j]
            cuts = np.r_[scores[own, j], -np.inf]
            values = [
                f1(Y[own, j : j + 1], scores[own, j : j + 1] > t, average="macro") for t in cuts
            ]
            found = f1(Y[own, j : j + 1], chosen[own, j : j + 1], average="macro")
            assert found == pytest.approx(max(values))
    if strategy == "cardinality":
        assert abs(chosen[known].sum() - Y[known].sum()) <= 1


def test_a_classifier_that_cannot_leave_entries_out_is_named():
    X, _, N = problem(*SHAPES["tall"])
    with pytest.raises(ValueError, match="labels that are unknown"):
        colabel.ThresholdTuner(RandomForestClassifier()).fit(X, N)


@pytest.mark.parametrize("kind", [colabel.CNMF, colabel.SGT])
def test_a_row_of_nan_is_an_unlabelled_row(kind):
    rng = np.random.default_rng(0)
    X, Y = rng.random((60, 10)), (rng.random((60, 3)) < 0.4).astype(float)
    labelled = np.arange(60) % 2 == 0
    N = np.where(labelled[:, None], Y, np.nan)
    one, other = kind(random_state=0) if kind is colabel.CNMF else kind(), kind()
    if kind is colabel.CNMF:
        other.set_params(random_state=0)
    one.fit(X, N)
    other.fit(X, Y, labelled=labelled)
    np.testing.assert_allclose(one.label_scores_, other.label_scores_)


def partly_labelled():
    rng = np.random.default_rng(0)
    X, Y = rng.random((60, 10)), (rng.random((60, 3)) < 0.4).astype(float)
    N = np.where((np.arange(60) % 2 == 0)[:, None], Y, np.nan)
    N[rng.random(N.shape) < 0.2] = np.nan
    return X, N


def test_each_label_is_spread_from_the_rows_where_it_is_known():
    X, N = partly_labelled()
    model = colabel.SGT(n_neighbors=10, n_eigenvectors=20).fit(X, N)
    for j in range(3):
        known = ~np.isnan(N[:, j])
        alone = colabel.SGT(n_neighbors=10, n_eigenvectors=20)
        alone.fit(X, np.nan_to_num(N[:, [j]]), labelled=known)
        np.testing.assert_allclose(model.label_scores_[:, j], alone.label_scores_[:, 0], atol=1e-9)
        np.testing.assert_array_equal(model.transduction_[known, j], N[known, j])


@pytest.mark.parametrize("init", ["propagation", "random", colabel.LabelRidge()])
def test_a_factorisation_leaves_free_what_is_unknown(init):
    X, N = partly_labelled()
    settings = {"init": init, "early_stopping": False, "max_iter": 30, "tol": 0.0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = colabel.CNMF(random_state=0, **settings).fit(X, N)
    assert np.all(np.diff(model.objective_) <= 1e-9 * model.objective_[0])
    known, scores = ~np.isnan(N), model.label_scores_
    np.testing.assert_array_equal(model.transduction_[known], N[known])
    assert np.all(scores[N == 0] == 0)
    for row in np.flatnonzero(known.any(axis=1)):  # labels that are known to be there are equal
        assert np.ptp(scores[row, N[row] == 1]) < 1e-12 if (N[row] == 1).any() else True
    some = (~known & known.any(axis=1)[:, None]).any(axis=1)
    assert scores[some][np.isnan(N[some])].max() > 0  # and others are what rows alike say
    stopped = colabel.CNMF(random_state=0, n_neighbors=5).fit(X, N)
    assert stopped.predict_proba(X).shape == N.shape


def test_nearest_confidences_are_a_projection():
    rng = np.random.default_rng(1)
    T, Y = rng.random((4, 5)), np.array([[1, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0]], float)
    unknown = np.array([[0, 0, 1, 0, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]], bool)
    rows = np.array([0, 2, 3])
    problem = Factorisation(None, np.eye(5), 1.0, rows, unit_shares(Y), 1.0, unknown)
    found = problem.consistent(T)
    for i, row in enumerate(rows):
        allowed = np.vstack([Y[i], np.eye(5)[unknown[i]]]).T  # one number for those that are there
        expected = allowed @ np.linalg.lstsq(allowed, T[row], rcond=None)[0]
        np.testing.assert_allclose(found[row], expected, atol=1e-12)
    np.testing.assert_array_equal(found[1], T[1])


def test_a_classifier_of_labelled_rows_learns_from_what_is_known():
    X, N = partly_labelled()
    rows = ~np.isnan(N).all(axis=1)
    model = LabelledOnly().fit(X, N)
    alone = colabel.LabelRidge().fit(X[rows], N[rows])
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-9)
    with pytest.raises(ValueError, match="LogisticRegression takes none"):
        LabelledOnly(LogisticRegression()).fit(X, N)
    filled = np.where(np.isnan(N), np.nanmean(N, axis=0), N)
    directions = SemiSupervisedMLSI(2).fit(X, N).components_
    expected = colabel.MLSI(2)._directions(as_data(colabel.MLSI(), X), filled)
    angles = linalg.subspace_angles(directions.T, np.asarray(expected.P))
    assert angles.max() < 1e-6


@pytest.mark.parametrize("kind", [colabel.CNMF, colabel.SGT])
def test_weights_have_no_meaning_among_rows_that_are_compared(kind):
    X, N = partly_labelled()
    with pytest.raises(TypeError, match=rf"{kind.__name__}.fit\(\) takes no sample_weight: "):
        kind().fit(X, N, sample_weight=np.ones(60))


def test_probabilities_are_of_what_is_known():
    X, _, N = problem(200, 12)
    part = np.arange(len(X)) % 4
    splits = [(np.flatnonzero(part != k), np.flatnonzero(part == k)) for k in range(4)]
    model = colabel.ProbabilityCalibrator(colabel.LabelRidge(), cv=splits).fit(X, N)
    P = model.predict_proba(X)
    for j in range(N.shape[1]):
        own = np.flatnonzero(~np.isnan(N[:, j]))
        number = {row: i for i, row in enumerate(own)}
        inner = [
            tuple(np.array([number[row] for row in rows if row in number]) for rows in split)
            for split in splits
        ]
        alone = colabel.ProbabilityCalibrator(colabel.LabelRidge(), cv=inner)
        alone.fit(X[own], N[own, j : j + 1])
        np.testing.assert_allclose(P[:, j], alone.predict_proba(X)[:, 0], atol=1e-6)


def test_what_is_unknown_is_not_suspicious():
    X, Y, N = problem(200, 12)
    found = colabel.audit(X, N)
    assert not found.suspicion[np.isnan(N)].any()
    assert found.suspicion[~np.isnan(N)].all()
    N[3, 0] = 1 - Y[3, 0]  # a label that is wrong
    before = found.suspicion[3, 0]
    assert colabel.audit(X, N).suspicion[3, 0] > before


@pytest.mark.parametrize("alpha", [1e-3, 1.0])
@pytest.mark.parametrize("pays", [True, False])
def test_equations_of_rows_are_those_of_features(monkeypatch, alpha, pays):
    X, Y, N = problem(*SHAPES["wide"])
    # what a preconditioner costs beside products
    monkeypatch.setattr(masked.cost, "SPARSE_PRODUCT", 1.0 if pays else 1e15)
    model = colabel.LabelRidge(alpha).fit(sp.csr_array(X), N)
    for j in range(Y.shape[1]):
        own = ~np.isnan(N[:, j])
        alone = colabel.LabelRidge(alpha).fit(X[own], Y[own, j].astype(int))
        np.testing.assert_allclose(model.coef_[j], alone.coef_[0], rtol=0, atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_iterations_that_are_cut_off_are_told(monkeypatch, shape):
    X, _, N = problem(*SHAPES[shape])
    monkeypatch.setattr(masked, "MAX_PRODUCTS", 2)
    with pytest.warns(ConvergenceWarning, match="count differently: .* stopped after 2 prod"):
        colabel.LabelRidge(1e-3).fit(sp.csr_array(X), N)


def test_many_labels_are_never_written_out():
    rng, n, q = np.random.default_rng(0), 20_000, 2_000
    X = rng.normal(size=(n, 3))
    Y, other = (sp.random_array((n, q), density=0.002, rng=rng, format="csr") for _ in range(2))
    Y.data[:] = 1.0
    observed = sp.csr_array((Y > 0) + (other > 0))
    found = {}

    def fit():
        found["model"] = colabel.LabelRidge().fit(X, Y, observed=observed)

    assert memory.peak_bytes(fit) < n * q * 8 / 2  # half of what all entries count
    some = slice(None, None, 667)
    dense = np.where(observed[:, some].toarray(), Y[:, some].toarray(), np.nan)
    expected = colabel.LabelRidge().fit(X, dense)
    np.testing.assert_allclose(found["model"].coef_[some], expected.coef_, atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "kind",
    [
        colabel.LabelRidge,
        colabel.SharedSubspaceClassifier,
        colabel.LabelRidgeCV,
        colabel.ASOClassifier,
        colabel.RankSVM,
        colabel.MtSDA,
        colabel.OPLS,
        colabel.HypergraphSpectral,
    ],
)
def test_a_pattern_of_what_is_known_is_a_mask(shape, kind):
    X, Y, N = problem(*SHAPES[shape])
    known = ~np.isnan(N)
    fitted = [
        kind().fit(X, y, observed=observed)
        for y, observed in (
            (N, None),
            (Y, sp.csr_array(known)),
            (sp.csr_array(Y), sp.csc_array(known)),
            (sp.csr_array(Y), known),
        )
    ]
    apply = "uncut_scores" if hasattr(kind, "uncut_scores") else "transform"
    one, *others = (getattr(model, apply)(X) for model in fitted)
    for other in others:
        np.testing.assert_allclose(other, one, rtol=0, atol=1e-7)
