"""What is to be compared, everything read and checked before the first fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import joblib

from colabel._labels import Labels
from colabel.catalogue import Method, find, select
from colabel.comparison.plan.data import Prepared, prepare
from colabel.comparison.plan.origin import versions
from colabel.comparison.plan.snippets import classes_in
from colabel.metrics import METRICS, get_scorer

#: The measures of a comparison, the one that it ranks and tunes by first.
DEFAULT_METRICS = (
    "f1_macro",
    "f1_micro",
    "auc_macro",
    "auc_micro",
    "hamming_loss",
    "subset_accuracy",
    "average_precision",
    "mean_average_precision",
)
#: Folds of the training rows that every method is tuned on, and splits where none are asked for.
FOLDS, SPLITS, QUICK_SPLITS = 3, 5, 2


@dataclass(frozen=True)
class Request:
    """What is to be compared, everything read and checked."""

    methods: list[Method]
    datasets: list[Prepared]
    metrics: tuple[str, ...]
    #: Seconds.
    budget: float | None
    quick: bool
    jobs: int
    seed: int
    #: Whether the methods were asked for by name.
    named: bool

    def model(self, method: Method) -> Any:
        """A method's classifier, unfitted; folds and seed are the same for all."""
        return method.candidate(
            folds=FOLDS, scoring=self.metrics[0], seed=self.seed, quick=self.quick
        )

    def data(self, name: str) -> Prepared:
        """The data set of a name."""
        (found,) = (data for data in self.datasets if data.name == name)
        return found

    def identity(self) -> dict[str, Any]:
        """What the results depend on, as plain data."""
        return {
            "versions": self._versions(),
            "data": [[data.name, data.fingerprint] for data in self.datasets],
            "methods": [[m.name, _identity(self.model(m))] for m in self.methods],
            "metrics": list(self.metrics),
            "budget": self.budget,
            "quick": self.quick,
            "seed": self.seed,
            "named": self.named,
        }

    def _versions(self) -> dict[str, str]:
        kinds = {kind for method in self.methods for kind in classes_in(method.compared)}
        return versions(kinds)

    def too_large(self, method: str, dataset: str) -> str | None:
        """Why a method is not run on a data set, None where it is."""
        (found,) = (m for m in self.methods if m.name == method)
        return None if found.too_large is None else found.too_large(self.data(dataset).size)


def _identity(model: Any) -> str:
    described = model.__repr__(N_CHAR_MAX=100_000) if hasattr(model, "get_params") else ""
    return described if described and " at 0x" not in described else str(joblib.hash(model))


def request(
    data: Any = None,
    y: Labels = None,
    *,
    methods: Any = None,
    add: Sequence[str] = (),
    metrics: Any = None,
    cv: Any = None,
    budget: float | None = None,
    quick: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    load_options: Mapping[str, Any] | None = None,
) -> Request:
    """Check what was asked for, and read the data; see :func:`compare`."""
    chosen = [*select(methods), *map(find, add)]
    names = _check_metrics(metrics)
    if budget is not None and not budget > 0:
        raise ValueError(f"budget={budget!r}: it must be a number of seconds above 0")
    if isinstance(random_state, bool) or not isinstance(random_state, int) or random_state < 0:
        raise ValueError(f"random_state={random_state!r}: it must be an integer, 0 or more")
    splits = (QUICK_SPLITS if quick else SPLITS) if cv is None else cv
    given = data if y is None else (data, y)
    sets = prepare(given, splits, quick=quick, seed=random_state, options=load_options)
    return Request(
        chosen, sets, names, budget, quick, _jobs(n_jobs), random_state, methods is not None
    )


def _check_metrics(metrics: Any) -> tuple[str, ...]:
    names = list(DEFAULT_METRICS if metrics is None else metrics)
    if isinstance(metrics, str):
        names = [name.strip() for name in metrics.split(",") if name.strip()]
    if not names:
        raise ValueError("there are no metrics to compare by; name at least one")
    for name in names:
        get_scorer(name)
        if name not in METRICS or METRICS[name].needs == "probabilities":
            why = "needs probabilities" if name in METRICS else "is not one of colabel.metrics"
            raise ValueError(f"metric {name} {why}, and cannot be compared by; use {names_of()}")
    return tuple(dict.fromkeys(names))


def names_of() -> str:
    """The metrics that can be compared by."""
    return ", ".join(name for name, metric in METRICS.items() if metric.needs != "probabilities")


def _jobs(n_jobs: int | None) -> int:
    cores = joblib.cpu_count()
    if n_jobs is None or n_jobs == -1:
        return cores
    if n_jobs < 1:
        raise ValueError(f"n_jobs={n_jobs}: it must be 1 or more, or -1 for all cores")
    return n_jobs
