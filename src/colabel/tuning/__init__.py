"""Penalties and thresholds, found from the scores of rows that a model has not seen."""

from colabel._documents import adopt
from colabel._scores import uncut_scores
from colabel.tuning.auditing import Audit, Suspect, audit
from colabel.tuning.baselines import TunedBaseline, make_search
from colabel.tuning.decisions import decide_sets
from colabel.tuning.label_sets import LabelSets
from colabel.tuning.mtsda import MtSDACV
from colabel.tuning.probabilities import ProbabilityCalibrator
from colabel.tuning.ridge import LabelRidgeCV
from colabel.tuning.search import OutOfFoldSearch
from colabel.tuning.shared_subspace import SharedSubspaceClassifierCV
from colabel.tuning.thresholds import ThresholdTuner

__all__ = [
    "Audit",
    "LabelRidgeCV",
    "LabelSets",
    "MtSDACV",
    "OutOfFoldSearch",
    "ProbabilityCalibrator",
    "SharedSubspaceClassifierCV",
    "Suspect",
    "ThresholdTuner",
    "TunedBaseline",
    "audit",
    "decide_sets",
    "make_search",
    "uncut_scores",
]

adopt(__name__, __all__)
