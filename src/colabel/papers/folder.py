"""Where the papers' data sets are, and which of them are not there."""

from collections.abc import Iterable
from pathlib import Path

from colabel.datasets import load
from colabel.datasets.dataset import Dataset

_SUFFIXES = (".svm.xz", ".svm.gz", ".svm", ".arff")
#: The folder that is taken where none is named.
DEFAULT = Path("data")
#: Where the papers' sets are had; none of them may be passed on with this library.
ORIGINS = "https://mulan.sourceforge.net/datasets-mlc.html and https://www.uco.es/kdis/mllresources"


class MissingDataError(ValueError):
    """No data to run on: which files, where they were looked for, and where they are had."""


def data_folder(named: Path | None) -> Path:
    """The folder of data sets: the one that is named, or ``data`` in the present one."""
    folder = DEFAULT if named is None else named
    if folder.is_dir():
        return folder
    raise MissingDataError(
        f"--data {folder}: there is no such folder; name the folder of the data sets, which are "
        f"had from {ORIGINS}"
    )


def find(folder: Path, name: str) -> Path | None:
    """The file of a data set, or None."""
    candidates = (folder / f"{name}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


def read(folder: Path, name: str) -> Dataset:
    """A data set that :func:`find` finds."""
    path = find(folder, name)
    if path is None:
        raise MissingDataError(
            f"{name} is not in {folder}; {say_files([name])}; sets are had from {ORIGINS}"
        )
    return load(path)


def say_files(names: Iterable[str]) -> str:
    """What the files of data sets would be called."""
    files = ", ".join(f"{name}.svm.xz" for name in names)
    return f"expected {files} (or .svm, .svm.gz, .arff)"
