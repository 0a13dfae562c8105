"""Kernels as parameters of an estimator, and what a fit with one leaves behind."""

import warnings
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from colabel._documents import Says
from colabel._parameters import Count, Estimator, Finite, NonNegative, Seed
from colabel._sklearn import count_rows
from colabel.linalg.data import CentredData
from colabel.linalg.kernel_map import SAMPLE, Kernel, default_width
from colabel.linalg.kernel_rows import UnfactoredImages, kernel_rows
from colabel.linalg.landmarks import EXACT_ROWS, LANDMARKS, blocks_of, landmark_rows

#: As in scikit-learn's `kernel_metrics`.
KernelName: TypeAlias = Annotated[
    Literal[
        "additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial",
        "precomputed", "rbf", "sigmoid",
    ] | Callable[..., Any] | None,
    Says(
        "None: rows as they are. A name of scikit-learn's `kernel_metrics`, a function of two\n"
        '    rows, or "precomputed" (X is the kernel matrix of the fitted rows, and later of\n'
        "    others with these): the method is that of the rows' images under the kernel."
    ),
]  # fmt: skip
Width: TypeAlias = Annotated[
    NonNegative | None,
    Says(
        "Of the kernels that have it. None: one over the median squared distance of rows, of at\n"
        '    most 1000 random ones; of the Manhattan distance for "laplacian", and 1 for "chi2".'
    ),
]  # fmt: skip
Degree: TypeAlias = Annotated[NonNegative, Says("Of the polynomial kernel.")]
Offset: TypeAlias = Annotated[Finite, Says("Of the polynomial and the sigmoid kernel.")]
Landmarks: TypeAlias = Annotated[
    Count | None,
    Says(
        "With a kernel: the most rows that stand for all, drawn by randomly pivoted Cholesky\n"
        f"    factorisation. None: all rows up to {EXACT_ROWS}, and {LANDMARKS} of more."
    ),
]


class Kernelised(Estimator):
    """What every estimator has that sees rows only through their inner products.

    Parameters
    ----------
    random_state
        Seeds the choice of landmarks, and of the rows that a width is guessed from.

    Attributes
    ----------
    kernel_map_ : KernelMap
        With a kernel: the rows that are kept, `kernel_map_.rows`, and the kernel. Coefficients are
        of the kernel's values with these rows.
    """

    # whether the axes of the images are asked for, and not only solutions of ridge regressions
    _needs_axes = True

    kernel: KernelName = None
    gamma: Width = None
    degree: Degree = 3
    coef0: Offset = 1.0
    n_landmarks: Landmarks = None
    random_state: Seed = None

    @property
    def n_landmarks_(self) -> int:
        """How many of the fitted rows are kept for the kernel; 0 without one."""
        kernel_map = vars(self).get("kernel_map_")
        return 0 if kernel_map is None else len(kernel_map)

    @property
    def gamma_(self) -> float | None:
        """The width of the kernel, where it has one."""
        kernel_map = vars(self).get("kernel_map_")
        return None if kernel_map is None else kernel_map.kernel.gamma

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def are_landmarks_chosen(estimator: Any, X: Any) -> bool:
    """Whether an estimator's kernel sees the rows of X by some of them only."""
    too_many = estimator.n_landmarks is not None or count_rows(X) > EXACT_ROWS
    return estimator.kernel is not None and too_many


def images(
    estimator: Any,
    X: Any,
    dtype: Any,
    gamma: float | None = None,
    *,
    is_rough: bool = False,
    weights: np.ndarray | None = None,
) -> CentredData:
    """The rows of X (an array, or in blocks) as an estimator's kernel sees them."""
    rng = check_random_state(getattr(estimator, "random_state", None))
    kernel = kernel_of(estimator, X, gamma, rng, weights)
    if kernel.is_precomputed and X.shape[0] != X.shape[1]:
        raise ValueError(
            "with kernel='precomputed' X is the kernel matrix of the training rows, one column for "
            f"each of them; got the shape {X.shape}"
        )
    if are_landmarks_chosen(estimator, X):
        most = estimator.n_landmarks or LANDMARKS
        if estimator.n_landmarks is None and not is_rough:
            _tell_landmarks(kernel, X.shape[0])
        return landmark_rows(kernel, X, -(-most // 4) if is_rough else most, rng, dtype)
    if isinstance(X, CentredData):
        return landmark_rows(kernel, X, X.shape[0], rng, dtype)
    kernel_map = kernel.keep(X, slice(None))
    # weights are of rows with inner products of their own, which combinations have not
    if kernel.is_positive and weights is None and not getattr(estimator, "_needs_axes", True):
        return UnfactoredImages(kernel_map, X, dtype)
    return kernel_rows(_own(kernel_map.values(X), X), kernel_map, dtype)


def _tell_landmarks(kernel: Kernel, n: int) -> None:
    warnings.warn(
        f"kernel={kernel.name!r} on {n} rows, of which at most {LANDMARKS} stand for all; "
        "n_landmarks says how many should, and more are closer to the kernel itself",
        UserWarning,
        stacklevel=5,
    )


def _own(K: np.ndarray, X: Any) -> np.ndarray:
    """K, in an array that may be overwritten."""
    return K.copy() if np.may_share_memory(K, X.data if sp.issparse(X) else X) else K


def kernel_of(
    estimator: Any,
    X: Any,
    gamma: float | None,
    rng: np.random.RandomState,
    weights: np.ndarray | None = None,
) -> Kernel:
    """The kernel that parameters say, with a width of its own where they say none."""
    kernel = Kernel(estimator.kernel, None, estimator.degree, estimator.coef0)
    if not kernel.has_width:
        return kernel
    gamma = estimator.gamma if gamma is None else gamma
    if gamma is None:
        some = np.sort(rng.permutation(X.shape[0])[:SAMPLE])
        rows = blocks_of(X).take(some) if isinstance(X, CentredData) else X[some]
        gamma = default_width(str(kernel.name), rows, None if weights is None else weights[some])
    return Kernel(kernel.name, float(gamma), kernel.degree, kernel.coef0)
