"""Lists of tags as y, and predictions by name."""

from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer, StandardScaler

import colabel
from colabel import LabelRidge, LabelSets, ThresholdTuner, metrics
from colabel.tuning import OutOfFoldSearch

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, size=(60, 3))
X = RNG.random(size=(60, 5)) + Y @ RNG.random(size=(3, 5))
WORDS = np.array(["ant", "bee", "cat"], dtype=object)
TAGS = [WORDS[row > 0].tolist() for row in Y]

FORMS = {
    "lists": TAGS,
    "tuples": [tuple(tags) for tags in TAGS],
    "sets": [set(tags) for tags in TAGS],
    "repeated": [tags + tags[:1] for tags in TAGS],
    "Series": pd.Series(TAGS, index=range(100, 160)),
    "Series of sets": pd.Series([frozenset(tags) for tags in TAGS]),
    "polars": pl.Series(TAGS),
    "array": pd.Series(TAGS).to_numpy(),
}
CLASSIFIERS = [kind for _, kind in colabel.all_estimators("classifier")]


@pytest.mark.parametrize("form", FORMS)
def test_tags_are_columns(form):
    model, expected = LabelRidge().fit(X, FORMS[form]), LabelRidge().fit(X, sp.csr_array(Y))
    assert model.label_names_.tolist() == WORDS.tolist()
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    found = model.predict(X)
    assert sp.issparse(found)
    np.testing.assert_array_equal(found.toarray(), expected.predict(X).toarray())
    names = [WORDS[row > 0].tolist() for row in found.toarray()]
    assert model.predict_labels(X) == names


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=lambda kind: kind.__name__)
@pytest.mark.filterwarnings("ignore")
def test_every_classifier_takes_tags_and_gives_names(kind):
    model = kind(LabelRidge()) if "estimator" in signature(kind).parameters else kind()
    model.fit(X, TAGS)
    assert model.label_names_.tolist() == WORDS.tolist()
    found = model.predict(X)
    assert sp.issparse(found)
    found = found.toarray()
    assert model.score(X, TAGS) == pytest.approx((found == Y).all(axis=1).mean())
    assert model.predict_labels(X) == [WORDS[row > 0].tolist() for row in found]
    frame = model.predict(pd.DataFrame(X, index=range(7, 67)), as_frame=True)
    assert frame.columns.tolist() == WORDS.tolist()
    assert frame.index.tolist() == list(range(7, 67))
    np.testing.assert_array_equal(frame.to_numpy(), found)


@pytest.mark.parametrize("inner", [LabelRidge(), RidgeClassifier()])
def test_tuners_of_any_classifier_take_tags(inner):
    for model in (ThresholdTuner(inner, cv=2), OutOfFoldSearch(inner, {}, cv=2)):
        model.set_params(random_state=0).fit(X, TAGS)
        expected = MultiLabelBinarizer().fit(TAGS).inverse_transform(model.predict(X))
        assert model.predict_labels(X) == [list(tags) for tags in expected]


def test_extractors_take_tags():
    np.testing.assert_allclose(
        colabel.OPLS().fit(X, TAGS).components_, colabel.OPLS().fit(X, Y).components_, atol=1e-12
    )


def test_names_of_other_labels():
    frame = pd.DataFrame(Y, columns=["x", "y", "z"])
    model = LabelRidge().fit(X, frame)
    expected = [np.array(list("xyz"))[row > 0].tolist() for row in model.predict(X)]
    assert model.predict_labels(X) == expected
    classes = LabelRidge().fit(X, WORDS[Y.sum(axis=1) % 3])
    assert classes.predict_labels(X) == [[name] for name in classes.predict(X)]
    series = classes.predict(pd.DataFrame(X, index=range(5, 65)), as_frame=True)
    assert series.index[0] == 5
    assert series.tolist() == classes.predict(X).tolist()


def test_frames_come_out_of_pipelines():
    model = make_pipeline(StandardScaler(), LabelRidge()).fit(X, TAGS)
    assert model.predict(X, as_frame=True).columns.tolist() == WORDS.tolist()


def test_scores_are_of_every_form_of_labels():
    model = LabelRidge().fit(X, TAGS)
    right = (model.predict(X).toarray() == Y).all(axis=1)
    assert 0 < right.mean() < 1
    frame = pd.DataFrame(Y, columns=WORDS)
    forms = (TAGS, Y, sp.csr_array(Y), 2 * Y - 1, Y > 0, frame, frame[WORDS[::-1]])
    weights = np.random.default_rng(1).integers(0, 3, len(Y))
    for form in forms:
        assert model.score(X, form) == pytest.approx(right.mean())
        assert model.score(X, form, weights) == pytest.approx(np.average(right, weights=weights))
    longer = [["aphid", *tags] if i < 20 else tags for i, tags in enumerate(TAGS)]
    assert model.score(X, longer) == pytest.approx((right & (np.arange(60) >= 20)).mean())
    bees = [["bee"]] * 60
    assert model.score(X, bees) == np.mean([names == ["bee"] for names in model.predict_labels(X)])
    none = pd.Series([[]] * 60)
    assert model.score(X, none) == np.mean([names == [] for names in model.predict_labels(X)])
    with pytest.raises(ValueError, match=r"shape \(60, 2\), and what is predicted \(60, 3\)"):
        model.score(X, Y[:, :2])


def test_scores_are_of_what_is_known():
    model = LabelRidge().fit(X, Y)
    gaps = np.where(np.random.default_rng(1).random(Y.shape) < 0.5, np.nan, Y)
    known = ~np.isnan(gaps).all(axis=1)
    right = ((model.predict(X) == Y) | np.isnan(gaps)).all(axis=1)
    assert model.score(X, gaps) == pytest.approx(right[known].mean())
    assert not known.all()
    for weights in (None, np.where(known, 0, 1)):
        with pytest.raises(ValueError, match=r"y is unknown \(NaN\) in all of its 60 rows"):
            model.score(X, np.where(known[:, None] & (weights is None), np.nan, gaps), weights)


def test_sets_have_names():
    settings = {"recall": 0.8, "cv": 0.5, "random_state": 0}
    expected = LabelSets(LabelRidge(), **settings).fit(X, sp.csr_array(Y)).predict(X).toarray()
    model = LabelSets(LabelRidge(), **settings).fit(X, TAGS)
    np.testing.assert_array_equal(model.predict(X).toarray(), expected)
    assert model.predict_labels(X) == [WORDS[row > 0].tolist() for row in expected]
    frame = model.predict(pd.DataFrame(X, index=range(7, 67)), as_frame=True)
    assert (frame.columns.tolist(), frame.index[0]) == (WORDS.tolist(), 7)
    np.testing.assert_array_equal(frame.to_numpy(), expected)
    of_two = LabelSets(LabelRidge(), **settings).fit(X, WORDS[Y[:, 0]])
    assert of_two.predict_labels(X) == [["bee"] if one else [] for one in of_two.predict(X)]


def test_batches_of_tags():
    whole = LabelRidge().fit(X, TAGS)
    parts = LabelRidge().partial_fit(X[:30], TAGS[:30], classes=WORDS)
    parts.partial_fit(X[30:], TAGS[30:])
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-9)
    with pytest.raises(ValueError, match=r"holds the tags dog, which are not among"):
        parts.partial_fit(X[:2], [["dog"], ["ant"]])


def test_labelled_rows_of_tags():
    labelled = np.arange(60) < 30
    model = colabel.SGT().fit(X, TAGS, labelled=labelled)
    expected = colabel.SGT().fit(X, Y, labelled=labelled)
    np.testing.assert_array_equal(model.transduction_, expected.transduction_)
    np.testing.assert_array_equal(model.predict(X).toarray(), expected.predict(X))
    assert model.label_names_.tolist() == WORDS.tolist()


def test_what_is_no_list_of_tags():
    with pytest.raises(ValueError, match=r"row 1 is 'bee'; give a row without tags as \[\]"):
        LabelRidge().fit(X[:2], [["ant"], "bee"])
    with pytest.raises(ValueError, match="tags must be of one type"):
        LabelRidge().fit(X[:2], [{"ant"}, {1}])
    matrix = LabelRidge().fit(X, Y.tolist())
    assert matrix.label_names_.tolist() == ["label0", "label1", "label2"]
    for truth, given in ((TAGS, Y), (Y, TAGS)):
        with pytest.raises(ValueError, match="holds lists of tags"):
            metrics.f1(truth, given)
