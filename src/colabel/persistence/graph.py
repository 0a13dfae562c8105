"""ONNX nodes for the steps of a pipeline and for its linear end."""

from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.preprocessing import Normalizer, StandardScaler, normalize

from colabel.classifiers import SharedSubspaceClassifier
from colabel.family import LinearExtractor
from colabel.linalg.kernel_map import KernelMap
from colabel.persistence.linear import Head
from colabel.preparation import AsinhScaler
from colabel.tuning.calibration import Calibration


class Graph:
    """Nodes and constants under made-up names; floating-point constants have one type."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, values: Any) -> str:
        """The name of a constant."""
        values = np.asarray(values)
        if values.dtype.kind == "f":
            values = values.astype(self.dtype)
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(self, operator: str, *inputs: Any, output: str = "", **attributes: Any) -> str:
        """The name of what an operator gives; inputs are names, or values of constants."""
        names = [part if isinstance(part, str) else self.constant(part) for part in inputs]
        output = output or f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, names, [output], **attributes))
        return output

    @property
    def kind(self) -> int:
        """The type of the floating-point numbers, as ONNX counts types."""
        return helper.np_dtype_to_tensor_dtype(self.dtype)


def add_transform(graph: Graph, step: Any, rows: str) -> str:
    """What a fitted transformer makes of rows."""
    if isinstance(step, StandardScaler):
        rows = graph.add("Sub", rows, step.mean_) if step.with_mean else rows
        return graph.add("Div", rows, step.scale_) if step.with_std else rows
    if isinstance(step, AsinhScaler):
        return _asinh(graph, graph.add("Div", rows, step.scale_))
    if isinstance(step, TfidfTransformer):
        return _tfidf(graph, step, rows)
    if isinstance(step, Normalizer):
        return _normalize(graph, step.norm, rows)
    if isinstance(step, SelectorMixin):
        return graph.add("Gather", rows, np.flatnonzero(step.get_support()), axis=1)
    if isinstance(step, KernelMap):
        return _kernel(graph, step, rows)
    if isinstance(step, LinearExtractor | SharedSubspaceClassifier):
        if step.n_landmarks_:
            rows = _kernel(graph, step.kernel_map_, rows)
        shared = isinstance(step, SharedSubspaceClassifier)
        directions = step.subspace_ if shared else step.components_
        return graph.add("MatMul", graph.add("Sub", rows, step.mean_), directions.T)
    raise TypeError(
        f"{type(step).__name__} cannot become ONNX; before a linear classifier there may be "
        "extractors, StandardScaler, AsinhScaler, TfidfTransformer, Normalizer and selectors of "
        "columns"
    )


def _kernel(graph: Graph, kernel_map: KernelMap, rows: str) -> str:
    """Kernel values with the rows that are kept."""
    kernel, kept = kernel_map.kernel, kernel_map.rows
    if kernel.name not in ("linear", "rbf", "poly", "polynomial", "sigmoid", "cosine"):
        raise TypeError(
            f"kernel={kernel.name!r} cannot become ONNX; linear, rbf, poly, sigmoid and cosine can"
        )
    kept = np.asarray(kept.toarray() if sparse.issparse(kept) else kept, dtype=np.float64)
    if kernel.name == "cosine":
        rows, kept = _normalize(graph, "l2", rows), normalize(kept)
    if kernel.name in ("linear", "cosine"):
        return graph.add("MatMul", rows, kept.T)
    if kernel.name == "rbf":
        product = graph.add("MatMul", rows, 2.0 * kept.T)
        length = graph.add("ReduceSumSquare", rows, axes=[1], keepdims=1)
        apart = graph.add("Sub", graph.add("Add", length, (kept**2).sum(axis=1)), product)
        negative = np.asarray(-float(kernel.gamma or 0.0))
        return graph.add("Exp", graph.add("Mul", graph.add("Max", apart, np.zeros(())), negative))
    # in the constant: runtimes fuse a factor behind a product into it, with the digits of float32
    product = graph.add("MatMul", rows, float(kernel.gamma or 0.0) * kept.T)
    inner = graph.add("Add", product, np.asarray(float(kernel.coef0)))
    if kernel.name == "sigmoid":
        return graph.add("Tanh", inner)
    return graph.add("Pow", inner, np.asarray(float(kernel.degree)))


def _asinh(graph: Graph, rows: str) -> str:
    """±log(|x| + √(x² + 1)): runtimes have an operator of it for float32 alone."""
    size = graph.add("Abs", rows)
    root = graph.add("Sqrt", graph.add("Add", graph.add("Mul", rows, rows), np.ones(())))
    return graph.add("Mul", graph.add("Sign", rows), graph.add("Log", graph.add("Add", size, root)))


def _tfidf(graph: Graph, step: Any, rows: str) -> str:
    if step.sublinear_tf:
        zero = np.zeros((), graph.dtype)
        logs = graph.add("Add", graph.add("Log", rows), zero + 1)
        rows = graph.add("Where", graph.add("Equal", rows, zero), zero, logs)
    if step.use_idf:
        rows = graph.add("Mul", rows, step.idf_)
    return rows if step.norm is None else _normalize(graph, step.norm, rows)


def _normalize(graph: Graph, norm: str, rows: str) -> str:
    if norm == "max":
        length = graph.add("ReduceMax", graph.add("Abs", rows), axes=[1], keepdims=1)
    else:
        length = graph.add({"l1": "ReduceL1", "l2": "ReduceL2"}[norm], rows, axes=[1], keepdims=1)
    zero = np.zeros((), graph.dtype)
    safe = graph.add("Where", graph.add("Equal", length, zero), zero + 1, length)
    return graph.add("Div", rows, safe)


def add_decision(graph: Graph, head: Head, rows: str) -> list[ValueInfoProto]:
    """Scores and labels, as the outputs of the graph."""
    q = len(head.coef)
    uncut = scores = _affine(graph, rows, head.coef, head.intercept)
    chances = None if head.calibration is None else _calibrated(graph, head.calibration, uncut)
    if chances is not None:
        _probabilities(graph, head, chances)
    if head.by_probability and chances is not None:
        scores = chances
    if head.row_threshold is not None:
        scores = graph.add("Sub", scores, _affine(graph, rows, *head.row_threshold))
    if head.thresholds is not None:
        scores = graph.add("Sub", scores, head.thresholds)
    if head.classes is not None and q == 1:
        uncut, scores = (graph.add("Squeeze", part, np.array([1])) for part in (uncut, scores))
    graph.add("Identity", scores, output="scores")
    graph.add("Identity", uncut, output="uncut_scores")
    shape: list[str | int | None] = ["rows"] if head.classes is not None and q == 1 else ["rows", q]
    if head.classes is None:
        _labels(graph, head, scores)
        labels = helper.make_tensor_value_info("labels", TensorProto.INT64, ["rows", q])
    else:
        classes = np.array(head.classes.tolist())
        classes = classes if classes.dtype.kind == "U" else classes.astype(np.int64)
        _classes(graph, classes, scores, q)
        kind = TensorProto.STRING if classes.dtype.kind == "U" else TensorProto.INT64
        labels = helper.make_tensor_value_info("labels", kind, ["rows"])
    numbers = [
        helper.make_tensor_value_info(name, graph.kind, shape)
        for name in ("scores", "uncut_scores")
    ]
    outputs = [numbers[0], labels, numbers[1]]
    if chances is not None:
        wide: list[str | int | None] = ["rows", 2 if len(shape) == 1 else q]
        outputs.append(helper.make_tensor_value_info("probabilities", graph.kind, wide))
    return outputs


def _calibrated(graph: Graph, calibration: Calibration, uncut: str) -> str:
    """ln(p/(1 − p)) of the labels."""
    if calibration.steps:
        raise TypeError(
            "isotonic probabilities cannot become ONNX; use ProbabilityCalibrator(method='sigmoid')"
        )
    return graph.add("Add", graph.add("Mul", uncut, calibration.slopes), calibration.offsets)


def _probabilities(graph: Graph, head: Head, chances: str) -> None:
    if head.calibration is not None and head.calibration.excludes:
        graph.add("Softmax", chances, output="probabilities", axis=1)
    elif head.classes is None or len(head.coef) > 1:
        graph.add("Sigmoid", chances, output="probabilities")
    else:
        p = graph.add("Sigmoid", chances)
        other = graph.add("Sub", np.ones((), graph.dtype), p)
        graph.add("Concat", other, p, output="probabilities", axis=1)


def _affine(graph: Graph, rows: str, coef: np.ndarray, intercept: np.ndarray) -> str:
    return graph.add("Add", graph.add("MatMul", rows, coef.T), intercept)


def _positive(graph: Graph, scores: str, **output: str) -> str:
    above = graph.add("Greater", scores, np.zeros((), graph.dtype))
    return graph.add("Cast", above, to=TensorProto.INT64, **output)


def _labels(graph: Graph, head: Head, scores: str) -> None:
    if head.k is None:
        _positive(graph, scores, output="labels")
        return
    graph.nodes.append(
        helper.make_node(
            "TopK", [scores, graph.constant(np.array([head.k]))], ["best", "places"], axis=1
        )
    )
    ones = graph.add("OneHot", "places", np.array([len(head.coef)]), np.array([0, 1]), axis=2)
    graph.add("ReduceSum", ones, np.array([1]), output="labels", keepdims=0)


def _classes(graph: Graph, classes: np.ndarray, scores: str, q: int) -> None:
    if q == 1:
        # of a single class there is no other to choose
        place = graph.add("Min", _positive(graph, scores), np.array(len(classes) - 1))
    else:
        place = graph.add("ArgMax", scores, axis=1, keepdims=0)
    graph.add("Gather", classes, place, output="labels", axis=0)
