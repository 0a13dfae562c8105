"""Label sets from probabilities, by what counts; labels of a row taken as independent.

For F1 and Jaccard the best set of k labels is that of the k likeliest, so that only k is to be
found. With S_k the number of true labels among all but the k likeliest, and s(k, j) the mean of
1/(j + S_k),

    E[Jaccard] = (p₁ + … + p_k) s(k, k),
    E[F1] = Σ_i 2i P(i of the k likeliest are true) s(k, k + i),

and s(k − 1, j) = p_k s(k, j + 1) + (1 − p_k) s(k, j), from s(q, j) = 1/j on: O(q²) a row (Ye et al.
2012).
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np

#: What a set is chosen for.
Aim: TypeAlias = Literal["f1", "jaccard", "hamming", "cost"]
#: Numbers of a table s that are worked on at a time.
BLOCK = 2**22


def decide_sets(P: np.ndarray, aim: Aim, miss: float = 1.0) -> np.ndarray:
    """The sets of labels, n×q of 0 and 1, of which most is expected by probabilities P.

    Parameters
    ----------
    P : ndarray of shape (n, q)
    aim : {"f1", "jaccard", "hamming", "cost"}
        F1 or Jaccard of a row (0 where it has no label and is given none); the fewest mistakes; or
        the least cost of mistakes.
    miss : float
        For "cost": what a label that is missed costs, where one too many costs 1.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.tuning import decide_sets
    >>> P = np.array([[0.9, 0.45, 0.1], [0.3, 0.2, 0.1]])
    >>> decide_sets(P, "hamming").tolist()
    [[1, 0, 0], [0, 0, 0]]
    >>> decide_sets(P, "f1").tolist()
    [[1, 1, 0], [1, 1, 0]]
    >>> decide_sets(P, "cost", miss=5.0).tolist()
    [[1, 1, 0], [1, 1, 0]]
    """
    if aim == "hamming":
        return (P > 0.5).astype(int)
    if aim == "cost":
        return (P * miss > 1.0 - P).astype(int)
    expected = _expected_f1 if aim == "f1" else _expected_jaccard
    q = P.shape[1]
    order = np.argsort(-P, axis=1, kind="stable")
    chosen = np.zeros(P.shape, dtype=int)
    step = max(1, BLOCK // (q * q + 1))
    for start in range(0, len(P), step):
        rows = slice(start, start + step)
        p = np.take_along_axis(P[rows], order[rows], axis=1).astype(np.float64)
        k = np.argmax(expected(p), axis=1)
        kept = (np.arange(q) < k[:, None]).astype(int)
        np.put_along_axis(chosen[rows], order[rows], kept, axis=1)
    return chosen


def _expected_jaccard(p: np.ndarray) -> np.ndarray:
    """E[Jaccard] with the k first labels, rows × k from 0; p is descending."""
    n, q = p.shape
    expected, hits = np.zeros((n, q + 1)), np.cumsum(p, axis=1)
    for k, s in _means_of_inverses(p):
        expected[:, k] = hits[:, k - 1] * s[:, k - 1]
    return expected


def _expected_f1(p: np.ndarray) -> np.ndarray:
    """E[F1] with the k first labels, rows × k from 0; p is descending."""
    n, q = p.shape
    expected, counts = np.zeros((n, q + 1)), _counts(p)
    for k, s in _means_of_inverses(p):
        among = 2.0 * np.arange(1, k + 1) * counts[k][:, 1:]
        expected[:, k] = np.einsum("ij,ij->i", among, s[:, k : 2 * k])
    return expected


def _means_of_inverses(p: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """For k from q down to 1: k and s(k, 1), s(k, 2), …, of which those up to 2k are right."""
    n, q = p.shape
    s = np.tile(1.0 / np.arange(1, 2 * q + 1), (n, 1))
    for k in range(q, 0, -1):
        yield k, s
        # s(k − 1, j) for j up to 2q − (q − k) − 1 ≥ 2(k − 1)
        share = p[:, k - 1 : k]
        s = share * s[:, 1:] + (1.0 - share) * s[:, :-1]


def _counts(p: np.ndarray) -> list[np.ndarray]:
    """For k from 0 to q: chances that 0, …, k of the k first labels are true."""
    found = [np.ones((len(p), 1))]
    for k in range(p.shape[1]):
        share, before = p[:, k : k + 1], found[-1]
        after = np.zeros((len(p), k + 2))
        after[:, :-1] = (1.0 - share) * before
        after[:, 1:] += share * before
        found.append(after)
    return found
