"""A Dask cluster that was closed in a fit showed the key of a task, and not which fit stopped."""

import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from colabel import OPLS, LabelRidge, LabelRidgeCV, row_blocks
from colabel.linalg.executors import ClusterLostError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the cluster itself

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 4)), RNG.integers(0, 2, size=(40, 3))
LINE = (
    "{}.fit stopped: the Dask cluster was closed, or its work was cancelled; "
    "the estimator is as it was, start a cluster and fit again"
)


@pytest.fixture
def client():
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with (
        distributed.LocalCluster(**options, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


class Closer:
    """Closes the cluster when the third block of rows is worked on, and waits until it is."""

    client = None

    @classmethod
    def block(cls, rows, block_info=None):
        if block_info and block_info[0]["chunk-location"][0] == 2:
            closed = threading.Event()
            threading.Thread(target=lambda: (cls.client.close(), closed.set())).start()
            closed.wait()
        return rows


def closing(client):
    Closer.client = client  # the worker is a thread of this process
    return da.from_array(X, chunks=(10, -1)).map_blocks(Closer.block, meta=np.zeros((0, 0)))


def signs(rows):
    return (rows[:, :2] > 0).astype(int)


def broken(rows):
    raise ZeroDivisionError("in a block")


@pytest.mark.parametrize("model", [LabelRidge(), OPLS(), LabelRidgeCV(cv=2)], ids=str)
def test_the_error_says_which_fit_stopped_and_that_the_estimator_is_as_it_was(client, model):
    model.fit(X, Y)
    before = dict(vars(model))
    with pytest.raises(ClusterLostError) as found:
        model.fit(closing(client), Y)
    assert str(found.value) == LINE.format(type(model).__name__)
    assert vars(model) == before
    rows = model.predict(X) if hasattr(model, "predict") else model.transform(X)
    assert rows.shape[0] == 40


def test_labels_on_the_cluster_are_lost_in_the_same_words(client):
    model = LabelRidge()
    labels = closing(client).map_blocks(signs)
    with pytest.raises(ClusterLostError) as found:
        model.fit(X, labels)
    assert str(found.value) == LINE.format("LabelRidge")
    assert not hasattr(model, "coef_")


def test_outside_of_a_fit_no_estimator_is_named(client):
    with pytest.raises(
        ClusterLostError, match=r"^the work on the blocks of X stopped: the Dask cluster"
    ):
        row_blocks(closing(client))


def test_errors_of_the_work_itself_stay_what_they_are(client):
    chunks = da.from_array(X, chunks=(10, -1)).map_blocks(broken, meta=np.zeros((0, 0)))
    with pytest.raises(ZeroDivisionError, match="in a block"):
        LabelRidge().fit(chunks, Y)


def test_what_was_lost_can_be_fitted_again(client):
    model = LabelRidge()
    with pytest.raises(ClusterLostError):
        model.fit(closing(client), Y)
    with dask.config.set(scheduler="synchronous"):
        model.fit(da.from_array(X, chunks=(10, -1)), Y)
    assert_array_equal(model.predict(X), LabelRidge().fit(X, Y).predict(X))
