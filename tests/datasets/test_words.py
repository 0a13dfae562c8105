"""Texts read a block at a time have the weights of scikit-learn's TfidfVectorizer."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from colabel.datasets.words import WordCounts

TEXTS = [
    "The cat, the Cat and THE dog: a_b x_ _ __ 12 3",
    "",
    "naïve Straße İstanbul e\u0301te\u0301 x²  ß µm",
    "tab\tnew\nline\x0bfeed\x1cunit\x85next nbsp\xa0space",
    "don't stop-word e.g. C++ a1 1a",
    "the the the dog",
]


def weighed(texts, block):
    words = WordCounts()
    for start in range(0, len(texts), block):
        words.add(texts[start : start + block])
    return words.weigh()


@pytest.mark.parametrize("block", [1, 2, 10])
def test_weights_and_vectorizer(block):
    X, vectorizer = weighed(TEXTS, block)
    usual = TfidfVectorizer()
    expected = usual.fit_transform(TEXTS)
    assert vectorizer.vocabulary_ == usual.vocabulary_
    np.testing.assert_array_equal(vectorizer.idf_, usual.idf_)
    np.testing.assert_allclose(X.toarray(), expected.toarray(), rtol=1e-14)
    assert X.has_canonical_format
    others = ["a new dog", "naïve cat²"]
    assert (vectorizer.transform(others) != usual.transform(others)).nnz == 0


def test_words_of_every_ascii_character():
    texts = [f"ab{chr(i)}cd ef{chr(i)}" for i in range(128)]
    assert weighed(texts, 50)[1].vocabulary_ == TfidfVectorizer().fit(texts).vocabulary_


@pytest.mark.parametrize("texts", [[], ["", "a b c"]])
def test_no_words(texts):
    with pytest.raises(ValueError, match="empty vocabulary"):
        weighed(texts, 2)
