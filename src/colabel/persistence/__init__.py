"""Models out: safe files, and ONNX for other runtimes."""

from colabel._documents import adopt
from colabel.persistence.bundle import Bundle
from colabel.persistence.export import to_onnx
from colabel.persistence.files import ModelError, load, save
from colabel.persistence.trusted import TRUSTED

__all__ = ["TRUSTED", "Bundle", "ModelError", "load", "save", "to_onnx"]

adopt(__name__, __all__)
