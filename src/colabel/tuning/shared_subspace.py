"""The shared-subspace classifier with both penalties and the thresholds tuned."""

from dataclasses import field

import numpy as np

from colabel._class_weights import weights_of_labels
from colabel._indicator import Indicator
from colabel._parameters import Count, Penalties, as_penalties
from colabel._plotting import PlotAxes, axes
from colabel.classifiers.shared_subspace import (
    SharedSubspaceScorer,
    split_labels,
    subspace_dimension,
)
from colabel.linalg.data import CentredData
from colabel.tuning.cells import Axes, Cell, Model
from colabel.tuning.grid import TunedOnGrid

#: The penalties that Ji et al. search, who end at 1, and two more.
PENALTIES = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)


class SharedSubspaceClassifierCV(TunedOnGrid, SharedSubspaceScorer):
    """:class:`SharedSubspaceClassifier` with α, β and the thresholds found by cross-validation.

    One factorisation serves the whole grid and, with ``cv="loo"``, all rows that are left out. The
    scores of a row by the model without it are exact but for the combinations of labels that are
    shared, which are those of all rows.

    Parameters
    ----------
    alphas
        Candidates for α.
    betas
        Candidates for β. Where the best is the last of the default ones, up to three more are
        tried; other candidates than these are not left, and a warning says where the best is the
        last of them.

    Attributes
    ----------
    alpha_, beta_ : float
        The best penalties.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import SharedSubspaceClassifierCV
    >>> X, Y = make_multilabel_classification(n_samples=200, n_classes=8, random_state=0)
    >>> model = SharedSubspaceClassifierCV(random_state=0).fit(X, Y)
    >>> len(model.cv_results_["params"])
    100
    >>> model.predict(X).shape
    (200, 8)
    """

    alphas: Penalties = field(default=PENALTIES, kw_only=False)
    betas: Penalties = field(default=PENALTIES, kw_only=False)
    n_components: Count | None = field(default=None, kw_only=False)

    def _candidates(self, data: CentredData, labels: Indicator) -> tuple[Axes, Model]:
        q, d = labels.matrix.shape[1], data.shape[1]
        subspace_dimension(self.n_components, q, d)  # refuses what is too large

        def ridges(cell: Cell, n: float) -> tuple[float, float]:
            return n * cell["beta"], n * (cell["alpha"] + cell["beta"])

        def own(overlap: np.ndarray, varying: int) -> np.ndarray:
            return split_labels(overlap, subspace_dimension(self.n_components, q, d, varying))[1]

        axes = {
            "alpha": as_penalties("alphas", self.alphas),
            "beta": as_penalties("betas", self.betas),
        }

        def beside(betas: list[float], beta: float) -> list[float]:
            return [0.0, *(other - beta for other in sorted(betas) if other > beta)]

        weights = weights_of_labels(self.label_weight, labels)
        scale = None if weights is None else np.sqrt(weights)
        return axes, Model(ridges, own, scale, per_row=True, beside=beside)

    def grid_scores(self) -> tuple[list[float], list[float], np.ndarray]:
        """The penalties that were tried, those beyond the ends of the grid too, and their scores.

        Returns
        -------
        alphas, betas : list of float
        scores : ndarray of shape (len(alphas), len(betas))
            Means over the folds; NaN for pairs that were not tried.
        """
        found = self.cv_results_
        alphas, i = np.unique(found["param_alpha"], return_inverse=True)
        betas, j = np.unique(found["param_beta"], return_inverse=True)
        scores = np.full((len(alphas), len(betas)), np.nan)
        scores[i, j] = found["mean_test_score"]
        return alphas.tolist(), betas.tolist(), scores

    def plot_grid(self, ax: PlotAxes | None = None) -> PlotAxes:
        """Draw the mean score over the grid of penalties, the best cell marked."""
        ax = axes(ax)
        alphas, betas, scores = self.grid_scores()
        shape = scores.shape
        image = ax.imshow(scores, origin="lower", cmap="viridis")
        ax.figure.colorbar(image, ax=ax, label=f"mean {self.scoring}")
        ax.set_xticks(range(shape[1]), [f"{beta:g}" for beta in betas])
        ax.set_yticks(range(shape[0]), [f"{alpha:g}" for alpha in alphas])
        ax.set(xlabel="beta", ylabel="alpha", title=f"best: {self.best_score_:.4f}")
        row, column = divmod(int(np.nanargmax(scores)), shape[1])
        ax.plot(column, row, marker="o", markersize=14, fillstyle="none", color="red")
        return ax
