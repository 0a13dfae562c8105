"""Files in: decompressed, decoded, and with every failure said in one line."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO, Self, TextIO

from colabel._terminal import brief

#: More columns than this are taken for a mistake in the file, before anything is allocated.
MOST_COLUMNS = 100_000_000

_OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_BROKEN = (OSError, EOFError, lzma.LZMAError, zlib.error, UnicodeError)


class DataError(ValueError):
    """What is wrong with a data file, in one line: where, which value, the way out.

    Examples
    --------
    >>> from colabel.datasets import DataError
    >>> print(DataError.at("plants.csv", 7, "label 'tree' is 2; a label is 0 or 1"))
    plants.csv, line 7: label 'tree' is 2; a label is 0 or 1
    """

    @classmethod
    def at(cls, path: Any, line: int | None, what: str, unit: str = "line") -> Self:
        """Name the place: a file, and its line (or row, where lines mean nothing)."""
        where = f"{path}" if line is None else f"{path}, {unit} {line}"
        return cls(" ".join(f"{where}: {what}".splitlines()))


def shown(value: Any, most: int = 40) -> str:
    """A value from a file, for a message: on one line, and not too long."""
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."


def unknown(path: Any, line: int | None, what: str, name: str, names: Iterable[str]) -> DataError:
    """There is no such column, attribute or label: here are those that are."""
    names = list(names)
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {brief(names)}"
    return DataError.at(path, line, f"no {what} is named {shown(name)}; {hint}")


def without_compression(path: Path) -> Path:
    """The path without .gz, .bz2 or .xz."""
    return path.with_suffix("") if path.suffix.lower() in _OPENERS else path


def beside(path: Path, suffix: str) -> Path:
    """The file of another kind that belongs to this one: scene.svm.xz, scene.json."""
    return without_compression(path).with_suffix(suffix)


@contextmanager
def open_binary(path: Path) -> Iterator[BinaryIO]:
    """Open a file, decompressed by its suffix; what fails inside is said in one line."""
    try:
        with _OPENERS.get(path.suffix.lower(), open)(path, "rb") as file:
            yield file
    except _BROKEN as error:
        raise _explain(path, error, "utf-8") from None


@contextmanager
def open_text(path: Path, encoding: str = "utf-8", newline: str | None = None) -> Iterator[TextIO]:
    """Open a text file, decompressed by its suffix, without its byte order mark."""
    codec = "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
    try:
        with (
            _OPENERS.get(path.suffix.lower(), open)(path, "rb") as file,
            io.TextIOWrapper(file, encoding=codec, newline=newline) as text,
        ):
            yield text
    except LookupError as error:
        if "encoding" not in str(error):
            raise
        raise DataError.at(path, None, f"{error}; try encoding='latin-1'") from None
    except _BROKEN as error:
        raise _explain(path, error, encoding) from None


def _explain(path: Path, error: Exception, encoding: str) -> DataError | Exception:
    if isinstance(error, DataError):
        return error
    line = _lines_before_failure(path, encoding) + 1
    if isinstance(error, UnicodeError):
        what = f"this is not {encoding} text; pass encoding='latin-1', or save the file as UTF-8"
    elif isinstance(error, OSError) and error.strerror:
        return DataError.at(path, None, f"cannot be read: {error.strerror}; check the path")
    else:
        what = (
            f"the {path.suffix[1:]} data end or break off here ({error}); "
            "the file is truncated or damaged, fetch it again"
        )
    return DataError.at(path, line, what)


def _lines_before_failure(path: Path, encoding: str) -> int:
    count = 0
    try:
        with _OPENERS.get(path.suffix.lower(), open)(path, "rb") as file:
            for line in file:
                line.decode(encoding)
                count += 1
    except _BROKEN:
        pass
    return count
