"""How far apart two spans are."""

from scipy import linalg


def sine(P, Q):
    """The sine of the largest angle between two spans."""
    P, Q = linalg.orth(P), linalg.orth(Q)
    assert P.shape == Q.shape
    return linalg.norm(P - Q @ (Q.T @ P), 2)
