"""Data in: files of every usual kind, sets by name, generated ones, and splits."""

from colabel._documents import adopt
from colabel.datasets._files import DataError
from colabel.datasets.dataset import Columns, Dataset
from colabel.datasets.debtags import load_debtags
from colabel.datasets.generate import SubspaceDataset, make_multilabel_subspace
from colabel.datasets.shards import Shards, load_shards
from colabel.datasets.sources import NAMES, load, stream, stream_cells
from colabel.datasets.splits import (
    CoveringShuffleSplit,
    GivenSplit,
    IterativeStratifiedKFold,
    IterativeStratifiedShuffleSplit,
)

__all__ = [
    "NAMES",
    "Columns",
    "CoveringShuffleSplit",
    "DataError",
    "Dataset",
    "GivenSplit",
    "IterativeStratifiedKFold",
    "IterativeStratifiedShuffleSplit",
    "Shards",
    "SubspaceDataset",
    "load",
    "load_debtags",
    "load_shards",
    "make_multilabel_subspace",
    "stream",
    "stream_cells",
]

adopt(__name__, __all__)
