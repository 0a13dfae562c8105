"""Any table in: columns recognised, read and encoded by one transformer that takes raw rows."""

from colabel._documents import adopt
from colabel.tables.features import TableFeatures
from colabel.tables.sentences import SentenceEncoder

__all__ = ["SentenceEncoder", "TableFeatures"]

adopt(__name__, __all__)
