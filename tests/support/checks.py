"""scikit-learn's checks of an estimator, none of them skipped, and accuracy asserted."""

from unittest import SkipTest

import pytest

from colabel import ProbabilityCalibrator
from colabel.tuning.calibrated import CalibratedLabels

#: The check that takes a label for predicted where its probability is above ½.
CUT_AT_HALF = "check_classifier_multioutput"


def run(estimator, check):
    """Check an estimator; where it needs probabilities that it has not, with a calibrator around.

    Classifiers that cut their scores where F1 is best have the tag `poor_score` for one check, and
    are held to the accuracy that scikit-learn asks for in all others.
    """
    with pytest.MonkeyPatch.context() as patch:
        if check.func.__name__ != CUT_AT_HALF:
            patch.delattr(CalibratedLabels, "__sklearn_tags__")
        try:
            check(estimator)
        except SkipTest as reason:
            if "predict_proba" not in str(reason):
                raise
            check(ProbabilityCalibrator(estimator, cv=3, random_state=0))
