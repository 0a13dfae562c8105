"""The data set that comes with the library."""

from importlib.resources import files

import numpy as np
import scipy.sparse as sp

from colabel.datasets.dataset import Dataset, as_names, first_rows


def load_debtags() -> Dataset:
    """Debian programs as bags of words, with the tags that people gave them.

    X counts the words in the description of a program in Debian 12; Y holds its debtags: what it is
    for, what it works with, how it is used. The tags are correlated, of very different frequencies,
    and given by hand, so that some are missing. `docs/debtags.md` says how the set was made.

    Returns
    -------
    Dataset
        With the names of the packages as `row_names`. The standard split trains on the first two
        thirds; the order is that of a hash of the name.

    Examples
    --------
    >>> from colabel.datasets import load_debtags
    >>> data = load_debtags()
    >>> mutt = data.select(rows=data.row_names == "mutt")
    >>> mutt.label_names[mutt.Y.indices].tolist()
    ['interface::text-mode', 'network::client', 'use::editing', 'works-with::mail']
    """
    path = files("colabel.datasets").joinpath("data", "debtags.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
        parts = {key: held[key] for key in held.files}
    words, tags, rows = (
        as_names(bytes(parts[f"{key}_names"]).decode().split("\n"))
        for key in ("word", "tag", "row")
    )
    return Dataset(
        X=_rows(parts["counts"].astype(np.float64), parts["words"], parts["words_per_row"], words),
        Y=_rows(np.ones(len(parts["tags"]), int), parts["tags"], parts["tags_per_row"], tags),
        label_names=tags,
        feature_names=words,
        row_names=rows,
        split=first_rows(2 * len(rows) // 3, len(rows)),
        name="debtags",
    )


def _rows(
    values: np.ndarray, columns: np.ndarray, per_row: np.ndarray, names: np.ndarray
) -> sp.csr_array:
    indptr = np.concatenate([[0], np.cumsum(per_row, dtype=np.int32)]).astype(np.int32)
    shape = (len(per_row), len(names))
    return sp.csr_array((values, columns.astype(np.int32), indptr), shape=shape)
