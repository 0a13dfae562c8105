"""The Yahoo web pages, as Ji et al. (2008) prepare them; Han et al. (2010) follow them."""

from dataclasses import replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from colabel.datasets.dataset import Dataset
from colabel.papers import protocol as paper
from colabel.preparation import prepare_yahoo

TITLES = (
    "Arts", "Business", "Computers", "Education", "Entertainment", "Health", "Recreation",
    "Reference", "Science", "Social", "Society",
)  # fmt: skip
#: Training pages of a split.
TRAINING = 1000


def pages(data: Dataset, size: int = TRAINING, labels: int | None = None) -> paper.Problem:
    """TF-IDF with unit rows, of frequent words and labels; every label is in training.

    Of so many `labels`, the most frequent ones, if not of all.
    """
    found = prepare_yahoo(data)
    if labels is not None:
        counts = np.asarray(found.Y.sum(axis=0)).ravel()
        found = found.select(labels=np.sort(np.argsort(-counts, kind="stable")[:labels]))
    found = replace(found, X=narrow(found.X))
    return paper.Problem(found, paper.split_with_every_label(found.Y, size))


def narrow(X: sp.csr_array) -> sp.csr_array:
    """With the 32-bit positions that liblinear needs."""
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def sources() -> dict[str, paper.Source]:
    """All eleven sets."""
    return {title: paper.Source(f"yahoo_{title.lower()}", partial(pages)) for title in TITLES}
