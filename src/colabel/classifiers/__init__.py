"""Multi-label classifiers."""

from colabel._scores import uncut_scores
from colabel.classifiers.aso import ASOClassifier
from colabel.classifiers.mtsda import MtSDA
from colabel.classifiers.mtsda_cv import MtSDACV
from colabel.classifiers.mtsda_plots import coefficient_path, plot_path, plot_rho
from colabel.classifiers.pipelines import cca_ridge, cca_svm, hsml, lda_svm, linear_svm, tuned
from colabel.classifiers.rank_svm import RankSVM
from colabel.classifiers.ridge import LabelRidge, LabelRidgeCV
from colabel.classifiers.shared_subspace import SharedSubspaceClassifier
from colabel.classifiers.shared_subspace_cv import SharedSubspaceClassifierCV
from colabel.classifiers.thresholds import ThresholdTuner

__all__ = [
    "ASOClassifier",
    "LabelRidge",
    "LabelRidgeCV",
    "MtSDA",
    "MtSDACV",
    "RankSVM",
    "SharedSubspaceClassifier",
    "SharedSubspaceClassifierCV",
    "ThresholdTuner",
    "cca_ridge",
    "cca_svm",
    "coefficient_path",
    "hsml",
    "lda_svm",
    "linear_svm",
    "plot_path",
    "plot_rho",
    "tuned",
    "uncut_scores",
]
