"""Classes and labels that count differently: whole weights are repeated entries, and columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import linalg
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier

import colabel


def problem(n, d, q=4):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    X[:, 0] += 3.0
    scores = X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q))
    Y = (scores > np.quantile(scores, 0.7, axis=0)).astype(float)
    hidden = rng.random(Y.shape) < 0.2
    assert all(0 < Y[~hidden[:, j], j].mean() < 0.5 for j in range(q))
    return X, Y, np.where(hidden, np.nan, Y)


SHAPES = {"tall": (80, 12), "wide": (40, 90)}
CONTAINERS = {
    "dense": np.asarray,
    "sparse": sp.csr_array,
    "blocks": lambda X: colabel.row_blocks(np.array_split(X, 3)),
    "factored": colabel.factor,
}
EACH = [{0: 1, 1: 3}, {0: 2, 1: 1}, {1: 4}, {0: 1, 1: 1}]


def repeats(y, weights):
    """How many times each row stands for a label; 0 where it is unknown."""
    times = np.where(y == 1, weights.get(1, 1), weights.get(0, 1)).astype(int)
    return np.where(np.isnan(y), 0, times)


def ridge_of_repeated(X, y, times, ridge):
    """Coefficients and intercept of a label, from its entries written out."""
    rows = np.repeat(np.arange(len(X)), times)
    mean, signs = X[rows].mean(axis=0), 2 * y[rows] - 1
    C = X[rows] - mean
    u = linalg.solve(C.T @ C + ridge * np.eye(X.shape[1]), C.T @ signs)
    return u, signs.mean() - mean @ u


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("all_known", [True, False])
def test_whole_class_weights_are_repeated_entries(shape, container, all_known):
    X, Y, N = problem(*SHAPES[shape])
    given = Y if all_known else N
    model = colabel.LabelRidge(0.5, class_weight=EACH).fit(CONTAINERS[container](X), given)
    for j, weights in enumerate(EACH):
        u, b = ridge_of_repeated(X, given[:, j], repeats(given[:, j], weights), 0.5)
        np.testing.assert_allclose(model.coef_[j], u, rtol=0, atol=1e-8)
        assert model.intercept_[j] == pytest.approx(b, abs=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
def test_class_weights_stand_beside_weights_of_rows(shape):
    X, Y, _ = problem(*SHAPES[shape])
    rows = np.random.default_rng(0).integers(0, 3, len(X))
    model = colabel.LabelRidge(0.5, class_weight={1: 3}).fit(sp.csr_array(X), Y, rows)
    for j in range(Y.shape[1]):
        times = rows * repeats(Y[:, j], {1: 3})
        u, _ = ridge_of_repeated(X, Y[:, j], times, 0.5)
        np.testing.assert_allclose(model.coef_[j], u, rtol=0, atol=1e-8)


def test_balanced_classes_count_the_same_together():
    X, Y, N = problem(*SHAPES["tall"])
    for given in (Y, sp.csr_array(Y), N):
        model = colabel.LabelRidge(0.5, class_weight="balanced").fit(X, given)
        dense = given.toarray() if sp.issparse(given) else given
        for j in range(Y.shape[1]):
            own = ~np.isnan(dense[:, j])
            peer = RidgeClassifier(0.5, class_weight="balanced").fit(X[own], dense[own, j])
            np.testing.assert_allclose(model.coef_[j], np.ravel(peer.coef_), atol=1e-8)
            assert model.intercept_[j] == pytest.approx(np.ravel(peer.intercept_)[0], abs=1e-8)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weights", ["balanced", {"b": 5.0}])
def test_of_one_class_a_row_they_are_weights_of_rows(classes, weights):
    X, Y, _ = problem(*SHAPES["tall"])
    y = np.array(list("abc"))[np.minimum(Y[:, 0] + Y[:, 1], classes - 1).astype(int)]
    rows = np.random.default_rng(0).integers(0, 3, len(X))
    for model in (colabel.LabelRidge(), colabel.SharedSubspaceClassifier(n_components=1)):
        found = clone(model).set_params(class_weight=weights).fit(X, y, rows)
        names, counts = np.unique(np.repeat(y, rows), return_counts=True)
        if weights == "balanced":
            each = dict(zip(names, rows.sum() / (len(names) * counts), strict=True))
        else:
            each = {"a": 1.0, "c": 1.0, **weights}
        expected = model.fit(X, y, rows * np.array([each[one] for one in y]))
        np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("targets", ["signs", "scaled", "whitened"])
def test_the_shared_subspace_is_optimal_over_what_counts(shape, targets):
    X, _, N = problem(*SHAPES[shape])
    n, alpha, beta = len(X), 0.1, 0.01
    settings = {"class_weight": EACH, "n_components": 2, "targets": targets}
    model = colabel.SharedSubspaceClassifier(alpha, beta, **settings).fit(X, N)
    U, Theta = model.coef_.T, model.subspace_
    times = np.column_stack([repeats(N[:, j], EACH[j]) for j in range(4)])
    residuals = times * np.nan_to_num(model.decision_function(X) - (2 * N - 1))
    slope = X.T @ residuals / n + (alpha + beta) * U - alpha * Theta.T @ (Theta @ U)
    np.testing.assert_allclose(slope, 0, atol=1e-9)
    np.testing.assert_allclose(residuals.sum(axis=0), 0, atol=1e-9)
    one, other = (
        np.column_stack([
            ridge_of_repeated(X, N[:, j], times[:, j], n * b)[0] for j in range(4)
        ])
        for b in (beta, alpha + beta)
    )  # fmt: skip
    filled = np.where(np.isnan(N), np.nanmean(N, axis=0), N)
    if targets == "scaled":
        one, other = (W / np.sqrt(filled.sum(axis=0)) for W in (one, other))
    elif targets == "whitened":
        C = filled - filled.mean(axis=0)
        R = linalg.inv(linalg.sqrtm(C.T @ C))
        one, other = one @ R, other @ R
    _, vectors = linalg.eigh(other.T @ one + one.T @ other)
    assert linalg.subspace_angles(one @ vectors[:, -2:], Theta.T).max() < 1e-7


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "least_squares"])
def test_margins_count_entries_by_their_class(loss):
    X, Y, _ = problem(*SHAPES["tall"])
    settings = {"alpha": 0.05, "n_components": 0, "loss": loss, "tol": 1e-10}
    weights = {0: 1, 1: 3}
    model = colabel.ASOClassifier(class_weight=weights, **settings).fit(X, Y)
    found = model.decision_function(X)
    for j in range(Y.shape[1]):
        rows = np.repeat(np.arange(len(X)), repeats(Y[:, j], weights))
        alone = colabel.ASOClassifier(**settings).fit(X[rows], Y[rows, j].astype(int))
        np.testing.assert_allclose(found[:, j], alone.decision_function(X), atol=1e-3)


@pytest.mark.parametrize(
    "model",
    [
        colabel.SharedSubspaceClassifier(0.1, 0.01, 2),
        colabel.SharedSubspaceClassifier(0.1, 0.01, 2, targets="scaled"),
        colabel.SharedSubspaceClassifier(0.1, 0.01, 2, targets="whitened"),
        colabel.SharedSubspaceClassifier(0.1, 0.01, 2, class_weight={1: 2}),
        colabel.SharedSubspaceClassifierCV([0.1], [0.01], 2, keep_scores=True, verbose=False),
        colabel.ASOClassifier(0.05, 2, loss="squared_hinge", tol=1e-9),
    ],
    ids=str,
)
@pytest.mark.parametrize("hidden", [False, True])
def test_a_label_that_counts_stands_as_many_times(model, hidden):
    X, Y, N = problem(*SHAPES["tall"])
    given, counts = N if hidden else Y, [1, 3, 2, 1]
    columns = np.repeat(np.arange(4), counts)
    first = np.unique(columns, return_index=True)[1]
    found = clone(model).set_params(label_weight=counts).fit(X, given)
    expected = clone(model).fit(X, given[:, columns])
    assert linalg.subspace_angles(found.subspace_.T, expected.subspace_.T).max() < 1e-5
    scores = expected.decision_function(X)[:, first]
    tol = 1e-3 if isinstance(model, colabel.ASOClassifier) else 1e-7
    np.testing.assert_allclose(found.decision_function(X), scores, rtol=0, atol=tol)
    if hasattr(found, "held_out_scores_"):
        scores = expected.held_out_scores_[:, first]
        np.testing.assert_allclose(found.held_out_scores_, scores, rtol=0, atol=1e-7)
    without = clone(model).fit(X, given)
    if getattr(model, "targets", None) != "whitened":  # in which no label is larger than another
        assert linalg.subspace_angles(found.subspace_.T, without.subspace_.T).max() > 1e-3


def test_labels_are_weighed_by_name_too():
    pd = pytest.importorskip("pandas")
    X, Y, _ = problem(*SHAPES["tall"])
    frame = pd.DataFrame(Y, columns=list("abcd"))
    one, other = (
        colabel.SharedSubspaceClassifier(n_components=2, label_weight=given).fit(X, frame)
        for given in ({"b": 3.0}, [1.0, 3.0, 1.0, 1.0])
    )
    np.testing.assert_allclose(one.coef_, other.coef_)


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_left_out_take_what_their_entries_count_with_them(shape):
    X, Y, _ = problem(*SHAPES[shape])
    settings = {"keep_scores": True, "verbose": False, "class_weight": {1: 3}}
    model = colabel.LabelRidgeCV([1.0], **settings).fit(X, Y)
    for i in range(0, len(X), 9):
        rest = np.arange(len(X)) != i
        refit = colabel.LabelRidge(1.0, class_weight={1: 3}).fit(X[rest], Y[rest])
        expected = refit.decision_function(X[i : i + 1])[0]
        np.testing.assert_allclose(model.held_out_scores_[i], expected, atol=1e-8)


def test_rare_labels_are_found_more_often():
    X, Y, _ = problem(200, 12)
    plain = colabel.LabelRidge().fit(X, Y).predict(X)
    balanced = colabel.LabelRidge(class_weight="balanced").fit(X, Y).predict(X)
    assert balanced.sum() > plain.sum()
    assert (balanced[Y == 1] == 1).mean() > (plain[Y == 1] == 1).mean()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_weight": {2: 1.0}}, "class_weight has 2, which is no class of y"),
        ({"class_weight": {1: 0.0}}, "class_weight holds 0.0 for 1; give finite numbers above 0"),
        ({"class_weight": [{1: 2.0}]}, "class_weight has 1 dicts for 4 labels"),
        ({"class_weight": ["even"] * 4}, "must be a dict .*; got 'even'"),
        ({"label_weight": [1.0]}, "and there are 4 labels"),
        ({"label_weight": {"x": 1.0}}, "label_weight has 'x', which is no label"),
        ({"label_weight": [1, 1, -1, 1]}, "label_weight holds -1 for 'label2'"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, message):
    X, Y, _ = problem(*SHAPES["tall"])
    with pytest.raises(ValueError, match=message):
        colabel.SharedSubspaceClassifier(**settings).fit(X, Y)


def test_sums_over_rows_have_no_entries():
    X, Y, _ = problem(*SHAPES["tall"])
    with pytest.raises(AttributeError) as error:
        colabel.LabelRidge(class_weight="balanced").partial_fit(X, Y)
    assert "class_weight='balanced' makes entries of a row" in str(error.value.__cause__)
    whole = colabel.SharedSubspaceClassifier(n_components=2, label_weight=[1, 2, 3, 4])
    parts = clone(whole).partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    np.testing.assert_allclose(parts.coef_, whole.fit(X, Y).coef_, atol=1e-8)
