"""Where plots are drawn; matplotlib is an optional extra."""

from typing import Any


def axes(ax: Any = None) -> Any:
    """The given matplotlib axes, or new ones."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "plots need matplotlib, which is not installed; pip install 'colabel[plot]'"
        ) from None
    return plt.subplots(layout="constrained")[1] if ax is None else ax
