"""Keep small models of a release, with what they say of new rows, for all later versions to load.

``python scripts/keep_models.py`` writes an archive in tests/persistence/models, named after the
versions of colabel and scikit-learn, with a file for each model, as it was saved. It is run once a
release, in the environments of ``make test`` and of ``make test-lowest``; what is there already is
never written again.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import colabel
from colabel.classifiers import ChainEnsemble, MLkNN, cca_ridge
from colabel.cli.app import run
from colabel.persistence import Bundle
from colabel.preparation import AsinhScaler
from colabel.semi_supervised import LabelledOnly, SemiSupervisedMLSI
from colabel.tuning import OutOfFoldSearch, make_search

MODELS = Path(__file__).resolve().parents[1] / "tests" / "persistence" / "models"
#: What a model is asked, if it can be; a bundle has two questions of its own.
ASKED = ("transform", "uncut_scores", "decision_function", "predict", "predict_proba")
OF_BUNDLES = ("uncut_scores", "predict", "probabilities", "sets")
RECALL = 0.7
TRAIN, NEW = slice(0, 40), slice(40, None)
CV = {"cv": 2, "random_state": 0}


def problem() -> tuple[np.ndarray, np.ndarray]:
    """48 rows of 6 numbers, and three labels that lean on each other."""
    rng = np.random.default_rng(20)
    X = rng.normal(size=(48, 6))
    scores = X @ rng.normal(size=(6, 3)) + X[:, :1] + 0.5 * rng.normal(size=(48, 3))
    return X, (scores > 0.3).astype(int)


def table() -> pd.DataFrame:
    """The same as a table of columns of several kinds."""
    X, Y = problem()
    words = np.array(["late", "broken", "lost", "new", "old", "blue"])
    tags = np.array(["refund", "repair", "sale"])
    return pd.DataFrame(
        {
            "note": [" ".join(words[row > -0.2]) or "none" for row in X],
            "shop": np.where(X[:, 1] > 0, "north", "south"),
            "day": pd.date_range("2026-01-01", periods=len(X), freq="D").strftime("%Y-%m-%d"),
            "price": np.where(X[:, 2] > 1.2, "", np.round(X[:, 3] * 10 + 50, 2).astype(str)),
            "tags": [";".join(tags[row > 0]) for row in Y],
        }
    )


def extractors() -> dict[str, Any]:
    """One of each, and one with a kernel."""
    kinds = (
        colabel.PCA, colabel.MDDMp, colabel.MDDMf, colabel.MVMD, colabel.LabelCCA, colabel.OPLS,
        colabel.OCM, colabel.MLSI, colabel.MLDA, colabel.DMLDA, colabel.HypergraphSpectral,
    )  # fmt: skip
    return {kind.__name__: kind(n_components=2) for kind in kinds} | {
        "MVMD-kernel": colabel.MVMD(n_components=2, kernel="rbf"),
        "KernelFeatures": colabel.KernelFeatures(n_landmarks=5, random_state=0),
    }


def classifiers() -> dict[str, Any]:
    """One of each, some with a kernel, and some around others."""
    ridge = colabel.LabelRidge(alpha=0.5)
    logistic = OneVsRestClassifier(LogisticRegression())
    forest = RandomForestClassifier(3, max_depth=3, random_state=0)
    boosted = HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=3, min_samples_leaf=5)
    return {
        "LabelRidge": ridge,
        "LabelRidge-kernel": colabel.LabelRidge(kernel="poly", n_landmarks=8, random_state=0),
        "LabelRidgeCV": colabel.LabelRidgeCV(alphas=[0.1, 1.0], cv=2, random_state=0),
        "LabelRidgeCV-kernel": colabel.LabelRidgeCV(alphas=[0.1, 1.0], kernel="rbf", **CV),
        "SharedSubspaceClassifier": colabel.SharedSubspaceClassifier(n_components=1),
        "SharedSubspaceClassifierCV": colabel.SharedSubspaceClassifierCV([0.1, 1], [0.1], **CV),
        "ASOClassifier": colabel.ASOClassifier(n_components=1, random_state=0),
        "RankSVM": colabel.RankSVM(),
        "RankSVM-kernel": colabel.RankSVM(kernel="rbf"),
        "MtSDA": colabel.MtSDA(),
        "MtSDACV": colabel.MtSDACV(l1s=2, l2s=[0.1], **CV),
        "ThresholdTuner": colabel.ThresholdTuner(ridge, **CV),
        "ThresholdTuner-logistic": colabel.ThresholdTuner(logistic, "expected-f1", **CV),
        "ThresholdTuner-forest": colabel.ThresholdTuner(forest, "global", **CV),
        "ThresholdTuner-boosted": colabel.ThresholdTuner(OneVsRestClassifier(boosted), **CV),
        "ProbabilityCalibrator": colabel.ProbabilityCalibrator(ridge, **CV),
        "LabelSets": colabel.LabelSets(ridge, recall=RECALL, cv=0.5, random_state=0),
        "OutOfFoldSearch": OutOfFoldSearch(ridge, {"alpha": [0.1, 1.0]}, **CV),
        "TunedBaseline": make_search(cca_ridge(), cv=2),
        "ChainEnsemble": ChainEnsemble(LogisticRegression(), 2, random_state=0),
        "MLkNN": MLkNN(3),
        "BestOf": colabel.BestOf(["label-ridge", "logistic-regression"], random_state=0),
        "pipeline": make_pipeline(
            StandardScaler(), AsinhScaler(), colabel.MVMD(n_components=3), ridge
        ),
    }


def semi_supervised() -> dict[str, Any]:
    """For labels of some rows alone."""
    return {
        "CNMF": colabel.CNMF(similarity="knn", random_state=0),
        "SGT": colabel.SGT(),
        "LabelledOnly": LabelledOnly(colabel.LabelRidge(), colabel.MDDMp()),
        "SemiSupervisedMLSI": SemiSupervisedMLSI(n_components=2),
    }


def fitted() -> Iterator[tuple[str, Any]]:
    """Every model, by the name of its file, which begins with what rows it takes."""
    X, Y = problem()
    X, Y = X[TRAIN], Y[TRAIN]
    for name, model in {**extractors(), **classifiers()}.items():
        yield f"rows-{name}", model.fit(X, Y)
    partly = np.where(np.arange(len(Y))[:, None] % 3, Y, -1)
    for name, model in semi_supervised().items():
        yield f"rows-{name}", model.fit(X, partly)
    yield "rows-LabelRidge-parts", colabel.LabelRidge().partial_fit(X[:20], Y[:20])
    frame = table()[TRAIN]
    texts = make_pipeline(TfidfVectorizer(), colabel.LabelRidge())
    yield "texts-pipeline", texts.fit(frame["note"], Y)
    yield from bundles(frame)


def bundles(frame: pd.DataFrame) -> Iterator[tuple[str, Any]]:
    """Models as the command line saves them."""
    kinds = {
        "shared-subspace": ["--hold-out", "0.4"],
        "kernel-ridge": ["--text", "note"],
        "mvmd": ["--column", "note=drop"],
    }
    with TemporaryDirectory() as folder:
        file, model = Path(folder, "notes.csv"), Path(folder, "notes.skops")
        frame.to_csv(file, index=False)
        for method, options in kinds.items():
            asked = ["fit", str(file), "--label-column", "tags", "-m", method, *options]
            if run([*asked, "-o", str(model)]) != 0:
                raise SystemExit(f"{method} could not be fitted")
            yield f"frame-{method}", colabel.load(model)


def new_rows() -> dict[str, Any]:
    """What the models are asked about, by the first word of their names."""
    frame = table()[NEW].drop(columns="tags")
    return {"rows": problem()[0][NEW], "texts": frame["note"].tolist(), "frame": frame}


def answers(model: Any, rows: Any) -> dict[str, np.ndarray]:
    """What a model says of rows."""
    found = {}
    for name in OF_BUNDLES if isinstance(model, Bundle) else ASKED:
        if (name == "sets" and model.promise is None) or not hasattr(model, name):
            continue
        said = getattr(model, name)(rows, *([RECALL] if name == "sets" else []))
        found[name] = said.toarray() if hasattr(said, "toarray") else np.asarray(said)
    return found


def write(folder: Path) -> None:
    """A file for each model, and one for all answers."""
    said = {}
    for name, model in fitted():
        colabel.save(model, folder / f"{name}.skops")
        found = answers(model, new_rows()[name.partition("-")[0]])
        said |= {f"{name} {question}": answer for question, answer in found.items()}
    np.savez_compressed(folder / "answers.npz", **said)


def main() -> int:
    """Write an archive."""
    release = ".".join(version("colabel").split(".")[:2])
    path = MODELS / f"{release}-scikit-learn-{version('scikit-learn')}.zip"
    if path.exists():
        sys.exit(f"{path.name} is there already; models that were kept stay as they are")
    warnings.simplefilter("ignore")  # the grids are small
    with TemporaryDirectory() as folder:
        write(Path(folder))
        MODELS.mkdir(exist_ok=True)
        with ZipFile(path, "w", ZIP_DEFLATED) as archive:
            for file in sorted(Path(folder).iterdir()):
                archive.write(file, file.name)
    sys.stdout.write(f"{path.name}: {path.stat().st_size // 1000} kB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
