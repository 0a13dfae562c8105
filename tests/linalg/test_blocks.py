"""Data in blocks of rows give what the same data give in one piece."""

import gc
import threading
import tracemalloc
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import problems
import pytest
import scipy.sparse as sp
from methods import CASES, ONE_EACH
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit, cross_val_score

import colabel
from colabel import LabelRidge, row_blocks
from colabel.classifiers import cca_ridge
from colabel.family.similarity import linear
from colabel.linalg import blocks as blocks_module
from colabel.linalg import cost, products
from colabel.linalg.normal import solve_normal

CONTAINERS = {"dense": np.asarray, "csr": sp.csr_array, "csr_matrix": sp.csr_matrix}
CUTS = {
    "uneven": [1, 10, 11, 23],
    "of one row": list(range(1, 26)),
    "one": [],
    "with empty ones": [0, 12, 12, 20],
}
each_container = pytest.mark.parametrize("container", CONTAINERS)
each_kind = pytest.mark.parametrize("kind", ["tall", "wide"])


def in_blocks(X, cuts="uneven"):
    edges = [0, *CUTS[cuts], X.shape[0]]
    return [X[a:b] for a, b in pairwise(edges)]


def as_wide_blocks(X):
    """Blocks that are taller than wide, and such as are not, in one list."""
    return [X[:40], X[40:43], X[43:]] if X.shape[0] > 43 else [X[:20], X[20:]]


@pytest.fixture(params=["direct", "iterative"])
def limit(request, monkeypatch):
    if request.param == "iterative":
        monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)


def check_same(parts, whole, blocks, X, tol=1e-8):
    """Two fitted models do the same to the same rows."""
    for name in ("transform", "decision_function"):
        if not hasattr(whole, name):
            continue
        for rows in (X, blocks):
            found, expected = getattr(parts, name)(rows), getattr(whole, name)(X)
            if isinstance(whole, colabel.SharedSubspaceClassifier) and name == "transform":
                found, expected = found @ found.T, expected @ expected.T  # signs are free
            scale = np.abs(expected).max()
            np.testing.assert_allclose(found, expected, rtol=0, atol=tol * scale)


@each_kind
@pytest.mark.parametrize("container", ["dense", "csr"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_extractors_with_every_solver(case, container, kind):
    X, Y = problems.sparse_counts(kind)
    X = CONTAINERS[container](X)
    check_extractor(case, case.solvers, X, Y)


@each_kind
@pytest.mark.parametrize("container", ["dense", "csr"])
@pytest.mark.parametrize("case", [case for case in CASES if case.low_rank], ids=str)
def test_extractors_by_iterative_solves(case, container, kind, monkeypatch):
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)
    X, Y = problems.sparse_counts(kind)
    # Canonical correlations of wide data are nearly equal, and what is left of a residual moves
    # their directions by its size over the gap between them.
    check_extractor(case, ["two-stage"], CONTAINERS[container](X), Y, tol=1e-12)


def check_extractor(case, solvers, X, Y, **settings):
    blocks = row_blocks(in_blocks(X))
    for solver in solvers:
        params = {"n_components": 3, "solver": solver, "random_state": 0, **settings}
        whole, parts = (case.make(**params).fit(data, Y) for data in (X, blocks))
        np.testing.assert_allclose(parts.eigenvalues_, whole.eigenvalues_, rtol=1e-8)
        np.testing.assert_allclose(parts.mean_, whole.mean_, rtol=0, atol=1e-14)
        check_same(parts, whole, blocks, X)


CLASSIFIERS = [
    LabelRidge(alpha=0.5),
    colabel.LabelRidgeCV(cv=3, random_state=0),
    colabel.SharedSubspaceClassifier(n_components=2),
    colabel.SharedSubspaceClassifier(solver="factor"),
    colabel.SharedSubspaceClassifierCV([0.0, 0.1], [1e-3, 0.01], cv=3, random_state=0),
    colabel.ASOClassifier(),
    colabel.RankSVM(),
    colabel.ThresholdTuner(LabelRidge(), cv=3, random_state=0),
    cca_ridge(),
]


@each_kind
@pytest.mark.parametrize("container", ["dense", "csr"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_classifiers(model, container, kind):
    X, Y = problems.sparse_counts(kind)
    X = CONTAINERS[container](X)
    blocks = row_blocks(in_blocks(X))
    parts, whole = (clone(model).fit(data, Y) for data in (blocks, X))
    check_same(parts, whole, blocks, X)
    np.testing.assert_array_equal(parts.predict(blocks), whole.predict(X))


@each_kind
@pytest.mark.parametrize("cuts", CUTS)
@each_container
def test_any_cuts(container, cuts, kind, limit):
    X, Y = problems.sparse_counts(kind)
    X = CONTAINERS[container](X)
    blocks = row_blocks(in_blocks(X, cuts))
    assert blocks.shape == X.shape
    for model in (LabelRidge(solver="two-stage"), colabel.OPLS(), colabel.DMLDA()):
        parts, whole = (clone(model).fit(data, Y) for data in (blocks, X))
        check_same(parts, whole, blocks, X)


@each_kind
@each_container
def test_single_precision_stays_and_is_as_accurate(container, kind, limit):
    X, Y = problems.make(kind)
    X = CONTAINERS[container](X.astype(np.float32))
    blocks = row_blocks(in_blocks(X))
    assert blocks.dtype == np.float32
    for model in (LabelRidge(), colabel.OPLS(n_components=2), colabel.PCA(n_components=2)):
        parts, whole = (clone(model).fit(data, Y) for data in (blocks, X))
        check_same(parts, whole, blocks, X, tol=1e-4)
        fitted = parts.coef_ if hasattr(parts, "coef_") else parts.components_
        assert fitted.dtype == np.float32


def test_blocks_of_two_precisions_lose_nothing():
    X, Y = problems.make("tall")
    X[:20] = X[:20].astype(np.float32)
    blocks = row_blocks([X[:20].astype(np.float32), X[20:]])
    assert blocks.dtype == np.float64
    check_same(LabelRidge().fit(blocks, Y), LabelRidge().fit(X, Y), blocks, X, tol=1e-12)


def test_dense_and_sparse_blocks_beside_each_other():
    for kind in ("tall", "wide"):
        X, Y = problems.sparse_counts(kind)
        blocks = row_blocks([X[:9], sp.csr_array(X[9:15]), sp.csc_array(X[15:]).astype(int)])
        check_same(colabel.MLDA().fit(blocks, Y), colabel.MLDA().fit(X, Y), blocks, X)


def write_blocks(X, folder):
    """Some blocks as they are, some as functions, some as files."""
    found = []
    for i, block in enumerate(in_blocks(X)):
        if i % 3 == 0:
            found.append(partial(block.copy))
        elif i % 3 == 1:
            path = folder / f"{i}.{'npz' if sp.issparse(X) else 'npy'}"
            sp.save_npz(path, block) if sp.issparse(X) else np.save(path, block)
            found.append(path if i < 4 else str(path))
        else:
            found.append(block)
    return found


@each_kind
@pytest.mark.parametrize("container", ["dense", "csr"])
def test_blocks_from_files_and_functions(container, kind, tmp_path):
    X, Y = problems.sparse_counts(kind)
    X = CONTAINERS[container](X)
    blocks = row_blocks(write_blocks(X, tmp_path))
    check_same(colabel.MVMD().fit(blocks, Y), colabel.MVMD().fit(X, Y), blocks, X)


def test_data_frames_and_whole_numbers_are_blocks():
    X, Y = problems.sparse_counts("tall")
    frames = [pd.DataFrame(X[:30]).astype(int), pd.DataFrame(X[30:]).astype(object)]
    check_same(LabelRidge().fit(row_blocks(frames), Y), LabelRidge().fit(X, Y), X, X)


@pytest.mark.parametrize("condition", [30.0, 1e6])
@each_kind
@each_container
def test_the_factorisation_keeps_its_digits(kind, container, condition, monkeypatch):
    """Where a Gram would lose them, what it is not certain of is found again from X, or all is."""
    X, _ = problems.make(kind, condition=condition)
    X = CONTAINERS[container](X)
    exact = np.linalg.svd(np.asarray(X.todense() if sp.issparse(X) else X) - X.mean(axis=0))[1]
    exact = np.sort(exact[exact > 1e-8])[::-1]
    calls = []
    original = blocks_module.RowBlocks.triangle
    monkeypatch.setattr(
        blocks_module.RowBlocks, "triangle", lambda self: calls.append(1) or original(self)
    )
    for cuts in (in_blocks(X), as_wide_blocks(X), in_blocks(X, "of one row")):
        calls.clear()
        found = row_blocks(cuts).factorise().singular_values
        np.testing.assert_allclose(found, exact, rtol=1e-8)
        assert not calls or condition > 1e4


@each_container
@pytest.mark.parametrize("shape", [(200, 12), (30, 50)])
def test_the_rank_of_single_precision_data(container, shape):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1]))
        X = CONTAINERS[container](X.astype(np.float32))
        assert row_blocks(in_blocks(X)).factorise().rank == 3


@each_kind
@each_container
@pytest.mark.parametrize(
    "rows", [slice(3, 20), np.arange(0, 24, 2), np.arange(24) > 12], ids=["slice", "list", "mask"]
)
def test_row_subsets(rows, container, kind, limit):
    """Blocks none of whose rows is chosen are left out."""
    X, Y = problems.sparse_counts(kind)
    X, Y = CONTAINERS[container](X[:24]), Y[:24]
    subset, data = row_blocks(in_blocks(X))[rows], colabel.factor(X)[rows]
    assert subset.shape == X[rows].shape
    np.testing.assert_allclose(subset.mean, data.mean, rtol=0, atol=1e-12)
    whole, parts = (LabelRidge().fit(each, Y[rows]) for each in (X[rows], subset))
    check_same(parts, whole, subset, X[rows])


def test_cross_validation_takes_rows_of_blocks():
    X, Y = problems.sparse_counts("tall")
    blocks = row_blocks(in_blocks(X))
    cv = KFold(4, shuffle=True, random_state=0)
    for model in (LabelRidge(), cca_ridge()):
        whole, parts = (cross_val_score(model, data, Y, cv=cv) for data in (X, blocks))
        np.testing.assert_array_equal(whole, parts)


class Watched:
    """Functions that return blocks, and how many of them are alive at a time."""

    def __init__(self, X):
        self.loads = [0] * len(in_blocks(X))
        self.lock, self.alive, self.most = threading.Lock(), 0, 0
        self.functions = [partial(self.load, i, block) for i, block in enumerate(in_blocks(X))]

    def load(self, i, block):
        gc.collect(0)
        copy = block.copy().view(Counted)
        with self.lock:
            self.loads[i] += 1
            self.alive += 1
            self.most = max(self.most, self.alive)
        copy.watched = self
        return copy


class Counted(np.ndarray):
    watched = None

    def __del__(self):
        if self.watched is not None:
            with self.watched.lock:
                self.watched.alive -= 1


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_are_loaded_when_needed_and_forgotten(threads, monkeypatch):
    monkeypatch.setattr(products, "thread_count", lambda: threads)
    X, Y = problems.make("tall")
    watched = Watched(X)
    blocks = row_blocks(watched.functions)
    assert watched.loads == [1] * 5  # their sizes and means
    LabelRidge(solver="two-stage").fit(blocks, Y)
    assert watched.loads == [3] * 5  # X̄ᵀY and the Gram
    _ = blocks[12:]
    assert watched.loads == [3, 3, 3, 4, 4]  # of blocks 0 to 2 no row is left
    assert watched.alive == 0
    assert watched.most <= threads


def test_an_iterative_fit_takes_one_pass_an_iteration(monkeypatch):
    """The same number of passes for eight penalties as for the smallest."""
    monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)
    X, Y = problems.make("tall")
    loads = []
    for ridges in ([0.1], list(np.geomspace(0.1, 1e4, 8))):
        watched = Watched(X)
        solve_normal(row_blocks(watched.functions).core, linear(Y), ridges)
        loads.append(watched.loads)
    assert loads[0] == loads[1]


def write_many(folder, suffix, smallest, count):
    """Blocks of 100 rows and 150 features as files, and their labels."""
    rng, scale, paths, Y = np.random.default_rng(0), np.geomspace(1, smallest, 150), [], []
    for i in range(count):
        block = rng.normal(size=(100, 150)) * scale
        paths.append(folder / f"{i}.{suffix}")
        if suffix == "npy":
            np.save(paths[-1], block)
        else:
            sp.save_npz(paths[-1], sp.csr_array(block), compressed=False)
        Y.append(block[:, :3] > 0)
    return paths, np.vstack(Y)


@pytest.mark.parametrize("suffix", ["npy", "npz"])
@pytest.mark.parametrize("work", ["two-stage", "iterative", "factor", "QR"])
def test_files_are_never_in_memory_all_at_once(tmp_path, suffix, work, monkeypatch):
    """Also where blocks have fewer rows than features, so that no triangle is smaller than them."""
    monkeypatch.setattr(products, "thread_count", lambda: 1)
    if work == "iterative":
        monkeypatch.setattr(cost, "DIRECT_LIMIT", 0)
    elif work == "two-stage":
        monkeypatch.setattr(cost, "SHORT", np.inf)  # by the Gram, of sparse blocks, too
    smallest = 1e-6 if work == "QR" else 0.1
    # iterations keep no Gram, and read the files many times
    paths, Y = write_many(tmp_path, suffix, smallest, count=60 if work == "iterative" else 120)
    solver = "factor" if work in ("factor", "QR") else "two-stage"
    model = LabelRidge(alpha=1e4, tol=1e-2, solver=solver)
    tracemalloc.start()
    try:
        model.fit(row_blocks(paths), Y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(Y) * 150 / 4


def test_what_is_no_list_of_blocks_is_refused(tmp_path):
    X, _ = problems.make("tall")
    for wrong, message in (
        ((block for block in [X]), "can be read only once"),
        (iter([X]), "can be read only once"),
        (X, "got ndarray. Data in one piece"),
        (sp.csr_array(X), "got csr_array"),
        ("x.npy", "got str"),
        (tmp_path, "a list of blocks, files or functions"),
        ({"a": X}, "got dict"),
    ):
        with pytest.raises(TypeError, match=message):
            row_blocks(wrong)


@pytest.mark.parametrize("as_function", [False, True])
def test_a_wrong_block_is_named(as_function):
    X, _ = problems.make("tall")
    wrong_value, infinite = X.copy(), X.copy()
    wrong_value[4, 2], infinite[0, 1], infinite[1, 1] = np.nan, np.inf, -np.inf
    for wrong, message in (
        (X[:, :7], "block 1 has 7 features, and block 0 has 12"),
        (X[0], r"block 1 of X must have the shape \(rows, features\); got \(12,\)"),
        (wrong_value, "block 1 of X contains NaN or infinity"),
        (infinite, "block 1 of X contains NaN or infinity"),
        (sp.csr_array(wrong_value), "block 1 of X contains NaN or infinity"),
        (X * 1j, "block 1 of X must hold numbers; got dtype complex128"),
        (np.full((2, 12), "tree"), "block 1 of X must hold numbers; got dtype <U4"),
        (np.full((2, 12), "tree", dtype=object), "block 1 of X must hold numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            row_blocks([X, (lambda block=wrong: block) if as_function else wrong, X])


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([], "there are no blocks in the list"),
        ([np.empty((0, 3)), np.empty((0, 3))], "X has no rows"),
        ([np.empty((3, 0))], "X has no features"),
        ([[1.0, 2.0]], "block 0 of X must have the shape"),
    ],
)
def test_no_data(blocks, message):
    with pytest.raises(ValueError, match=message):
        row_blocks(blocks)


def test_files_that_cannot_be_read_are_named(tmp_path):
    X, _ = problems.make("tall")
    with pytest.raises(FileNotFoundError, match=r"there is no file .*gone\.npy"):
        row_blocks([X, tmp_path / "gone.npy"])
    (tmp_path / "data.csv").write_text("1,2\n")
    with pytest.raises(ValueError, match=r"data.csv: blocks are read from .*load_shards"):
        row_blocks([tmp_path / "data.csv"])
    np.save(tmp_path / "whole.npy", X)
    damaged = (tmp_path / "whole.npy").read_bytes()[:-100]
    for name, content in (("short.npy", damaged), ("text.npy", b"text"), ("text.npz", b"text")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=rf"{name}: cannot be read as a block of X"):
            row_blocks([X, tmp_path / name])
    np.savez(tmp_path / "dense.npz", X)
    with pytest.raises(ValueError, match=r"dense.npz: cannot be read"):
        row_blocks([tmp_path / "dense.npz"])
    np.save(tmp_path / "flat.npy", X[0])
    with pytest.raises(ValueError, match=r"flat.npy must have the shape"):
        row_blocks([tmp_path / "flat.npy"])
    np.save(tmp_path / "objects.npy", X.astype(object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"objects.npy: cannot be read"):
        row_blocks([tmp_path / "objects.npy"])


def test_a_file_that_disappears_between_passes_is_named(tmp_path):
    X, Y = problems.make("tall")
    np.save(tmp_path / "x.npy", X)
    blocks = row_blocks([tmp_path / "x.npy"])
    (tmp_path / "x.npy").unlink()
    with pytest.raises(ValueError, match=r"x.npy: cannot be read as a block of X: .*No such file"):
        LabelRidge().fit(blocks, Y)


def test_rows_are_taken_in_their_order():
    X, Y = problems.make("tall")
    blocks = row_blocks(in_blocks(X))
    for rows in ([5, 3, 9], [3, 3, 5]):
        with pytest.raises(ValueError, match="sort the row numbers"):
            blocks[rows]
    with pytest.raises(ValueError, match="none of the 60 rows was chosen"):
        blocks[[]]
    with pytest.raises(IndexError):
        blocks[[2, 99]]
    with pytest.raises(ValueError, match="ShuffleSplit does not"):
        cross_val_score(
            LabelRidge(), blocks, Y, cv=ShuffleSplit(2, random_state=0), error_score="raise"
        )


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (colabel.MtSDA(), "features cannot be selected from RowBlocks; pass one array"),
        (colabel.MtSDACV(), "features cannot be selected from RowBlocks; pass one array"),
        (colabel.BestOf(), "BestOf needs the rows themselves"),
        (colabel.CNMF(), "CNMF compares the rows of X with each other"),
        (colabel.SGT(), "SGT compares the rows of X with each other"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_methods_that_need_more_than_products_say_so(model, message):
    X, Y = problems.make("tall")
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(row_blocks(in_blocks(X)), Y)


def test_every_public_estimator_was_tried_above():
    tried = {case.estimator for case in ONE_EACH} | {type(model) for model in CLASSIFIERS}
    tried |= {colabel.MtSDA, colabel.MtSDACV, colabel.CNMF, colabel.SGT, colabel.BestOf}
    tried.add(colabel.KernelFeatures)  # in tests/test_kernel_features.py
    # which give rows to the classifier that they wrap
    tried |= {colabel.ProbabilityCalibrator, colabel.LabelSets}
    public = {getattr(colabel, name) for name in colabel.__all__}
    assert {each for each in public if hasattr(each, "fit")} <= tried


def test_rows_and_labels_must_agree():
    X, Y = problems.make("tall")
    blocks = row_blocks(in_blocks(X))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        LabelRidge().fit(blocks, Y[:-1])
    model = LabelRidge().fit(blocks, Y)
    with pytest.raises(ValueError, match="12 features"):
        model.predict(row_blocks([X[:, :5]]))
