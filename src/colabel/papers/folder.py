"""Where the papers' data sets are, and which of them are not there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from colabel.datasets import load
from colabel.datasets.dataset import Dataset
from colabel.papers.protocol import Protocol

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


@dataclass(frozen=True)
class Chosen:
    """What is to be run."""

    #: Titles of the data sets that are there, with their files.
    sets: Mapping[str, Path]
    #: Titles of those that are not, with the names of their files.
    missing: Mapping[str, str]
    n_splits: int

    def splits_of(self, protocol: Protocol, title: str) -> int:
        """One where the paper gives the split."""
        return 1 if protocol.sources[title].only_split else self.n_splits


def choose(
    protocol: Protocol, folder: Path, table: int | None = None, splits: int | None = None
) -> Chosen:
    """Find the data sets of a table, or of all; it is an error if none is there."""
    if table is not None and table not in protocol.tables:
        known = ", ".join(str(number) for number in protocol.tables)
        raise ValueError(f"--table {table}: {protocol.name} has {known}; leave it out for all")
    titles = protocol.sources if table is None else protocol.tables[table]
    files = {title: protocol.sources[title].file for title in titles}
    found = {title: find(folder, name) for title, name in files.items()}
    sets = {title: path for title, path in found.items() if path is not None}
    if not sets:
        which = protocol.name if table is None else f"table {table} of {protocol.name}"
        raise MissingDataError(
            f"no data set of {which} is in {folder}: {say_files(dict.fromkeys(files.values()))}; "
            f"most are had from {ORIGINS}"
        )
    missing = {title: name for title, name in files.items() if title not in sets}
    return Chosen(sets, missing, protocol.n_splits if splits is None else splits)
