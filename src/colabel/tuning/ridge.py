"""Ridge regression on ±1 labels, with its penalty and the thresholds tuned."""

from dataclasses import field

from colabel._indicator import Indicator
from colabel._parameters import Penalties, as_penalties
from colabel.classifiers.ridge import RidgeScorer
from colabel.linalg.data import CentredData
from colabel.tuning.cells import Axes, Model
from colabel.tuning.grid import TunedOnGrid


class LabelRidgeCV(TunedOnGrid, RidgeScorer):
    """:class:`~colabel.LabelRidge` with α and the thresholds found by cross-validation.

    One factorisation serves all candidates, all labels and, with ``cv="loo"``, all rows that are
    left out: what the model without a row says of it has a closed form, which is exact.

    Parameters
    ----------
    alphas
        Candidates; they are not scaled by the number of rows. Where the best is the last of the
        default ones, up to three more are tried; other candidates than these are not left, and a
        warning says where the best is the last of them.

    Attributes
    ----------
    alpha_ : float
        The best candidate.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import LabelRidgeCV
    >>> X, Y = make_multilabel_classification(n_samples=200, random_state=0)
    >>> model = LabelRidgeCV(random_state=0).fit(X, Y)
    >>> model.alpha_ in model.cv_results_["param_alpha"]
    True
    """

    alphas: Penalties = field(default=(1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0), kw_only=False)

    def _candidates(self, data: CentredData, labels: Indicator) -> tuple[Axes, Model]:
        axes = {"alpha": as_penalties("alphas", self.alphas)}
        return axes, Model(lambda cell, n: (cell["alpha"], cell["alpha"]))
