"""Compiled loops over the rows of a sparse matrix, for :mod:`~colabel.linalg.products`.

Each works on the rows from `start` to `stop`, without the interpreter's lock, so that threads share
the rows out. They are compiled once for each precision and kept on disk for the next process.
Importing this module needs numba.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

import numba
import numpy as np

compiled = numba.njit(nogil=True, cache=True, fastmath={"contract"})


@compiled
def dot(indptr, indices, data, V, out, start, stop):
    """Rows of XV."""
    for i in range(start, stop):
        row = out[i]
        row[:] = 0
        for p in range(indptr[i], indptr[i + 1]):
            x, v = data[p], V[indices[p]]
            for k in range(len(v)):
                row[k] += x * v[k]


@compiled
def transpose_dot(indptr, indices, data, U, out, start, stop):
    """Add the rows' part of XᵀU to out."""
    for i in range(start, stop):
        u = U[i]
        for p in range(indptr[i], indptr[i + 1]):
            x, row = data[p], out[indices[p]]
            for k in range(len(u)):
                row[k] += x * u[k]


@compiled
def normal_dot(indptr, indices, data, weights, V, offset, out, totals, start, stop):
    """Add the rows' part of XᵀT to out, and of 1ᵀT to totals, for T = diag(weights)(XV − 1c)."""
    t = np.empty_like(offset)
    for i in range(start, stop):
        t[:] = -offset
        for p in range(indptr[i], indptr[i + 1]):
            x, v = data[p], V[indices[p]]
            for k in range(len(t)):
                t[k] += x * v[k]
        t *= weights[i]
        totals += t
        for p in range(indptr[i], indptr[i + 1]):
            x, row = data[p], out[indices[p]]
            for k in range(len(t)):
                row[k] += x * t[k]


@compiled
def tiled_normal_dot(
    rows, starts, features, begins, places, data, V, offset, out, totals, start, stop
):
    """Add the tiles' part of XᵀT to out, and of 1ᵀT to totals, for T = XV − 1c.

    Entries are named by row and column: rows as arrays of their own take half as long again.
    """
    q = len(offset)
    T = np.empty((np.max(rows[1:] - rows[:-1]), q), offset.dtype)
    sums = np.empty_like(offset)
    for tile in range(start, stop):
        count = rows[tile + 1] - rows[tile]
        for i in range(count):
            for k in range(q):
                T[i, k] = -offset[k]
        for f in range(starts[tile], starts[tile + 1]):
            j = features[f]
            for p in range(begins[f], begins[f + 1]):
                x, i = data[p], places[p]
                for k in range(q):
                    T[i, k] += x * V[j, k]
        for i in range(count):
            for k in range(q):
                totals[k] += T[i, k]
        for f in range(starts[tile], starts[tile + 1]):
            j = features[f]
            sums[:] = 0
            for p in range(begins[f], begins[f + 1]):
                x, i = data[p], places[p]
                for k in range(q):
                    sums[k] += x * T[i, k]
            for k in range(q):
                out[j, k] += sums[k]


@compiled
def lower_outer(indptr, indices, data, weights, by_column, rows, values, out, start, stop):
    """Add the lower triangle of X diag(weights) Xᵀ to rows of out; columns list rows in order."""
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            x = data[p] * weights[j]
            for r in range(by_column[j], by_column[j + 1]):
                if rows[r] > i:
                    break
                out[i, rows[r]] += x * values[r]


@compiled
def outer_squares(indptr, indices, data, by_column, rows, values, start, stop):
    """The rows' part of ‖XXᵀ‖²; columns list rows in order. One row of XXᵀ is held at a time."""
    row, total = np.zeros(len(indptr) - 1), 0.0
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            for r in range(by_column[indices[p]], by_column[indices[p] + 1]):
                if rows[r] > i:
                    break
                row[rows[r]] += data[p] * values[r]
        total -= row[i] * row[i]  # all others stand for two
        for p in range(indptr[i], indptr[i + 1]):
            for r in range(by_column[indices[p]], by_column[indices[p] + 1]):
                if rows[r] > i:
                    break
                total += 2 * row[rows[r]] * row[rows[r]]
                row[rows[r]] = 0
    return total


@compiled
def mirror(A, start, stop):
    """Copy the lower triangle of A to the upper, in tiles that stay in cache."""
    tile = 64
    for top in range(start, stop, tile):
        for left in range(0, top + tile, tile):
            for i in range(top, min(top + tile, stop)):
                for j in range(left, min(left + tile, i)):
                    A[j, i] = A[i, j]


@compiled
def take_off(A, a, b, sums, start, stop):
    """Make A A − abᵀ, and add its rows to the sums."""
    for i in range(start, stop):
        for k in range(len(b)):
            A[i, k] -= a[i] * b[k]
            sums[k] += A[i, k]


@compiled
def curvature(D, AD, shift, found, start, stop):
    """Make AD (A + shift·I)D, and add ⟨d, (A + shift·I)d⟩ to `found` for each column."""
    for i in range(start, stop):
        for k in range(len(found)):
            AD[i, k] += shift * D[i, k]
            found[k] += D[i, k] * AD[i, k]


@compiled
def reduce(R, AD, length, found, start, stop):
    """Make R R − AD diag(length), and add ‖r‖² to `found` for each column."""
    for i in range(start, stop):
        for k in range(len(found)):
            R[i, k] -= length[k] * AD[i, k]
            found[k] += R[i, k] * R[i, k]


@compiled
def follow(W, D, R, length, keep, add, start, stop):
    """Make W W + D diag(length), and then D D diag(keep) + R diag(add)."""
    for i in range(start, stop):
        for k in range(len(length)):
            W[i, k] += length[k] * D[i, k]
            D[i, k] = keep[k] * D[i, k] + add[k] * R[i, k]
