"""Multi-label classifiers."""

from colabel.classifiers.ridge import LabelRidge
from colabel.classifiers.shared_subspace import SharedSubspaceClassifier
from colabel.classifiers.thresholds import ThresholdTuner

__all__ = ["LabelRidge", "SharedSubspaceClassifier", "ThresholdTuner"]
