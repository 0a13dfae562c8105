"""TF-IDF of texts that are read once, a block at a time, no text being kept.

The weights, and the vectorizer that predictions use, are those of scikit-learn's TfidfVectorizer.
It finds words by a regular expression and looks up each in a loop of Python's, which takes two to
three times as long.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

#: What ASCII letters, digits and underscores are in a word, and spaces in the place of all others.
_LETTERS = {i: chr(i).lower() if chr(i).isalnum() or chr(i) == "_" else " " for i in range(128)}


class WordCounts:
    """The words of texts, numbered as they come."""

    def __init__(self) -> None:
        self._analyze = TfidfVectorizer().build_analyzer()
        self._number: defaultdict[str, int] = defaultdict()
        self._number.default_factory = self._number.__len__
        #: Of each block of texts: the numbers of its words, text after text, and where these end.
        self._blocks: list[tuple[np.ndarray, np.ndarray]] = []

    def add(self, texts: Iterable[str]) -> None:
        """Read some more texts."""
        words, ends, number = array("i"), [0], self._number.__getitem__
        for text in texts:
            words.extend(map(number, self._words(text)))
            ends.append(len(words))
        self._blocks.append((np.frombuffer(words, dtype=np.int32), np.array(ends, dtype=np.int32)))

    def _words(self, text: str) -> list[str]:
        """Runs of two or more letters, as the regular expression of the vectorizer finds them."""
        if not text.isascii():
            return self._analyze(text)
        return [word for word in text.translate(_LETTERS).split() if len(word) > 1]

    def weigh(self) -> tuple[Any, TfidfVectorizer]:
        """TF-IDF weights with words in the order of the alphabet, and the vectorizer they have.

        What was read is given up for it.
        """
        if not self._number:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        words = sorted(self._number)
        place = np.empty(len(words), dtype=np.int32)
        place[[self._number[word] for word in words]] = np.arange(len(words), dtype=np.int32)
        counts = self._count(place)
        weights = TfidfTransformer().fit(counts)
        vectorizer = TfidfVectorizer()
        vectorizer.vocabulary_ = dict(zip(words, range(len(words)), strict=True))
        vectorizer.idf_ = weights.idf_
        return weights.transform(counts, copy=False), vectorizer

    def _count(self, place: np.ndarray) -> Any:
        """How often each word is in each text, words being at their places."""
        data, columns, sizes = [], [], []
        while self._blocks:
            words, ends = self._blocks.pop(0)
            shape = (len(ends) - 1, len(place))
            block = sp.csr_array((np.ones(len(words)), place[words], ends), shape=shape)
            block.sum_duplicates()
            # counts are small: a quarter of the memory until all of them are there
            data.append(block.data.astype(np.int32))
            columns.append(block.indices)
            sizes.append(np.diff(block.indptr))
        nnz = sum(len(part) for part in columns)
        index = np.int32 if nnz <= np.iinfo(np.int32).max else np.int64
        indptr = np.concatenate([[0], np.cumsum(np.concatenate(sizes), dtype=index)], dtype=index)
        counts = np.concatenate(data, dtype=np.float64)
        indices = np.concatenate(columns, dtype=index)
        return sp.csr_array((counts, indices, indptr), shape=(len(indptr) - 1, len(place)))
