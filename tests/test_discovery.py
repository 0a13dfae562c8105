"""Which estimators there are; what each of them calls itself, its features and its directions."""

import inspect
from copy import copy
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, is_classifier

import colabel
from colabel.semi_supervised import LabelledOnly, SemiSupervisedMLSI
from colabel.tuning import OutOfFoldSearch

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.random(size=(40, 5)), columns=list("abcde"))
Y = RNG.integers(0, 2, size=(40, 3))
MORE = [("OutOfFoldSearch", OutOfFoldSearch), ("LabelledOnly", LabelledOnly)]
MORE += [("SemiSupervisedMLSI", SemiSupervisedMLSI)]
ESTIMATORS = [*colabel.all_estimators(), *MORE]


def make(kind):
    if kind is OutOfFoldSearch:
        return kind(colabel.LabelRidge(), {})
    if kind is colabel.LabelSets:
        return kind(colabel.LabelRidge(), cv=0.5)
    if kind in (colabel.ThresholdTuner, colabel.ProbabilityCalibrator):
        return kind(colabel.LabelRidge())
    return kind()


@cache
def fitted(kind):
    """Fitted once: some search for long."""
    return make(kind).fit(X, Y)


def test_all_estimators():
    names = [name for name, _ in colabel.all_estimators()]
    assert names == sorted(names)
    public = [getattr(colabel, name) for name in colabel.__all__]
    kinds = {
        thing for thing in public if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
    }
    assert {kind for _, kind in colabel.all_estimators()} == kinds
    classifiers = {name for name, _ in colabel.all_estimators("classifier")}
    assert classifiers == {name for name, kind in ESTIMATORS[:-3] if is_classifier(make(kind))}
    transformers = {name for name, _ in colabel.all_estimators("transformer")}
    assert transformers == {n for n, kind in ESTIMATORS[:-3] if hasattr(kind, "transform")}
    with pytest.raises(ValueError, match="type_filter must be one of None, 'classifier'"):
        colabel.all_estimators("regressor")


@pytest.mark.parametrize(("name", "kind"), ESTIMATORS, ids=[name for name, _ in ESTIMATORS])
def test_features_have_their_names(name, kind):
    model = copy(fitted(kind))
    assert model.n_features_in_ == 5
    assert model.feature_names_in_.tolist() == list("abcde")
    if hasattr(kind, "transform"):
        names = model.get_feature_names_out()
        assert names[0] == f"{name.lower()}0"
        frame = model.set_output(transform="pandas").transform(X)
        assert frame.columns.tolist() == names.tolist()


def errors_of(model):
    """What goes wrong with it, one after the other."""
    kind = type(model)
    calls = [
        lambda: model.fit(X),
        lambda: model.fit(X, None),
        lambda: model.fit(X, Y, nonsense=1),
        lambda: model.fit(),
        lambda: model.fit(X, Y[:3]),
        lambda: model.fit(X, Y + 5),
        lambda: model.fit(X.assign(a=np.nan), Y),
        lambda: make(kind).predict(X),
        lambda: make(kind).transform(X),
        lambda: fitted(kind).predict(X.to_numpy()[:, :2]),
        lambda: fitted(kind).transform(X[["a"]]),
        lambda: fitted(kind).inverse_transform(np.ones((2, 77))),
        lambda: model.partial_fit(),
        lambda: fitted(kind).predict(X, nonsense=1),
    ]
    for call in calls:
        try:
            call()
        except Exception as error:
            yield str(error)


@pytest.mark.parametrize(("name", "kind"), ESTIMATORS, ids=[name for name, _ in ESTIMATORS])
@pytest.mark.filterwarnings("ignore")
def test_errors_name_no_class_that_a_person_does_not_know(name, kind):
    bases = {base.__name__ for base in kind.__mro__[1:] if base.__module__ != "sklearn.base"}
    bases -= {"object", *(known for known, _ in ESTIMATORS)}
    assert bases
    texts = list(errors_of(make(kind)))
    assert len(texts) > 6
    for text in texts:
        named = [base for base in bases if f"{base}." in text or f"{base} " in text]
        assert not named, text
