"""Models survive saving to the last digit; a file runs nothing; a save is whole or not at all."""

import inspect
import json
import os
import signal
import stat
import subprocess
import sys
import zipfile
from importlib.metadata import version as version_of

import numpy as np
import pytest
import saved_models as kinds
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier

import colabel
import colabel.comparison
from colabel import LabelRidge, persistence
from colabel.persistence import TRUSTED, ModelError, load, replacement, save

INPUTS = {
    **{name: (model, kinds.X, kinds.Y) for name, model in kinds.EXTRACTORS.items()},
    **{name: (model, kinds.X, kinds.Y) for name, model in {**kinds.LINEAR, **kinds.OTHER}.items()},
    **{
        name: (model, sp.csr_array(kinds.COUNTS), kinds.COUNT_LABELS)
        for name, model in kinds.ON_COUNTS.items()
    },
    **{
        name: (model, sp.csr_array(kinds.COUNTS), kinds.partly_labelled())
        for name, model in kinds.PARTLY_LABELLED.items()
    },
    **{name: (model, kinds.TEXTS, kinds.COUNT_LABELS) for name, model in kinds.ON_TEXT.items()},
}
ASK = """
import sys, pathlib
import numpy as np
import scipy.sparse as sp
import saved_models as kinds
from colabel.persistence import load

INPUTS = {"counts": sp.csr_array(kinds.COUNTS), "texts": kinds.TEXTS, "rows": kinds.X}
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.skops")):
    model = load(path)
    rows = INPUTS[path.stem.split("-")[0]]
    methods = [name for name in ("transform", "decision_function", "predict", "predict_proba")
               if hasattr(model, name)]
    asked = {name: getattr(model, name)(rows) for name in methods}
    np.savez(path.with_suffix(".npz"), **asked)
"""
SAVE_AND_WAIT = """
import os, sys, time
from colabel import LabelRidge
from colabel.persistence import replacement, save
import saved_models as kinds

def wait(descriptor):
    print("written", os.fstat(descriptor).st_size, flush=True)
    time.sleep(60)

replacement.os.fsync = wait
save(LabelRidge(5.0).fit(kinds.X, kinds.Y), sys.argv[1])
"""


def fitted(model):
    return model.fit(kinds.X, kinds.Y)


@pytest.fixture
def model():
    return fitted(LabelRidge())


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What each model says before it is saved, and after it is loaded in another process."""
    folder = tmp_path_factory.mktemp("models")
    before = {}
    for number, (name, (model, X, Y)) in enumerate(INPUTS.items()):
        model.fit(X, Y)
        kind = "texts" if isinstance(X, list) else "counts" if sp.issparse(X) else "rows"
        save(model, folder / f"{kind}-{number}.skops")
        methods = ("transform", "decision_function", "predict", "predict_proba")
        asked = {what: getattr(model, what)(X) for what in methods if hasattr(model, what)}
        before[name] = folder / f"{kind}-{number}.npz", asked
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", ASK, str(folder)], check=True, env=environment)
    return {name: (asked, dict(np.load(path))) for name, (path, asked) in before.items()}


@pytest.mark.parametrize("name", INPUTS)
def test_a_model_says_the_same_in_another_process(name, answers):
    before, after = answers[name]
    assert before
    assert set(before) == set(after)
    for what in before:
        assert before[what].dtype == after[what].dtype
        assert_allclose(after[what], before[what], rtol=0, atol=1e-12)


def test_every_public_estimator_is_tried():
    tried = {type(part) for model, _, _ in INPUTS.values() for part in _parts(model)}
    for name in colabel.__all__:
        thing = getattr(colabel, name)
        if isinstance(thing, type) and issubclass(thing, BaseEstimator):
            assert thing in tried, f"add {name} to tests/saved_models.py"


def _parts(model):
    yield model
    for value in model.get_params().values():
        if isinstance(value, BaseEstimator):
            yield from _parts(value)


def test_every_estimator_of_the_library_is_trusted():
    found = {
        f"{thing.__module__}.{name}"
        for module in list(sys.modules.values())
        if getattr(module, "__name__", "").startswith("colabel.")
        for name, thing in vars(module).items()
        if isinstance(thing, type) and issubclass(thing, BaseEstimator)
        if thing.__module__.startswith("colabel") and not inspect.isabstract(thing)
        # what estimators are made of; what a paper prints and is run for its page
        if not thing.__module__.startswith(("colabel._", "colabel.papers."))
    }
    # scores on their way to a scorer, and what two tuners share
    not_to_be_saved = {"colabel.tuning.judge.Scored", "colabel.tuning.cut_scores.CutScores"}
    assert found - set(TRUSTED) == not_to_be_saved


def test_what_is_trusted_exists():
    for name in TRUSTED:
        module, _, attribute = name.rpartition(".")
        if not module.startswith(("sklearn", "scipy")):  # theirs come and go with versions
            assert hasattr(sys.modules[module], attribute), name


def test_a_bundle_keeps_all_that_predicting_needs(tmp_path):
    bundle = kinds.bundle()
    save(bundle, tmp_path / "bundle.skops")
    again = load(tmp_path / "bundle.skops")
    assert isinstance(again, persistence.Bundle)
    assert_array_equal(again.predict(kinds.X), bundle.predict(kinds.X))
    assert_array_equal(again.scores(kinds.X), bundle.scores(kinds.X))
    assert_array_equal(again.thresholds, bundle.estimator.thresholds_)
    assert again.label_names.tolist() == list("abcde")
    assert again.columns.names.tolist() == bundle.columns.names.tolist()
    assert (again.settings, again.version) == (bundle.settings, bundle.version)


def test_float32_stays_float32(tmp_path):
    model = LabelRidge().fit(kinds.X.astype(np.float32), kinds.Y)
    save(model, tmp_path / "model.skops")
    assert load(tmp_path / "model.skops").coef_.dtype == np.float32


def test_the_version_is_stamped(tmp_path, model):
    save(model, tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        stamp = json.loads(archive.read("colabel.json"))
    assert stamp["colabel"] == colabel.__version__


def stamped(path, version, model):
    """A model file with another version in it."""
    save(model, path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["colabel.json"] = json.dumps({"colabel": version})
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_a_newer_version_is_refused(tmp_path, model):
    major, minor, patch = (int(part) for part in version_of("colabel").split("."))
    for version in (f"{major + 1}.0.0", f"{major}.{minor + 1}.0", f"{major}.{minor + 1}.0.dev3"):
        path = stamped(tmp_path / "model.skops", version, model)
        with pytest.raises(
            ModelError, match=r"model\.skops: saved by colabel .* --upgrade"
        ) as info:
            load(path)
        assert "\n" not in str(info.value)
    load(stamped(tmp_path / "model.skops", f"{major}.{minor}.{patch + 1}", model))


@pytest.mark.parametrize("stamp", ["", "one", "1", [], {"colabel": 3}, {"colabel": "x.y"}, {}])
def test_a_strange_stamp_is_refused(tmp_path, stamp):
    with zipfile.ZipFile(tmp_path / "model.skops", "w") as archive:
        archive.writestr("colabel.json", json.dumps(stamp))
    with pytest.raises(ModelError, match="damaged"):
        load(tmp_path / "model.skops")


def test_a_foreign_file_is_refused(tmp_path, model):
    import skops.io

    skops.io.dump(model, tmp_path / "foreign.skops")
    (tmp_path / "text.skops").write_text("a model")
    (tmp_path / "empty.skops").write_bytes(b"")
    for name in ("foreign", "text", "empty"):
        with pytest.raises(ModelError, match=rf"{name}\.skops: this is not a model that colabel"):
            load(tmp_path / f"{name}.skops")
    with pytest.raises(ModelError, match="cannot be read: No such file"):
        load(tmp_path / "none.skops")
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_a_damaged_file_is_refused_in_one_line(tmp_path, model):
    path = tmp_path / "model.skops"
    save(model, path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [whole[: int(share * len(whole))] for share in (0.1, 0.5, 0.9, 0.99)]
    damaged += [
        whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :]
        for place in rng.integers(4, len(whole), 150)
    ]
    errors = []
    for content in damaged:
        path.write_bytes(content)
        try:
            load(path)  # a change in what nothing reads, such as a date, does no harm
        except ModelError as error:
            errors.append(str(error))
    assert len(errors) > 100
    assert not any("\n" in error for error in errors)


TYPES_OF_NEIGHBOURS = ("metrics._dist_metrics.EuclideanDistance64", "neighbors._ball_tree.BallTree")


def test_what_cannot_be_loaded_is_not_saved(tmp_path):
    path = tmp_path / "model.skops"
    vectorizer = TfidfVectorizer(tokenizer=str.split, token_pattern=None).fit(kinds.TEXTS)
    with pytest.raises(ModelError, match=r"model\.skops: TfidfVectorizer"):
        save(vectorizer, path)
    near = colabel.ThresholdTuner(KNeighborsClassifier(algorithm="ball_tree"), cv=2)
    trusted = [f"sklearn.{name}" for name in TYPES_OF_NEIGHBOURS]
    with pytest.raises(ModelError, match=r"holds sklearn\..*BallTree, which load would"):
        save(fitted(near), path)
    assert not list(tmp_path.iterdir())
    save(near, path, trusted=trusted)
    with pytest.raises(ModelError, match=r"it holds \['sklearn\..*BallTree'\]") as info:
        load(path)
    assert "\n" not in str(info.value)
    assert_array_equal(load(path, trusted=trusted).predict(kinds.X), near.predict(kinds.X))


def test_sparse_parts_must_be_sound(tmp_path, model):
    model.extra_ = sp.csr_array(np.eye(3))
    save(model, tmp_path / "model.skops")
    assert_array_equal(load(tmp_path / "model.skops").extra_.toarray(), np.eye(3))
    model.extra_.indices[0] = 10**6  # leads out of the array
    save(model, tmp_path / "model.skops")
    with pytest.raises(ModelError, match="damaged"):
        load(tmp_path / "model.skops")


@pytest.fixture
def old(tmp_path, model):
    save(model, tmp_path / "model.skops")
    content = (tmp_path / "model.skops").read_bytes()
    yield tmp_path / "model.skops"
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]
    assert (tmp_path / "model.skops").read_bytes() == content


class TestInterruptedSave:
    """The old file stays as it was, and nothing else is there."""

    @pytest.fixture(params=["without a name", "with a name"], autouse=True)
    def way(self, request, monkeypatch):
        if request.param == "with a name":
            monkeypatch.delattr(os, "O_TMPFILE", raising=False)

    @pytest.mark.parametrize("interruption", [RuntimeError, KeyboardInterrupt, OSError])
    def test_by_an_exception_while_writing(self, old, interruption):
        with pytest.raises(interruption), replacement.replace_file(old) as file:  # noqa: PT012
            file.write(b"half of it")
            file.flush()
            raise interruption

    @pytest.mark.parametrize("call", ["fsync", "replace"])
    def test_by_a_full_disk(self, old, model, monkeypatch, call):
        def full(*_):
            raise OSError("no space left on device")

        monkeypatch.setattr(replacement.os, call, full)
        with pytest.raises(OSError, match="no space left"):
            save(model, old)

    def test_by_a_model_that_cannot_be_saved(self, old):
        with pytest.raises(ModelError):
            save(LabelRidge(alpha=(i for i in range(3))), old)


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are of Linux")
def test_a_kill_leaves_the_old_file_and_nothing_else(old):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen(
        [sys.executable, "-c", SAVE_AND_WAIT, str(old)], stdout=subprocess.PIPE, env=environment
    )
    with child:
        word, size = child.stdout.readline().split()
        assert word == b"written"
        assert int(size) > 1000
        child.send_signal(signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL


def test_a_save_keeps_the_mode_and_the_link(tmp_path, model):
    real, link = tmp_path / "real.skops", tmp_path / "link.skops"
    save(model, real)
    assert stat.S_IMODE(real.stat().st_mode) & 0o600 == 0o600
    real.chmod(0o640)
    link.symlink_to(real)
    before = real.stat().st_ino
    save(model, link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert real.stat().st_ino != before


def test_a_file_that_cannot_be_written_says_so(tmp_path, model):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*; create it first"):
        save(model, tmp_path / "none" / "model.skops")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        save(model, tmp_path)


def test_what_is_no_file_is_written_to_directly(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE)
    with replacement.replace_file(tmp_path / "pipe") as file:
        file.write(b"through")
    assert reader.communicate()[0] == b"through"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def _lead_astray(model):
    """The same model, with a node of its first tree that goes back to itself."""
    if isinstance(model, RandomForestClassifier):
        model.estimators_[0].tree_.children_left[0] = 0
    else:
        model._predictors[0][0].nodes["left"][0] = 0


@pytest.mark.parametrize(
    "model", [RandomForestClassifier(2), HistGradientBoostingClassifier(max_iter=2)]
)
def test_trees_that_lead_astray_are_refused(model, tmp_path):
    model.fit(np.arange(80.0).reshape(40, 2), np.repeat([0, 1], 20))
    save(model, tmp_path / "m.skops")
    load(tmp_path / "m.skops")
    _lead_astray(model)
    save(model, tmp_path / "m.skops")
    with pytest.raises(ModelError, match="a tree leads out of itself"):
        load(tmp_path / "m.skops")
