"""Every private name of scikit-learn that is used here, and what wraps each fit."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from sklearn import config_context, get_config
from sklearn.utils import _safe_indexing as take_rows
from sklearn.utils._metadata_requests import _routing_enabled as is_routing
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions
from sklearn.utils.multiclass import _ovr_decision_function as class_scores_of_pairs
from sklearn.utils.validation import _check_feature_names as check_feature_names
from sklearn.utils.validation import _check_method_params as rows_of_parameters
from sklearn.utils.validation import _check_n_features as check_n_features
from sklearn.utils.validation import _num_samples as count_rows

from colabel.linalg.executors import ClusterLostError

__all__ = [
    "HasMethods",
    "Interval",
    "Options",
    "StrOptions",
    "check_feature_names",
    "check_n_features",
    "class_scores_of_pairs",
    "count_rows",
    "fit_context",
    "is_routing",
    "rows_of_parameters",
    "take_rows",
]


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[..., Any]:
    """Check the parameters before a fit; if it fails or is stopped, leave the estimator as it was.

    What scikit-learn's decorator of this name does, and the second half. It is written out because
    warnings count the frames up to the caller: there is one here, as in scikit-learn's.
    """

    def decorator(fit: Callable[..., Any]) -> Callable[..., Any]:
        arguments = signature(fit)

        @wraps(fit)
        def wrapper(estimator: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                arguments.bind(estimator, *args, **kwargs)
            except TypeError as error:  # Python's own names the class that `fit` is written in
                called = f"{type(estimator).__name__}.{fit.__name__}()"
                why = getattr(estimator, "_refuses_weights", None)
                if why is not None and "sample_weight" in kwargs:
                    way_out = "" if ";" in why else "; leave it out, or repeat rows"
                    raise TypeError(f"{called} takes no sample_weight: {why}{way_out}") from None
                raise TypeError(f"{called}: {error}") from None
            skip = get_config()["skip_parameter_validation"]
            if not skip:
                estimator._validate_params()
            before = vars(estimator).copy()
            try:
                with config_context(
                    skip_parameter_validation=skip or prefer_skip_nested_validation
                ):
                    return fit(estimator, *args, **kwargs)
            except BaseException as error:
                estimator.__dict__ = before  # in one step, which a second interruption cannot halve
                if isinstance(error, ClusterLostError):
                    stopped = f"{type(estimator).__name__}.{fit.__name__}"
                    raise ClusterLostError(error.why, stopped) from error
                raise

        return wrapper

    return decorator
