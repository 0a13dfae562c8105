"""The figure of Liu, Jin & Yang (2006)."""

from collections.abc import Sequence

from colabel._plotting import PlotFigure, axes
from colabel.semi_supervised.ranking import MEASURES, RankingCurves


def plot_ranking(
    curves: RankingCurves | Sequence[RankingCurves], *, figure: PlotFigure | None = None
) -> PlotFigure:
    """Precision, recall and F1 at every rank, side by side; a row of plots for each of `curves`.

    Lines are means over splits, with bars of one standard deviation. It needs matplotlib:
    ``pip install 'colabel[plot]'``.

    Parameters
    ----------
    curves : RankingCurves or sequence of them
        What :func:`evaluate_ranking` returns, for one or several numbers of labelled rows.
    figure : matplotlib figure, optional
        Where to draw; None for a new one.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.semi_supervised import RankingCurves, plot_ranking
    >>> of_two_splits = {"SGT": np.array([[0.3, 0.2], [0.4, 0.3]])}
    >>> values = dict.fromkeys(("precision", "recall", "F1"), of_two_splits)
    >>> figure = plot_ranking(RankingCurves(np.array([1, 2]), 100, values))  # doctest: +SKIP
    """
    rows = [curves] if isinstance(curves, RankingCurves) else list(curves)
    if figure is None:
        figure = axes().figure
        figure.clear()
        figure.set_size_inches(12.0, 3.5 * len(rows))
    grid = figure.subplots(len(rows), len(MEASURES), squeeze=False, sharex=True)
    for line, row in zip(grid, rows, strict=True):
        for ax, measure in zip(line, MEASURES, strict=True):
            for method in row.values[measure]:
                ax.errorbar(
                    row.ranks,
                    row.mean(measure, method),
                    row.deviation(measure, method),
                    label=method,
                    marker=".",
                    capsize=2,
                    linewidth=1,
                )
            ax.set_title(f"{measure} micro, {row.n_labelled} labelled rows")
            ax.set_xlabel("labels given to each row")
    grid[0, -1].legend(fontsize="small")
    return figure
