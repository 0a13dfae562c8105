"""get_scorer for two labels and classifiers with probabilities alone: two labels are two classes.

So scikit-learn's scorers have it, which kept the second column only.
"""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from colabel import LabelRidge, load, metrics, save

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = (X[:, :3] + RNG.normal(size=(80, 3)) > 0).astype(int)
BAYES = OneVsRestClassifier(GaussianNB())
MODELS = [
    BAYES,
    ClassifierChain(GaussianNB()),
    MultiOutputClassifier(GaussianNB()),
    KNeighborsClassifier(),
    RandomForestClassifier(5, random_state=0),
    OneVsRestClassifier(LogisticRegression()),
    OneVsRestClassifier(LinearSVC()),
    LabelRidge(),
]


def scores(model, q):
    """Scores of the labels as scikit-learn documents them for each kind of classifier."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X).reshape(-1, q)
    found = model.predict_proba(X)
    if isinstance(found, list):
        return np.column_stack([part[:, 1] for part in found])
    return found[:, -1:] if q == 1 else found


@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model)[:40])
@pytest.mark.parametrize("name", ["auc_macro", "auc_micro", "mean_average_precision", "f1_macro"])
def test_every_number_of_labels_is_scored_by_every_classifier(model, q, name):
    truth = Y[:, :q]
    by_column = isinstance(model, ClassifierChain | MultiOutputClassifier) or q > 1
    model.fit(X, truth if by_column else truth.ravel())
    scorer = metrics.get_scorer(name)
    given = scores(model, q) if name != "f1_macro" else model.predict(X).reshape(-1, q)
    expected = metrics.METRICS[name](truth, given)
    assert scorer(model, X, truth) == pytest.approx(expected)
    assert scorer(model, X, sp.csr_array(truth)) == pytest.approx(expected)


@pytest.mark.parametrize("name", [m for m in metrics.METRICS if not m.endswith(("_3", "_5"))])
def test_all_measures_of_two_labels_go_through_model_selection(name):
    scorer = metrics.get_scorer(name)
    found = cross_validate(BAYES, X, Y[:, :2], scoring={name: scorer}, cv=3)
    assert np.isfinite(found[f"test_{name}"]).all()
    search = GridSearchCV(BAYES, {}, scoring=scorer, cv=3).fit(X, Y[:, :2])
    assert search.best_score_ == pytest.approx(found[f"test_{name}"].mean())


def test_a_label_of_one_class_in_training_has_no_probability():
    truth = Y.copy()
    truth[:40, 1] = 0
    model = RandomForestClassifier(5, random_state=0).fit(X[:40], truth[:40])
    found = metrics.get_scorer("auc_macro")(model, X, truth)
    parts = model.predict_proba(X)
    expected = np.column_stack([parts[0][:, 1], np.zeros(80), parts[2][:, 1]])
    assert found == metrics.roc_auc(truth, expected)


def test_a_classifier_without_what_is_needed_is_refused():
    model = OneVsRestClassifier(LinearSVC()).fit(X, Y)
    with pytest.raises(AttributeError, match="log_loss needs predict_proba, and OneVsRest"):
        metrics.get_scorer("log_loss")(model, X, Y)


def test_scorers_can_be_kept(tmp_path):
    scorer = metrics.get_scorer("ranking_loss")
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    search = GridSearchCV(LabelRidge(), {"alpha": [1.0]}, scoring=scorer, cv=3).fit(X, Y)
    save(search, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert again.score(X, Y) == search.score(X, Y) == scorer(search, X, Y)
