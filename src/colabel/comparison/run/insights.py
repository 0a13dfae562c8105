"""What the charts of a data set show, found by the workers once the results are there."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from colabel._indicator import dense_labels
from colabel._rows import factor
from colabel.catalogue import SHARE, find
from colabel.comparison import result as typed
from colabel.comparison.plain import read, to_plain
from colabel.comparison.plan.data import Prepared
from colabel.comparison.plan.request import Request
from colabel.comparison.run.journal import Journal
from colabel.comparison.run.kept import key_of_insights
from colabel.comparison.run.pool import Job
from colabel.comparison.run.worker import Held, Reply
from colabel.datasets import Dataset
from colabel.metrics import METRICS, reliability
from colabel.scales import SCALERS
from colabel.tuning import SharedSubspaceClassifierCV
from colabel.tuning.calibration import calibrate
from colabel.tuning.engine import random_parts

#: The extractor that rows are drawn by where none was best.
DEFAULT = "mvmd"
#: Whose eigenvalues are shown beside those of the best.
SPECTRA = ("pca", "mvmd", "label-cca", "hypergraph-spectral")
MOST_LABELS, MOST_EIGENVALUES, MOST_ROWS = 30, 200, 1500
_FOLDS, _BINS = 3, 20
_SECONDS = 60.0


def cooccurrence(data: Dataset) -> typed.Cooccurrence:
    """How often the most frequent labels occur together, and the pairs that most rows have."""
    return read(data.describe(MOST_LABELS)["co_occurrence"], typed.Cooccurrence, "co_occurrence")


@dataclass(frozen=True)
class InsightTask:
    """Spectra, an embedding and a grid of penalties, from at most 1500 rows."""

    data: Dataset
    #: What is done to X first.
    scale: str
    #: The extractor that rows are embedded by.
    best: str
    #: What the grid shows.
    scoring: str
    seed: int

    def prepare(self, held: Held) -> None:
        """Nothing that others would have done."""

    def run(self, held: Held) -> typed.Insights:
        """Find what is drawn."""
        rows = np.arange(self.data.X.shape[0])
        if len(rows) > MOST_ROWS:
            rows = np.sort(np.random.RandomState(self.seed).permutation(rows)[:MOST_ROWS])
        data, scaler = self.data.select(rows=rows), SCALERS[self.scale]
        X = data.X if scaler is None else clone(scaler).fit_transform(data.X)
        fm, Y = factor(sp.csr_array(X) if sp.issparse(X) else X), dense_labels(data.Y)
        kept = np.asarray((Y == 1).any(axis=0))  # in a part of the rows a label may be missing
        model = _tuned(fm, Y[:, kept], self.scoring, self.seed)
        return typed.Insights(
            spectra=[_spectrum(name, fm, Y[:, kept], self.seed) for name in _spectra_of(self.best)],
            embedding=_embedding(self.best, fm, data, kept, self.seed),
            grid=_grid(model, self.scoring),
            trust=_trust(model.held_out_scores_, Y[:, kept], self.seed),
        )


def _spectra_of(best: str) -> list[str]:
    return [best, *(name for name in SPECTRA if name != best)][: len(SPECTRA)]


def _spectrum(name: str, fm: Any, Y: np.ndarray, seed: int) -> typed.Spectrum:
    eigenvalues = find(name).make().set_params(random_state=seed).fit(fm, Y).eigenvalues_
    shares = np.cumsum(eigenvalues) / eigenvalues.sum()
    shown = [_round(value) for value in eigenvalues[:MOST_EIGENVALUES]]
    return typed.Spectrum(name, shown, int(np.argmax(shares >= SHARE)) + 1)


def _embedding(name: str, fm: Any, data: Dataset, kept: np.ndarray, seed: int) -> typed.Embedding:
    Y = dense_labels(data.Y)
    model = find(name).make().set_params(random_state=seed).fit(fm, Y[:, kept])
    points = model.transform(fm)[:, :2]
    if points.shape[1] < 2:
        points = np.column_stack([points, np.zeros(len(points))])
    frequent = np.argsort(-(Y == 1).sum(axis=0), kind="stable")[:MOST_LABELS]
    labels = {
        str(data.label_names[j]): np.flatnonzero(Y[:, j] == 1).tolist() for j in frequent if kept[j]
    }
    return typed.Embedding(name, [[_round(x), _round(y)] for x, y in points], labels)


def _tuned(fm: Any, Y: np.ndarray, scoring: str, seed: int) -> SharedSubspaceClassifierCV:
    return SharedSubspaceClassifierCV(
        cv=_FOLDS, scoring=scoring, verbose=False, random_state=seed, keep_scores=True
    ).fit(fm, Y)


def _trust(scores: np.ndarray, Y: np.ndarray, seed: int) -> typed.Trust:
    """How far probabilities of held-out rows can be trusted, each part calibrated by the others."""
    part, P = random_parts(len(scores), seed), np.empty(scores.shape)
    for k in np.unique(part):
        own = part == k
        known = np.where(np.isnan(Y[~own]), np.nan, scores[~own])
        P[own] = calibrate(known, Y[~own]).apply(scores[own])
    found = reliability(Y, P, bins=_BINS)
    predicted = [_round(value) for value in found.predicted]
    return typed.Trust(predicted, [_round(value) for value in found.observed], _round(found.error))


def _grid(model: SharedSubspaceClassifierCV, scoring: str) -> typed.PenaltyGrid:
    alphas, betas, scores = model.grid_scores()
    i, j = np.unravel_index(np.argmax(scores), scores.shape)
    shown: list[list[float | None]] = [[_round(value) for value in row] for row in scores]
    return typed.PenaltyGrid(alphas, betas, shown, scoring, [int(i), int(j)])


def _round(value: Any) -> float:
    """Six digits: more than a picture can show, and fewer than sums in another order change."""
    return float(f"{float(value):.6g}")


class InsightJobs:
    """What is left to be found for the charts, once the results are there."""

    def __init__(
        self, asked: Request, journal: Journal, results: list[typed.Result], spent: float
    ) -> None:
        self._asked = asked
        self._journal = journal
        self._best = {data.name: _best_extractor(asked, data, results) for data in asked.datasets}
        self.left = [data for data in asked.datasets if self._key(data) not in journal]
        rest = float("inf") if asked.budget is None else asked.budget - spent
        self._limit = max(min(_SECONDS, rest / max(len(self.left), 1)), 1.0)

    def _key(self, data: Prepared) -> str:
        return key_of_insights(data.name, self._best[data.name])

    def next(self, current: Any, others: set[Any]) -> Job | None:
        """The next data set to look into."""
        if not self.left:
            return None
        data, asked = self.left.pop(0), self._asked
        best, scoring = self._best[data.name], asked.metrics[0]
        task = InsightTask(data.data, data.scale, best, scoring, asked.seed)
        return Job((data.name, -1), task, self._limit)

    def finish(self, job: Job, reply: Reply, seconds: float) -> None:
        """Keep what was found; what could not be is left out."""
        if not reply.by_machine:  # else the same call tries it again
            found = typed.Insights() if reply.value is None else reply.value
            self._journal.add(self._key(self._asked.data(job.key[0])), to_plain(found))

    def of(self, data: Prepared) -> typed.Insights:
        """All that is drawn of a data set, as far as it could be found."""
        found = read(self._journal.get(self._key(data), {}), typed.Insights, "the insights")
        return replace(found, cooccurrence=cooccurrence(data.data))


def _best_extractor(asked: Request, data: Prepared, results: list[typed.Result]) -> str:
    """The extractor that did best by the first metric, followed by ridge regression."""
    metric, found = asked.metrics[0], {}
    sign = 1.0 if METRICS[metric].greater_is_better else -1.0
    for method in asked.methods:
        if method.is_extractor and not method.is_given:
            own = [r for r in results if (r.dataset, r.method) == (data.name, method.name)]
            scores = [score for r in own if (score := r.scores.get(metric)) is not None]
            if len(scores) == len(own):
                found[method.name] = sign * sum(scores) / len(scores)
    best = max(sorted(found), key=lambda name: found[name], default=DEFAULT)
    return best.removesuffix("-svm")
