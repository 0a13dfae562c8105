"""Classifiers that do what classifiers in a comparison should not, and small data for them."""

import hashlib
import os
import signal
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


def problem(n=90, d=8, q=3, seed=0):
    """Labels that are linear in the features, but for some noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q)) > 0).astype(int)
    assert np.all((Y.sum(axis=0) > 10) & (Y.sum(axis=0) < n - 10))  # premise
    return X, Y


class Constant(ClassifierMixin, BaseEstimator):
    """Predicts every label; has no scores."""

    def fit(self, X, Y):
        self.n_labels_ = Y.shape[1]
        return self

    def predict(self, X):
        return np.ones((X.shape[0], self.n_labels_), dtype=int)


class Failing(Constant):
    def fit(self, X, Y):
        raise RuntimeError("a message\nof two lines")


class Hanging(Constant):
    def fit(self, X, Y):
        time.sleep(1000)


class Dying(Constant):
    def fit(self, X, Y):
        os.kill(os.getpid(), signal.SIGKILL)


class Slow(Constant):
    def __init__(self, seconds=1.0):
        self.seconds = seconds

    def fit(self, X, Y):
        time.sleep(self.seconds)
        return super().fit(X, Y)


class Chatty(Constant):
    """Prints where answers go."""

    def fit(self, X, Y):
        print("hello")  # noqa: T201
        os.write(1, b"hello")
        return super().fit(X, Y)


class Recorder(Constant):
    """Writes to a file which rows it sees."""

    def __init__(self, path=""):
        self.path = path

    def _write(self, *parts):
        seen = hashlib.sha256(b"".join(np.ascontiguousarray(p).tobytes() for p in parts))
        with open(self.path, "a") as file:
            file.write(seen.hexdigest() + "\n")

    def fit(self, X, Y):
        self._write(X, Y)
        return super().fit(X, Y)

    def predict(self, X):
        self._write(X)
        return super().predict(X)
