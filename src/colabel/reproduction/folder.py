"""Where the papers' data sets are, and which of them are not there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from colabel.datasets import load
from colabel.datasets.dataset import Dataset

_SUFFIXES = (".svm.xz", ".svm.gz", ".svm", ".arff")
#: Looked for in turn where no folder is named.
DEFAULTS = (Path("data"), Path("..", "shared", "data"))


class MissingDataError(ValueError):
    """No data to run on: which files, and where they were looked for."""


def data_folder(named: Path | None) -> Path:
    """The folder of data sets: the one that is named, or the first default that is there.

    Parameters
    ----------
    named : Path or None

    Returns
    -------
    Path
    """
    if named is not None:
        if not named.is_dir():
            raise MissingDataError(f"--data {named}: there is no such folder; name one that is")
        return named
    for folder in DEFAULTS:
        if folder.is_dir():
            return folder
    tried = " nor ".join(str(folder) for folder in DEFAULTS)
    raise MissingDataError(f"there is no folder {tried}; name the folder of data with --data")


def find(folder: Path, name: str) -> Path | None:
    """The file of a data set, or None."""
    candidates = (folder / f"{name}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


def read(folder: Path, name: str) -> Dataset:
    """A data set that :func:`find` finds."""
    path = find(folder, name)
    if path is None:
        raise MissingDataError(f"{name} is not in {folder}; {expected([name])}")
    return load(path)


def expected(names: Iterable[str]) -> str:
    """What the files of data sets would be called."""
    files = ", ".join(f"{name}.svm.xz" for name in names)
    return f"expected {files} (or .svm, .svm.gz, .arff)"
