"""Multi-label learning by what labels share."""

from importlib.metadata import version as _version

from colabel import metrics
from colabel._row_blocks import row_blocks
from colabel._validation import factor
from colabel.algebra.factor import FactoredMatrix
from colabel.classifiers import (
    ASOClassifier,
    LabelRidge,
    LabelRidgeCV,
    MtSDA,
    MtSDACV,
    RankSVM,
    SharedSubspaceClassifier,
    SharedSubspaceClassifierCV,
    ThresholdTuner,
)
from colabel.extractors import (
    DMLDA,
    MLDA,
    MLSI,
    MVMD,
    OCM,
    OPLS,
    PCA,
    HypergraphSpectral,
    LabelCCA,
    MDDMf,
    MDDMp,
)
from colabel.persistence import load, save, to_onnx
from colabel.semi_supervised import CNMF, SGT

__version__ = _version("colabel")

__all__ = [
    "CNMF",
    "DMLDA",
    "MLDA",
    "MLSI",
    "MVMD",
    "OCM",
    "OPLS",
    "PCA",
    "SGT",
    "ASOClassifier",
    "FactoredMatrix",
    "HypergraphSpectral",
    "LabelCCA",
    "LabelRidge",
    "LabelRidgeCV",
    "MDDMf",
    "MDDMp",
    "MtSDA",
    "MtSDACV",
    "RankSVM",
    "SharedSubspaceClassifier",
    "SharedSubspaceClassifierCV",
    "ThresholdTuner",
    "factor",
    "load",
    "metrics",
    "row_blocks",
    "save",
    "to_onnx",
]
