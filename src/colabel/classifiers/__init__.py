"""Multi-label classifiers, as they are; :mod:`colabel.tuning` has those that tune themselves."""

from colabel._documents import adopt
from colabel.classifiers.aso import ASOClassifier
from colabel.classifiers.mtsda import MtSDA, coefficient_path, plot_path, plot_rho
from colabel.classifiers.pipelines import cca_ridge, cca_svm, hsml, lda_svm, linear_svm
from colabel.classifiers.rank_svm import RankSVM
from colabel.classifiers.ridge import LabelRidge
from colabel.classifiers.shared_subspace import SharedSubspaceClassifier

__all__ = [
    "ASOClassifier",
    "LabelRidge",
    "MtSDA",
    "RankSVM",
    "SharedSubspaceClassifier",
    "cca_ridge",
    "cca_svm",
    "coefficient_path",
    "hsml",
    "lda_svm",
    "linear_svm",
    "plot_path",
    "plot_rho",
]

adopt(__name__, __all__)
