"""What directions with PᵀP = I leave of a trace: tr(A) − tr(PᵀAP)."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from colabel._labels import as_labels
from colabel._rows import as_data
from colabel.family.shrinkage import trace

if TYPE_CHECKING:
    from colabel.family.extractor import LinearExtractor


def residual(extractor: "LinearExtractor", X: Any, y: Any) -> float:
    """Of rows and labels that the extractor need not have been fitted on, around their own mean."""
    check_is_fitted(extractor)
    reader = clone(extractor)  # which remembers the features that it is given
    data = as_data(reader, X)
    S = extractor.problem(as_labels(reader, y, data).without_empty().weighted).S
    projected = data.uncentred_dot(extractor.components_.T) - data.mean @ extractor.components_.T
    kept = float(np.sum(projected * S.dot(projected)))
    return max(trace(S, data.core) - kept, 0.0)
