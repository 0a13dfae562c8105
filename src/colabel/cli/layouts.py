"""The tables that predictions are written in."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from colabel._cuts import top_k
from colabel._top_k import top_places
from colabel.cli.errors import CommandError
from colabel.datasets.tag_cells import JSON
from colabel.persistence import Bundle

#: Labels as tags in one column, or as columns of 0 and 1.
FORMS = ("tags", "columns")


@dataclass(frozen=True)
class Asked:
    """What is to be written of each row."""

    scores: bool = False
    proba: bool = False
    recall: float | None = None
    k: int | None = None
    form: str | None = None
    separator: str | None = None
    digits: int = 4

    def check(self, bundle: Bundle) -> None:
        """Refuse what does not go together, or what the model has not."""
        q = len(bundle.label_names)
        if self.k is not None and self.k > q:
            raise CommandError(f"--top-k {self.k}: the model has {q} labels; use fewer")
        if self.form not in (None, *FORMS):
            raise CommandError(f"--as {self.form}: use one of {', '.join(FORMS)}")
        if self.scores and self.proba:
            raise CommandError("--scores and --proba: write one of them at a time")
        if self.recall is None:
            return
        if not 0 < self.recall < 1:
            raise CommandError(f"--recall {self.recall:g}: use a share between 0 and 1")
        for option, given in (("scores", self.scores), ("proba", self.proba), ("top-k", self.k)):
            if given:
                raise CommandError(f"--recall and --{option}: sets are of labels alone; use one")

    def cell(self, value: float) -> str:
        """A number as it is written."""
        return f"{value:.{self.digits}g}" if self.digits < 17 else repr(float(value))


def layout(bundle: Bundle, asked: Asked) -> tuple[list[str], Callable[[Any], Any]]:
    """The header of the table, and the function from rows of X to its lines."""
    asked.check(bundle)
    names, k = np.asarray(bundle.label_names, dtype=object), asked.k
    numbers = bundle.probabilities if asked.proba else bundle.scores
    if (asked.scores or asked.proba) and k is not None:
        what, ranked = ("probability" if asked.proba else "score"), bundle.uncut_scores
        pairs = [f"{part}{i}" for i in range(1, k + 1) for part in ("label", what)]
        found = bundle.probabilities if asked.proba else ranked
        return pairs, lambda X: _rank(ranked(X), found(X), names, asked)
    if asked.scores or asked.proba:
        return list(names), lambda X: ([asked.cell(v) for v in row] for row in numbers(X))
    form = asked.form
    if form is None:
        form = "columns" if bundle.settings.get("label_column") is None else "tags"
    if form == "columns":
        return list(names), lambda X: _labels(bundle, X, asked).tolist()
    between = asked.separator or bundle.settings.get("separator") or ";"
    if between != JSON:
        _check_separator(names, between)
    column = bundle.settings.get("label_column") or "labels"
    return [column], lambda X: _tags(bundle, X, asked, names, between)


def _check_separator(names: np.ndarray, separator: str) -> None:
    for name in names:
        if separator in name:
            raise CommandError(
                f"label {name!r} holds the separator {separator!r}; use another with --separator, "
                "or --as columns"
            )


def _labels(bundle: Bundle, X: Any, asked: Asked) -> np.ndarray:
    if asked.recall is not None:
        return bundle.sets(X, asked.recall)
    return bundle.predict(X) if asked.k is None else top_k(bundle.uncut_scores(X), asked.k)


def _tags(bundle: Bundle, X: Any, asked: Asked, names: np.ndarray, between: str) -> Any:
    """One cell a row: the best labels first, whether they are k or those above the threshold."""
    scores = bundle.uncut_scores(X)
    if asked.k is not None:
        for places in top_places(scores, asked.k):
            yield [_join(names[places], between)]
        return
    for row, shown in zip(scores, _labels(bundle, X, asked), strict=True):
        places = np.flatnonzero(shown)
        yield [_join(names[places[np.argsort(-row[places], kind="stable")]], between)]


def _join(names: np.ndarray, between: str) -> str:
    """Tags in one cell, as the training data had them."""
    if between == JSON:
        return json.dumps(names.tolist(), ensure_ascii=False)
    return between.join(names)


def _rank(scores: np.ndarray, numbers: np.ndarray, names: np.ndarray, asked: Asked) -> Any:
    """Labels and numbers, in the order of the scores."""
    for row, places in zip(numbers, top_places(scores, asked.k or 1), strict=True):
        yield [cell for j in places for cell in (names[j], asked.cell(row[j]))]
