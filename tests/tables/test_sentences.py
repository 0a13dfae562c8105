"""Texts by a sentence encoder: a stand-in for one, and a small one where that can be made."""

import numpy as np
import pytest
from awkward_tables import TOPICS, tickets
from command_files import colabel, read  # noqa: F401  a fixture
from numpy.testing import assert_allclose

import colabel as library
from colabel.tables import SentenceEncoder, TableFeatures, sentences

RIDGE = ["-m", "label-ridge", "--no-tune", "--no-thresholds", "--set", "alpha=0.5"]


class Network:
    """Counts what words of each topic a text has."""

    def encode(self, texts, **options):
        assert options["normalize_embeddings"]
        assert all(text.strip() for text in texts)
        counts = [
            [1e-3, *(sum(text.count(w) for w in words) for words in TOPICS.values())]
            for text in texts
        ]
        return np.array(counts) / np.linalg.norm(counts, axis=1, keepdims=True)


@pytest.fixture
def network(monkeypatch):
    asked = []
    monkeypatch.setattr(sentences, "_LOADED", {})
    monkeypatch.setattr(
        sentences, "_load", lambda model, fetch: (asked.append((model, fetch)), Network())[1]
    )
    return asked


def test_empty_texts_are_zeros_and_the_network_is_loaded_once(network):
    encoder = SentenceEncoder(model="some/name").fit(["the crash"])
    found = encoder.transform(["the crash", "", " "])
    assert_allclose(np.linalg.norm(found, axis=1), [1, 0, 0])
    assert encoder.get_feature_names_out().tolist() == [f"sentence{i}" for i in range(4)]
    assert network == [("some/name", False)]


def test_another_network_is_refused(network, monkeypatch):
    encoder = SentenceEncoder(model="some/name").fit(["the crash"])
    encoder.size_ = 7
    with pytest.raises(ValueError, match="4 numbers a text, and 7 where the model was fitted"):
        encoder.transform(["a text"])


@pytest.mark.filterwarnings("ignore:.*identifier:UserWarning")
def test_from_the_command_line(network, colabel, tmp_path):  # noqa: F811
    pytest.importorskip("skrub", reason="skrub is not installed: no tables are recognised")
    table = tickets()
    table.write(tmp_path)
    encode = ["--encode", "some/name"]
    said = colabel("fit", "table.csv", *table.options, *encode, *RIDGE, "-o", "m.skops")
    assert "texts: subject, body, by SentenceEncoder" in said
    sentences._LOADED.clear()
    colabel("predict", "m.skops", "new.csv", "-o", "out.csv", "--scores", "--digits", "17")
    by_hand = TableFeatures(text=SentenceEncoder(model="some/name"))
    X = by_hand.fit_transform(table.frame(table.rows).drop(columns="tags"))
    model = library.LabelRidge(alpha=0.5).fit(X, table.Y)
    new = by_hand.transform(table.frame(table.new))
    scores = np.array(read(tmp_path / "out.csv")[1:], dtype=float)
    assert_allclose(scores, model.decision_function(new), rtol=1e-9, atol=1e-9)
    assert network == [("some/name", False)] * 2
    one = [*table.options, "--text", "body", *encode, "--fetch", *RIDGE, "-o", "one.skops"]
    sentences._LOADED.clear()
    assert colabel.json("fit", "table.csv", *one)["features"] == 4
    assert network[-1] == ("some/name", True)
    colabel("predict", "one.skops", "new.csv", "-o", "out.csv")


def test_encode_and_vectorizer_are_not_both_taken(tmp_path):
    (tmp_path / "a.csv").write_text("body,tags\na text,x\n")
    with pytest.raises(ValueError, match="encode= and vectorizer= both"):
        library.datasets.load(
            tmp_path / "a.csv", text="body", label_column="tags", encode="x", vectorizer=object()
        )


def test_what_to_install_is_said():
    if sentences_are_there():
        pytest.skip("sentence-transformers is installed")
    with pytest.raises(ImportError, match=r"pip install 'colabel\[embeddings\]'"):
        SentenceEncoder(model="nowhere/at-all").fit(["a text"])


def sentences_are_there():
    from importlib.util import find_spec

    return find_spec("sentence_transformers") is not None


def static_embedding():
    from importlib import import_module

    try:
        home = import_module("sentence_transformers.sentence_transformer.modules")
    except ImportError:  # of before version 6
        home = import_module("sentence_transformers.models")
    return home.StaticEmbedding


@pytest.mark.skipif(not sentences_are_there(), reason="sentence-transformers is not installed")
def test_a_network_from_a_folder(tmp_path, monkeypatch):
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = ["[UNK]", *(word for topic in TOPICS.values() for word in topic)]
    tokenizer = Tokenizer(WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    weights = np.random.default_rng(0).normal(size=(len(words), 5)).astype(np.float32)
    static = static_embedding()(tokenizer, embedding_weights=weights)
    SentenceTransformer(modules=[static], device="cpu").save(str(tmp_path / "net"))
    monkeypatch.setattr(sentences, "_LOADED", {})
    found = SentenceEncoder(model=str(tmp_path / "net")).fit_transform(["crash", "", "crash error"])
    one, both = weights[words.index("crash")], weights[words.index("error")]
    expected = [one / np.linalg.norm(one), np.zeros(5)]
    expected.append((one + both) / np.linalg.norm(one + both))
    assert_allclose(found, expected, atol=1e-6)
    with pytest.raises(ValueError, match="no sentence encoder 'nowhere/at-all' is on this machine"):
        SentenceEncoder(model="nowhere/at-all").fit(["a text"])
