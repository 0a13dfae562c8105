"""Fitted models of every kind that can be saved, with the rows to ask them about."""

import methods
import numpy as np
import problems
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

import colabel
from colabel.classifiers import cca_ridge, cca_svm, hsml, lda_svm, linear_svm
from colabel.datasets import Columns, IterativeStratifiedKFold
from colabel.persistence import Bundle
from colabel.preparation import FrequentColumns
from colabel.semi_supervised import LabelledOnly, SemiSupervisedMLSI
from colabel.tuning import make_search

X, Y = problems.make("tall")
COUNTS, COUNT_LABELS = problems.sparse_counts("tall")
WORDS = np.array(["sea", "ship", "sail", "storm", "gold", "coin", "bank", "debt", "rain", "wind"])
TEXTS = [" ".join(np.repeat(WORDS, row.astype(int)[: len(WORDS)])) for row in COUNTS]

FEW_RIDGES = {"estimator__cca__ridge": [0.1, 10.0], "estimator__ridge__alpha": [1.0]}
EXTRACTORS = {f"extractor {case}": case.make() for case in methods.CASES}

LINEAR = {
    "ridge": colabel.LabelRidge(0.3),
    "ridge cv": colabel.LabelRidgeCV(cv=KFold(3), random_state=np.random.RandomState(0)),
    "shared subspace": colabel.SharedSubspaceClassifier(),
    "shared subspace cv": colabel.SharedSubspaceClassifierCV(
        [0.1, 1], [0.01, 1], cv=IterativeStratifiedKFold(3)
    ),
    "aso": colabel.ASOClassifier(),
    "mtsda": colabel.MtSDA(),
    "mtsda cv": colabel.MtSDACV(l1s=3, l2s=[0.1], cv=2),
    "rank svm": colabel.RankSVM(),
    "hsml": hsml(),
    "scaled": make_pipeline(StandardScaler(), colabel.LabelRidge()),
    "reduced": make_pipeline(StandardScaler(), colabel.MVMD(), Normalizer(), colabel.LabelRidge()),
    "reduced by a classifier": make_pipeline(
        colabel.SharedSubspaceClassifier(), "passthrough", colabel.LabelRidge()
    ),
    "per label": colabel.ThresholdTuner(colabel.LabelRidge(), random_state=0),
    "global": colabel.ThresholdTuner(
        make_pipeline(colabel.LabelCCA(), colabel.LabelRidge()), "global", cv="train"
    ),
    "top-k": colabel.ThresholdTuner(colabel.LabelRidge(), "top-k", k=2),
    "cardinality": colabel.ThresholdTuner(colabel.LabelRidge(), "cardinality"),
    "probabilities": colabel.ProbabilityCalibrator(colabel.LabelRidge(), random_state=0),
    "logistic": colabel.ThresholdTuner(OneVsRestClassifier(LogisticRegression())),
    "svm": linear_svm(),
    "ridge of scikit-learn": colabel.ThresholdTuner(RidgeClassifier(), "top-k"),
    "cca-ridge tuned": make_search(cca_ridge(), cv=2).set_params(param_grid=FEW_RIDGES),
    "cca-svm": cca_svm(),
}
OTHER = {
    "mtsda decoded exactly": colabel.MtSDA(decode="exact"),
    "rank svm of a kernel": colabel.RankSVM(kernel="rbf"),
    "ridge of a kernel": colabel.LabelRidgeCV(kernel="rbf", gamma=0.1),
    "ridge of landmarks": colabel.LabelRidge(kernel="poly", n_landmarks=12, random_state=0),
    "kernel features": colabel.KernelFeatures(n_landmarks=12, random_state=0),
    "lda-svm": lda_svm(),
    "expected f1": colabel.ThresholdTuner(colabel.LabelRidge(), "expected-f1", random_state=0),
    "sets": colabel.LabelSets(colabel.LabelRidge(), recall=0.5, cv=0.5, random_state=0),
    "mixture": colabel.BestOf(["label-ridge", "random-forest"], random_state=0),
    "by probability": colabel.ThresholdTuner(MultiOutputClassifier(LogisticRegression())),
}
PARTLY_LABELLED = {
    "cnmf": colabel.CNMF(),
    "cnmf of a graph": colabel.CNMF(similarity="knn", init=colabel.LabelRidge()),
    "sgt": colabel.SGT(),
    "labelled only": LabelledOnly(colabel.LabelRidge(), colabel.MDDMp()),
    "mlsi": SemiSupervisedMLSI(),
}
ON_COUNTS = {
    "tf-idf": make_pipeline(TfidfTransformer(sublinear_tf=True), colabel.LabelRidge()),
    "tf": make_pipeline(TfidfTransformer(norm="l1", use_idf=False), colabel.LabelRidge()),
    "frequent words": make_pipeline(
        FrequentColumns(most=9), StandardScaler(with_mean=False), colabel.LabelRidgeCV(cv=2)
    ),
}
ON_TEXT = {
    "text": make_pipeline(TfidfVectorizer(), colabel.SharedSubspaceClassifierCV([0.1], [1], cv=2)),
    "tuned text": colabel.ThresholdTuner(
        make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), colabel.LabelRidge())
    ),
}


def partly_labelled():
    """The labels of the counts, with some rows unlabelled."""
    some = COUNT_LABELS.copy()
    some[::3] = -1
    return some


def constant_labels():
    """Labels of which one is in every row, and one in none."""
    return np.column_stack([Y[:, 0], np.ones(len(Y), int), Y[:, 1], np.zeros(len(Y), int)])


def bundle():
    data = {
        "estimator": colabel.LabelRidgeCV(cv=2).fit(X, Y),
        "label_names": np.array(list("abcde")),
    }
    columns = Columns(np.array([f"x{i}" for i in range(X.shape[1])], dtype=object), X.shape[1])
    return Bundle(**data, columns=columns, settings={"method": "label-ridge"}, version="0.1.0")
