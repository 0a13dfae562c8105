"""The mixture of classifiers of several kinds that rows which they have not seen speak for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.special import logit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from colabel._indicator import Indicator, dense_labels
from colabel._labels import Labels, Observed, as_labels
from colabel._limits import DataSize
from colabel._parameters import Folds, FoldSeed, Positive, Scoring, Verbose
from colabel._row_blocks import is_dask
from colabel._rows import Rows, as_array
from colabel._sklearn import fit_context
from colabel._terminal import line, one_line
from colabel.linalg.data import CentredData
from colabel.mixture.fitted import FittedMember, fit_member
from colabel.mixture.greedy import likelihoods, log_loss, mixing_weights, some_rows
from colabel.mixture.members import Member, members_of
from colabel.mixture.time_limit import OutOfTimeError, TimeLimit
from colabel.tuning.calibrated import CalibratedLabels
from colabel.tuning.calibration import calibrate_labels
from colabel.tuning.cells import FBR
from colabel.tuning.cut_scores import per_label_thresholds
from colabel.tuning.sigmoids import smoothed_shares

#: A member, and its probabilities of rows that it has not seen, n×q.
Held: TypeAlias = tuple[FittedMember, np.ndarray]
#: A label is not predicted where no cut is expected to reach this F1. It is half of what other
#: thresholds ask for: they see the F1 of rows that the cut was chosen by, which is too high.
LEAST_F1 = FBR / 2
#: Of the time that is left, what one member may take while others wait.
MOST = 0.5


class BestOf(CalibratedLabels):
    """min −Σ (y ln p + (1 − y) ln(1 − p)), p = Σ wₘpₘ, over mixtures w of held-out probabilities.

    No kind of classifier is best on all data: forests on some tables, kernels on others, linear
    ones on texts. Members of these kinds are fitted, each so that it scores rows which it has not
    seen: least squares leave out each row in closed form, forests and extra trees ask the trees
    that were grown without it, and logistic regression, chains and boosted trees are fitted in
    folds. Sigmoids make probabilities of these scores; the member is taken again and again that
    lowers the log loss of the mixture most (Caruana et al. 2004), and what is never taken is let
    go. Held-out scores of the mixture are calibrated once more, and each label is cut where these
    probabilities expect the best F1: a rare label has too few rows to count mistakes by.

    Nothing is fitted twice: least squares and forests have their held-out scores of the fit that is
    kept, and K folds with m candidates cost Km + 1 fits, as a search alone would. Features are
    taken as they are: scale them first. A sparse X stays sparse, and members that need a dense one
    are left out. So are those of scikit-learn where labels are unknown: least squares, linear and
    by kernels, learn from what is known, and all else here is judged by it.

    Parameters
    ----------
    members
        Names of `colabel.mixture.MEMBERS`; or a mapping from names to classifiers of your own, and
        None for those of that name. None is all of them, and "quick" those that need no folds, but
        for those that would take minutes on data of this size.
    budget
        Seconds for all members. They are fitted in their order, the quick ones first, and one may
        take half of what is left while others wait; one that takes more is stopped and left out.
        The first is not stopped. None waits for all.
    cv
        Folds of the members that have no other way, shuffled if an int.
    scoring
        What each member's parameters are chosen by.
    thresholds
        Whether each label's threshold is tuned for F1; None predicts what is likelier than not.
    n_jobs
        Of the members that can use it.
    keep_scores
        Whether to keep `held_out_scores_`.

    Attributes
    ----------
    members_ : dict of str to FittedMember
        Those that are part of the mixture, with `model`, `calibration` and `weight`.
    weights_ : dict of str to float
        Their parts, the largest first, which sum to 1.
    left_out_ : dict of str to str
        The others, and why.
    log_losses_ : dict of str to float
        Held out, of each member that was fitted, and of "mixture".
    seconds_ : dict of str to float
        What the fit of each member took, also of those that were stopped.
    thresholds_ : ndarray of shape (q,)
        What is taken off the scores (`uncut_scores`) to decide; zeros without tuning.
    held_out_scores_ : ndarray of shape (n, q)
        Only with ``keep_scores=True``: ln(p/(1 − p)) of the mixture, NaN for rows that some member
        never holds out.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from colabel import BestOf
    >>> X, Y = make_multilabel_classification(n_samples=200, random_state=0)
    >>> model = BestOf(["label-ridge", "random-forest"], random_state=0).fit(X, Y)
    >>> losses = model.log_losses_
    >>> losses["mixture"] <= min(losses["label-ridge"], losses["random-forest"])
    True
    >>> model.predict_proba(X).shape
    (200, 5)
    """

    _refuses_weights = (
        "some of its members, and the greedy choice among them, count each row as one; weigh the "
        "rows of one classifier, such as LabelRidgeCV, or of an OutOfFoldSearch"
    )

    _takes_unknown = True

    members: Sequence[str] | Mapping[str, Any] | None = field(default=None, kw_only=False)
    budget: Positive | None = None
    cv: Folds = 5
    scoring: Scoring = "f1_macro"
    thresholds: Literal["out-of-fold"] | None = "out-of-fold"
    n_jobs: int | None = None
    keep_scores: bool = False
    verbose: Verbose = True
    random_state: FoldSeed = None

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Rows, y: Labels, *, observed: Observed = None) -> Self:
        """Fit the members, and find how much each of them is worth."""
        if isinstance(X, CentredData) or is_dask(X):
            raise TypeError(
                "BestOf needs the rows themselves, for trees and folds; pass one array, or mix "
                "models of some of the rows"
            )
        X = as_array(self, X)
        labels = as_labels(self, y, X, observed=observed)
        labels.warn_of_constant()
        self._know(labels)
        self._varying = labels.varying | (labels.classes is not None)
        self._constant = logit(smoothed_shares(labels.counts, labels.known_totals))
        Y = dense_labels(labels.known_rows(slice(None)))[:, self._varying]
        Y = Y if labels.unknown is not None else Y.astype(int)
        self.left_out_: dict[str, str] = {}
        self.seconds_: dict[str, float] = {}
        self.members_: dict[str, FittedMember] = {}
        self.log_losses_: dict[str, float] = {}
        scores = np.tile(self._constant, (X.shape[0], 1))
        if Y.shape[1] and labels.varying.any():
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            scores[:, self._varying] = self._mix(self._fit_all(X, Y, seed), Y, seed)
        self.weights_ = {name: member.weight for name, member in self.members_.items()}
        self._decide(scores, labels)
        if self.keep_scores:
            self.held_out_scores_ = scores
        return self

    def _fit_all(self, X: Any, Y: np.ndarray, seed: int) -> dict[str, Held]:
        """Members with their held-out probabilities; who fails or takes too long is left out."""
        members, begin = self._able(members_of(self.members), Y), time.monotonic()
        size, found = _size_of(X, Y), {}
        with line("fitting members", len(members)) if self.verbose else nullcontext() as shown:
            for number, member in enumerate(members):
                if shown is not None:
                    shown.update(number, len(members), f"fitting {member.name}")
                allowed = None
                if self.budget is not None and number:
                    left = self.budget - (time.monotonic() - begin)
                    allowed = left * (1.0 if number == len(members) - 1 else MOST)
                held = self._try(member, size, allowed, lambda m: self._fit_one(m, X, Y, seed))
                if held is not None:
                    found[member.name] = held
        if not found:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in self.left_out_.items())
            raise ValueError(f"no member of the mixture could be fitted: {reasons}")
        return found

    def _able(self, members: list[Member], Y: np.ndarray) -> list[Member]:
        """Those that can learn from rows of which some labels are unknown, where that is so."""
        if not np.isnan(Y).any():
            return members
        unable = [member.name for member in members if not member.takes_unknown]
        self.left_out_ |= dict.fromkeys(unable, "some labels are unknown, and it needs all")
        return [member for member in members if member.takes_unknown]

    def _try(
        self, member: Member, size: DataSize, allowed: float | None, fit: Callable[[Member], Held]
    ) -> Held | None:
        """A member within so many seconds; None, and the reason kept, where it cannot be had."""
        reason = None if member.too_large is None else member.too_large(size)
        if reason is None and allowed is not None and allowed <= 0:
            reason = f"the budget of {self.budget:g} s was spent"
        held, begin = None, time.monotonic()
        if reason is None:
            try:
                with TimeLimit(allowed):
                    held = fit(member)
            except OutOfTimeError:
                if allowed is None or time.monotonic() - begin < allowed:
                    raise  # the limit of somebody else
                reason = f"stopped after {allowed:.3g} s, for a budget of {self.budget:g} s"
            except Exception as error:
                reason = f"failed: {one_line(error) or type(error).__name__}"
            self.seconds_[member.name] = time.monotonic() - begin
        if reason is not None:
            self.left_out_[member.name] = reason
        return held

    def _fit_one(self, member: Member, X: Any, Y: np.ndarray, seed: int) -> Held:
        model = member.classifier(self.cv, self.scoring, seed, self.n_jobs)
        return fit_member(model, X, Y)

    def _mix(self, found: dict[str, Held], Y: np.ndarray, seed: int) -> np.ndarray:
        """Choose how much of each, and give held-out scores of the mixture."""
        known = np.flatnonzero(
            ~np.any([np.isnan(P).all(axis=1) for _, P in found.values()], axis=0)
        )
        if not len(known):
            raise ValueError(
                f"{', '.join(found)} hold out no row in common, so that there is nothing to mix "
                "them by; give them the same folds"
            )
        rows = known[some_rows(len(known), Y.shape[1], np.random.RandomState(seed))]
        truth, told = Y[rows] > 0, ~np.isnan(Y[rows])
        said = np.array([likelihoods(P[rows], truth)[told] for _, P in found.values()])
        weights = mixing_weights(said)
        self.log_losses_ = dict(zip(found, map(log_loss, said), strict=True))
        self.log_losses_["mixture"] = log_loss(weights @ said)
        mixture = np.zeros(Y.shape)
        for number in np.argsort(-weights, kind="stable"):
            name = list(found)[number]
            member, P = found[name]
            if weights[number] > 0:
                self.members_[name] = replace(member, weight=float(weights[number]))
                mixture += weights[number] * P
            else:
                self.left_out_[name] = "adds nothing to the others on held-out rows"
        return logit(mixture)

    def _decide(self, scores: np.ndarray, labels: Indicator) -> None:
        """Thresholds and probabilities by held-out scores of the mixture."""
        known, varying = ~np.isnan(scores).any(axis=1), self._varying
        scores, Y = scores[known], dense_labels(labels.known_rows(np.flatnonzero(known)))
        scores = np.where(np.isnan(Y), np.nan, scores)
        self.thresholds_ = np.zeros(len(varying))
        is_tuned = self.thresholds is not None and bool(varying.any())
        if is_tuned and labels.classes is not None and len(varying) == 1:
            self.thresholds_ = per_label_thresholds(scores, Y, "f1", FBR)
        self.calibration_ = calibrate_labels(
            scores[:, varying], Y[:, varying], labels, self.thresholds_
        )
        if is_tuned and labels.classes is None:
            P = np.nan_to_num(self.calibration_.apply(scores))  # 0 where there is no score to cut
            cuts = per_label_thresholds(scores[:, varying], P[:, varying], "f1", LEAST_F1)
            self.thresholds_[varying] = cuts

    def _uncut(self, X: Any) -> np.ndarray:
        """ln(p/(1 − p)) of the mixture, before the calibration of all of it."""
        check_is_fitted(self)
        X = as_array(self, X, reset=False)
        scores = np.tile(self._constant, (X.shape[0], 1))
        q = int(self._varying.sum())
        if self.members_:
            parts = (m.weight * m.probabilities(X, q) for m in self.members_.values())
            scores[:, self._varying] = logit(sum(parts))
        return scores

    def _cut(self, scores: np.ndarray) -> np.ndarray:
        return scores - self.thresholds_


def _size_of(X: Any, Y: np.ndarray) -> DataSize:
    (n, d), is_sparse = X.shape, bool(sp.issparse(X))
    return DataSize(n, d, Y.shape[1], X.nnz if is_sparse else X.size, is_sparse)
