"""Every protocol on stand-ins, and what their parts compute against plain transcriptions."""

from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, hamming_loss, roc_auc_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from stand_ins import FILES, cut, folder_of, only

from colabel.classifiers import MtSDA
from colabel.comparison.run.journal import Journal
from colabel.comparison.stats.standings import failures, spread_of
from colabel.datasets import load
from colabel.extractors import OPLS
from colabel.papers import PROTOCOLS, han2010_methods
from colabel.papers import ji2008_methods as ji2008
from colabel.papers import liu2006_methods as liu2006
from colabel.papers import xu2016_methods as xu2016
from colabel.papers.folder import choose
from colabel.papers.han2010_choices import PrintedStep
from colabel.papers.margins import LibSVM
from colabel.papers.page import page
from colabel.papers.protocol import Split
from colabel.papers.reproduction import Reproduction, run

pytestmark = pytest.mark.usefixtures("in_this_process")


def found_on(protocol, folder, splits=2, **options):
    chosen = choose(protocol, folder, splits=splits)
    return run(protocol, chosen, journal=Journal(None, {}), **options)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_method_gives_every_measure_on_every_split(name, tmp_path):
    protocol = cut(name)
    splits = 1 if name in ("ji2008", "sun2008") else 2  # they tune on every split
    found = found_on(protocol, folder_of(tmp_path / "data", *FILES[name]), splits)
    assert failures(found) == []
    assert len(found.datasets) == len(FILES[name]) * (2 if name == "liu2006" else 1)
    for data in found.datasets:
        for method in protocol.methods:
            for measure in protocol.measures:
                values = spread_of(found, data.name, method, measure.name)
                assert values.complete
                assert all(0 <= value <= 1 for value in values.known)
    assert Reproduction.from_dict(found.to_dict()) == found
    shown = page(found, protocol, tmp_path)
    for title in found.missing:
        assert title in shown
    assert all(method in shown for method in protocol.methods)


def test_the_stand_ins_can_be_learnt(tmp_path):
    """Else no test here could tell a right protocol from a wrong one."""
    protocol = only(cut("ji2008"), "SVM (C=1)", "ridge alone")
    found = found_on(protocol, folder_of(tmp_path / "data", "yahoo_arts"))
    assert spread_of(found, "Arts", "SVM (C=1)", "AUC").mean > 0.8
    assert spread_of(found, "Arts", "ridge alone", "AUC").mean > 0.8


def first_split(name, folder, title):
    protocol = cut(name)
    source = protocol.sources[title]
    return protocol, Split(source.prepare(load(folder / f"{source.file}.svm.xz")), 0)


def test_ji2008_svm_is_scikit_learns_cut_for_f1_on_training_rows(tmp_path):
    folder = folder_of(tmp_path / "data", "yahoo_arts")
    protocol, split = first_split("ji2008", folder, "Arts")
    found = protocol.methods["SVM (C=1)"].run(split, {})
    model = OneVsRestClassifier(SVC(C=1.0, kernel="linear")).fit(split.X, split.Y)
    own, new = model.decision_function(split.X), model.decision_function(split.new)
    predicted = np.zeros_like(split.truth)
    for k in range(split.Y.shape[1]):
        candidates = np.sort(own[:, k])
        middles = [-np.inf, *(candidates[1:] + candidates[:-1]) / 2]
        cuts = [f1_score(split.Y[:, k], own[:, k] > c) for c in middles]
        highest = np.flatnonzero(np.isclose(cuts, max(cuts)))[-1]  # of equals, the fewest
        predicted[:, k] = new[:, k] > middles[highest]
    assert found["AUC"] == pytest.approx(roc_auc_score(split.truth, new, average="macro"))
    assert found["macro F1"] == pytest.approx(f1_score(split.truth, predicted, average="macro"))
    assert found["micro F1"] == pytest.approx(f1_score(split.truth, predicted, average="micro"))


def test_ji2008_tunes_the_cost_of_each_svm_by_its_own_f1(tmp_path):
    folder = folder_of(tmp_path / "data", "yahoo_arts")
    _, split = first_split("ji2008", folder, "Arts")
    costs = [0.01, 1.0, 100.0]
    found = ji2008.linear_svm(costs)(split, {})
    expected = np.empty(split.truth.shape)
    for k in range(split.Y.shape[1]):
        y, reached = split.Y[:, [k]], []
        for C in costs:
            of = []
            for train, test in split.folds(5):
                model = LibSVM(C).fit(split.X[train], y[train])
                scores = ji2008.cut(model, split.X[train], y[train], split.X[test])
                of.append(f1_score(y[test][:, 0], scores[:, 0] > 0, zero_division=0))
            reached.append(np.mean(of))
        model = LibSVM(costs[int(np.argmax(reached))]).fit(split.X, y)
        expected[:, [k]] = ji2008.cut(model, split.X, y, split.new)
    assert found == pytest.approx(ji2008.measures(split.truth, expected))


def test_han2010_discriminants_are_scikit_learns(tmp_path):
    """The direction of one label, with a ridge that does not count, up to its sign and length."""
    folder = folder_of(tmp_path / "data", "yahoo_arts")
    _, split = first_split("han2010", folder, "Arts")
    X, Y = split.X.toarray(), split.Y
    model = han2010_methods.SVMAfterEach(1e-9, 1.0).fit(X, Y)
    scores = model.decision_function(X)
    for k in range(Y.shape[1]):
        lda = LinearDiscriminantAnalysis(solver="lsqr").fit(X, Y[:, k]).decision_function(X)
        assert np.corrcoef(lda, scores[:, k])[0, 1] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(("ridge", "C"), [(1.0, 1.0), (0.1, 100.0)])
def test_han2010_directions_of_all_labels_are_those_of_each(ridge, C, tmp_path):
    folder = folder_of(tmp_path / "data", "yahoo_arts")
    _, split = first_split("han2010", folder, "Arts")
    X, Y = split.factored, split.Y
    found = han2010_methods.SVMAfterEach(ridge, C).fit(X, Y).decision_function(split.new)
    for k in range(Y.shape[1]):
        alone = han2010_methods.SVMAfter(OPLS(1, ridge=ridge), C).fit(X, Y[:, [k]])
        expected = alone.decision_function(split.new)[:, 0]
        np.testing.assert_allclose(found[:, k], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_han2010_the_printed_step_is_eq_9(tmp_path):
    """Θ = √n Y⁺UVᵀ of the singular vectors of X̃B, and then the elastic nets of that Θ."""
    _, split = first_split("han2010", folder_of(tmp_path / "data", "yahoo_arts"), "Arts")
    X, Y = split.X.toarray(), split.Y
    before, after = (PrintedStep(0.05, 0.1, max_iter=rounds, tol=0).fit(X, Y) for rounds in (2, 3))
    U, _, Vt = np.linalg.svd(before.transform(X), full_matrices=False)
    expected = np.sqrt(len(X)) * np.linalg.pinv(Y) @ U @ Vt
    np.testing.assert_allclose(after.scores_, expected, atol=1e-8)
    ours = MtSDA(0.05, 0.1).fit(X, Y)
    assert np.abs(ours.decision_function(X) - after.decision_function(X)).max() > 1e-3


def test_xu2016_none_and_pca_are_scikit_learns(tmp_path):
    folder = folder_of(tmp_path / "data", "scene")
    protocol, split = first_split("xu2016", folder, "Scene")
    assert len(split.rows[0]) == 150  # the standard split
    X, new = split.X.toarray(), split.new.toarray()
    signs = 2 * split.Y - 1
    pca = PCA(svd_solver="full").fit(X)
    kept = int(np.argmax(np.cumsum(pca.explained_variance_ratio_) >= 0.999)) + 1
    P = pca.components_[:kept].T
    for method, Z, Znew in (("none", X, new), ("PCA", X @ P, new @ P)):
        predicted = (Ridge(0.01).fit(Z, signs).predict(Znew) > 0).astype(int)
        found = protocol.methods[method].run(split, {})
        assert found["Hamming loss"] == pytest.approx(hamming_loss(split.truth, predicted))
        assert found["F1"] == pytest.approx(
            f1_score(split.truth, predicted, average="samples", zero_division=0)
        )
        assert found["directions"] == Z.shape[1]


def test_xu2016_rows_without_a_label_are_given_their_highest():
    scores = np.array([[-0.2, -0.1, -0.5], [0.3, -0.1, 0.2], [-1.0, -2.0, -3.0]])
    predicted = (scores > 0).astype(int)
    filled = xu2016.with_a_label(scores, predicted)
    assert filled.tolist() == [[0, 1, 0], [1, 0, 1], [1, 0, 0]]
    assert predicted.sum() == 2  # as it was
    found = xu2016.judge(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]), scores)
    assert found["recall"] == pytest.approx(1 / 3)
    assert found["recall, a label for every row"] == pytest.approx(2 / 3)


def test_xu2016_rows_of_which_a_measure_is_0_by_0_are_left_out():
    scores = np.array([[-0.2, -0.1, -0.5], [0.3, -0.1, 0.2]])
    found = xu2016.judge(np.array([[0, 1, 0], [1, 1, 1]]), scores)
    assert (found["precision"], found["precision, 0/0 left out"]) == (0.5, 1.0)
    for name in ("Hamming loss", "accuracy", "F1", "recall", "subset accuracy"):
        assert found[f"{name}, 0/0 left out"] == found[name]  # each row has labels
    nothing = xu2016.judge(np.array([[0, 1, 0], [1, 1, 1]]), -np.abs(scores))
    assert nothing["precision, 0/0 left out"] == 0


def test_sun2008_without_ridge_is_an_svm_on_canonical_directions(tmp_path):
    """HG with the Laplacian of CCA and no ridge spans what least squares on the labels spans."""
    folder = folder_of(tmp_path / "data", "scene")
    protocol, split = first_split("sun2008", folder, "Scene")
    centred = split.X - split.X.mean(axis=0)
    fitted = centred @ np.linalg.lstsq(centred, split.Y - split.Y.mean(axis=0), rcond=None)[0]
    found = protocol.methods["HG cca"].run(split, {})["mean ROC"]
    # the span has an orthonormal basis; an SVM is the same in all of them
    W = np.linalg.lstsq(centred, fitted, rcond=None)[0]
    Q, R = np.linalg.qr(fitted)
    new = (split.new - split.X.mean(axis=0)) @ W @ np.linalg.inv(R)
    model = OneVsRestClassifier(SVC(kernel="linear")).fit(Q, split.Y)
    expected = roc_auc_score(split.truth, model.decision_function(new))
    assert found == pytest.approx(expected, abs=1e-4)


def test_han2010_keeps_the_parameters_of_the_first_split(tmp_path):
    protocol = only(cut("han2010"), "SVM", "MtSDA (Ω=I)")
    found = found_on(protocol, folder_of(tmp_path / "data", "yahoo_arts"))
    for method in ("SVM", "MtSDA (Ω=I)"):
        first, second = (result.chosen for result in found.results if result.method == method)
        assert first == second != {}
    assert second["rho"] == 0
    assert "tuned on the first split" in page(found, protocol)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", PROTOCOLS["liu2006"].methods)
def test_liu2006_no_method_looks_at_hidden_labels(method, tmp_path, monkeypatch):
    folder = folder_of(tmp_path / "data", "enron")
    protocol = PROTOCOLS["liu2006"]
    problem = protocol.sources["Enron, 100 labelled"].prepare(load(folder / "enron.svm.xz"))
    seen = []
    monkeypatch.setattr(liu2006, "rank", lambda split, scores: seen.append(scores) or {})
    protocol.methods[method].run(Split(problem, 3), {})
    labelled, hidden = Split(problem, 3).rows
    assert [len(labelled), len(hidden)] == [100, 160]
    problem.Y = problem.Y.copy()
    problem.Y[hidden] = 1 - problem.Y[hidden]
    protocol.methods[method].run(Split(problem, 3), {})
    np.testing.assert_allclose(seen[1], seen[0], rtol=1e-9, atol=1e-12)


def test_liu2006_measures_are_those_of_the_hidden_rows(tmp_path):
    folder = folder_of(tmp_path / "data", "enron")
    source = PROTOCOLS["liu2006"].sources["Enron, 100 labelled"]
    split = Split(source.prepare(load(folder / "enron.svm.xz")), 0)
    scores = np.random.default_rng(0).normal(size=split.problem.Y.shape)
    found = liu2006.rank(split, scores)
    truth, order = split.truth, np.argsort(-scores[split.rows[1]], axis=1)
    for k in (1, 2, 3):
        hits = np.take_along_axis(truth, order[:, :k], axis=1).sum()
        precision, recall = hits / (k * len(truth)), hits / truth.sum()
        assert found[f"precision at {k}"] == pytest.approx(precision)
        assert found[f"recall at {k}"] == pytest.approx(recall)
        f1 = 2 * precision * recall / (precision + recall)
        assert found[f"F1 at {k}"] == pytest.approx(f1)
    assert found["highest F1"] == max(value for at, value in found.items() if "F1 at" in at)


def test_pictures_are_written_beside_the_page(tmp_path):
    folder = folder_of(tmp_path / "data", "scene", "image")
    protocol = PROTOCOLS["xu2016"]
    shown = protocol.more(found_on(protocol, folder), tmp_path)
    assert "(xu2016_figure4.svg)" in shown
    picture = ElementTree.parse(tmp_path / "xu2016_figure4.svg").getroot()
    assert len(picture.findall("{*}svg")) == 12  # six measures, by two rules
