"""What Sun, Ji & Ye (2008) leave open, done otherwise."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import scipy.sparse as sp

from colabel.classifiers import RankSVM
from colabel.papers import protocol as paper
from colabel.papers.effects import experiment
from colabel.papers.margins import ExactSVM, squared_svm
from colabel.papers.sun2008_methods import (
    ARTS_PAGES,
    CITATION,
    LAPLACIANS,
    MEASURES,
    SOURCES,
    Scorer,
    by_libsvm,
    hypergraph,
    methods,
    texts,
    tuned_cost,
    with_ridge,
    without_ridge,
)

PLAIN = tuple(f"{form} {symbol}" for symbol in LAPLACIANS for form in ("HG", "lsHG"))
WITH_RIDGE = tuple(f"{name} λ" for name in PLAIN)
_STAND_FOR = {
    "HG c": tuple(name for name in PLAIN if name.startswith("HG")),
    "lsHG c": tuple(name for name in PLAIN if name.startswith("lsHG")),
    "HG c λ": tuple(name for name in WITH_RIDGE if name.startswith("HG")),
    "lsHG c λ": tuple(name for name in WITH_RIDGE if name.startswith("lsHG")),
}


def by_squared_hinge(Z: np.ndarray, Y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """By LIBLINEAR."""
    return squared_svm().fit(Z, Y).decision_function(new)


def exactly(Z: np.ndarray, Y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """By an SVM that is solved to the end."""
    return ExactSVM().fit(Z, Y).decision_function(new)


def scaled(Z: np.ndarray, Y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """By SVMs on directions whose mean of squares, not its sum, is about 1."""
    root = np.sqrt(len(Z))
    return by_libsvm(root * Z, Y, root * new)


#: What may be done otherwise on the directions.
_OTHER_SVMS: dict[str, Sequence[Scorer]] = {
    "squared hinge": (by_squared_hinge,),
    "exact": (exactly,),
    "scaled": (scaled,),
    "C tuned": tuple(partial(by_libsvm, C=C) for C in (0.01, 0.1, 1.0, 10.0, 100.0)),
}
_MADE = {"HG c": hypergraph("clique", False), "lsHG c": hypergraph("clique", True)}
_OTHER_TEXTS = {
    title: paper.Source("yahoo_arts", prepare, methods=tuple(_STAND_FOR))
    for title, prepare in {
        "Arts, all pages": partial(texts, size=2000),
        "Arts, counts": partial(texts, size=2000, pages=ARTS_PAGES, encode=sp.csr_array),
    }.items()
}


def other_methods() -> dict[str, paper.Procedure]:
    """Clique expansion, which stands for all, and RankSVM, done otherwise."""
    every = methods()
    found = {name: every[name] for name in (*_STAND_FOR, "RankSVM")}
    for name, make in _MADE.items():
        for how, scorers in _OTHER_SVMS.items():
            if len(scorers) == 1:
                found[f"{name}, {how}"] = paper.Procedure(without_ridge(make, scorers[0]))
            found[f"{name} λ, {how}"] = paper.Procedure(with_ridge(make, scorers))
    squared = partial(RankSVM, threshold="zero")
    found["RankSVM, squared hinge"] = paper.Procedure(tuned_cost(squared))
    return found


#: On texts, which take longest, C is not tuned; and Computers has other data anyway.
_ON_TEXTS = tuple(name for name in other_methods() if "C tuned" not in name)
CHOICES = experiment(
    "sun2008",
    CITATION,
    {
        "Scene": SOURCES["Scene"],
        "Yeast": SOURCES["Yeast"],
        "Arts": replace(SOURCES["Arts"], methods=_ON_TEXTS),
        **_OTHER_TEXTS,
    },
    other_methods(),
    MEASURES,
)


def _otherwise(how: str) -> tuple[paper.Otherwise, ...]:
    return tuple(
        paper.Otherwise(name, f"{name}, {how}", stands_for)
        for name, stands_for in _STAND_FOR.items()
        if f"{name}, {how}" in CHOICES.methods
    )


def _other_texts(title: str) -> tuple[paper.Otherwise, ...]:
    found = _STAND_FOR.items()
    return tuple(paper.Otherwise(name, name, of, {"Arts": title}) for name, of in found)


DIFFERS = (
    paper.Difference(
        "SVMs by LIBSVM, which the paper does not name (otherwise: LIBLINEAR, squared hinge and "
        "penalised intercept)",
        _otherwise("squared hinge"),
    ),
    paper.Difference(
        "SVMs as accurate as LIBSVM stops by default (otherwise: exact)", _otherwise("exact")
    ),
    paper.Difference(
        "directions given to the SVM as they are (otherwise: times the root of the number of "
        "rows); the paper says nothing",
        _otherwise("scaled"),
    ),
    paper.Difference(
        "C = 1 on the directions (otherwise: tuned with the ridge, 0.01 to 100); the paper says "
        "nothing",
        _otherwise("C tuned"),
    ),
    paper.Difference(
        "RankSVM: the hinge, C from 0.001 to 10, which the paper does not say (otherwise: squared "
        "hinge)",
        (paper.Otherwise("RankSVM", "RankSVM, squared hinge"),),
    ),
    paper.Difference(
        f"Arts: {ARTS_PAGES} pages as in the paper, but which of the 7484 is not known; drawn at "
        "random (otherwise: all)",
        _other_texts("Arts, all pages"),
        other_data=("Arts",),
    ),
    paper.Difference(
        "terms: TF-IDF, unit rows, as in the same authors' other paper; this one does not say "
        "(otherwise: counts)",
        _other_texts("Arts, counts"),
    ),
    paper.Difference(
        "Computers: 5000 pages and 681 words, where the paper has 6270 and 2000",
        other_data=("Computers",),
    ),
)
