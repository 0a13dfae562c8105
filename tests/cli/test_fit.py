"""``colabel fit``: any method by name, tuned, saved with all that predicting needs."""

import command_files as files
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import Pipeline

import colabel as library
from colabel import metrics
from colabel.catalogue import find, fittable
from colabel.datasets import load, stream
from colabel.linalg import cost
from colabel.mixture.members import members_of
from colabel.persistence import Bundle
from colabel.tuning import engine

KINDS = [
    getattr(library, name)
    for name in library.__all__
    if hasattr(getattr(library, name), "get_params")
]


#: What goes around a classifier, or before it.
UNNAMED = {
    library.ThresholdTuner,
    library.KernelFeatures,
    library.ProbabilityCalibrator,
    library.LabelSets,
}


def test_every_estimator_has_a_name():
    named = {kind for method in fittable().values() for kind in (method.make, method.tuned)}
    assert set(KINDS) - named == UNNAMED
    assert next(iter(fittable())) == "shared-subspace"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in UNNAMED])
def test_a_method_is_found_by_the_name_of_its_class(kind):
    method = find(kind.__name__)
    assert kind in (method.make, method.tuned)
    assert find(method.name.replace("-", "_").upper()) is method


#: Few of the penalties, where a fit for each and every fold takes long.
FEW = {"mtsda": ["--set", "l1s=[0.1, 0.3]", "--set", "l2s=[0.1]", "--cv", "2"]}


@pytest.mark.parametrize("name", [name for name in fittable() if name != "gradient-boosting"])
def test_every_method_learns(name, colabel, tmp_path):
    path = files.news(tmp_path / "news.csv")
    options = ["-o", "m.skops", "--method", name, *FEW.get(name, [])]
    result = colabel.json("fit", path, *files.TEXTS, *options)
    assert result["method"] == name
    assert (result["rows"], result["labels"]) == (120, 4)
    if fittable()[name].has_budget:
        asked = {member.name for member in members_of(None if name == "best" else "quick")}
        assert result["members"].keys() | result["left_out"].keys() == asked
    elif fittable()[name].is_extractor or fittable()[name].tuned is not None:
        assert {"alpha", "l1", "C"} & result["parameters"].keys()
    model = library.persistence.load("m.skops")
    files.news(tmp_path / "new.csv", seed=1)
    new = load("new.csv", text="body", label_column="tags", separator=";")
    (X,) = stream("new.csv", model.columns)
    assert metrics.f1(new.Y, model.predict(X), average="macro") > 0.9
    assert len(model.thresholds) == 4


def test_a_table_of_usual_size_gets_the_quick_mixture(colabel, tmp_path):
    files.plants(tmp_path / "plants.csv", n=240)
    base = ["plants.csv", *files.NUMBERS, "-o", "m.skops"]
    said = colabel("fit", *base)
    assert "method: quick-mixture; -m shared-subspace is linear and quicker" in said
    assert "quick-mixture on plants: 240 rows" in said
    assert "mixture: " in said
    colabel("predict", "m.skops", "plants.csv", "--proba", "-o", "p.csv")
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 241
    assert "method:" not in colabel("fit", *base, "-m", "shared-subspace")
    few = colabel.json("fit", *base, "--no-tune")
    assert few["method"] == "shared-subspace"
    said = colabel.fails("fit", *base, "-m", "label-ridge", "--budget", "1m")
    assert "label-ridge takes what it takes; only mixtures have one: -m best" in said


def test_what_takes_no_sparse_rows_says_so(colabel, tmp_path):
    path = files.news(tmp_path / "news.csv")
    options = ["-o", "m.skops", "-m", "gradient-boosting"]
    assert "X is sparse, and" in colabel.fails("fit", path, *files.TEXTS, *options)


def test_a_bundle_holds_all_that_there_is_to_know(colabel, tmp_path):
    files.plants(tmp_path / "plants.csv")
    said = colabel("fit", "plants.csv", *files.NUMBERS, "-o", "plants.skops", "--seed", "3")
    assert "shared-subspace on plants: 90 rows, 4 features, 3 labels" in said
    assert "saved in plants.skops" in said
    model = library.persistence.load("plants.skops")
    assert isinstance(model, Bundle)
    assert model.label_names.tolist() == ["tree", "green", "tall"]
    assert model.columns.names.tolist() == ["w", "x", "y", "z"]
    assert model.version == library.__version__
    known = {"method": "shared-subspace", "data": "plants.csv", "seed": 3, "cv": None, "tune": True}
    assert known.items() <= model.settings.items()
    assert model.estimator.steps[-1][1].label_names_.tolist() == ["tree", "green", "tall"]


def test_it_is_the_estimator_of_the_library(colabel, tmp_path):
    path = files.plants(tmp_path / "plants.csv")
    colabel("fit", path, *files.NUMBERS, "-o", "m.skops", "--scale", "none", "--seed", "5")
    data = load(path, labels=["tree", "green", "tall"], ignore=["id"])
    direct = library.SharedSubspaceClassifierCV(random_state=5).fit(data.X, data.Y)
    model = library.persistence.load("m.skops")
    assert_array_equal(model.scores(data.X), direct.decision_function(data.X))
    assert_array_equal(model.thresholds, direct.thresholds_)


@pytest.mark.parametrize(
    ("options", "kind", "thresholds"),
    [
        (["--no-tune"], library.ThresholdTuner, True),
        (["--no-tune", "--no-thresholds"], library.SharedSubspaceClassifier, False),
        (["--no-thresholds"], library.SharedSubspaceClassifierCV, False),
        (["--no-thresholds", "--method", "mvmd"], Pipeline, False),
        (["--method", "label-ridge"], library.LabelRidgeCV, True),
    ],
)
def test_tuning_and_thresholds_can_be_left_out(options, kind, thresholds, colabel, tmp_path):
    files.plants(tmp_path / "plants.csv")
    colabel("fit", "plants.csv", *files.NUMBERS, "-o", "m.skops", "--scale", "none", *options)
    model = library.persistence.load("m.skops")
    assert type(model.estimator) is kind
    assert (model.thresholds is not None and bool(np.any(model.thresholds))) == thresholds


def test_parameters_can_be_set(colabel, tmp_path):
    files.plants(tmp_path / "plants.csv")
    settings = ["--set", "alphas=[0.5]", "--set", "betas=(0.25, 4)", "--set", "n_components=2"]
    result = colabel.json("fit", "plants.csv", *files.NUMBERS, "-o", "m.skops", *settings)
    assert result["parameters"]["alpha"] == 0.5
    assert result["parameters"]["beta"] in (0.25, 4)
    colabel(
        "fit",
        "plants.csv",
        *files.NUMBERS,
        "-o",
        "m.skops",
        "-m",
        "mlda",
        "--set",
        "weights=binary",
    )
    tuner = library.persistence.load("m.skops").estimator.steps[-1][1]
    assert tuner.estimator.steps[0][1].weights == "binary"


def test_features_are_scaled_as_they_need(colabel, tmp_path):
    files.news(tmp_path / "news.csv")
    assert colabel.json("fit", "news.csv", *files.TEXTS, "-o", "m.skops")["scale"] == "none"
    files.plants(tmp_path / "plants.csv")
    said = colabel("fit", "plants.csv", *files.NUMBERS, "-o", "m.skops")
    assert "features: taken for measurements, standardised; --scale says otherwise" in said
    plain = ["-o", "m.skops", "--no-tune", "--no-thresholds"]
    rng = np.random.default_rng(0)
    values = {"{}": "tfidf", "1": "tfidf", "{}.5": "unit", "-{}": "standard"}
    for value, scale in values.items():
        lines = (f"{i % 2} 1:{value.format(rng.integers(1, 5))} 200:1\n" for i in range(20))
        (tmp_path / "x.svm").write_text("".join(lines))
        assert colabel.json("fit", "x.svm", *plain)["scale"] == scale
    assert colabel.json("fit", "x.svm", *plain, "--scale", "none")["scale"] == "none"


def test_rare_labels_can_be_left_out(colabel, tmp_path):
    rows = [[i, "a;b" if i % 2 else "a;c" if i == 4 else ""] for i in range(30)]
    files.write(tmp_path / "t.csv", ["x", "tags"], rows)
    options = ["--label-column", "tags", "--separator", ";", "-o", "m.skops"]
    assert colabel.json("fit", "t.csv", *options)["labels"] == 3
    assert colabel.json("fit", "t.csv", *options, "--min-rows", "2")["labels"] == 2
    assert "no label has so many rows" in colabel.fails(
        "fit", "t.csv", *options, "--min-rows", "99"
    )


def test_a_label_that_does_not_vary_is_named_in_one_line(colabel, tmp_path):
    rows = [[i, i % 2, 1] for i in range(20)]
    files.write(tmp_path / "t.csv", ["x", "odd", "always"], rows)
    colabel("fit", "t.csv", "--labels", "odd,always", "-o", "m.skops")
    assert colabel.err.count("\n") == 1
    assert colabel.err.startswith("colabel: warning: 1 of 2 labels")
    assert "always" in colabel.err


def test_formats_that_name_their_labels(colabel, tmp_path):
    header = "@relation 'x: -C 2'\n@attribute l {0,1}\n@attribute m {0,1}\n@attribute a numeric\n"
    rows = "".join(f"{i % 2},{int(i > 8)},{i}\n" for i in range(20))
    (tmp_path / "meka.arff").write_text(f"{header}@data\n{rows}")
    assert colabel.json("fit", "meka.arff", "-o", "m.skops")["labels"] == 2
    (tmp_path / "x.svm").write_text("".join(f"{i % 2} 1:{i} 3:1\n" for i in range(20)))
    assert colabel.json("fit", "x.svm", "-o", "m.skops")["features"] == 3


ERRORS = {
    "no such method; did you mean mddmp?": ["--method", "mddmq"],
    "use shared-subspace, ": ["--method", "perceptron"],
    "no such parameter; shared-subspace has alphas": ["--set", "width=1"],
    "write it as NAME=VALUE": ["--set", "alpha"],
    "must be a sequence of finite numbers": ["--set", "alphas=[-1]"],
    "did you mean 'f1_macro'": ["--scoring", "f1macro"],
    "use one of auto, standard, asinh, unit, tfidf, none": ["--scale", "units"],
    "too few for 91 folds; use --cv 90": ["--cv", "91"],
    "2; see colabel fit --help": ["--cv", "1"],
    "No such option: --metod": ["--metod", "pca"],
    "there is no folder": ["-o", "none/m.skops"],
    "is a folder; name a file in it": ["-o", "."],
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message, colabel, tmp_path):
    files.plants(tmp_path / "plants.csv")
    line = colabel.fails("fit", "plants.csv", *files.NUMBERS, "-o", "m.skops", *ERRORS[message])
    assert message in line
    assert not (tmp_path / "m.skops").exists()


@pytest.mark.parametrize("folds", [[], ["--cv", "2"]], ids=["held out", "folds"])
def test_rows_too_many_to_factor(folds, colabel, tmp_path, monkeypatch):
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 5)
    path = files.news(tmp_path / "news.csv")
    options = ["fit", path, *files.TEXTS, "-o", "m.skops", "--method", "label-ridge", *folds]
    on = "2 folds" if folds else "24 held-out rows of 120, for penalties and thresholds"
    assert colabel.json(*options)["tuned_on"] == on
    assert f"(on {on})" in " ".join(colabel(*options).split())


@pytest.mark.parametrize("limit", ["LONG", "LARGE"])
def test_what_takes_long_is_said_before(limit, colabel, tmp_path, monkeypatch):
    path = files.news(tmp_path / "news.csv")
    options = ("fit", path, *files.TEXTS, "-o", "m.skops")
    colabel(*options)
    assert colabel.err == ""
    monkeypatch.setattr(engine, limit, 0)
    colabel(*options)
    assert colabel.err.startswith("expected to take about")
    assert colabel.err.count("\n") == 1
    colabel(*options, "--no-tune")
    assert colabel.err == ""


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (["--set", "alpha=0.5"], library.SharedSubspaceClassifierCV),
        (["--set", "solver='factor'"], library.ThresholdTuner),
        (["--method", "mvmd"], library.ThresholdTuner),
        (["--no-thresholds"], library.SharedSubspaceClassifier),
    ],
    ids=["its own part", "a given solver", "pipeline", "no thresholds"],
)
def test_one_part_is_held_out_for_thresholds_where_folds_take_long(
    options, kind, colabel, tmp_path, monkeypatch
):
    monkeypatch.setattr(engine, "LONG", 0)
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 5)
    path = files.news(tmp_path / "news.csv")
    given = ["fit", path, *files.TEXTS, "-o", "m.skops", "--no-tune", *options]
    said = colabel.json(*given)
    model = library.load(tmp_path / "m.skops").estimator
    assert isinstance(model, kind)
    if kind is library.SharedSubspaceClassifierCV:
        assert said["parameters"] == {"alpha": 0.5, "beta": 0.001}
        assert said["tuned_on"].startswith("24 held-out rows of 120")
        plain = library.SharedSubspaceClassifier(0.5)
        data = load(path, text="body", label_column="tags", separator=";")
        plain.fit(data.X, data.Y)
        # solved to a residual of 1e-5, which the penalty may make ten times as large
        assert_allclose(model.coef_, plain.coef_, atol=1e-4 * np.abs(plain.coef_).max())
    elif kind is library.ThresholdTuner:
        assert said["thresholds_on"] == "24 held-out rows of 120"
        assert "thresholds: found on 24 held-out rows" in colabel(*given)
        assert np.any(model.thresholds_)


def test_errors_in_the_data(colabel, tmp_path):
    (tmp_path / "gap.arff").write_text(
        "@relation 'r: -C 1'\n@attribute t {0,1}\n@attribute b numeric\n@data\n" + "1,?\n0,3\n" * 5
    )
    line = colabel.fails("fit", "gap.arff", "-o", "m.skops")
    assert "values are missing in b" in line
    assert "--ignore" in line
    assert "save it as CSV" in line  # what reads tables is there, and ARFF is none to it
    assert "Missing option '--output'" in colabel.fails("fit", "gap.arff")
    assert "Missing argument 'DATA'" in colabel.fails("fit")


def test_labels_are_judged_by_scores_of_one_intercept(colabel, tmp_path):
    """A row that is left out lowers the intercepts of its labels: noise would be below chance."""
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(80, 5)), (rng.random((80, 2)) < [0.3, 0.5]).astype(int)
    lines = [",".join(map(repr, [*map(float, x), *map(int, y)])) for x, y in zip(X, Y, strict=True)]
    (tmp_path / "noise.csv").write_text("\n".join(["a,b,c,d,e,l1,l2", *lines]))
    told = ["-m", "label-ridge", "--scale", "none", "--set", "alphas=[1e6]"]
    said = colabel.json("fit", "noise.csv", "--labels", "l1,l2", *told, "-o", "m.skops")
    ridge = library.LabelRidgeCV(alphas=[1e6], keep_scores="level", random_state=0).fit(X, Y)
    expected = metrics.roc_auc(Y, ridge.held_out_scores_, average=None)
    assert_allclose(said["quality"]["auc"], expected)
    plain = ridge.set_params(keep_scores=True).fit(X, Y)
    assert np.all(metrics.roc_auc(Y, plain.held_out_scores_, average=None) < expected - 0.2)
