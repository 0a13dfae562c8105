"""Multi-label learning by what labels share."""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING
from typing import Any as _Any

# What takes a second to import is imported when a name of it is first used: until then, a program
# is in control. So the command line can answer Ctrl-C in one line at any time.
if TYPE_CHECKING:
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

    __version__: str

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

_HOMES = (
    "_row_blocks",
    "_validation",
    "algebra.factor",
    "classifiers",
    "extractors",
    "persistence",
    "semi_supervised",
)


def __getattr__(name: str) -> _Any:
    if name == "__version__":
        from importlib.metadata import version

        found: _Any = version("colabel")
    elif name in __all__ or not name.startswith("_"):
        found = _found(name)
    else:
        raise AttributeError(f"module 'colabel' has no attribute {name!r}")
    globals()[name] = found
    return found


def _found(name: str) -> _Any:
    """A module of the library, or what one of the modules above has."""
    if _find_spec(f"colabel.{name}") is not None:
        return _import_module(f"colabel.{name}")
    for home in _HOMES if name in __all__ else ():
        module = _import_module(f"colabel.{home}")
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module 'colabel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
