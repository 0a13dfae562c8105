"""The compiled loop of :mod:`~colabel.tuning.sweep`. Importing this module needs numba."""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

import numba
import numpy as np

#: Bits of a digit by which scores are sorted, and digits of a float64.
BITS, DIGITS = 11, 6


@numba.njit(nogil=True, cache=True)
def _halfway(scores, code, i, k):
    """The cut below the i-th score, by the rows of other parts than k; and the first below it."""
    n = len(scores)
    below, above = i - 1, i
    while below >= 0 and code[below] >> 1 == k:
        below -= 1
    while above < n and code[above] >> 1 == k:
        above += 1
    if i == n:
        return scores[max(below, 0)], below
    if below < 0:
        return np.nextafter(scores[above], -np.inf), below
    middle = scores[above] / 2 + scores[below] / 2
    return middle if middle < scores[above] else scores[below], below


@numba.njit(nogil=True, cache=True)
def sweep(ascending, codes, parts, fbr, cuts, hits, kept):
    """As the function of the same name there."""
    n = ascending.shape[1]
    for row in range(len(ascending)):
        scores, code = ascending[row], codes[row]
        positives = np.zeros(parts, np.int64)
        for i in range(n):
            positives[code[i] >> 1] += code[i] & 1
        all_positives = positives.sum()
        # of all rows but those of a part: the best cut keeps those from `last` on
        last = np.full(parts, n)
        best_hits, best_size = np.zeros(parts, np.int64), np.ones(parts, np.int64)
        best_own, best_own_hits = np.zeros(parts, np.int64), np.zeros(parts, np.int64)
        own, own_hits = np.zeros(parts, np.int64), np.zeros(parts, np.int64)
        taken, hit, gained = 0, 0, False
        for i in range(n - 1, -1, -1):
            part, label = code[i] >> 1, code[i] & 1
            own[part] += 1
            own_hits[part] += label
            taken += 1
            hit += label
            gained = gained or label == 1
            # a cut that ends on a negative is worse than the one before; none parts equal scores
            if not gained or (i > 0 and scores[i] == scores[i - 1]):
                continue
            gained = False
            for k in range(parts):
                found = hit - own_hits[k]
                size = all_positives - positives[k] + taken - own[k]
                if found * best_size[k] > best_hits[k] * size:
                    best_hits[k], best_size[k], last[k] = found, size, i
                    best_own[k], best_own_hits[k] = own[k], own_hits[k]
        for k in range(parts):
            i = last[k]
            if i == n or 2 * best_hits[k] < fbr * best_size[k]:
                # at the highest of the others: only what is above it is kept
                i, best_own[k], best_own_hits[k] = n, 0, 0
            cuts[row, k], below = _halfway(scores, code, i, k)
            for j in range(i - 1, below, -1):  # rows of the part itself between the two
                if scores[j] > cuts[row, k]:
                    best_own[k] += 1
                    best_own_hits[k] += code[j] & 1
            hits[row, k], kept[row, k] = best_own_hits[k], best_own[k]


@numba.njit(nogil=True, cache=True)
def sort(packed, mask):
    """Sort each row of bits of finite floats, but for the order among those that only `mask` parts.

    By digits of eleven bits, the lowest first: of scores that have the digits of float32, half of
    these are alike in all rows and cost nothing.
    """
    n = packed.shape[1]
    keys, others = np.empty(n, np.uint64), np.empty(n, np.uint64)
    counts = np.empty((DIGITS, 2**BITS), np.int64)
    low, sign = np.uint64(2**BITS - 1), np.uint64(2**63)
    for row in range(len(packed)):
        counts[:] = 0
        for i in range(n):
            bits = np.uint64(packed[row, i])
            bits = ~bits if bits & sign else bits | sign  # as unsigned numbers, in order
            keys[i] = bits
            for digit in range(DIGITS):
                counts[digit, ((bits & ~mask) >> np.uint64(BITS * digit)) & low] += 1
        for digit in range(DIGITS):
            shift, place = np.uint64(BITS * digit), 0
            if counts[digit, ((keys[0] & ~mask) >> shift) & low] == n:
                continue
            for value in range(2**BITS):
                place, counts[digit, value] = place + counts[digit, value], place
            for i in range(n):
                value = ((keys[i] & ~mask) >> shift) & low
                others[counts[digit, value]] = keys[i]
                counts[digit, value] += 1
            keys, others = others, keys
        for i in range(n):
            bits = keys[i]
            packed[row, i] = np.int64(bits ^ sign if bits & sign else ~bits)
