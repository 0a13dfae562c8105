"""Sparse discriminant analysis of overlapping labels, and the solvers that only it needs."""

from colabel.classifiers.mtsda.classifier import MtSDA
from colabel.classifiers.mtsda.paths import coefficient_path, plot_path, plot_rho

__all__ = ["MtSDA", "coefficient_path", "plot_path", "plot_rho"]
