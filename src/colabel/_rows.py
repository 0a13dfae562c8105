"""Rows as a person passes them in: the one place that looks at containers."""

from typing import Annotated, Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.validation import validate_data

from colabel._documents import Says
from colabel._kernels import Degree, Kernelised, KernelName, Landmarks, Offset, Width, images
from colabel._parameters import Seed
from colabel._public import public
from colabel._row_blocks import is_dask, row_blocks
from colabel._sklearn import check_feature_names, check_n_features
from colabel._weights import Weights
from colabel.linalg.blocks import RowBlocks
from colabel.linalg.containers import as_matrix, canonical
from colabel.linalg.data import CentredData, FactoredMatrix
from colabel.linalg.kernel_map import KernelMap

#: What X can be: an array, a sparse one, a DataFrame, row blocks, or data that are factored.
Rows: TypeAlias = Annotated[
    ArrayLike | sp.sparray | sp.spmatrix | CentredData,
    Says(kind="array, sparse array, DataFrame or FactoredMatrix of shape (n, d)"),
]
#: What a classifier inside of another is given.
AnyRows: TypeAlias = Annotated[Any, Says(kind="whatever the classifier takes, with n rows")]
#: A y that only makes a fit look like that of others.
Ignored: TypeAlias = Annotated[Any, Says("Not used.", "ignored")]
FLOATS = (np.float64, np.float32)
SPARSE_FORMATS = ("csr", "csc")
#: The least and the largest root mean square of rows whose third powers, which iterations form,
#: neither vanish nor overflow; and the largest whose products with a fitted model do not.
SCALES = {np.dtype(np.float64): (1e-50, 1e25, 1e100), np.dtype(np.float32): (1e-10, 1e10, 1e15)}


def as_data(
    estimator: Any,
    X: Rows,
    weights: Weights | None = None,
    gamma: float | None = None,
    *,
    is_rough: bool = False,
) -> CentredData:
    """Check X for fit, and remember its features in the estimator.

    What an estimator with a kernel gets are the images of the rows, with a `gamma` of its own or
    the one that is given; rough ones, by fewer landmarks, if that is enough. Rows of weight 0 are
    left out.
    """
    frame = getattr(X, "_meta", None)  # of Dask's DataFrames, one of pandas without rows
    X = row_blocks(X) if is_dask(X) else X
    # whose columns are rows too: all stay, and those of weight 0 are left out of their images
    is_precomputed = getattr(estimator, "kernel", None) == "precomputed"
    if isinstance(X, CentredData):
        check_feature_names(estimator, frame, reset=True)
        estimator.n_features_in_ = X.n_features_in
        check_scale(X)
        data = X = _kept(X, weights)
    else:
        X = _validate(estimator, X, reset=True, ensure_min_samples=2, ensure_all_finite=False)
        X = X if is_precomputed else _kept(X, weights)
        data = _centre(estimator, X)
    values = None if weights is None else weights.values
    if getattr(estimator, "kernel", None) is not None:
        rows = _itself(estimator, X)
        data = images(estimator, rows, data.dtype, gamma, is_rough=is_rough, weights=values)
        data = _kept(data, weights) if is_precomputed else data
    data = data if values is None else data.weigh(values)
    if data.kernel_map is None:
        vars(estimator).pop("kernel_map_", None)
    else:
        estimator.kernel_map_ = data.kernel_map
    return data


def _kept(X: Any, weights: Weights | None) -> Any:
    """The rows that count."""
    if weights is None:
        return X
    weights.check(X.shape[0])
    if weights.kept is None:
        return X
    return (X.tocsr() if sp.issparse(X) else X)[weights.kept]


def _centre(estimator: Any, X: Any) -> CentredData:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        data = CentredData(as_matrix(X))
        size = _row_size(data)
        if not np.isfinite(data.mean).all():  # as a NaN or an infinity stays in its sum
            assert_all_finite(X, estimator_name=type(estimator).__name__, input_name="X")
    least, largest, _ = SCALES[np.dtype(X.dtype)]
    if not least <= size <= largest:
        check_scale(X)
    return data


def _itself(estimator: Any, X: Any) -> Any:
    """X as a kernel takes it: the rows themselves, each at hand."""
    if isinstance(X, CentredData) and not isinstance(X.core, RowBlocks):
        raise ValueError(
            f"kernel={estimator.kernel!r} needs the rows themselves, but X is a FactoredMatrix: "
            "pass the array it was made of, or set kernel=None and pass "
            f"factor(X, kernel={estimator.kernel!r})"
        )
    return X.tocsr() if sp.issparse(X) else X


def as_rows(estimator: Any, X: Any) -> Any:
    """Check X for transform or predict: a FactoredMatrix, a dense array or a sparse one."""
    if is_dask(X):
        check_feature_names(estimator, X._meta, reset=False)
        X = row_blocks(X)
    if not isinstance(X, CentredData):
        return as_array(estimator, X, reset=False)
    if X.n_features_in != estimator.n_features_in_:
        check_n_features(estimator, X, reset=False)
    return X


def rows_dot(
    estimator: Any, X: Rows, P: np.ndarray, origin: np.ndarray | None = None
) -> np.ndarray:
    """(X − origin)P for the rows of X, or for what the kernel of a fitted estimator makes of them.

    Without an origin, XP.
    """
    rows, kernel_map = as_rows(estimator, X), vars(estimator).get("kernel_map_")
    if isinstance(rows, CentredData):
        if rows.kernel_map is not kernel_map:
            rows = _seen_by(kernel_map, rows, estimator)
        found = rows.uncentred_dot(P)
        return found if origin is None else found - origin @ P
    if kernel_map is not None:
        return kernel_map.dot(rows, P, origin)
    if origin is None or sp.issparse(rows):
        return rows @ P if origin is None else rows @ P - origin @ P
    return (rows - origin) @ P


def _seen_by(kernel_map: KernelMap | None, rows: CentredData, estimator: Any) -> CentredData:
    """Rows in blocks as a kernel sees them."""
    if kernel_map is None or rows.kernel_map is not None or not isinstance(rows.core, RowBlocks):
        raise ValueError(
            f"X is factored {'with' if rows.kernel_map is not None else 'without'} a kernel of its "
            f"own, and {type(estimator).__name__} was fitted with "
            f"{'another' if kernel_map is not None else 'none'}: pass the rows themselves, or "
            "rows of the FactoredMatrix that it was fitted on"
        )
    given = rows.core.given
    return CentredData(RowBlocks(given.map(kernel_map.values, [()] * len(given))), None, rows.dtype)


def row_parts(X: Any, size: int) -> list[Any]:
    """X in parts of so many rows, where it holds rows that can be cut out."""
    X = X.tocsr() if sp.issparse(X) else X
    take = X.iloc if hasattr(X, "iloc") else X
    if is_dask(X) or not (sp.issparse(X) or isinstance(X, np.ndarray) or take is not X):
        return [X]
    return [take[start : start + size] for start in range(0, X.shape[0], size)] or [X]


def as_array(estimator: Any, X: Any, *, reset: bool = True, **params: Any) -> Any:
    """Check X: a dense array or a sparse one, of which each entry is stored once."""
    if isinstance(X, CentredData):
        raise TypeError(
            f"{type(estimator).__name__} needs the rows themselves, in one array; got {X!r}"
        )
    X = _validate(estimator, X, reset=reset, **params)
    check_scale(X, fitting=reset)
    return X


def _validate(
    estimator: Any,
    X: Any,
    *,
    accept_sparse: Any = SPARSE_FORMATS,
    dtype: Any = FLOATS,
    **params: Any,
) -> Any:
    """As `as_array`, but for the scale, which data matrices know without another look at X."""
    return canonical(
        validate_data(estimator, X, accept_sparse=accept_sparse, dtype=dtype, **params)
    )


def check_scale(X: Any, *, fitting: bool = True) -> None:
    """Refuse data, in an array or factored, whose squares would overflow or vanish."""
    if np.dtype(X.dtype) not in SCALES:
        return
    size = _row_size(X)
    least, largest, given = SCALES[np.dtype(X.dtype)]
    low, high = (least, largest) if fitting else (0.0, given)
    if not (low <= size <= high or size == 0):
        other = ", or give it in float64" if X.dtype == np.float32 else ""
        raise ValueError(
            f"the rows of X are of size {size:.0e}, and {X.dtype} can square and multiply what is "
            f"between {low:g} and {high:g}: divide X by a constant, or standardise it{other}"
        )


def _row_size(X: Any) -> float:
    """The root mean square of the norms of rows, roughly where it cannot be squared."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if isinstance(X, CentredData):
            return float(X.core.scale / np.sqrt(X.shape[0]))
        entries = X.data if sp.issparse(X) else X.ravel(order="K")
        squares = float(np.vdot(entries, entries))
        if 0 < squares < np.inf:
            return float(np.sqrt(squares / X.shape[0]))
        return float(np.abs(entries).max(initial=0.0))


@public
def factor(
    X: Rows,
    kernel: KernelName = None,
    *,
    gamma: Width = None,
    degree: Degree = 3,
    coef0: Offset = 1.0,
    n_landmarks: Landmarks = None,
    random_state: Seed = None,
) -> FactoredMatrix:
    """Factor the centred data once, for every method and every hyperparameter.

    X̄ = UΣVᵀ of the data with its column means taken off; with a kernel, of the images of its rows.
    The result is accepted as X by every extractor, and ``fm[rows]`` by splitters and
    cross-validation. What is fitted on it takes other rows of it, and rows as X has them.

    Parameters
    ----------
    X : array, sparse array, DataFrame, Dask array or FactoredMatrix of shape (n, d)
    random_state
        Seeds the choice of landmarks, and of the rows that a width is guessed from.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MVMD, factor
    >>> factor(np.eye(4)).singular_values.round(6)
    array([1., 1., 1.])
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> circle = (X**2).sum(axis=1, keepdims=True) < 1
    >>> fm = factor(X, kernel="rbf")
    >>> MVMD(n_components=2).fit(fm[:40], circle[:40]).transform(X[40:]).shape
    (20, 2)
    """
    X = row_blocks(X) if is_dask(X) else X
    if not isinstance(X, CentredData):
        # in an array of its own, which nobody changes later
        X = check_array(
            X, accept_sparse=SPARSE_FORMATS, dtype=FLOATS, ensure_min_samples=2, copy=True
        )
        check_scale(X)
        X = canonical(X)
        if kernel is None:
            X = CentredData(as_matrix(X))
    if kernel is not None:
        settings = _Settings(
            kernel=kernel, gamma=gamma, degree=degree, coef0=coef0, n_landmarks=n_landmarks
        )
        settings._validate_params()
        settings.random_state = random_state
        X = images(settings, _itself(settings, X), X.dtype)
    return X.factorise()


class _Settings(Kernelised):
    """The parameters of a kernel, as those of an estimator are checked."""
