"""The types that a model file may hold, beside those that skops trusts by itself.

skops trusts numbers, strings, containers, numpy arrays and functions, and the public estimators of
scikit-learn. Loading a file makes objects of these types and sets their attributes; it calls no
function that the file names.
"""

from colabel._homes import PARTS
from colabel.catalogue import of_library
from colabel.metrics import METRICS
from colabel.tables.kinds import is_available


def _within(module: str, names: str) -> tuple[str, ...]:
    return tuple(f"{module}.{name}" for name in names.split())


#: Of this library: estimators, splitters, and what a bundle is made of.
OURS = (
    *(f"{kind.__module__}.{kind.__name__}" for row in of_library().values() for kind in row.types),
    *_within("colabel", "KernelFeatures ThresholdTuner ProbabilityCalibrator LabelSets"),
    *(name for names in PARTS.values() for name in _within("colabel", names)),
    *_within("colabel.tuning", "OutOfFoldSearch TunedBaseline"),
    *_within("colabel.semi_supervised", "LabelledOnly SemiSupervisedMLSI"),
    *_within("colabel.preparation", "AsinhScaler FrequentColumns FullRows"),
    *_within("colabel.tables", "TableFeatures SentenceEncoder"),
    *_within("colabel.datasets", "Columns CoveringShuffleSplit GivenSplit"),
    *_within("colabel.datasets", "IterativeStratifiedKFold IterativeStratifiedShuffleSplit"),
    *_within("colabel.persistence", "Bundle"),
    *_within("colabel.classifiers", "ChainEnsemble MLkNN"),
)

#: Of this library: scorers, and the measures that they may hold.
MEASURES = (
    *{f"{metric.function.__module__}.{metric.function.__name__}" for metric in METRICS.values()},
    *_within("colabel.metrics", "LabelScorer Metric"),
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
    *_within("sklearn.tree._tree", "Tree"),
    *_within("sklearn.ensemble._hist_gradient_boosting.predictor", "TreePredictor"),
    *_within("sklearn.utils._metadata_requests", "MetadataRequest MethodMetadataRequest"),
)

#: Of skrub, which encodes the dates of tables: parameters and names of columns, nothing that runs.
TABLES = _within("skrub._datetime_encoder", "DatetimeEncoder _CircularEncoder")

TRUSTED = (*OURS, *MEASURES, *THEIRS, *(TABLES if is_available() else ()))
