"""Exact hypergraph learning against its least-squares form."""

import numpy as np
from scipy import linalg

import colabel
from benchmarks.measure import best_of, check, data, record, seconds, table


def run():
    X, Y = data("rcv1subset1")
    rows = []
    for laplacian in ("clique", "star", "zhou", "cca"):
        exact = colabel.HypergraphSpectral(laplacian=laplacian, solver="two-stage")
        approximate = colabel.HypergraphSpectral(
            laplacian=laplacian, approximate=True, solver="two-stage"
        )
        times = []
        for _ in range(3):  # one after the other, so that noise meets both
            approximate_time, other = best_of(lambda m=approximate: m.fit(X, Y), 1)
            exact_time, model = best_of(lambda m=exact: m.fit(X, Y), 1)
            times.append((exact_time, approximate_time))
        exact_time, approximate_time = np.min(times, axis=0)
        check("span", span_distance(model.components_, other.components_), 1e-6)
        check("constraint", constraint_error(X, model), 1e-8)
        record(f"{laplacian}, exact", exact_time, approximate_time)
        rows.append(
            (
                laplacian,
                seconds(exact_time),
                seconds(approximate_time),
                f"{exact_time / approximate_time:.2f}",
            )
        )
    return f"### Exact hypergraph learning, rcv1subset1, {X.shape[0]}×{X.shape[1]}\n\n" + table(
        ("Laplacian", "exact", "least squares", "ratio"), rows
    )


def span_distance(P, Q):
    P, Q = (linalg.qr(M.T, mode="economic")[0] for M in (P, Q))
    return linalg.norm(P - Q @ (Q.T @ P), 2)


def constraint_error(X, model):
    P = model.components_.T
    XP = X @ P - model.mean_ @ P
    B = XP.T @ XP + model.ridge * P.T @ P
    return float(np.max(np.abs(B - np.eye(len(B)))))


if __name__ == "__main__":
    print(run())
