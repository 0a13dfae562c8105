"""Ensembles of classifier chains: scikit-learn has the chain, and no ensemble that takes labels."""

from dataclasses import field
from typing import Any, Self

import numpy as np
from scipy.special import logit
from sklearn import config_context
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.multioutput import ClassifierChain
from sklearn.utils import check_random_state

from colabel._bases import LabelClassifier
from colabel._indicator import dense_labels
from colabel._labels import Labels, as_labels
from colabel._parameters import Count, Fittable, Seed
from colabel._rows import Rows, as_array
from colabel._sklearn import fit_context
from colabel._weights import SampleWeight, as_weights, weights_for

#: No mean of probabilities is nearer to 0 or 1.
LEAST = 1e-12


class ChainEnsemble(MetaEstimatorMixin, LabelClassifier):
    """Mean probability over classifier chains, each with the labels in an order of its own.

    Read et al. (2011). In a chain each label's classifier sees the labels before it; which ones
    these are is chance, and the mean over several orders takes it out. The score is the logit of
    the mean.

    Parameters
    ----------
    estimator
        Of one label, with `predict_proba`; weights of rows are passed on to it.
    n_chains
        How many.
    random_state
        Seeds the orders.

    Attributes
    ----------
    chains_ : list of ClassifierChain
        Fitted on the labels that vary.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from colabel.classifiers import ChainEnsemble
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> model = ChainEnsemble(LogisticRegression(max_iter=1000), 3, random_state=0)
    >>> model.fit(X, Y).predict(X).shape
    (100, 5)
    """

    estimator: Fittable = field(kw_only=False)
    n_chains: Count = field(default=10, kw_only=False)
    random_state: Seed = None

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Rows, y: Labels, sample_weight: SampleWeight = None) -> Self:
        """Fit the chains."""
        weights = as_weights(sample_weight)
        X = as_array(self, X)
        labels = as_labels(self, y, X, weights)
        X = X if weights is None else weights.take(X)
        labels.warn_of_constant()
        self._know(labels)
        self._varying = labels.varying
        self._constant = np.where(labels.counts > 0, logit(1.0 - LEAST), logit(LEAST))
        Y = dense_labels(labels.matrix)[:, self._varying].astype(int)
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_chains)
        self.chains_ = [
            _fit_chain(
                ClassifierChain(clone(self.estimator), order="random", random_state=int(seed)),
                X,
                Y,
                labels.row_weights,
            )
            for seed in seeds
            if Y.shape[1]
        ]
        return self

    def _uncut(self, X: Any) -> np.ndarray:
        X = as_array(self, X, reset=False)
        scores = np.tile(self._constant, (X.shape[0], 1))
        if self.chains_:
            P = np.mean([chain.predict_proba(X) for chain in self.chains_], axis=0)
            scores[:, self._varying] = logit(np.clip(P, LEAST, 1.0 - LEAST))
        return scores


def _fit_chain(
    chain: ClassifierChain, X: Any, Y: np.ndarray, weights: np.ndarray | None
) -> ClassifierChain:
    if weights is None:
        return chain.fit(X, Y)
    # ClassifierChain passes weights on to classifiers that request them, and skops cannot save
    # these requests; what it is a kind of passes on whatever it is given.
    with config_context(enable_metadata_routing=False):
        super(ClassifierChain, chain).fit(X, Y, **weights_for(chain.estimator, weights))
    chain.classes_ = [estimator.classes_ for estimator in chain.estimators_]
    return chain
