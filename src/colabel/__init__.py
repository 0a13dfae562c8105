"""Multi-label learning by what labels share."""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING
from typing import Any as _Any

from colabel._homes import HOMES as _HOMES
from colabel._homes import PARTS as _PARTS

# What takes a second to import is imported when a name of it is first used: until then, a program
# is in control. So the command line can answer Ctrl-C in one line at any time.
if TYPE_CHECKING:
    from colabel import metrics as metrics
    from colabel._discovery import all_estimators as all_estimators
    from colabel._row_blocks import row_blocks as row_blocks
    from colabel._rows import factor as factor
    from colabel.classifiers import ASOClassifier as ASOClassifier
    from colabel.classifiers import LabelRidge as LabelRidge
    from colabel.classifiers import MtSDA as MtSDA
    from colabel.classifiers import RankSVM as RankSVM
    from colabel.classifiers import SharedSubspaceClassifier as SharedSubspaceClassifier
    from colabel.comparison import Comparison as Comparison
    from colabel.comparison import compare as compare
    from colabel.explanation import Explanation as Explanation
    from colabel.explanation import explain as explain
    from colabel.extractors import DMLDA as DMLDA
    from colabel.extractors import MLDA as MLDA
    from colabel.extractors import MLSI as MLSI
    from colabel.extractors import MVMD as MVMD
    from colabel.extractors import OCM as OCM
    from colabel.extractors import OPLS as OPLS
    from colabel.extractors import LabelCCA as LabelCCA
    from colabel.extractors import MDDMf as MDDMf
    from colabel.extractors import MDDMp as MDDMp
    from colabel.hypergraph import HypergraphSpectral as HypergraphSpectral
    from colabel.kernel_features import KernelFeatures as KernelFeatures
    from colabel.linalg.data import FactoredMatrix as FactoredMatrix
    from colabel.persistence import load as load
    from colabel.persistence import save as save
    from colabel.persistence import to_onnx as to_onnx
    from colabel.semi_supervised import CNMF as CNMF
    from colabel.semi_supervised import SGT as SGT
    from colabel.tuning import Audit as Audit
    from colabel.tuning import LabelRidgeCV as LabelRidgeCV
    from colabel.tuning import LabelSets as LabelSets
    from colabel.tuning import MtSDACV as MtSDACV
    from colabel.tuning import ProbabilityCalibrator as ProbabilityCalibrator
    from colabel.tuning import SharedSubspaceClassifierCV as SharedSubspaceClassifierCV
    from colabel.tuning import ThresholdTuner as ThresholdTuner
    from colabel.tuning import audit as audit
    from colabel.variance import PCA as PCA

    __version__: str

_WRITTEN = {
    name: home
    for homes in (_HOMES, _PARTS)
    for home, names in homes.items()
    for name in names.split()
}

__all__ = ["metrics", *(name for names in _HOMES.values() for name in names.split())]


def __getattr__(name: str) -> _Any:
    if name == "__version__":
        from importlib.metadata import version

        found: _Any = version("colabel")
    elif name in _WRITTEN:
        found = getattr(_import_module(f"colabel.{_WRITTEN[name]}"), name)
    elif not name.startswith("_") and _find_spec(f"colabel.{name}") is not None:
        found = _import_module(f"colabel.{name}")
    else:
        raise AttributeError(f"module 'colabel' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
