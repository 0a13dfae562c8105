"""The formulae of the measures as plain loops over instances and labels."""

import math


def counts(truth, given):
    pairs = list(zip(truth, given, strict=True))
    return [sum(pair == kind for pair in pairs) for kind in ((1, 1), (0, 1), (1, 0), (0, 0))]


def ratio(name, truth, given, empty):
    tp, fp, fn, tn = counts(truth, given)
    above, below = {
        "accuracy": (tp, tp + fp + fn),
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
        "f2": (5 * tp, 5 * tp + fp + 4 * fn),
        "specificity": (tn, tn + fp),
    }[name]
    if below:
        return above / below
    if empty == "mulan":
        return 1.0 if list(truth) == list(given) else 0.0
    return None if empty == "skip" else float(empty)


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values)


def set_measure(name, Y, P, average, empty):
    if average == "macro":
        Y, P = Y.T, P.T
    elif average == "micro":
        Y, P = Y.reshape(1, -1), P.reshape(1, -1)
    return mean(ratio(name, list(y), list(p), empty) for y, p in zip(Y, P, strict=True))


def ranks(scores, ties):
    """The rank of each score, 1 for the best."""
    if ties == "worst":
        return [sum(t >= s for t in scores) for s in scores]
    sign = 1 if ties == "first" else -1
    order = sorted(range(len(scores)), key=lambda j: (-scores[j], sign * j))
    return [order.index(j) + 1 for j in range(len(scores))]


def misordered(y, r):
    """Pairs of a relevant and an irrelevant label of which the second is not ranked lower."""
    q = len(y)
    return sum(y[j] == 1 and y[k] == 0 and r[k] <= r[j] for j in range(q) for k in range(q))


def precisions(y, r):
    """The precision down to each relevant label."""
    relevant = [r[j] for j in range(len(y)) if y[j]]
    return [sum(other <= own for other in relevant) / own for own in relevant]


def interpolated(y, r, levels):
    p = sum(y)
    points = []
    for position in sorted(set(r)):
        found = sum(y[j] for j in range(len(y)) if r[j] <= position)
        points.append((found / p, found / position))
    best = [max(prec for rec, prec in points if rec >= i / (levels - 1)) for i in range(levels)]
    return sum(best) / levels


def one_error(y, r):
    """Whether the label that leads, or any that is tied with it, is irrelevant."""
    return float(any(y[j] == 0 for j in range(len(y)) if r[j] == min(r)))


def auc(y, scores):
    """Pairs of a positive and a negative in the right order, a tie counting half."""
    positive = [s for s, label in zip(scores, y, strict=True) if label]
    negative = [s for s, label in zip(scores, y, strict=True) if not label]
    wins = sum((a > b) + (a == b) / 2 for a in positive for b in negative)
    return wins / (len(positive) * len(negative))


def log_loss(Y, p, eps):
    total = 0.0
    for y_row, p_row in zip(Y, p, strict=True):
        for y, value in zip(y_row, p_row, strict=True):
            value = min(max(value, eps), 1 - eps)
            total -= math.log(value if y else 1 - value)
    return total / len(Y)
