"""A fit that fails or is stopped leaves the estimator as it was."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import saved_models as kinds
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import colabel
from colabel.linalg.interruption import wait_for
from colabel.preparation import FrequentColumns
from colabel.tuning import OutOfFoldSearch

SOURCE = str(Path(colabel.__file__).parent)
#: Points of a fit at which it is stopped, as shares of its calls of functions.
SHARES = (0.0, 0.2, 0.5, 0.8, 0.97)
PARTLY_LABELLED = kinds.PARTLY_LABELLED
MODELS = {
    name: model
    for name, model in {
        **kinds.EXTRACTORS,
        **kinds.LINEAR,
        **kinds.OTHER,
        **PARTLY_LABELLED,
        "search": OutOfFoldSearch(colabel.LabelRidge(), {"alpha": [1, 2]}, cv=2, random_state=0),
        "frequent columns": FrequentColumns(most=9),
    }.items()
    if type(model).__module__.startswith("colabel")
}
IN_PARTS = {name: model for name, model in MODELS.items() if hasattr(model, "partial_fit")}
LONG_FIT = """
import threading, time
import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted
import colabel, problems

model = colabel.LabelRidgeCV(np.geomspace(1e-3, 1e3, 10**6), verbose=False)
before = dict(vars(model))

def tell():
    while not hasattr(model, "n_features_in_"):
        time.sleep(0.01)
    print("fitting", flush=True)

threading.Thread(target=tell, daemon=True).start()
try:
    model.fit(*problems.make("tall"))
except KeyboardInterrupt:
    try:
        check_is_fitted(model)
    except NotFittedError:
        print("unfitted", vars(model) == before, flush=True)
"""

LONG_FACTORISATION = """
import numpy as np
import colabel
from colabel.linalg import small

ended, eigh = [], small.linalg.eigh

def factorise(*args, **options):
    print("factorising", flush=True)
    try:
        return eigh(*args, **options)
    finally:
        ended.append(True)

small.linalg.eigh = factorise
rng = np.random.default_rng(0)
X, Y = rng.normal(size=(3200, 3300)), rng.integers(0, 2, size=(3200, 2))
model = colabel.LabelRidgeCV([1.0], verbose=False)
try:
    model.fit(X, Y)
except KeyboardInterrupt:
    print("stopped before the end", not ended, flush=True)
"""

#: A long product, or factorisation, of which the module waits for the end.
LONG_CALL = """
import numpy as np
from colabel.family import similarity
from colabel.linalg import {module} as module
from colabel.linalg.dense import DenseMatrix
from colabel.linalg.normal import NormalEquations

ended, wait = [], module.wait_if_long

def watched(operations, function):
    def call():
        print("calling", flush=True)
        try:
            return function()
        finally:
            ended.append(True)

    return wait(operations, call)

X = DenseMatrix(np.random.default_rng(0).normal(size={shape}))
module.wait_if_long = watched
try:
    {call}
except KeyboardInterrupt:
    print("stopped before the end", not ended, flush=True)
"""
LONG_CALLS = {
    "gram": ("dense", (6000, 3000), "X.gram()"),
    "outer": ("dense", (3000, 6000), "X.outer()"),
    "product": ("dense", (6000, 3000), "X.dot(np.ones((3000, 3000)))"),
    "transposed product": ("dense", (6000, 3000), "X.tdot(np.ones((6000, 3000)))"),
    "QR": ("small", (4000, 2000), "X.triangle()"),
    "LU": (
        "normal",
        (3000, 3200),
        "NormalEquations(X, similarity.Similarity(np.arange(1.0, 3001)), 1.0)._inverse",
    ),
}


def fresh(name):
    """A model that takes the same course whenever it is fitted."""
    model = clone(MODELS[name])
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def rows_for(model):
    """Data that the model is fitted on, and others like them."""
    if any(model is other for other in PARTLY_LABELLED.values()):
        X, Y = sp.csr_array(kinds.COUNTS), kinds.partly_labelled()
        return (X, Y), (X[::-1], Y[::-1])
    if isinstance(model, FrequentColumns):
        X, Y = sp.csr_array(kinds.COUNTS), kinds.COUNT_LABELS
        return (X, Y), (X[::-1][:, ::-1], Y[::-1])
    return (kinds.X, kinds.Y), (-2 * kinds.X[::-1], kinds.Y[::-1])


def calls_of(method, *arguments, stop_at=None):
    """How many functions of the library it calls; with `stop_at`, Ctrl-C at one of them."""
    count = 0

    def watch(frame, event, argument):
        nonlocal count
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            if count == stop_at:
                sys.setprofile(None)
                raise KeyboardInterrupt
            count += 1

    sys.setprofile(watch)
    try:
        method(*arguments)
    finally:
        sys.setprofile(None)
    return count


def answers(model, X):
    methods = ("transform", "decision_function", "predict")
    return [getattr(model, name)(X) for name in methods if hasattr(model, name)]


def _dense(array):
    return array.toarray() if sp.issparse(array) else array


def stop_everywhere(model, method, data):
    """Stop a method at several points, each time leaving the model with the attributes it had."""
    total = calls_of(getattr(clone(model), method), *data)
    before = vars(model).copy()
    for share in SHARES:
        with pytest.raises(KeyboardInterrupt):
            calls_of(getattr(model, method), *data, stop_at=int(share * total))
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is before[name] for name in before)


@pytest.mark.parametrize("name", MODELS)
def test_a_stopped_fit_of_a_new_estimator(name):
    model = fresh(name)
    data, _ = rows_for(MODELS[name])
    stop_everywhere(model, "fit", data)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    check_is_fitted(model.fit(*data))


@pytest.mark.parametrize("name", MODELS)
def test_a_stopped_fit_of_a_fitted_estimator(name):
    data, others = rows_for(MODELS[name])
    model = fresh(name).fit(*data)
    before = answers(model, data[0])
    stop_everywhere(model, "fit", others)
    for old, new in zip(before, answers(model, data[0]), strict=True):
        assert_array_equal(_dense(new), _dense(old))


@pytest.mark.parametrize("name", IN_PARTS)
@pytest.mark.parametrize("started", [True, False])
def test_a_stopped_partial_fit(name, started):
    model = fresh(name)
    data, others = rows_for(MODELS[name])
    if started:
        model.partial_fit(*data)
        before = answers(model, data[0])
    stop_everywhere(model, "partial_fit", others)
    if started:
        for old, new in zip(before, answers(model, data[0]), strict=True):
            assert_array_equal(new, old)
        assert model.moments_.n == len(kinds.X)
    else:
        with pytest.raises(NotFittedError):
            check_is_fitted(model)


def test_every_public_estimator_is_stopped():
    tried = {type(model) for model in MODELS.values()}
    for name in colabel.__all__:
        thing = getattr(colabel, name)
        if isinstance(thing, type) and issubclass(thing, BaseEstimator):
            assert thing in tried, name


@pytest.mark.parametrize("name", MODELS)
def test_a_refit_on_nan_keeps_the_old_model(name):
    (X, Y), _ = rows_for(MODELS[name])
    bad = X.copy()
    values = bad.data if sp.issparse(bad) else bad.ravel()
    values[30] = np.nan
    model = fresh(name)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad, Y)
    assert vars(model).keys() == vars(clone(model)).keys()
    before = answers(model.fit(X, Y), X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad, Y)
    for old, new in zip(before, answers(model, X), strict=True):
        assert_array_equal(_dense(new), _dense(old))


@pytest.mark.parametrize(
    ("script", "begun", "stopped"),
    [
        (LONG_FIT, "fitting\n", "unfitted True\n"),
        (LONG_FACTORISATION, "factorising\n", "stopped before the end True\n"),
        *(
            (
                LONG_CALL.format(module=module, shape=shape, call=call),
                "calling\n",
                "stopped before the end True\n",
            )
            for module, shape, call in LONG_CALLS.values()
        ),
    ],
    ids=["fit", "factorisation", *LONG_CALLS],
)
def test_ctrl_c(script, begun, stopped):
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(kinds.__file__).parent,
    ) as process:
        try:
            assert process.stdout.readline() == begun
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == stopped
        finally:
            process.kill()


def test_what_a_call_that_is_waited_for_gives_and_raises():
    assert wait_for(lambda: 3) == 3
    with pytest.raises(ZeroDivisionError):
        wait_for(lambda: 1 // 0)
    with np.errstate(divide="ignore"):
        assert wait_for(lambda: np.float64(1) / 0) == np.inf
