"""Alternating structure optimisation: the classifier, and the solver that only it needs."""

from colabel.classifiers.aso.classifier import ASOClassifier

__all__ = ["ASOClassifier"]
