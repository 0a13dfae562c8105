"""Models that earlier versions saved load for ever, and say what they said.

An archive of tests/persistence/models is never written again: a test that fails here is mended in
the library. ``scripts/keep_models.py`` adds one for a new release.
"""

import zipfile
from functools import cache
from importlib.metadata import version

import keep_models
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from packaging.version import Version

import colabel

ARCHIVES = sorted(keep_models.MODELS.glob("*.zip"))
KEPT = [
    (path, name.removesuffix(".skops"))
    for path in ARCHIVES
    for name in zipfile.ZipFile(path).namelist()
    if name.endswith(".skops")
]
# scikit-learn says so of its own parts whenever it is newer or older than it was
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")


@cache
def said(path):
    with zipfile.ZipFile(path) as archive, np.load(archive.open("answers.npz")) as answers:
        return dict(answers)


@cache
def new_rows():
    return keep_models.new_rows()


def made_with(path):
    """The versions of colabel and scikit-learn."""
    return tuple(Version(part) for part in path.stem.split("-scikit-learn-"))


def skip_parts_of_newer_versions(path, archive):
    """Scikit-learn reads its own estimators of older versions, and need not read newer ones."""
    schema = zipfile.ZipFile(archive).read("schema.json")
    if made_with(path)[1] > Version(version("scikit-learn")) and b'"sklearn.' in schema:
        pytest.skip(f"holds parts of scikit-learn {made_with(path)[1]}")


@pytest.mark.parametrize(("path", "name"), KEPT, ids=[f"{p.stem}-{name}" for p, name in KEPT])
def test_kept_models_say_what_they_said(path, name, tmp_path):
    with zipfile.ZipFile(path) as archive:
        file = archive.extract(f"{name}.skops", tmp_path)
    skip_parts_of_newer_versions(path, file)
    model = colabel.load(file)
    expected = {
        key.removeprefix(f"{name} "): answer
        for key, answer in said(path).items()
        if key.startswith(f"{name} ")
    }
    found = keep_models.answers(model, new_rows()[name.partition("-")[0]])
    assert expected.keys() <= found.keys()
    for question, answer in expected.items():
        if answer.dtype.kind == "f":
            assert_allclose(found[question], answer, rtol=1e-9, atol=1e-12, err_msg=question)
        else:
            assert_array_equal(found[question], answer, err_msg=question)


def test_every_estimator_of_a_release_was_kept():
    names = {name.split("-")[1] for _, name in KEPT}
    assert {name for name, _ in colabel.all_estimators()} <= names


def test_kept_models_are_of_the_floors_and_of_newer_versions():
    ours, theirs = zip(*map(made_with, ARCHIVES), strict=True)
    assert len(set(theirs)) > 1
    assert max(ours) <= Version(version("colabel"))


def test_answers_tell_models_apart():
    """Or a model could be loaded for another."""
    for path in ARCHIVES:
        scores = [a.tobytes() for key, a in said(path).items() if key.endswith("decision_function")]
        assert len(set(scores)) >= 0.8 * len(scores)
    assert all(answer.any() for answer in said(ARCHIVES[0]).values())


def test_models_that_were_kept_are_not_written_again(monkeypatch, tmp_path):
    monkeypatch.setattr(keep_models, "MODELS", tmp_path)
    release = ".".join(version("colabel").split(".")[:2])
    name = f"{release}-scikit-learn-{version('scikit-learn')}.zip"
    (tmp_path / name).write_bytes(b"kept")
    with pytest.raises(SystemExit, match="is there already"):
        keep_models.main()
    assert (tmp_path / name).read_bytes() == b"kept"
