"""Products with a sparse matrix whose rows do not fit into a cache, tile after tile.

Row by row, a product X̄ᵀX̄V fetches a row of V for each entry of X, and writes one of the result:
with 100,000 features both come from main memory. A tile is some rows, sorted by features. The
scores of its rows stay in the cache of a core, and a row of V is fetched once for all rows of the
tile that have the feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel.linalg import products

#: Bytes of the scores of a tile: more than a core's own cache has, as long tiles fetch less of V.
TILE_BYTES = 2**22


@dataclass(frozen=True)
class Tiles:
    """The rows of X in float32, tile after tile."""

    shape: tuple[int, int]
    #: Where each tile begins: among the rows, and among the features of all tiles.
    rows: np.ndarray
    starts: np.ndarray
    #: The features of each tile, and where their entries begin.
    features: np.ndarray
    begins: np.ndarray
    #: Of each entry, its row in the tile and its value.
    places: np.ndarray
    data: np.ndarray

    @classmethod
    def of(cls, X: Any, columns: int) -> Tiles:
        """Of a matrix in CSR, for products with so many columns."""
        n, d = X.shape
        step = max(1, TILE_BYTES // (4 * columns))
        rows = np.append(np.arange(0, n, step), n)
        places, data = np.empty(X.nnz, np.int32), np.empty(X.nnz, np.float32)
        features, begins, starts = [], [], [0]
        for first, last in pairwise(rows.tolist()):
            own = slice(int(X.indptr[first]), int(X.indptr[last]))
            indptr = X.indptr[first : last + 1] - X.indptr[first]
            tile = sp.csr_array((X.data[own], X.indices[own], indptr), shape=(last - first, d))
            tile = tile.tocsc()
            places[own], data[own] = tile.indices, tile.data
            features.append(np.flatnonzero(np.diff(tile.indptr)).astype(np.int32))
            begins.append(own.start + tile.indptr[features[-1]].astype(np.int64))
            starts.append(starts[-1] + len(features[-1]))
        begin = np.append(np.concatenate(begins), X.nnz)
        return cls(X.shape, rows, np.array(starts), np.concatenate(features), begin, places, data)

    def normal_dot(
        self, V: np.ndarray, offset: np.ndarray, work: products.Work | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """XᵀT and 1ᵀT for T = XV − 1·offset, in the precision of V."""
        fast = products.compiled(len(self.data) * V.shape[1])
        V, offset = (np.ascontiguousarray(part, dtype=V.dtype) for part in (V, offset))

        def part(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
            out = products.zeros(work, start, V.shape, V.dtype)
            totals = np.zeros_like(offset)
            arrays = (self.rows, self.starts, self.features, self.begins, self.places, self.data)
            fast.tiled_normal_dot(*arrays, V, offset, out, totals, start, stop)
            return out, totals

        cuts = products.even_cuts(len(self.rows) - 1, products.thread_count())
        return products.add_up(products.in_threads(part, cuts))
