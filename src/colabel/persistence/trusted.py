"""The types that a model file may hold, beside those that skops trusts by itself.

skops trusts numbers, strings, containers, numpy arrays and functions, and the public estimators of
scikit-learn. Loading a file makes objects of these types and sets their attributes; it calls no
function that the file names.
"""

from __future__ import annotations


def _within(module: str, names: str) -> tuple[str, ...]:
    return tuple(f"{module}.{name}" for name in names.split())


#: Of this library: estimators, splitters, and what a bundle is made of.
OURS = (
    *_within("colabel.extractors", "PCA MDDMp MDDMf MVMD LabelCCA OPLS OCM MLSI MLDA DMLDA"),
    *_within("colabel.extractors", "HypergraphSpectral"),
    *_within("colabel.algebra.moments", "Moments"),
    *_within("colabel.classifiers.aso", "ASOClassifier"),
    *_within("colabel.classifiers.mtsda", "MtSDA"),
    *_within("colabel.classifiers.mtsda_cv", "MtSDACV"),
    *_within("colabel.classifiers.pipelines", "TunedBaseline"),
    *_within("colabel.classifiers.rank_svm", "RankSVM"),
    *_within("colabel.classifiers.ridge", "LabelRidge LabelRidgeCV"),
    *_within("colabel.classifiers.shared_subspace", "SharedSubspaceClassifier"),
    *_within("colabel.classifiers.shared_subspace_cv", "SharedSubspaceClassifierCV"),
    *_within("colabel.classifiers.thresholds", "ThresholdTuner"),
    *_within("colabel.semi_supervised.cnmf", "CNMF"),
    *_within("colabel.semi_supervised.sgt", "SGT"),
    *_within("colabel.semi_supervised.baselines", "LabelledOnly SemiSupervisedMLSI"),
    *_within("colabel.semi_supervised._base", "ConstantLabels"),
    *_within(
        "colabel.semi_supervised.graphs", "CosineSimilarity ExplicitSimilarity NeighbourGraph"
    ),
    *_within("colabel.semi_supervised.labelled_rows", "LabelModel"),
    *_within("colabel.semi_supervised.runs", "Extension"),
    *_within("colabel.semi_supervised.starts", "GivenStart ModelStart NeighbourStart"),
    *_within("colabel.evaluation.tuning", "OutOfFoldSearch"),
    *_within("colabel.preparation", "FrequentColumns"),
    *_within("colabel.datasets.dataset", "Columns"),
    *_within(
        "colabel.datasets.splits",
        "CoveringShuffleSplit GivenSplit IterativeStratifiedKFold IterativeStratifiedShuffleSplit",
    ),
    *_within("colabel.persistence.bundle", "Bundle"),
)

#: Of this library: scorers, and the measures that they may hold.
MEASURES = (
    *_within("colabel.metrics.curves", "mean_average_precision roc_auc"),
    *_within(
        "colabel.metrics.ranking",
        "average_precision coverage error_set_size is_error log_loss one_error ranking_loss",
    ),
    *_within(
        "colabel.metrics.sets",
        "accuracy f1 hamming_loss precision recall specificity subset_accuracy",
    ),
    *_within("colabel.metrics.top_k", "f1_at precision_at recall_at"),
    *_within("colabel.metrics.scorers", "LabelScorer Metric"),
)

#: Of the libraries that ours stands on: parts of fitted estimators.
THEIRS = (
    *_within("scipy.sparse._csr", "csr_array csr_matrix"),
    *_within("scipy.sparse._csc", "csc_array csc_matrix"),
    *_within("scipy.sparse._dia", "dia_array dia_matrix"),
    *_within("numpy", "dtype"),
    *_within(
        "sklearn.model_selection._split",
        "GroupKFold GroupShuffleSplit KFold LeaveOneOut PredefinedSplit RepeatedKFold ShuffleSplit "
        "StratifiedKFold StratifiedShuffleSplit",
    ),
    *_within("sklearn.metrics._scorer", "_PassthroughScorer _Scorer"),
    *_within("sklearn.multiclass", "_ConstantPredictor"),
    *_within("sklearn.utils._metadata_requests", "MetadataRequest MethodMetadataRequest"),
)

TRUSTED = (*OURS, *MEASURES, *THEIRS)
