"""Constrained non-negative matrix factorisation, and the solver that only it needs."""

from colabel.semi_supervised.cnmf.classifier import CNMF

__all__ = ["CNMF"]
