"""Data that are not in one place: blocks of rows on disk, in functions, or in Dask."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from colabel._public import public
from colabel.linalg.blocks import RowBlocks, block_of
from colabel.linalg.data import CentredData
from colabel.linalg.executors import Dask, Executor, Threads, compute


def is_dask(X: Any) -> bool:
    """Whether X is an array or a DataFrame of Dask's, which need not be installed."""
    return hasattr(type(X), "__dask_graph__") and hasattr(type(X), "to_delayed")


@public
def row_blocks(blocks: Any) -> CentredData:
    """Data in blocks of rows, to be given as X to any estimator.

    No algorithm sees more than a block at a time, and the result is that of the whole in memory.
    Blocks are read anew in every pass over the data, several at a time in threads.

    Parameters
    ----------
    blocks : dask array or DataFrame, or sequence
        Of a Dask collection, the chunks of rows, dense or scipy's sparse; every pass over the data
        runs on the scheduler that Dask is set to (a Dask collection can be given as X itself, too).
        A sequence holds the blocks themselves, functions of no argument that return them, or files
        with them: ``.npz`` of :func:`scipy.sparse.save_npz`, ``.npy``; or it holds what
        ``dask.delayed`` makes, such as the reading of a file by the worker that needs it.

    Returns
    -------
    CentredData
        Accepted as X by every estimator of the library that does not select single features.

    Examples
    --------
    >>> import numpy as np
    >>> from colabel import OPLS, row_blocks
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(size=(100, 5)), rng.integers(0, 2, size=(100, 3))
    >>> whole = OPLS().fit(X, Y)
    >>> parts = OPLS().fit(row_blocks([X[:30], X[30:]]), Y)
    >>> bool(np.allclose(whole.eigenvalues_, parts.eigenvalues_))
    True
    """
    return CentredData(RowBlocks(_executor(blocks)))


def _executor(blocks: Any) -> Executor:
    if is_dask(blocks):
        return Dask(_chunks(blocks))
    if isinstance(blocks, Iterator):
        raise TypeError(
            "an iterator can be read only once, and fitting takes several passes: give a list of "
            "blocks, of files, or of functions that return blocks"
        )
    if isinstance(blocks, str | bytes) or not isinstance(blocks, Sequence):
        raise TypeError(
            "row_blocks takes a Dask array or a list of blocks, files or functions; got "
            f"{type(blocks).__name__}. Data in one piece are given to an estimator as they are"
        )
    if not blocks:
        raise ValueError("there are no blocks in the list")
    if all(hasattr(type(block), "__dask_graph__") for block in blocks):
        return Dask(_prepare(blocks))
    return Threads([_loader(block, f"block {i} of X") for i, block in enumerate(blocks)])


def _chunks(X: Any) -> list[Any]:
    """The row chunks of a Dask collection, as delayed blocks."""
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array()
    if X.ndim != 2:
        raise ValueError(f"X must have the shape (rows, features); got {X.ndim} dimensions")
    if X.numblocks[1] > 1:
        raise ValueError(
            f"X is in {X.numblocks[1]} chunks of columns; chunks must hold whole rows: "
            "X.rechunk({1: -1})"
        )
    return _prepare(X.to_delayed().ravel())


def _prepare(chunks: Iterable[Any]) -> list[Any]:
    import dask

    return [dask.delayed(block_of)(chunk, f"chunk {i} of X") for i, chunk in enumerate(chunks)]


def _loader(block: Any, name: str) -> Callable[[], Any]:
    if isinstance(block, (str, PathLike)):
        path = Path(block)
        if not path.exists():
            raise FileNotFoundError(f"there is no file {path}")
        if path.suffix not in _READERS:
            raise ValueError(
                f"{path.name}: blocks are read from {', '.join(_READERS)} files; for others give a "
                "function that returns the block, or see colabel.datasets.load_shards"
            )
        return partial(_read, path)
    if callable(block):
        return partial(_call, block, name)
    checked = block_of(block, name)
    return lambda: checked


def _read(path: Path) -> Any:
    try:
        rows = _READERS[path.suffix](path)
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise ValueError(f"{path}: cannot be read as a block of X: {error}") from error
    return block_of(rows, str(path))


def _call(function: Callable[[], Any], name: str) -> Any:
    return block_of(function(), name)


_READERS: dict[str, Callable[[Path], Any]] = {
    ".npz": sp.load_npz,
    ".npy": partial(np.load, mmap_mode="r"),
}


def collect_labels(Y: Any) -> Any:
    """Labels of a Dask collection, in memory: they are few beside X. Others as they are."""
    if not is_dask(Y):
        return Y
    import dask

    if hasattr(Y, "to_dask_array") or Y.ndim != 2:  # a DataFrame keeps the names of its labels
        return compute(Y)[0]
    grid = [[dask.delayed(sp.csr_array)(chunk) for chunk in row] for row in Y.to_delayed()]
    (chunks,) = compute(grid)
    return sp.block_array(chunks, format="csr")
