"""Models that are linear, or linear under a kernel, as ONNX graphs for runtimes without Python."""

import json
import os
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from colabel._public import public
from colabel.linalg.kernel_map import KernelMap
from colabel.persistence.files import ModelError
from colabel.persistence.linear import label_names, taken_apart
from colabel.persistence.replacement import replace_file

#: Pinned: a file means the same whatever the version of onnx, and older runtimes read it.
OPSET = 17
IR_VERSION = 8


@public
def to_onnx(model: Any, path: str | os.PathLike[str], *, dtype: DTypeLike = np.float64) -> None:
    """Save a fitted model, linear or of a kernel, as an ONNX graph, thresholds included.

    The input ``X`` is a dense n×d array. The outputs are ``scores``, as of `decision_function`,
    ``labels``, as of `predict`: n×q zeros and ones, or classes for a model of a 1-D y, and
    ``uncut_scores``, before thresholds are taken off, to rank by; and ``probabilities``, as of
    `predict_proba`, where the model has a calibration by sigmoids. The names of the labels, where
    they are known, stand in the metadata as JSON under ``label_names``.
    A vectorizer at the start of a pipeline is left out: X is what it gives.

    Parameters
    ----------
    model : estimator, pipeline or Bundle
        Linear classifiers of this library and of scikit-learn, in `ThresholdTuner`,
        `ProbabilityCalibrator`, OneVsRestClassifier and searches; before them extractors,
        StandardScaler, TfidfTransformer, Normalizer and selectors of columns. Kernels can be
        linear, Gaussian ("rbf"), polynomial, sigmoid or cosine.
    path : str or path
    dtype : {float64, float32}, default=float64
        Of the input, the weights and the scores.

    Raises
    ------
    ModelError
        For a model that is neither.
    ImportError
        Without the onnx library, which ``pip install 'colabel[onnx]'`` brings.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from colabel import LabelRidge
    >>> from colabel.persistence import to_onnx
    >>> from sklearn.datasets import make_multilabel_classification
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "model.onnx")
    ...     to_onnx(LabelRidge().fit(X, Y), path)
    ...     path.stat().st_size < 4000
    True
    """
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise ImportError("to_onnx needs onnx; pip install 'colabel[onnx]'") from None
    if np.dtype(dtype) not in (np.float64, np.float32):
        raise ValueError(f"dtype={dtype!r}; a graph is made of float64 or float32")
    try:
        content = _content(model, np.dtype(dtype))
    except TypeError as error:
        raise ModelError.at(path, str(error)) from None
    with replace_file(path) as file:
        file.write(content)


def _count_features(step: Any) -> int:
    return step.n_features if isinstance(step, KernelMap) else step.n_features_in_


def _content(model: Any, dtype: np.dtype) -> bytes:
    from onnx import checker, helper

    from colabel.persistence.graph import Graph, add_decision, add_transform

    steps, head = taken_apart(model)
    graph, rows = Graph(dtype), "X"
    for step in steps:
        rows = add_transform(graph, step, rows)
    outputs = add_decision(graph, head, rows)
    d = _count_features(steps[0]) if steps else head.coef.shape[1]
    inputs = [helper.make_tensor_value_info("X", graph.kind, ["rows", d])]
    made = helper.make_model(
        helper.make_graph(graph.nodes, "colabel", inputs, outputs, graph.constants),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="colabel",
        producer_version=version("colabel"),
    )
    names = label_names(model)
    if names is not None:
        listed = json.dumps([str(name) for name in names], ensure_ascii=False)
        helper.set_model_props(made, {"label_names": listed})
    checker.check_model(made, full_check=True)
    return made.SerializeToString()
