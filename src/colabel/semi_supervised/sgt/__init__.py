"""The spectral graph transducer, and the solver that only it needs."""

from colabel.semi_supervised.sgt.classifier import SGT

__all__ = ["SGT"]
