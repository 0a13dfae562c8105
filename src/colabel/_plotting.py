"""Where plots are drawn; matplotlib is an optional extra."""

from typing import Annotated, Any, TypeAlias

from colabel._documents import Says

PlotAxes: TypeAlias = Annotated[Any, Says(kind="matplotlib Axes")]
PlotFigure: TypeAlias = Annotated[Any, Says(kind="matplotlib Figure")]


def axes(ax: PlotAxes | None = None) -> PlotAxes:
    """The given matplotlib axes, or new ones."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "plots need matplotlib, which is not installed; pip install 'colabel[plot]'"
        ) from None
    return plt.subplots(layout="constrained")[1] if ax is None else ax
