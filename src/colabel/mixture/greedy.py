"""How much of each member a mixture takes: by the log loss of rows that none of them has seen."""

import numpy as np

#: Times that a member is taken, one after another.
ROUNDS = 40
#: The least that one more member has to lower the log loss by, as a part of it.
GAIN = 1e-5
#: Entries of labels that the choice is made by; of more, a random part.
ENTRIES = 4_000_000


def likelihoods(P: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """What probabilities (n×q) say of what is so: p where a row has the label, else 1 − p.

    Those of a mixture are the mixture of those of its members.
    """
    return np.where(truth, P, 1.0 - P)


def log_loss(likelihood: np.ndarray) -> float:
    """The mean over rows and labels."""
    return float(-np.mean(np.log(np.maximum(likelihood, np.finfo(np.float64).tiny))))


def mixing_weights(members: np.ndarray, rounds: int = ROUNDS) -> np.ndarray:
    """How much of each member lowers the log loss most, by greedy choice with replacement.

    Caruana et al. (2004): the member is taken again and again that lowers the loss of all that were
    taken so far the most. The loss is convex in the weights, and each choice is a step of 1/k
    towards a corner of the simplex, so that more rounds come nearer to its minimum; few of them
    leave out what hardly helps.

    Parameters
    ----------
    members : ndarray of shape (members, entries)
        What each says of what is so; see :func:`likelihoods`.
    rounds : int

    Returns
    -------
    ndarray of shape (members,)
        They sum to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel.mixture.greedy import mixing_weights
    >>> good, other, bad = [0.9, 0.9, 0.2], [0.2, 0.8, 0.9], [0.1, 0.5, 0.1]
    >>> weights = mixing_weights(np.array([good, other, bad]))
    >>> bool(weights[0] > weights[1] > 0), float(weights[2])
    (True, 0.0)
    """
    counts = np.zeros(len(members))
    total, best = np.zeros(members.shape[1]), np.inf
    kept = counts.copy()
    for taken in range(1, rounds + 1):
        losses = [log_loss((total + member) / taken) for member in members]
        first = int(np.argmin(losses))
        counts[first] += 1
        total += members[first]
        if losses[first] < best * (1.0 - GAIN):
            best, kept = losses[first], counts.copy()
    return kept / kept.sum()


def some_rows(n: int, q: int, rng: np.random.RandomState) -> np.ndarray:
    """Rows that the choice is made by: all, or as many as it takes no longer than seconds for."""
    most = max(1, ENTRIES // max(q, 1))
    return np.arange(n) if n <= most else np.sort(rng.permutation(n)[:most])
