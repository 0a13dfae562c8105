"""What can be drawn of MtSDA: paths of coefficients, and what ρ does."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from colabel._labels import Labels
from colabel._plotting import PlotAxes, axes
from colabel._rows import Rows
from colabel.classifiers.mtsda.classifier import MtSDA


def coefficient_path(
    model: MtSDA, X: Rows, Y: Labels, l1s: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of the standardised features along decreasing λ₁, each fit from the one before.

    Parameters
    ----------
    model : MtSDA
        With the other parameters; it is not fitted.
    X : array, sparse array, DataFrame or FactoredMatrix of shape (n, d)
    Y : array, sparse array or DataFrame of shape (n, q)
    l1s : sequence of float

    Returns
    -------
    l1s : ndarray
        In descending order.
    paths : ndarray of shape (len(l1s), n_components_, d)

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import MtSDA
    >>> from colabel.classifiers import coefficient_path
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> l1s, paths = coefficient_path(MtSDA(), X, X[:, :2] > 0, [0.2, 0.8])
    >>> l1s, paths.shape
    (array([0.8, 0.2]), (2, 2, 6))
    """
    l1s = np.sort(np.asarray(l1s, dtype=np.float64))[::-1]
    model = clone(model).set_params(warm_start=True)
    paths = []
    for l1 in l1s:
        model.set_params(l1=float(l1)).fit(X, Y)
        paths.append(model.components_ * model.scale_)
    return l1s, np.array(paths)


def plot_path(
    l1s: Sequence[float] | np.ndarray,
    paths: ArrayLike,
    *,
    component: int = 0,
    names: Sequence[str] | np.ndarray | None = None,
    ax: PlotAxes | None = None,
) -> PlotAxes:
    """Draw the coefficients of one direction against λ₁, with names for the largest.

    Parameters
    ----------
    l1s : array of shape (m,)
    paths : array of shape (m, k, d)
        Both from :func:`coefficient_path`.
    component : int, default=0
    names : sequence of str, optional
        Names of the features; their numbers otherwise.
    ax : matplotlib axes, optional

    Examples
    --------
    >>> from colabel.classifiers import plot_path
    >>> ax = plot_path([0.8, 0.2], [[[0.0, 0.0]], [[0.5, 0.0]]])
    >>> len(ax.lines)
    2
    """
    ax = axes(ax)
    path = np.asarray(paths)[:, component]
    used = np.flatnonzero(path.any(axis=0))
    ax.plot(l1s, path[:, used], linewidth=1)
    for feature in used[np.argsort(-np.abs(path[-1, used]))[:10]]:
        label = str(feature if names is None else names[feature])
        ax.annotate(label, (l1s[-1], path[-1, feature]), fontsize="small")
    ax.axhline(0.0, color="0.7", linewidth=0.5)
    ax.set(xscale="log", xlabel="λ₁", ylabel=f"coefficients of direction {component}")
    ax.invert_xaxis()
    return ax


def plot_rho(
    rhos: ArrayLike, values: ArrayLike, *, baseline: float | None = None, ax: PlotAxes | None = None
) -> PlotAxes:
    """Draw a measure against ρ: its mean over splits and the 95% bounds of that mean.

    Parameters
    ----------
    rhos : array of shape (m,)
    values : array of shape (m, s)
        A row for each ρ, a column for each split.
    baseline : float, optional
        The mean for Ω = I, drawn as a line.
    ax : matplotlib axes, optional

    Examples
    --------
    >>> from colabel.classifiers import plot_rho
    >>> ax = plot_rho([0.1, 0.5], [[0.70, 0.72], [0.71, 0.75]], baseline=0.7)
    >>> ax.get_xlabel()
    'ρ'
    """
    ax = axes(ax)
    values = np.asarray(values, dtype=np.float64)
    bounds = 1.96 * values.std(axis=1) / np.sqrt(values.shape[1])
    ax.errorbar(rhos, values.mean(axis=1), yerr=bounds, marker="o", capsize=3)
    if baseline is not None:
        ax.axhline(baseline, color="0.5", linestyle="--", label="Ω = I")
        ax.legend()
    ax.set(xlabel="ρ", ylabel="AUC")
    return ax
