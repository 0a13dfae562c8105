"""Multi-label classifiers, as they are; :mod:`colabel.tuning` has those that tune themselves."""

from typing import TYPE_CHECKING

from colabel._documents import offer

# One classifier is imported without the others: all of them would double what it costs.
if TYPE_CHECKING:
    from colabel.classifiers.aso import ASOClassifier as ASOClassifier
    from colabel.classifiers.chains import ChainEnsemble as ChainEnsemble
    from colabel.classifiers.mtsda import MtSDA as MtSDA
    from colabel.classifiers.mtsda import coefficient_path as coefficient_path
    from colabel.classifiers.mtsda import plot_path as plot_path
    from colabel.classifiers.mtsda import plot_rho as plot_rho
    from colabel.classifiers.neighbours import MLkNN as MLkNN
    from colabel.classifiers.pipelines import cca_ridge as cca_ridge
    from colabel.classifiers.pipelines import cca_svm as cca_svm
    from colabel.classifiers.pipelines import hsml as hsml
    from colabel.classifiers.pipelines import lda_svm as lda_svm
    from colabel.classifiers.pipelines import linear_svm as linear_svm
    from colabel.classifiers.rank_svm import RankSVM as RankSVM
    from colabel.classifiers.ridge import LabelRidge as LabelRidge
    from colabel.classifiers.shared_subspace import (
        SharedSubspaceClassifier as SharedSubspaceClassifier,
    )

__all__, __getattr__, __dir__ = offer(
    __name__,
    {
        "ridge": "LabelRidge",
        "shared_subspace": "SharedSubspaceClassifier",
        "aso": "ASOClassifier",
        "rank_svm": "RankSVM",
        "mtsda": "MtSDA coefficient_path plot_path plot_rho",
        "neighbours": "MLkNN",
        "chains": "ChainEnsemble",
        "pipelines": "cca_ridge cca_svm hsml lda_svm linear_svm",
    },
)
