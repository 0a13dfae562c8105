"""Classes and labels that count differently, as a person says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from colabel._documents import Says
from colabel._indicator import Indicator
from colabel._terminal import brief

ClassWeight: TypeAlias = Annotated[
    dict[Any, float] | list[Any] | Literal["balanced"] | None,
    Says(
        "What an entry of y counts beside its row: ``{0: a, 1: b}`` where a label is absent and\n"
        '    where it is there, a list of such dicts for the labels one by one, or "balanced", so\n'
        "    that rows with a label count as much together as rows without it. Of a 1-D y, what\n"
        "    rows of each class count. Thresholds and probabilities are of entries that count 1."
    ),
]
LabelWeight: TypeAlias = Annotated[
    dict[Any, float] | list[Any] | np.ndarray | None,
    "array-like",
    dict,
    None,
    Says(
        "What each label counts in finding what is shared: the model is that of a y in which a\n"
        "    label's column stands as many times. Positive numbers, one a label, or a dict by\n"
        "    name (1 where it names none)."
    ),
]


def _positive(name: str, value: Any, where: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} holds {value!r} for {where!r}; give finite numbers above 0")
    return number


def _of_classes(given: Any, classes: Any, counts: np.ndarray) -> np.ndarray:
    """What each class counts, of which there are so many rows."""
    if isinstance(given, str) and given == "balanced":
        total, some = counts.sum(), counts > 0
        weights = np.ones(len(counts))
        weights[some] = total / (np.count_nonzero(some) * counts[some])
        return weights
    if not isinstance(given, Mapping):
        raise ValueError(
            "class_weight must be a dict from classes to numbers, 'balanced' or None; got "
            f"{given!r}"
        )
    known = list(classes)
    strange = [name for name in given if name not in known]
    if strange:
        raise ValueError(
            f"class_weight has {strange[0]!r}, which is no class of y; these are {brief(known)}"
        )
    return np.array([_positive("class_weight", given.get(one, 1.0), one) for one in known])


def weights_of_entries(given: Any, labels: Indicator) -> np.ndarray | None:
    """What entries of 0 and of 1 count, 2×q, in an indicator; of classes, rows are weighed."""
    if given is None or labels.classes is not None:
        return None
    q = labels.matrix.shape[1]
    present = labels.totals
    counts = np.array([np.broadcast_to(labels.known_totals, q) - present, present])
    each = [given] * q
    if isinstance(given, list):
        if len(given) != q:
            raise ValueError(
                f"class_weight has {len(given)} dicts for {q} labels; give one for each label, or "
                "one for all"
            )
        each = given
    found = [_of_classes(one, (0, 1), counts[:, j]) for j, one in enumerate(each)]
    return np.array(found).reshape(q, 2).T


def weights_of_classes(given: Any, labels: Indicator) -> np.ndarray:
    """What each row counts by its class, of a 1-D y."""
    if isinstance(given, list):
        raise ValueError(
            "class_weight is a list, which has a dict for each column of a 2-D y; of one class a "
            "row, give one dict, or 'balanced'"
        )
    assert labels.classes is not None  # of a 1-D y
    codes = np.minimum(labels.codes, len(labels.classes) - 1)
    weights = np.ones(len(codes)) if labels.row_weights is None else labels.row_weights
    counts = np.bincount(codes, weights, len(labels.classes))
    return _of_classes(given, labels.classes.tolist(), counts)[codes]


def weights_of_labels(given: Any, labels: Indicator) -> np.ndarray | None:
    """What each label that is learned counts."""
    if given is None:
        return None
    names = labels.names.tolist()
    if isinstance(given, Mapping):
        strange = [name for name in given if name not in names]
        if strange:
            raise ValueError(
                f"label_weight has {strange[0]!r}, which is no label; these are {brief(names)}"
            )
        given = [given.get(name, 1.0) for name in names]
    if np.ndim(given) != 1 or len(given) != len(names):
        raise ValueError(
            f"label_weight has the shape {np.shape(given)}, and there are {len(names)} labels; "
            "give one number for each"
        )
    pairs = zip(given, names, strict=True)
    weights = np.array([_positive("label_weight", value, name) for value, name in pairs])
    return weights if len(labels.learned.names) == len(names) else weights[labels.varying]
