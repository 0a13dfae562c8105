"""A comparison made of generated numbers, with names that a stranger's file may hold."""

import numpy as np

from colabel.comparison import Comparison

NASTY = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"quoted\" & 'quoted'",
    "__proto__",
    "constructor",
    "a | b `c` *d*",
    "",
    "two\nlines\x1b[2J",
    "a name that is so long that no axis of any picture has room for all of it",
    "naïve 标签 وسم",
]
SCRIPT = NASTY[0]
METRICS = [
    {"name": "f1_macro", "title": "macro F1", "greater_is_better": True},
    {"name": "f1_micro", "title": "micro F1", "greater_is_better": True},
    {"name": "auc_macro", "title": "macro AUC", "greater_is_better": True},
    {"name": "hamming_loss", "title": "Hamming loss", "greater_is_better": False},
]
#: name, kind, how good it is, seconds
METHODS = [
    ("shared-subspace", "classifier", 0.030, 4.2),
    ("mvmd", "extractor", 0.029, 0.11),
    ("mddmf", "extractor", 0.015, 0.15),
    ("ridge", "classifier", 0.010, 0.05),
    ("label-cca", "extractor", -0.020, 0.9),
    ("one-vs-rest-logistic", "baseline", 0.024, 38.0),
    ("classifier-chain", "baseline", 0.022, 95.0),
    ("knn", "baseline", -0.060, 0.02),
    ("random-forest", "baseline", -0.035, 21.0),
    ("rank-svm", "classifier", 0.0, 310.0),
    (SCRIPT, "classifier", -0.08, 0.4),
]
FAILED, OVER_BUDGET = "label-cca", "rank-svm"


def sample(n_datasets=1, n_splits=5, n_labels=60, seed=0, failures=True):
    rng = np.random.default_rng(seed)
    datasets = [_dataset(i, n_splits, n_labels, rng) for i in range(n_datasets)]
    results = [
        _result(dataset, *method[::2], split, method[3], rng, failures)
        for dataset in datasets
        for method in METHODS
        for split in range(n_splits)
    ]
    return Comparison.from_dict(
        {
            "meta": {
                "title": "Which method for these data?",
                "created": "2025-11-15T12:00:00+00:00",
                "colabel": "0.1.0",
                "versions": {"python": "3.11.2", "numpy": "2.4.6", "scipy": "1.17.1"},
                "machine": {
                    "cores": 2,
                    "memory_gib": 4.0,
                    "system": "Linux",
                    "processor": "x86_64",
                },
                "seed": seed,
                "arguments": {"data": ["debtags"], "splits": n_splits, "jobs": 2, "quick": False},
            },
            "metrics": METRICS,
            "methods": [_method(name, kind) for name, kind, *_ in METHODS],
            "datasets": datasets,
            "results": results,
        }
    )


def _method(name, kind):
    code = (
        "from colabel import LabelRidgeCV\n\n"
        f"# {name.replace('-', ' ')}\n"
        "model = LabelRidgeCV().fit(X_train, Y_train)\n"
        "Y_predicted = model.predict(X_test)\n"
    )
    about = f"what {name} does, in one line"
    return {"name": name, "title": name, "kind": kind, "about": about, "code": code}


def _dataset(i, n_splits, q, rng):
    n = int(rng.integers(800, 5000))
    counts = np.sort(rng.integers(3, n // 2, q) ** 2 // n)[::-1].astype(int)
    names = [*NASTY, *(f"label {j}" for j in range(q))][:q]
    return {
        "name": f"set {i}" if i else "debtags",
        "rows": n,
        "features": 1200,
        "labels": q,
        "density": float(counts.sum() / n / q),
        "cardinality": float(counts.sum() / n),
        "label_names": names,
        "label_counts": counts.tolist(),
        "feature_density": 0.02,
        "splits": {
            "kind": "stratified shuffle",
            "n": n_splits,
            "train_rows": 2 * n // 3,
            "test_rows": n - 2 * n // 3,
            "fingerprint": f"{i:016x}",
        },
        "insights": _pictures(names, counts, rng),
    }


def _pictures(names, counts, rng):
    most, n = min(20, len(names)), 600
    themes = rng.integers(0, 4, n)
    angle = themes * np.pi / 2
    points = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(scale=0.35, size=(n, 2))
    has = rng.random((n, most)) < np.where(themes[:, None] == np.arange(most) % 4, 0.7, 0.06)
    alphas, betas = 10.0 ** np.arange(-3, 4), 10.0 ** np.arange(-2, 3)
    height = -((np.arange(7)[:, None] - 4) ** 2 + 2 * (np.arange(5) - 2) ** 2)
    grid = 0.6 + 0.004 * height + rng.normal(scale=0.002, size=(7, 5))
    best = np.unravel_index(np.argmax(grid), grid.shape)
    return {
        "cooccurrence": {"labels": names[:most], "counts": _together(counts[:most], rng)},
        "spectra": [
            {"method": "mvmd", "eigenvalues": (40 * 0.9 ** np.arange(80)).tolist(), "kept": 31},
            {"method": "mddmf", "eigenvalues": (9 * 0.75 ** np.arange(60)).tolist(), "kept": 12},
            {"method": SCRIPT, "eigenvalues": [0.98, 0.9, 0.71, 0.5, 0.22], "kept": 4},
        ],
        "embedding": {
            "method": "mvmd",
            "points": points.round(4).tolist(),
            "labels": {names[j]: np.flatnonzero(has[:, j]).tolist() for j in range(most)},
        },
        "grid": {
            "alphas": alphas.tolist(),
            "betas": betas.tolist(),
            "scores": grid.tolist(),
            "metric": "f1_macro",
            "best": [int(best[0]), int(best[1])],
        },
    }


def _together(counts, rng):
    pairs = np.minimum.outer(counts, counts) * rng.random((len(counts), len(counts)))
    pairs = np.triu(pairs, 1).astype(int)
    return (pairs + pairs.T + np.diag(counts)).tolist()


def _result(dataset, method, quality, split, fit_seconds, rng, failures):
    status, reason = "ok", None
    if failures and method == FAILED:
        status, reason = "failed", "ValueError: labels without rows: <b>x</b>; drop them"
    elif failures and method == OVER_BUDGET and split > 0:
        status, reason = "over budget", "took longer than its share on the first split"
    base = 0.55 + quality + 0.01 * (split % 3) + rng.normal(scale=0.004)
    scores = {
        "f1_macro": base,
        "f1_micro": base + 0.08 + rng.normal(scale=0.003),
        "auc_macro": 0.6 + base / 2,
        "hamming_loss": 0.09 - base / 10,
    }
    spread = 0.03 + 0.25 / np.sqrt(1 + np.array(dataset["label_counts"]))
    per_label = np.clip(base + rng.normal(size=len(spread)) * spread, 0, 1)
    done = status == "ok"
    return {
        "dataset": dataset["name"],
        "method": method,
        "split": split,
        "status": status,
        "reason": reason,
        "scores": {name: float(value) for name, value in scores.items()} if done else {},
        "label_scores": {"f1": [None, *per_label[1:].tolist()]} if done else {},
        "chosen": {"alpha": 1.0} if done else {},
        "fit_seconds": float(fit_seconds * rng.uniform(0.9, 1.1)) if done else None,
        "predict_seconds": 0.01 if done else None,
    }
