"""The ranking support vector machine, and the solver that only it needs."""

from colabel.classifiers.rank_svm.classifier import RankSVM

__all__ = ["RankSVM"]
