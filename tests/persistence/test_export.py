"""An ONNX graph says what the model says."""

import json
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
import pytest
import saved_models as kinds
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from colabel import (
    OPLS,
    LabelRidge,
    LabelRidgeCV,
    LabelSets,
    ProbabilityCalibrator,
    RankSVM,
    SharedSubspaceClassifier,
    ThresholdTuner,
)
from colabel.persistence import ModelError, to_onnx
from colabel.persistence.export import IR_VERSION, OPSET
from colabel.preparation import AsinhScaler


def run(model, path, X, **options):
    """The scores and labels of the graph of a model."""
    to_onnx(model, path, **options)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(["scores", "labels"], {"X": X})


def assert_same(model, path, X, seen=None):
    """X is what the graph sees, `seen` what the model does."""
    seen = X if seen is None else seen
    scores, labels = run(model, path, X)
    assert_allclose(scores, model.decision_function(seen), rtol=0, atol=1e-12)
    assert_array_equal(labels, model.predict(seen))
    assert labels.dtype == model.predict(seen).dtype
    assert labels.any()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.onnx"


@pytest.mark.parametrize("name", kinds.LINEAR)
def test_linear_models(name, path):
    assert_same(kinds.LINEAR[name].fit(kinds.X, kinds.Y), path, kinds.X)


@pytest.mark.parametrize("name", ["ridge cv", "mtsda cv", "per label", "probabilities"])
@pytest.mark.parametrize("classes", [None, 2, 3])
def test_probabilities(name, classes, path):
    y = kinds.Y if classes is None else np.clip(kinds.Y.sum(axis=1), 1, classes)
    model = clone(kinds.LINEAR[name]).fit(kinds.X, y)
    if not hasattr(model, "predict_proba"):  # the tuner of classes, which nothing is tuned for
        assert classes == 3
        return
    to_onnx(model, path)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (found,) = session.run(["probabilities"], {"X": kinds.X})
    assert_allclose(found, model.predict_proba(kinds.X), rtol=0, atol=1e-7)
    assert_same(model, path, kinds.X)


@pytest.mark.filterwarnings("ignore:.*too few for method='isotonic'")
@pytest.mark.parametrize(
    ("model", "why"),
    [
        (ThresholdTuner(LabelRidge(), "expected-f1"), "strategy='expected-f1' decides by"),
        (LabelSets(LabelRidge(), recall=0.5, cv=0.5), "LabelSets is no linear classifier"),
    ],
)
def test_decisions_that_are_not_linear_are_refused(model, why, path):
    with pytest.raises(ModelError, match=why):
        to_onnx(model.fit(kinds.X, kinds.Y), path)


def test_isotonic_probabilities_are_refused(path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    model = ProbabilityCalibrator(LabelRidge(), "isotonic", random_state=0)
    model.fit(X, X[:, :2] + rng.normal(size=(300, 2)) > 0)
    assert model.calibration_.steps  # the premise
    with pytest.raises(ModelError, match="isotonic probabilities cannot become ONNX"):
        to_onnx(model, path)


@pytest.mark.parametrize("name", kinds.EXTRACTORS)
def test_extractors(name, path):
    model = make_pipeline(kinds.EXTRACTORS[name], LabelRidge()).fit(kinds.X, kinds.Y)
    assert_same(model, path, kinds.X)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid", "cosine"])
@pytest.mark.parametrize("n_landmarks", [None, 15])
def test_kernels(kernel, n_landmarks, path):
    settings = {"kernel": kernel, "n_landmarks": n_landmarks, "random_state": 0}
    for model in (
        LabelRidge(**settings),
        LabelRidgeCV(**settings, gamma=0.1),
        RankSVM(**settings),
        make_pipeline(StandardScaler(), OPLS(**settings), LabelRidge()),
    ):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the kernel is not positive semi-definite")
            model.fit(kinds.X, kinds.Y)
        scores, labels = run(model, path, kinds.X)
        expected = model.decision_function(kinds.X)
        assert_allclose(scores, expected, rtol=0, atol=1e-9 * max(1.0, np.abs(expected).max()))
        clear = np.abs(expected).min(axis=1) > 1e-8
        assert_array_equal(labels[clear], model.predict(kinds.X)[clear])
        assert labels.any()


def test_far_values_drawn_in(path):
    model = make_pipeline(AsinhScaler(), LabelRidge()).fit(kinds.X, kinds.Y)
    assert_same(model, path, -1e3 * kinds.X)


def test_kernels_that_onnx_has_no_words_for_are_refused(path):
    with pytest.raises(ModelError, match="kernel='laplacian' cannot become ONNX; linear, rbf"):
        to_onnx(LabelRidge(kernel="laplacian").fit(kinds.X, kinds.Y), path)


@pytest.mark.parametrize("name", kinds.ON_COUNTS)
def test_counts_with_empty_rows(name, path):
    counts = kinds.COUNTS.copy()
    counts[1] = 0
    assert_same(kinds.ON_COUNTS[name].fit(counts, kinds.COUNT_LABELS), path, counts)


@pytest.mark.parametrize("name", kinds.ON_TEXT)
def test_the_linear_part_of_a_text_pipeline(name, path):
    model = kinds.ON_TEXT[name].fit(kinds.TEXTS, kinds.COUNT_LABELS)
    vectorizer = (model.estimator_ if hasattr(model, "estimator_") else model).steps[0][1]
    assert_same(model, path, vectorizer.transform(kinds.TEXTS).toarray(), kinds.TEXTS)


@pytest.mark.parametrize("name", ["per label", "top-k", "reduced", "shared subspace cv"])
def test_float32(name, path):
    model = kinds.LINEAR[name].fit(kinds.X, kinds.Y)
    X = kinds.X.astype(np.float32)
    scores, labels = run(model, path, X, dtype=np.float32)
    assert scores.dtype == np.float32
    assert_allclose(scores, model.decision_function(kinds.X), rtol=0, atol=2e-4)
    clear = np.abs(model.decision_function(kinds.X)).min(axis=1) > 1e-3
    assert clear.any()
    assert_array_equal(labels[clear], model.predict(kinds.X)[clear])


@pytest.mark.filterwarnings("ignore:.*predicted constant", "ignore:Label .* is present in all")
@pytest.mark.parametrize(
    "model",
    [
        LabelRidge(),
        LabelRidgeCV(cv=2),
        ThresholdTuner(LabelRidge()),
        ThresholdTuner(OneVsRestClassifier(LogisticRegression()), "cardinality"),
        ThresholdTuner(ThresholdTuner(LabelRidge(), "global"), cv=2),
        OneVsRestClassifier(LogisticRegression()),
    ],
    ids=str,
)
def test_labels_that_do_not_vary(model, path):
    model.fit(kinds.X, kinds.constant_labels())
    if isinstance(model, OneVsRestClassifier):
        _, labels = run(model, path, kinds.X)
        assert_array_equal(labels, model.predict(kinds.X))
    else:
        assert_same(model, path, kinds.X)


@pytest.mark.parametrize("classes", [[0, 1], [3, 7], [1, 2, 3], ["a", "b"], ["é", "b", "c"]])
@pytest.mark.parametrize(
    "model",
    [
        LabelRidge(),
        SharedSubspaceClassifier(),
        ThresholdTuner(LabelRidge(), cv=2),
        LogisticRegression(),
        OneVsRestClassifier(LogisticRegression()),
    ],
    ids=str,
)
def test_one_class_a_row(model, classes, path):
    y = np.array(classes)[(np.arange(len(kinds.X)) + kinds.Y[:, 0]) % len(classes)]
    model.fit(kinds.X, y)
    scores, labels = run(model, path, kinds.X)
    assert_allclose(scores, model.decision_function(kinds.X), rtol=0, atol=1e-10)
    assert_array_equal(labels.astype(y.dtype), model.predict(kinds.X))


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(rows, path):
    scores, labels = run(LabelRidge().fit(kinds.X, kinds.Y), path, kinds.X[:rows])
    assert scores.shape == labels.shape == (rows, kinds.Y.shape[1])


def test_a_bundle_names_its_labels(path):
    bundle = kinds.bundle()
    scores, labels = run(bundle, path, kinds.X)
    assert_array_equal(labels, bundle.predict(kinds.X))
    assert_allclose(scores, bundle.scores(kinds.X), rtol=0, atol=1e-12)
    found = {entry.key: entry.value for entry in onnx.load(path).metadata_props}
    assert json.loads(found["label_names"]) == list("abcde")


def test_the_versions_of_the_format_are_pinned(path):
    to_onnx(LabelRidge().fit(kinds.X, kinds.Y), path)
    graph = onnx.load(path)
    assert graph.ir_version == IR_VERSION == 8
    assert [(part.domain, part.version) for part in graph.opset_import] == [("", OPSET)]
    assert graph.producer_name == "colabel"


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(2),
        ThresholdTuner(RandomForestClassifier(2), cv=2),
        make_pipeline(TruncatedSVD(2), LabelRidge()),
        make_pipeline(LabelRidge()).set_params(labelridge=RandomForestClassifier(2)),
        OneVsRestClassifier(RandomForestClassifier(2)),
        OneVsRestClassifier(SVC()),
    ],
    ids=str,
)
def test_what_is_not_linear_is_refused(model, path):
    model.fit(kinds.X, kinds.Y)
    with pytest.raises(ModelError, match=r"model\.onnx: \w+ .* ONNX; ") as info:
        to_onnx(model, path)
    assert "\n" not in str(info.value)
    assert not path.exists()


def test_kernel_machines_of_pairs_are_refused(path):
    with pytest.raises(ModelError, match="SVC is no linear classifier"):
        to_onnx(SVC(kernel="linear").fit(kinds.X, np.arange(len(kinds.X)) % 4), path)


@pytest.mark.filterwarnings("ignore:.*predicted constant")
def test_without_a_label_that_varies_there_is_nothing_to_save(path):
    model = ThresholdTuner(LabelRidge(), cv=2).fit(kinds.X, np.ones((len(kinds.X), 2)))
    with pytest.raises(ModelError, match="no label varied"):
        to_onnx(model, path)


def test_a_bad_dtype_is_refused(path):
    with pytest.raises(ValueError, match="float64 or float32"):
        to_onnx(LabelRidge().fit(kinds.X, kinds.Y), path, dtype=int)


def test_without_onnx_the_error_says_what_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'colabel\[onnx\]'"):
        to_onnx(LabelRidge().fit(kinds.X, kinds.Y), path)


def test_an_old_file_stays_until_the_new_one_is_whole(path):
    path.write_text("old")
    with pytest.raises(ModelError):
        to_onnx(TfidfVectorizer().fit(kinds.TEXTS), path)
    assert path.read_text() == "old"
