"""Parts of scores sum to the scores, on every linear model and through what stands before it."""

import numpy as np
import pytest
import saved_models as kinds
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from colabel import (
    OPLS,
    LabelRidge,
    LabelRidgeCV,
    LabelSets,
    ProbabilityCalibrator,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    ThresholdTuner,
    explain,
)
from colabel.explanation import BASE

CASES = {
    **{name: (model, kinds.X, kinds.Y) for name, model in kinds.LINEAR.items()},
    **{
        name: (make_pipeline(StandardScaler(), extractor, LabelRidge()), kinds.X, kinds.Y)
        for name, extractor in kinds.EXTRACTORS.items()
    },
    **{
        name: (model, sp.csr_array(kinds.COUNTS), kinds.COUNT_LABELS)
        for name, model in kinds.ON_COUNTS.items()
    },
    **{name: (model, kinds.TEXTS, kinds.COUNT_LABELS) for name, model in kinds.ON_TEXT.items()},
    "lengths behind directions": (
        make_pipeline(StandardScaler(), OPLS(), Normalizer("l1"), StandardScaler(), LabelRidge()),
        kinds.X,
        kinds.Y,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_parts_sum_to_the_scores(name):
    model, X, Y = CASES[name]
    model = clone(model).fit(X, Y)
    found = explain(model, X[:7])
    expected = model.decision_function(X[:7]).reshape(7, -1)
    assert np.abs(found.scores - expected).max() == 0
    assert np.abs(found.parts.sum(axis=2) - expected).max() < 1e-10
    assert found.parts.shape[2] == len(found.features)
    assert found.features[-1] == BASE


@pytest.mark.parametrize("classes", [2, 3])
def test_classes(classes):
    y = np.clip(kinds.Y.sum(axis=1), 1, classes)
    found = explain(LabelRidgeCV(random_state=0).fit(kinds.X, y), kinds.X[:3])
    assert found.scores.shape == (3, 1 if classes == 2 else 3)
    assert np.abs(found.parts.sum(axis=2) - found.scores).max() < 1e-10


def test_parts_are_those_of_the_features():
    X, Y = kinds.X, kinds.Y
    plain = LabelRidge().fit(X, Y)
    assert np.allclose(explain(plain, X[:2]).parts[:, :, :-1], X[:2, None] * plain.coef_)
    scaled = make_pipeline(StandardScaler(), LabelRidge()).fit(X, Y)
    Z = scaled[0].transform(X[:2])
    assert np.allclose(explain(scaled, X[:2]).parts[:, :, :-1], Z[:, None] * scaled[1].coef_)
    reduced = make_pipeline(OPLS(), LabelRidge()).fit(X, Y)
    W = reduced[1].coef_ @ reduced[0].components_
    assert np.allclose(explain(reduced, X[:2]).parts[:, :, :-1], X[:2, None] * W)


def test_words_of_a_text():
    model = make_pipeline(TfidfVectorizer(), LabelRidge()).fit(kinds.TEXTS, kinds.COUNT_LABELS)
    found = explain(model, ["gold coin gold unknown"])
    assert set(found.features) == {"gold", "coin", BASE}
    assert {name for name, _ in found.strongest(0, 0)} == set(found.features)
    values = [abs(value) for _, value in found.strongest(0, 0)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: make_pipeline(StandardScaler(), m),
                                  lambda m: ThresholdTuner(m, random_state=0),
                                  lambda m: ProbabilityCalibrator(m, random_state=0)])  # fmt: skip
def test_what_is_shared_and_with_whom(wrap):
    inner = SharedSubspaceClassifier(alpha=1.0, n_components=2)
    model = wrap(inner).fit(kinds.X, kinds.Y)
    found = explain(model, kinds.X[:4])
    own = found.parts - found.shared
    assert np.abs((found.shared + own).sum(axis=2) - found.scores).max() < 1e-10
    # a label's own weights lie outside of the subspace
    alone = inner.fit(kinds.X, kinds.Y)
    plain = explain(alone, kinds.X[:4])
    W_own = alone.coef_ - alone.coef_ @ alone.subspace_.T @ alone.subspace_
    expected = kinds.X[:4, None] * W_own
    assert np.allclose((plain.parts - plain.shared)[:, :, :-1], expected)
    V = alone.coef_ @ alone.subspace_.T
    cosine = V[0] @ V[1] / np.linalg.norm(V[0]) / np.linalg.norm(V[1])
    assert plain.sharing[0, 1] == pytest.approx(cosine)
    others = plain.shares_with(0)
    assert len(others) == kinds.Y.shape[1] - 1
    assert "label0" not in dict(others)


def test_without_a_subspace_nothing_is_shared():
    found = explain(LabelRidge().fit(kinds.X, kinds.Y), kinds.X[:1])
    assert found.shared is None
    assert found.shares_with(0) == []


def test_a_bundle_names_its_features():
    found = explain(kinds.bundle(), kinds.X[:1])
    assert list(found.features) == [f"x{i}" for i in range(kinds.X.shape[1])] + [BASE]
    assert list(found.label_names) == list("abcde")


def test_names_of_a_table():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(kinds.X, columns=[f"f{i}" for i in range(kinds.X.shape[1])])
    model = SharedSubspaceClassifierCV([0.1], [0.1]).fit(frame, kinds.Y)
    assert explain(model, frame[:2]).features[0] == "f0"


@pytest.mark.parametrize(
    "model",
    [
        LabelRidge(kernel="rbf"),
        make_pipeline(OPLS(kernel="rbf"), LabelRidge()),
        LabelSets(LabelRidge(), recall=0.5, cv=0.5),
        ThresholdTuner(LabelRidge(), "expected-f1"),
    ],
)
def test_what_is_not_linear_is_refused(model):
    with pytest.raises(TypeError, match=r"linear|kernel"):
        explain(model.fit(kinds.X, kinds.Y), kinds.X[:1])
