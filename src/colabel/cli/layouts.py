"""The tables that predictions are written in."""

from collections.abc import Callable
from typing import Any

import numpy as np

from colabel._cuts import top_k
from colabel._top_k import top_places
from colabel.cli.errors import CommandError
from colabel.persistence import Bundle

#: Labels as tags in one column, or as columns of 0 and 1.
FORMS = ("tags", "columns")


def layout(
    bundle: Bundle, scores: bool, k: int | None, form: str | None, separator: str | None
) -> tuple[list[str], Callable[[Any], Any]]:
    """The header of the table, and the function from rows of X to its lines."""
    names = np.asarray(bundle.label_names, dtype=object)
    if k is not None and k > len(names):
        raise CommandError(f"--top-k {k}: the model has {len(names)} labels; use fewer")
    if form is None:
        form = "columns" if bundle.settings.get("label_column") is None else "tags"
    if form not in FORMS:
        raise CommandError(f"--as {form}: use one of {', '.join(FORMS)}")
    if scores and k is not None:
        pairs = [f"{what}{i}" for i in range(1, k + 1) for what in ("label", "score")]
        return pairs, lambda X: _rank(bundle.uncut_scores(X), names, k)
    if scores:
        return list(names), lambda X: bundle.scores(X).tolist()
    if form == "columns":
        return list(names), lambda X: _labels(bundle, X, k).tolist()
    between = separator or bundle.settings.get("separator") or ";"
    _check_separator(names, between)
    column = bundle.settings.get("label_column") or "labels"
    return [column], lambda X: _tags(bundle, X, k, names, between)


def _check_separator(names: np.ndarray, separator: str) -> None:
    for name in names:
        if separator in name:
            raise CommandError(
                f"label {name!r} holds the separator {separator!r}; use another with --separator, "
                "or --as columns"
            )


def _labels(bundle: Bundle, X: Any, k: int | None) -> np.ndarray:
    if k is None:
        return bundle.predict(X)
    scores = bundle.uncut_scores(X)
    return top_k(scores, k)


def _tags(bundle: Bundle, X: Any, k: int | None, names: np.ndarray, between: str) -> Any:
    """One cell a row: the best labels first, whether they are k or those above the threshold."""
    scores = bundle.uncut_scores(X)
    if k is not None:
        for places in top_places(scores, k):
            yield [between.join(names[places])]
        return
    for row, shown in zip(scores, bundle.predict(X), strict=True):
        places = np.flatnonzero(shown)
        yield [between.join(names[places[np.argsort(-row[places], kind="stable")]])]


def _rank(scores: np.ndarray, names: np.ndarray, k: int) -> Any:
    for row, places in zip(scores, top_places(scores, k), strict=True):
        yield [cell for j in places for cell in (names[j], float(row[j]))]
