"""What counts as zero: one rule, whichever way a problem is solved.

Rounding leaves something where the mathematics has nothing: a label that all rows have is
orthogonal to centred data, a label that is the sum of others adds no direction. What it leaves is
relative to what was added up, not to the result, which may be nothing but rounding itself. So a
singular value of a product counts as zero below `MARGIN`·eps times the sizes of its factors, before
any centring. Seen over dense and sparse rows, float32 and float64, means up to 1e6 and up to a
million rows, rounding stays below half of that.
"""

import math

import numpy as np
from numpy.typing import DTypeLike

MARGIN = 32.0


def rounding(dtype: DTypeLike, *sizes: float) -> float:
    """What rounding can leave of a product of factors of the given sizes (Frobenius norms)."""
    return MARGIN * float(np.finfo(dtype).eps) * math.prod(sizes)
