"""Multi-label classifiers."""

from colabel.classifiers.pipelines import cca_ridge, cca_svm, linear_svm, tuned
from colabel.classifiers.ridge import LabelRidge, LabelRidgeCV
from colabel.classifiers.shared_subspace import SharedSubspaceClassifier
from colabel.classifiers.shared_subspace_cv import SharedSubspaceClassifierCV
from colabel.classifiers.thresholds import ThresholdTuner

__all__ = [
    "LabelRidge",
    "LabelRidgeCV",
    "SharedSubspaceClassifier",
    "SharedSubspaceClassifierCV",
    "ThresholdTuner",
    "cca_ridge",
    "cca_svm",
    "linear_svm",
    "tuned",
]
