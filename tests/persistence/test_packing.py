"""Model files hold words as arrays, and only what is asked for."""

import json
from zipfile import ZipFile

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from colabel import LabelRidge, SharedSubspaceClassifier, load, save
from colabel.persistence import ModelError
from colabel.persistence.packing import MANY, Vocabulary, Words, pack, unpack

WORDS = [f"wort{i}" for i in range(300)] + ["zwölf", "", "a\0b", "漢字", "\ud800"]


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    documents = [" ".join(rng.choice(WORDS[:300], size=12)) for _ in range(200)]
    Y = np.array([[w in text.split() for w in WORDS[:6]] for text in documents]).astype(int)
    model = make_pipeline(TfidfVectorizer(), SharedSubspaceClassifier()).fit(documents, Y)
    return documents, model


def test_words_come_back():
    assert Words.of(WORDS).unpack() == WORDS
    assert Words.of([]).unpack() == []


@pytest.mark.parametrize("ends", [[3, 1], [-1, 2], [99]])
def test_words_that_end_elsewhere_are_refused(ends):
    with pytest.raises(ValueError, match="outside of their letters"):
        Words(np.zeros(5, np.uint8), np.array(ends), (len(ends),)).unpack()


def test_a_model_is_not_changed_and_comes_back(texts):
    documents, model = texts
    before = dict(model[0].vocabulary_)
    packed = pack(model)
    assert isinstance(packed[0].vocabulary_, Vocabulary)
    assert model[0].vocabulary_ == before
    assert packed[1] is model[1]
    again = unpack(packed)
    assert again[0].vocabulary_ == before
    assert list(again[0].vocabulary_) == list(before)
    assert_array_equal(again.decision_function(documents), model.decision_function(documents))


def test_what_is_small_or_of_other_types_stays():
    things = {
        "few": np.array(WORDS[: MANY - 1], dtype=object),
        "numbers": np.arange(500).astype(object),
        "counts": {i: i for i in range(500)},
        "prices": {f"w{i}": 0.5 for i in range(500)},
    }
    assert pack(things) is things


def test_what_holds_itself_is_no_trap():
    holder = type("Holder", (), {})()
    holder.me, holder.names = holder, np.array(WORDS, dtype=object)
    assert isinstance(pack(holder).names, Words)
    assert holder.names[0] == "wort0"


def test_files_hold_no_entry_a_word(texts, tmp_path):
    documents, model = texts
    path = tmp_path / "m.skops"
    save(model, path)
    with ZipFile(path) as archive:
        assert "wort7" not in archive.read("schema.json").decode()
    again = load(path)
    assert_array_equal(again.predict(documents), model.predict(documents))
    assert again[0].vocabulary_ == model[0].vocabulary_
    assert_allclose(again[1].transform(model[0].transform(documents)).shape, (200, 5))


def test_only_what_predictions_need(texts, tmp_path):
    documents, model = texts
    save(model, tmp_path / "all.skops")
    save(model, tmp_path / "some.skops", whole=False)
    assert (tmp_path / "some.skops").stat().st_size < (tmp_path / "all.skops").stat().st_size
    again = load(tmp_path / "some.skops")
    assert not hasattr(again[1], "subspace_")
    assert hasattr(model[1], "subspace_")
    assert_array_equal(again.decision_function(documents), model.decision_function(documents))


def test_seven_digits_on_request(texts, tmp_path):
    documents, model = texts
    save(model, tmp_path / "m.skops", dtype="float32")
    again = load(tmp_path / "m.skops")
    assert again[1].coef_.dtype == np.float32
    assert model[1].coef_.dtype == np.float64
    expected = model.decision_function(documents)
    assert_allclose(again.decision_function(documents), expected, atol=1e-5)


def test_damaged_words_are_an_error_that_names_the_file(texts, tmp_path):
    _, model = texts
    path, other = tmp_path / "m.skops", tmp_path / "other.skops"
    save(model, path)
    with ZipFile(path) as archive, ZipFile(other, "w") as copy:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "schema.json":
                schema = json.loads(content)
                text = json.dumps(schema)
                assert '"Words"' in text
                content = text.replace('"Words"', '"Moments"').encode()
            copy.writestr(name, content)
    with pytest.raises(ModelError, match=r"other\.skops: the file is damaged"):
        load(other).predict(["wort1"])


def test_label_names_of_any_type_come_back(tmp_path):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(300, 5)), rng.integers(0, 2, size=(300, 120))
    model = LabelRidge().fit(X, Y)
    save(model, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops")
    assert_array_equal(again.label_names_, model.label_names_)
    assert again.label_names_.dtype == object
