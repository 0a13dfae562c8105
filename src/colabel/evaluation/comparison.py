"""The outcome of a comparison as plain data: what was compared, on what, and every result."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any, Self

from colabel.evaluation.plain_data import (
    Shape,
    distinct,
    flag,
    list_of,
    mapping,
    number,
    one_of,
    optional,
    plain,
    record,
    refuse,
    text,
)
from colabel.persistence.replacement import replacing

STATUSES = ("ok", "failed", "over budget", "not run")
#: Arguments that say how the work was done, and not what was asked for.
_HOW = ("jobs", "n_jobs", "journal", "progress")

_COUNT = number(0, whole=True)
_META = record(
    {
        "title": text,
        "created": optional(text),
        "colabel": text,
        "versions": mapping(plain),
        "machine": mapping(plain),
        "seed": optional(number(whole=True)),
        "arguments": mapping(plain),
    }
)
_METRIC = record({"name": text, "title": text, "greater_is_better": flag})
_METHOD = record(
    {
        "name": text,
        "title": text,
        "kind": one_of("extractor", "classifier", "baseline"),
        "about": text,
        "code": text,
    },
    {"command": optional(text)},
)
_SPLITS = record(
    {
        "kind": text,
        "n": number(1, whole=True),
        "train_rows": number(1, whole=True),
        "test_rows": number(1, whole=True),
        "fingerprint": text,
    }
)
_PICTURES = record(
    {},
    {
        "cooccurrence": record(
            {"labels": list_of(text), "counts": list_of(list_of(_COUNT))},
            {"pairs": list_of(record({"first": text, "second": text, "rows": _COUNT}))},
        ),
        "spectra": list_of(
            record({"method": text, "eigenvalues": list_of(number()), "kept": _COUNT})
        ),
        "embedding": record(
            {
                "method": text,
                "points": list_of(list_of(number(), length=2)),
                "labels": mapping(list_of(_COUNT)),
            }
        ),
        "grid": record(
            {
                "alphas": list_of(number()),
                "betas": list_of(number()),
                "scores": list_of(list_of(optional(number()))),
                "metric": text,
                "best": list_of(_COUNT, length=2),
            }
        ),
    },
)
_DATASET = record(
    {
        "name": text,
        "rows": _COUNT,
        "features": _COUNT,
        "labels": _COUNT,
        "density": number(0),
        "cardinality": number(0),
        "label_names": list_of(text),
        "label_counts": list_of(_COUNT),
        "feature_density": number(0),
        "splits": _SPLITS,
        "pictures": _PICTURES,
    },
    {"preparation": text},
)
_OUTCOME: dict[str, Shape] = {
    "status": one_of(*STATUSES),
    "reason": optional(text),
    "scores": mapping(optional(number())),
    "label_scores": mapping(list_of(optional(number()))),
    "chosen": mapping(plain),
    "fit_seconds": optional(number(0)),
    "predict_seconds": optional(number(0)),
}
_RESULT = record({"dataset": text, "method": text, "split": _COUNT, **_OUTCOME})
_SHAPE: Shape = record(
    {
        "meta": _META,
        "metrics": list_of(_METRIC, least=1),
        "methods": list_of(_METHOD, least=1),
        "datasets": list_of(_DATASET, least=1),
        "results": list_of(_RESULT),
    }
)


@dataclass
class Comparison:
    """Which methods were compared, on which data, and how each did on each split.

    Every field is plain data (dicts, lists, strings, numbers, booleans, None), so that it can be
    written as JSON and read again as it was. Malformed data is refused when one is made.

    Attributes
    ----------
    meta : dict
        Title, date, versions, machine, seed, and the arguments: what was asked for.
    metrics : list of dict
        Name, title and direction of each measure; the ranking goes by the first.
    methods : list of dict
        Name, title, kind, a line about it, the code to use it, and perhaps the command.
    datasets : list of dict
        Size, labels, splits, and the data of the pictures.
    results : list of dict
        One for each data set, method and split.

    Examples
    --------
    >>> from colabel.evaluation.comparison import Comparison
    >>> metric = {"name": "f1_macro", "title": "macro F1", "greater_is_better": True}
    >>> Comparison(meta={}, metrics=[metric], methods=[], datasets=[], results=[])
    Traceback (most recent call last):
    ValueError: meta lacks title, created, colabel, versions, machine, seed, arguments; add what is
    missing
    """

    meta: dict[str, Any]
    metrics: list[dict[str, Any]]
    methods: list[dict[str, Any]]
    datasets: list[dict[str, Any]]
    results: list[dict[str, Any]]

    def __post_init__(self) -> None:
        _SHAPE(_fields(self), "")
        for i, dataset in enumerate(self.datasets):
            _check_dataset(dataset, f"datasets[{i}]")
        _check_results(self)

    def to_dict(self) -> dict[str, Any]:
        """A copy of everything as one dict."""
        return deepcopy(_fields(self))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The comparison of a dict such as `to_dict` gives.

        Raises
        ------
        ValueError
            In one line, for the first thing that is not as it must be.
        """
        _SHAPE(data, "")
        return cls(**{field.name: deepcopy(data[field.name]) for field in fields(cls)})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, whole or not at all."""
        written = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
        with replacing(path) as file:
            file.write(written.encode("utf-8", "surrogatepass"))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote.

        Raises
        ------
        ValueError
            For a file that is not a comparison, in one line.
        """
        with open(path, "rb") as file:
            content = file.read()
        try:
            return cls.from_dict(json.loads(content.decode("utf-8", "surrogatepass")))
        except (ValueError, RecursionError) as error:
            why = " ".join(str(error).split())
            raise ValueError(f"{os.fspath(path)} is not a saved comparison: {why}") from None

    def without_times(self) -> Self:
        """A copy without times, date and machine: equal for two runs with the same seed."""
        data = self.to_dict()
        data["meta"].update(created=None, machine={})
        for name in _HOW:
            data["meta"]["arguments"].pop(name, None)
        for result in data["results"]:
            result.update(fit_seconds=None, predict_seconds=None)
        return self.from_dict(data)

    def to_markdown(self) -> str:
        """Verdict, tables, failures and versions as markdown."""
        from colabel.evaluation.report import markdown

        return markdown(self)

    def to_html(self) -> str:
        """The report as a web page of one file that loads nothing from the network."""
        from colabel.evaluation.report import html

        return html(self)


def _fields(comparison: Comparison) -> dict[str, Any]:
    return {field.name: getattr(comparison, field.name) for field in fields(comparison)}


def _check_dataset(dataset: dict[str, Any], where: str) -> None:
    q = dataset["labels"]
    for key in ("label_names", "label_counts"):
        if len(dataset[key]) != q:
            raise ValueError(f"{where}.{key} must be of the {q} labels; got {len(dataset[key])}")
    check_pictures(dataset["pictures"], f"{where}.pictures")


def check_pictures(pictures: Any, where: str) -> None:
    """Refuse what is not the pictures of a data set."""
    _PICTURES(pictures, where)
    if picture := pictures.get("cooccurrence"):
        size = len(picture["labels"])
        _check_table(picture["counts"], size, size, f"{where}.cooccurrence.counts")
    if picture := pictures.get("grid"):
        rows, columns = len(picture["alphas"]), len(picture["betas"])
        inside = f"{where}.grid"
        _check_table(picture["scores"], rows, columns, f"{inside}.scores")
        i, j = picture["best"]
        if i >= rows or j >= columns:
            raise refuse(f"{inside}.best", f"a cell of the {rows}×{columns} scores", [i, j])
    if picture := pictures.get("embedding"):
        n = len(picture["points"])
        for name, rows_with in picture["labels"].items():
            if rows_with and max(rows_with) >= n:
                inside = f"{where}.embedding.labels.{name}"
                raise refuse(inside, f"positions among the {n} points", max(rows_with))


def _check_table(table: list[list[Any]], rows: int, columns: int, where: str) -> None:
    if len(table) != rows or any(len(row) != columns for row in table):
        shape = f"{len(table)} rows of {sorted({len(row) for row in table})}"
        raise ValueError(f"{where} must be a table of {rows}×{columns}; got {shape}")


def _check_results(comparison: Comparison) -> None:
    metrics = distinct([metric["name"] for metric in comparison.metrics], "metrics")
    methods = distinct([method["name"] for method in comparison.methods], "methods")
    distinct([dataset["name"] for dataset in comparison.datasets], "datasets")
    datasets = {dataset["name"]: dataset for dataset in comparison.datasets}
    seen = set()
    for i, result in enumerate(comparison.results):
        where = f"results[{i}]"
        if result["dataset"] not in datasets:
            raise refuse(f"{where}.dataset", "a name of datasets", result["dataset"])
        if result["method"] not in methods:
            raise refuse(f"{where}.method", "a name of methods", result["method"])
        _check_result(result, datasets[result["dataset"]], metrics, where)
        key = (result["dataset"], result["method"], result["split"])
        if key in seen:
            raise ValueError(f"{where} is a second result of {key}; keep one")
        seen.add(key)


def _check_result(
    result: dict[str, Any], dataset: dict[str, Any], metrics: set[str], where: str
) -> None:
    splits = dataset["splits"]["n"]
    if result["split"] >= splits:
        raise refuse(f"{where}.split", f"below the {splits} splits of its data", result["split"])
    _check_scores(result, dataset["labels"], metrics, where)


def _check_scores(outcome: dict[str, Any], labels: int, metrics: set[str], where: str) -> None:
    for name in outcome["scores"]:
        if name not in metrics:
            raise refuse(f"{where}.scores", f"of the metrics {sorted(metrics)}", name)
    for name, scores in outcome["label_scores"].items():
        if len(scores) != labels:
            inside = f"{where}.label_scores.{name}"
            raise ValueError(f"{inside} must be of the {labels} labels; got {len(scores)}")


def check_outcome(outcome: Any, labels: int, metrics: set[str], where: str) -> None:
    """Refuse what is not the outcome of a method on a split, as a run of a comparison has it."""
    record(_OUTCOME)(outcome, where)
    _check_scores(outcome, labels, metrics, where)
    if outcome["status"] == "ok":
        done = {"scores": record(dict.fromkeys(metrics, plain))}
        seconds = dict.fromkeys(("fit_seconds", "predict_seconds"), number(0))
        record({**done, **seconds})(outcome, where)
