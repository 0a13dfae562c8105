"""Every check that scikit-learn has, for every estimator, none of them expected to fail."""

import os

import checks
import pytest
from methods import ONE_EACH
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import colabel
from colabel.tuning import OutOfFoldSearch

# Without these, scikit-learn skips checks silently.
pytest.importorskip("pandas")
pytest.importorskip("polars")

FEW_TREES = OutOfFoldSearch(RandomForestClassifier(10), {}, cv="oob")
ESTIMATORS = [case.estimator() for case in ONE_EACH] + [
    colabel.HypergraphSpectral(approximate=True),
    colabel.MDDMf(solver="factor"),
    colabel.LabelRidge(),
    colabel.SharedSubspaceClassifier(),
    colabel.SharedSubspaceClassifier(solver="factor"),
    colabel.LabelRidgeCV(cv=3, random_state=0),
    colabel.SharedSubspaceClassifierCV([0.0, 0.1], [0.0, 0.01], cv=3, random_state=0),
    colabel.ThresholdTuner(colabel.LabelRidge(), cv=3, random_state=0),
    colabel.ThresholdTuner(colabel.LabelRidge(), "global", cv="train"),
    colabel.ThresholdTuner(colabel.LabelRidge(), "cardinality", cv=3, random_state=0),
    colabel.LabelSets(colabel.LabelRidge(), recall=0.5, cv=0.5, random_state=0),
    colabel.ProbabilityCalibrator(colabel.LabelRidge(), cv=3, random_state=0),
    colabel.ProbabilityCalibrator(colabel.LabelRidgeCV(random_state=0), "isotonic"),
    colabel.BestOf(
        {"label-ridge": None, "few-trees": FEW_TREES, "tree": DecisionTreeClassifier(max_depth=3)},
        cv=3,
        random_state=0,
    ),
]


for settings in ({"kernel": "rbf"}, {"kernel": "rbf", "n_landmarks": 50}):
    ESTIMATORS += [case.estimator(**settings) for case in ONE_EACH]
    ESTIMATORS += [
        colabel.LabelRidge(**settings),
        colabel.SharedSubspaceClassifier(**settings),
        colabel.RankSVM(**settings),
        # with narrower kernels every held-out row of some checks is like no other
        colabel.LabelRidgeCV(**settings, gammas=[0.05, 0.1], random_state=0),
        # without β the images are fitted exactly, and no class weight changes that
        colabel.SharedSubspaceClassifierCV([0.0, 0.1], [0.001, 0.01], **settings, random_state=0),
        colabel.KernelFeatures(**{"n_landmarks": None, **settings}),
    ]


@pytest.mark.filterwarnings("ignore:.*too few for method='isotonic'")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    checks.run(estimator, check)


def test_array_api_checks_are_not_skipped():
    assert os.environ.get("SCIPY_ARRAY_API") == "1", "run the suite with SCIPY_ARRAY_API=1"
