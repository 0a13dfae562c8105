"""Multi-label classifiers."""

from colabel.classifiers.ridge import LabelRidge
from colabel.classifiers.shared_subspace import SharedSubspaceClassifier

__all__ = ["LabelRidge", "SharedSubspaceClassifier"]
