"""Texts by a sentence encoder, a network that is loaded when it is used."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from colabel._parameters import Count, Estimator

#: Networks that were loaded, by where they came from: one serves all columns of a table.
_LOADED: dict[str, Any] = {}


class SentenceEncoder(TransformerMixin, Estimator):
    """Texts as points whose directions say what they mean, by sentence-transformers.

    The network is not part of a saved model, which holds its folder or name and the length of its
    vectors: it has to be there where the model is used. No code that comes with a network is run,
    and nothing is fetched unless `fetch` says so.

    Parameters
    ----------
    model
        A folder, or the name of a network of the Hugging Face hub that is on this machine.
    fetch
        Whether a network that is not here may be fetched by its name.
    batch_size
        Texts that are encoded at a time.

    Attributes
    ----------
    size_ : int
        The length of the vectors.

    Examples
    --------
    >>> from colabel.tables import SentenceEncoder
    >>> SentenceEncoder(model="nowhere/at-all").fit(["a text"])  # doctest: +SKIP
    Traceback (most recent call last):
    ValueError: no sentence encoder 'nowhere/at-all' is on this machine; ...
    """

    model: str
    fetch: bool = False
    batch_size: Count = 32

    def fit(self, X: Sequence[str], y: Any = None) -> Self:
        """Load the network; nothing is learned.

        Parameters
        ----------
        X : sequence of str
        y : ignored
        """
        self.size_ = self._encode(list(X)[:1] or [""]).shape[1]
        return self

    def transform(self, X: Sequence[str]) -> np.ndarray:
        """Vectors of length 1, zeros for texts that are empty.

        Parameters
        ----------
        X : sequence of str
        """
        check_is_fitted(self)
        texts = [str(text) for text in X]
        said = [i for i, text in enumerate(texts) if text.strip()]
        found = np.zeros((len(texts), self.size_))
        if said:
            vectors = self._encode([texts[i] for i in said])
            if vectors.shape[1] != self.size_:
                raise ValueError(
                    f"{self.model} gives {vectors.shape[1]} numbers a text, and {self.size_} where "
                    "the model was fitted; use the network that it was fitted with"
                )
            found[said] = vectors
        return found

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Numbers as names."""
        check_is_fitted(self)
        return np.array([f"sentence{i}" for i in range(self.size_)], dtype=object)

    def _encode(self, texts: list[str]) -> np.ndarray:
        network = _network(self.model, fetch=self.fetch)
        return np.asarray(
            network.encode(
                texts,
                batch_size=self.batch_size,
                normalize_embeddings=True,
                show_progress_bar=False,
                convert_to_numpy=True,
            ),
            dtype=np.float64,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


def _network(model: str, *, fetch: bool) -> Any:
    key = str(Path(model).resolve()) if Path(model).is_dir() else model
    if key not in _LOADED:
        _LOADED[key] = _load(key, fetch=fetch)
    return _LOADED[key]


def _load(model: str, *, fetch: bool) -> Any:
    try:
        # its import reaches for the network where this is not set
        if not fetch:
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging
    except ImportError:
        raise ImportError(
            "encoding sentences needs sentence-transformers; pip install 'colabel[embeddings]'"
        ) from None
    logging.disable_progress_bar()  # of weights, which are there in a moment
    try:
        return SentenceTransformer(
            model, local_files_only=not fetch, trust_remote_code=False, device="cpu"
        )
    except (OSError, ValueError) as error:
        way = (
            "" if fetch else "; give a folder that has one, or allow it to be fetched (fetch=True)"
        )
        said = " ".join(str(error).split())[:200]
        raise ValueError(f"no sentence encoder {model!r} is on this machine{way}: {said}") from None
