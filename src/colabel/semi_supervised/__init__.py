"""Learning from labelled and unlabelled rows.

Every classifier here has ``fit(X, Y, labelled=None)``, where a row of Y that is −1 alone, or one
that the mask ``labelled`` leaves out, is unlabelled; ``label_scores_`` and ``transduction_`` for
the rows of the fit; and ``predict`` for new ones.
"""

from colabel._documents import adopt
from colabel.semi_supervised.cnmf.classifier import CNMF
from colabel.semi_supervised.labelled_only import LabelledOnly, SemiSupervisedMLSI
from colabel.semi_supervised.plots import plot_ranking
from colabel.semi_supervised.ranking import RankingCurves, evaluate_ranking
from colabel.semi_supervised.sgt.classifier import SGT

__all__ = [
    "CNMF",
    "SGT",
    "LabelledOnly",
    "RankingCurves",
    "SemiSupervisedMLSI",
    "evaluate_ranking",
    "plot_ranking",
]

adopt(__name__, __all__)
