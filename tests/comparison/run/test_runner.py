"""A comparison gives every method the same rows, and survives what methods do."""

import hashlib
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from odd_methods import Chatty, Constant, Dying, Failing, Hanging, Recorder, problem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier

from colabel import metrics
from colabel.catalogue import comparable, find, fittable, select
from colabel.comparison import Comparison, compare
from colabel.comparison.plan.data import prepare
from colabel.comparison.plan.request import request
from colabel.comparison.run import schedule
from colabel.comparison.run.journal import JournalError
from colabel.comparison.run.runner import journal_file
from colabel.comparison.run.trial import trials_of
from colabel.datasets import Dataset, IterativeStratifiedShuffleSplit, load_debtags

SMALL = {"metrics": ["f1_macro", "auc_macro"], "progress": False}


def by_key(comparison):
    return {(r.dataset, r.method, r.split): r for r in comparison.results}


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """A comparison with two processes, and its journal."""
    folder = tmp_path_factory.mktemp("journal")
    methods = {"label-ridge": None, "mvmd": None, "knn": None, "constant": Constant()}
    asked = {"data": problem(), "methods": methods, "cv": 3, **SMALL}
    return asked, compare(**asked, n_jobs=2, journal=folder), folder


def test_the_outcome_is_complete_and_plain(usual):
    _, found, _ = usual
    assert [(r.method, r.split) for r in found.results] == [
        (method, split)
        for method in ("label-ridge", "mvmd", "knn", "constant")
        for split in range(3)
    ]
    assert {r.status for r in found.results} == {"ok"}
    for result in found.results:
        assert 0 < result.fit_seconds < 60
        assert len(result.label_scores["f1"]) == 3
    assert Comparison.from_dict(found.to_dict()).to_dict() == found.to_dict()
    assert found.metrics[0].name == "f1_macro"
    (dataset,) = found.datasets
    X, Y = problem()
    assert (dataset.rows, dataset.features, dataset.labels) == (*X.shape, 3)
    assert dataset.label_counts == Y.sum(axis=0).tolist()
    assert dataset.cardinality == pytest.approx(Y.sum(axis=1).mean())
    found = dataset.insights
    assert all([found.cooccurrence, found.spectra, found.embedding, found.grid])


def test_a_method_learns_and_one_that_does_not_is_told_apart(usual):
    _, found, _ = usual
    scores = {r.method: r.scores for r in found.results}
    assert scores["label-ridge"]["f1_macro"] > scores["constant"]["f1_macro"]
    assert scores["constant"]["auc_macro"] is None


def test_one_process_finds_what_two_find(usual):
    asked, found, _ = usual
    alone = compare(**asked, n_jobs=1)
    assert alone.without_times() == found.without_times()
    assert alone.meta.arguments["jobs"] == 1


def test_what_the_journal_holds_is_not_run_again(usual):
    asked, found, folder = usual
    seen = []
    again = compare(**{**asked, "progress": seen.append}, journal=folder)
    assert again.without_times() == found.without_times()
    assert [r.fit_seconds for r in again.results] == [r.fit_seconds for r in found.results]
    assert all(state.taken == state.total == 12 and state.latest is None for state in seen)


def test_a_journal_that_was_cut_short_is_filled(usual, tmp_path):
    asked, found, folder = usual
    (path,) = folder.iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    copy = tmp_path / path.name
    copy.write_bytes(b"".join(lines[:6]) + lines[6][:40])
    seen = []
    again = compare(**{**asked, "progress": seen.append}, n_jobs=1, journal=copy)
    assert again.without_times() == found.without_times()
    assert seen[0].taken == 5
    assert sum(state.latest is not None for state in seen) == 7


def test_other_arguments_have_another_journal(usual):
    asked, _, folder = usual
    X, Y = problem()
    others = [
        {},
        {"cv": 2},
        {"random_state": 1},
        {"metrics": ["f1_micro"]},
        {"methods": ["label-ridge"]},
        {"methods": {**asked["methods"], "constant": LogisticRegression()}},
        {"budget": 100.0},
        {"data": (X + 1e-9, Y)},
        {"data": (X, 1 - Y)},
        {"data": (X, pd.DataFrame(Y, columns=list("abc")))},
    ]
    given = {key: value for key, value in asked.items() if key != "progress"}
    files = [journal_file(folder, request(**{**given, **other})) for other in others]
    assert len(set(files)) == len(others)
    assert files[0].exists()
    assert journal_file(folder, request(**given, n_jobs=1)) == files[0]
    with pytest.raises(JournalError, match="holds results of other arguments"):
        compare(**{**asked, "cv": 2}, journal=files[0])


def test_every_method_sees_the_same_rows(tmp_path):
    X, Y = problem()
    files = [tmp_path / "a", tmp_path / "b"]
    methods = {path.name: Recorder(str(path)) for path in files}
    found = compare((X, Y), methods=methods, cv=2, **SMALL, n_jobs=1)
    first, second = (path.read_text() for path in files)
    assert first == second
    assert len(set(first.split())) == 4
    splits = list(IterativeStratifiedShuffleSplit(2, test_size=1 / 3, random_state=0).split(X, Y))
    rows = hashlib.sha256(b"".join(part.tobytes() for split in splits for part in split))
    assert found.datasets[0].splits.fingerprint == rows.hexdigest()[:16]
    train, test = splits[0]
    assert found.datasets[0].splits.train_rows == len(train)
    scale = X[train].std(axis=0)
    expected = [(X[train] / scale, Y[train]), (X[test] / scale,)]
    seen = [hashlib.sha256(b"".join(p.tobytes() for p in parts)).hexdigest() for parts in expected]
    assert first.split()[:2] == seen


def test_methods_that_fail_hang_or_die_cost_only_their_own_results(monkeypatch):
    # what hangs is not tried again, which would take all of the budget
    monkeypatch.setattr(schedule, "_WORTH", float("inf"))
    methods = {
        "fails": Failing(),
        "hangs": Hanging(),
        "dies": Dying(),
        "talks": Chatty(),
        "label-ridge": None,
        "cannot be sent": Unsendable(),
    }
    found = compare(problem(), methods=methods, cv=2, budget=20.0, n_jobs=2, **SMALL)
    outcome = {
        name: [(r.status, r.reason) for r in found.results if r.method == name] for name in methods
    }
    assert outcome["label-ridge"] == outcome["talks"] == [("ok", None)] * 2
    assert outcome["fails"] == [("failed", "RuntimeError: a message of two lines")] * 2
    died = "its process was killed by signal 9, perhaps for want of memory"
    assert outcome["dies"] == [("failed", died)] * 2
    (first, reason), (second, other) = outcome["hangs"]
    assert (first, second) == ("over budget", "over budget")
    assert reason.startswith("stopped after")
    assert other == "it was stopped on another split"
    assert {status for status, _ in outcome["cannot be sent"]} == {"failed"}
    assert "cannot be sent to a process" in outcome["cannot be sent"][0][1]


class Unsendable(Constant):
    def __getstate__(self):
        raise TypeError("nobody can pickle this")


def test_a_script_needs_no_guard_and_may_define_its_methods(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import numpy as np
        from sklearn.base import BaseEstimator, ClassifierMixin
        from sklearn.datasets import make_multilabel_classification
        from colabel.comparison import compare

        class All(ClassifierMixin, BaseEstimator):
            def fit(self, X, Y):
                self.q = Y.shape[1]
                return self
            def predict(self, X):
                return np.ones((len(X), self.q), int)

        X, Y = make_multilabel_classification(random_state=0)
        found = compare((X, Y), methods={"all": All()}, metrics=["f1_macro"], cv=1)
        print([result.status for result in found.results])
    """)
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.stdout, done.stderr) == ("['ok']\n", "")


def test_data_of_every_kind_is_read():
    X, Y = problem()
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(8)])
    tags = pd.DataFrame(Y, columns=["sun", "rain", "snow"])
    data = Dataset(X=X, Y=sp.csr_array(Y), label_names=np.array(["a", "b", "c"], object), name="z")
    sets = [(X, Y), (frame, tags), data, (sp.csr_matrix(X), Y), (sp.csr_array(X * (X > 1)), Y)]
    found = prepare(sets, 2, quick=False, seed=0)
    assert [p.name for p in found] == ["data1", "data2", "z", "data4", "data5"]
    assert found[1].data.label_names.tolist() == ["sun", "rain", "snow"]
    for other in found[1:]:
        for ours, theirs in zip(found[0].splits, other.splits, strict=True):
            assert_array_equal(ours[0], theirs[0])
    assert [p.scale for p in found] == ["standard"] * 5
    (bundled,) = prepare(None, "given", quick=False, seed=0)
    assert_array_equal(bundled.splits[0][0], load_debtags().split[0])
    assert (bundled.scale, bundled.kind, bundled.source) == ("tfidf", "given", "load_debtags()")


def test_a_quick_comparison_takes_some_rows_with_every_label():
    (found,) = prepare(None, 2, quick=True, seed=0)
    assert (found.data.X.shape[0], found.all_rows) == (1500, 4178)
    assert (found.data.Y.sum(axis=0) > 0).all()
    (again,) = prepare(None, 2, quick=True, seed=0)
    assert again.fingerprint == found.fingerprint
    (other,) = prepare(None, 2, quick=True, seed=1)
    assert other.fingerprint != found.fingerprint


def test_splits_of_ones_own_are_used():
    X, Y = problem()
    pairs = [(np.arange(60), np.arange(60, 90))]
    for cv in (pairs, KFold(3)):
        (found,) = prepare((X, Y), cv, quick=False, seed=0)
        expected = pairs if cv is pairs else list(KFold(3).split(X))
        for ours, theirs in zip(found.splits, expected, strict=True):
            assert_array_equal(ours[0], theirs[0])
            assert_array_equal(ours[1], theirs[1])


X, Y = problem()
BAD = [
    ({"methods": ["mvdm"]}, ValueError, "mvdm: there is no such method; did you mean mvmd"),
    ({"methods": []}, ValueError, "no methods to compare"),
    ({"methods": ["cnmf"]}, ValueError, "needs rows without labels"),
    (
        {"methods": {"mine": 3}},
        TypeError,
        "must be a classifier with fit and predict, or an extractor of colabel.family; got 3",
    ),
    ({"metrics": ["f1macro"]}, ValueError, "did you mean 'f1_macro'"),
    ({"metrics": ["log_loss"]}, ValueError, "needs probabilities"),
    ({"metrics": ["neg_log_loss"]}, ValueError, "is not one of colabel.metrics"),
    ({"metrics": []}, ValueError, "no metrics to compare by"),
    ({"cv": 0}, ValueError, "cv=0: there must be at least 1 split"),
    ({"cv": "5"}, ValueError, "cv='5': use a number of splits"),
    ({"cv": "given"}, ValueError, "data1 has no split of its own"),
    ({"cv": []}, ValueError, "cv gives no splits"),
    ({"budget": 0}, ValueError, "budget=0: it must be a number of seconds above 0"),
    ({"n_jobs": 0}, ValueError, "n_jobs=0: it must be 1 or more"),
    ({"random_state": -1}, ValueError, "random_state=-1: it must be an integer"),
    ({"data": []}, ValueError, "no data to compare on"),
    ({"data": [3]}, TypeError, "must be a name, a path, a Dataset, a DataFrame or a pair"),
    ({"data": ["debtags", "debtags"]}, ValueError, "two data sets are called 'debtags'"),
    ({"data": (X[:4], Y[:4])}, ValueError, "data1 has 4 rows and 8 features; at least 6"),
    ({"data": (X, 2 * Y)}, ValueError, "must hold only 0 and 1"),
    ({"data": "none.csv"}, ValueError, "none.csv: there is no such file"),
]


@pytest.mark.parametrize(("given", "error", "message"), BAD, ids=lambda v: str(v)[:40])
def test_bad_input(given, error, message):
    with pytest.raises(error, match=message.replace("(", r"\(").replace(".", r"\.")):
        compare(**{"data": (X, Y), "methods": ["label-ridge"], **given}, progress=False)


def test_missing_values_are_named():
    X, Y = problem()
    names = np.array([f"f{i}" for i in range(8)], object)
    X[3, 5] = np.nan
    data = Dataset(X=X, Y=sp.csr_array(Y), label_names=names[:3], feature_names=names, name="gap")
    with pytest.raises(ValueError, match="gap: values are missing in f5; fill them in"):
        compare(data, methods=["label-ridge"])


def test_names_are_found_however_they_are_written():
    for name in ("rank-svm", "RankSVM", "rank_svm"):
        assert find(name).name == "rank-svm"
    assert find("SharedSubspaceClassifierCV").name == "shared-subspace"
    assert find("null").name == find("ridge").name == "label-ridge"
    assert find("MVMD-svm").name == "mvmd-svm"
    assert [c.name for c in select("mvmd, knn,mvmd")] == ["mvmd", "knn"]


def test_every_method_of_the_library_can_be_compared():
    assert set(fittable()) - set(comparable()) == {"cnmf", "sgt"}
    for name, method in fittable().items():
        if method.is_extractor and method.then == "ridge":
            assert f"{name}-svm" in comparable()


def test_slow_methods_run_if_they_are_named():
    data = load_debtags()
    asked = request(data, methods=None, cv=1)
    slow = {t.method for t in trials_of(asked) if asked.too_large(t.method, t.dataset)}
    assert {"mtsda", "lda-svm"} <= slow
    asked = request(data, methods=["mtsda", "lda-svm"], cv=1)
    assert not any(asked.too_large(t.method, t.dataset) for t in trials_of(asked))


def test_one_classifier_is_measured_as_it_is():
    X, Y = problem()
    pairs = [(np.arange(60), np.arange(60, 90))]
    model = OneVsRestClassifier(LogisticRegression())
    data = sp.csr_array(X)  # not scaled
    found = compare((data, Y), methods={"lr": model}, cv=pairs, n_jobs=1, **SMALL)
    model.fit(data[:60], Y[:60])
    expected = metrics.f1(Y[60:], model.predict(data[60:]), average="macro")
    assert by_key(found)["data1", "lr", 0].scores["f1_macro"] == expected
