"""The outcome of a comparison, typed: what was compared, on what, and every result."""

# Annotations are not postponed here: msgspec reads them, and would look for them in the module that
# a public class says it is of.

import json
import os
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, Self, TypeAlias

from msgspec import Meta

from colabel.comparison.plain import distinct, read, refuse, to_plain
from colabel.persistence.replacement import replace_file

_LARGEST = 1.7976931348623157e308
Number: TypeAlias = Annotated[float, Meta(ge=-_LARGEST, le=_LARGEST)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=_LARGEST)]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Some: TypeAlias = Annotated[int, Meta(ge=1)]
Scalar: TypeAlias = str | int | Number | bool | None
Status: TypeAlias = Literal["ok", "failed", "over budget", "not run"]
Kind: TypeAlias = Literal["extractor", "classifier", "baseline"]
#: Arguments that say how the work was done, and not what was asked for.
_HOW = ("jobs", "n_jobs", "journal", "progress")


@dataclass(frozen=True)
class RunFacts:
    """When and where a comparison was made, and the arguments: what was asked for."""

    title: str
    created: str | None
    colabel: str
    versions: dict[str, str]
    machine: dict[str, Scalar]
    seed: int | None
    arguments: dict[str, Scalar | list[Scalar]]


@dataclass(frozen=True)
class MetricFacts:
    """A measure."""

    name: str
    title: str
    greater_is_better: bool
    about: str = ""


@dataclass(frozen=True)
class MethodFacts:
    """A method, the code to use it, and the command where there is one."""

    name: str
    title: str
    kind: Kind
    about: str
    code: str
    command: str | None = None


@dataclass(frozen=True)
class SplitFacts:
    """How the rows of a data set were divided."""

    kind: str
    n: Some
    train_rows: Some
    test_rows: Some
    fingerprint: str


@dataclass(frozen=True)
class LabelPair:
    """Two labels, and the rows that have both."""

    first: str
    second: str
    rows: Count


@dataclass(frozen=True)
class Cooccurrence:
    """How often the most frequent labels occur together."""

    labels: list[str]
    counts: list[list[Count]]
    pairs: list[LabelPair] = field(default_factory=list)


@dataclass(frozen=True)
class Spectrum:
    """The eigenvalues of a method, and how many of its directions are kept."""

    method: str
    eigenvalues: list[Number]
    kept: Count


@dataclass(frozen=True)
class Embedding:
    """Rows in two directions, and which of them have each label."""

    method: str
    points: list[Annotated[list[Number], Meta(min_length=2, max_length=2)]]
    labels: dict[str, list[Count]]


@dataclass(frozen=True)
class PenaltyGrid:
    """Scores over two penalties."""

    alphas: list[Number]
    betas: list[Number]
    scores: list[list[Number | None]]
    metric: str
    best: Annotated[list[Count], Meta(min_length=2, max_length=2)]


@dataclass(frozen=True)
class Trust:
    """What probabilities of held-out rows said, and what came true, in bins; and the error."""

    predicted: list[Number]
    observed: list[Number]
    error: Number


@dataclass(frozen=True)
class Insights:
    """What is drawn of a data set, as far as it could be found."""

    cooccurrence: Cooccurrence | None = None
    spectra: list[Spectrum] = field(default_factory=list)
    embedding: Embedding | None = None
    grid: PenaltyGrid | None = None
    trust: Trust | None = None

    def check(self, where: str) -> None:
        """Refuse tables and places that do not fit together."""
        if (found := self.cooccurrence) is not None:
            size = len(found.labels)
            _check_table(found.counts, size, size, f"{where}.cooccurrence.counts")
        if (grid := self.grid) is not None:
            rows, columns = len(grid.alphas), len(grid.betas)
            _check_table(grid.scores, rows, columns, f"{where}.grid.scores")
            if grid.best[0] >= rows or grid.best[1] >= columns:
                must = f"a cell of the {rows}×{columns} scores"
                raise refuse(f"{where}.grid.best", must, grid.best)
        if (trust := self.trust) is not None and len(trust.predicted) != len(trust.observed):
            must = f"{len(trust.predicted)} numbers, as many as predicted"
            raise refuse(f"{where}.trust.observed", must, len(trust.observed))
        if (drawn := self.embedding) is not None:
            n = len(drawn.points)
            for name, rows_with in drawn.labels.items():
                if rows_with and max(rows_with) >= n:
                    inside = f"{where}.embedding.labels.{name}"
                    raise refuse(inside, f"positions among the {n} points", max(rows_with))


@dataclass(frozen=True)
class DataFacts:
    """A data set: its size, its labels, its splits, and what is drawn of it."""

    name: str
    rows: Count
    features: Count
    labels: Count
    density: Seconds
    cardinality: Seconds
    label_names: list[str]
    label_counts: list[Count]
    feature_density: Seconds
    splits: SplitFacts
    insights: Insights
    all_rows: Count | None = None
    scale: str = "none"
    preparation: str = ""

    def check(self, where: str) -> None:
        """Refuse names and counts that are not of its labels."""
        for key, found in (("label_names", self.label_names), ("label_counts", self.label_counts)):
            if len(found) != self.labels:
                raise ValueError(
                    f"{where}.{key} must be of the {self.labels} labels; got {len(found)}"
                )
        self.insights.check(f"{where}.insights")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a method on a split."""

    status: Status
    reason: str | None
    scores: dict[str, Number | None]
    label_scores: dict[str, list[Number | None]]
    chosen: dict[str, Scalar]
    fit_seconds: Seconds | None
    predict_seconds: Seconds | None

    def check(self, labels: int, metrics: set[str], where: str) -> None:
        """Refuse scores of other metrics, or of other labels."""
        for name in self.scores:
            if name not in metrics:
                raise refuse(f"{where}.scores", f"of the metrics {sorted(metrics)}", name)
        for name, scores in self.label_scores.items():
            if len(scores) != labels:
                inside = f"{where}.label_scores.{name}"
                raise ValueError(f"{inside} must be of the {labels} labels; got {len(scores)}")

    def check_done(self, metrics: set[str], where: str) -> None:
        """Refuse what is said to be done and lacks something."""
        if self.status != "ok":
            return
        missing = sorted(metrics - self.scores.keys())
        if missing:
            raise ValueError(f"{where}.scores lacks {', '.join(missing)}; add what is missing")
        for name in ("fit_seconds", "predict_seconds"):
            if getattr(self, name) is None:
                raise refuse(f"{where}.{name}", "a finite number, 0 or more", None)


def outcome_of_failure(reason: str, status: Status = "failed") -> Outcome:
    """An outcome without scores."""
    return Outcome(
        status=status,
        reason=reason,
        scores={},
        label_scores={},
        chosen={},
        fit_seconds=None,
        predict_seconds=None,
    )


@dataclass(frozen=True, kw_only=True)
class Result(Outcome):
    """An outcome, and of what."""

    dataset: str
    method: str
    split: Count

    @classmethod
    def of(cls, dataset: str, method: str, split: int, outcome: Outcome) -> Self:
        """Put an outcome in its place."""
        return cls(dataset=dataset, method=method, split=split, **vars(outcome))


@dataclass(frozen=True)
class ComparisonData:
    """Which methods were compared, on which data, and how each did on each split.

    What :class:`~colabel.Comparison` holds, for those who compute it and those who show it.
    """

    meta: RunFacts
    metrics: Annotated[list[MetricFacts], Meta(min_length=1)]
    methods: Annotated[list[MethodFacts], Meta(min_length=1)]
    datasets: Annotated[list[DataFacts], Meta(min_length=1)]
    results: list[Result]

    def __post_init__(self) -> None:
        for i, dataset in enumerate(self.datasets):
            dataset.check(f"datasets[{i}]")
        _check_results(self)

    def metric(self, name: str | None = None) -> MetricFacts:
        """The metric of a name, or the first."""
        return self.metrics[0] if name is None else _name(self.metrics, name)

    def method(self, name: str) -> MethodFacts:
        """The method of a name."""
        return _name(self.methods, name)

    def dataset(self, name: str) -> DataFacts:
        """The data set of a name."""
        return _name(self.datasets, name)

    def to_dict(self) -> dict[str, Any]:
        """A copy of everything as plain data: dicts, lists, strings, numbers, booleans, None."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The comparison of a dict such as `to_dict` gives.

        Raises
        ------
        ValueError
            In one line, for the first thing that is not as it must be.
        """
        return read(deepcopy(data), cls, "")

    def to_json(self) -> str:
        """All of it as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, whole or not at all."""
        written = self.to_json()
        with replace_file(path) as file:
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
        arguments = {k: v for k, v in self.meta.arguments.items() if k not in _HOW}
        meta = replace(self.meta, created=None, machine={}, arguments=arguments)
        results = [replace(r, fit_seconds=None, predict_seconds=None) for r in self.results]
        return replace(self, meta=meta, results=results)


def _name(items: list[Any], name: str) -> Any:
    for item in items:
        if item.name == name:
            return item
    raise ValueError(f"there is no {name!r}; there are {[item.name for item in items]}")


def _check_table(table: list[list[Any]], rows: int, columns: int, where: str) -> None:
    if len(table) != rows or any(len(row) != columns for row in table):
        shape = f"{len(table)} rows of {sorted({len(row) for row in table})}"
        raise ValueError(f"{where} must be a table of {rows}×{columns}; got {shape}")


def _check_results(comparison: ComparisonData) -> None:
    metrics = distinct([metric.name for metric in comparison.metrics], "metrics")
    methods = distinct([method.name for method in comparison.methods], "methods")
    distinct([dataset.name for dataset in comparison.datasets], "datasets")
    datasets = {dataset.name: dataset for dataset in comparison.datasets}
    seen = set()
    for i, result in enumerate(comparison.results):
        where = f"results[{i}]"
        if result.dataset not in datasets:
            raise refuse(f"{where}.dataset", "a name of datasets", result.dataset)
        if result.method not in methods:
            raise refuse(f"{where}.method", "a name of methods", result.method)
        dataset = datasets[result.dataset]
        if result.split >= dataset.splits.n:
            must = f"below the {dataset.splits.n} splits of its data"
            raise refuse(f"{where}.split", must, result.split)
        result.check(dataset.labels, metrics, where)
        key = (result.dataset, result.method, result.split)
        if key in seen:
            raise ValueError(f"{where} is a second result of {key}; keep one")
        seen.add(key)
