"""The baselines of the papers, and those that people use today."""

from __future__ import annotations

from sklearn.multiclass import OneVsRestClassifier

from colabel.classifiers import cca_ridge, cca_svm, hsml, lda_svm, linear_svm
from colabel.evaluation import limits
from colabel.evaluation.contestant import ALPHAS, RIDGES, Contestant


def papers_baselines() -> list[Contestant]:
    """The baselines of Ji et al. (2008) and of Han et al. (2010)."""
    C, ridge = [0.01, 0.1, 1.0], [1.0, 100.0]
    return [
        Contestant(
            "cca-ridge", "CCA + ridge", "baseline",
            "canonical correlation without a penalty on labels; then ridge",
            cca_ridge(), {"cca__ridge": RIDGES, "ridge__alpha": ALPHAS}, True, by_default=False,
        ),
        Contestant(
            "cca-svm", "CCA + SVM", "baseline", "canonical correlation; then linear SVMs",
            cca_svm(), {"cca__ridge": ridge, "svm__estimator__C": C}, True,
            too_large=limits.svms,
        ),
        Contestant(
            "hsml", "hypergraph + SVM", "baseline", "hypergraph spectral learning; then SVMs",
            hsml(), {"hypergraph__ridge": ridge, "svm__estimator__C": C}, True,
            too_large=limits.svms,
        ),
        Contestant(
            "lda-svm", "LDA + SVM", "baseline", "discriminant analysis and an SVM, label by label",
            lda_svm(), {"lda_svm__estimator__lda__ridge": RIDGES[::2]},
            too_large=limits.discriminants,
        ),
    ]  # fmt: skip


def usual_baselines() -> list[Contestant]:
    """What a person would take from scikit-learn today."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.multioutput import ClassifierChain
    from sklearn.neighbors import KNeighborsClassifier

    logistic = LogisticRegression(tol=1e-3, max_iter=200)
    return [
        Contestant(
            "linear-svm", "linear SVM", "baseline", "scikit-learn's LinearSVC, one a label",
            linear_svm(), {"svm__estimator__C": [1e-3, 0.01, 0.1, 1.0]},
        ),
        Contestant(
            "logistic-regression", "logistic regression", "baseline",
            "scikit-learn's LogisticRegression, one a label",
            OneVsRestClassifier(logistic), {"estimator__C": [0.01, 0.1, 1.0, 10.0]},
        ),
        Contestant(
            "classifier-chain", "classifier chain", "baseline",
            "logistic regressions that see the labels before them, in a random order",
            ClassifierChain(logistic, order="random"), {"estimator__C": [0.01, 0.1, 1.0]},
        ),
        Contestant(
            "knn", "nearest neighbours", "baseline", "scikit-learn's KNeighborsClassifier",
            KNeighborsClassifier(), {"n_neighbors": [5, 10, 20, 40]},
        ),
        Contestant(
            "random-forest", "random forest", "baseline",
            "scikit-learn's RandomForestClassifier of 100 trees",
            RandomForestClassifier(), {"min_samples_leaf": [1, 3]}, too_large=limits.forest,
        ),
    ]  # fmt: skip
