"""Results on the disk as they come, so that work that was stopped can go on."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Self

from colabel._terminal import one_line
from colabel.persistence.replacement import name_failures

_KIND, VERSION = "colabel-journal", 2


class JournalError(ValueError):
    """A journal that cannot be used: which file, why, what to do."""


def fingerprint(arguments: Mapping[str, Any]) -> str:
    """A hash of plain data; the order of its keys does not matter."""
    text = json.dumps(arguments, sort_keys=True, allow_nan=False, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Journal:
    """Keys with plain values, each on the disk before the next is begun.

    A line of JSON for each, after a line that says which arguments the work has. Opened again with
    the same arguments it holds what was added before; a last line that was cut short by a kill is
    taken off. One process at a time writes to a journal.

    Parameters
    ----------
    path : path or None
        The file, created where there is none; None keeps everything in memory.
    arguments : mapping
        Plain data that the results depend on. A file of other arguments is refused: results of
        different work never mix.
    check : callable or None
        Takes each key and value that the file holds, and raises a ValueError for what the work
        cannot have written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        arguments: Mapping[str, Any],
        check: Callable[[str, Any], None] | None = None,
    ) -> None:
        self.path = None if path is None else Path(path)
        self._check_entry = check
        self._hash = fingerprint(arguments)
        self._values: dict[str, Any] = {}
        self._file: BinaryIO | None = None
        if self.path is not None:
            self._file = _open(self.path)
            try:
                self._read(self._file)
            except BaseException:
                self.close()
                raise

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default where it has none."""
        return self._values.get(key, default)

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def add(self, key: str, value: Any) -> None:
        """Keep a value under a key, on the disk when this returns."""
        line = json.dumps([key, value], allow_nan=False)
        self._write(line)
        self._values[key] = json.loads(line)[1]

    def close(self) -> None:
        """Close the file; what was added can still be read."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, line: str) -> None:
        if self._file is not None:
            with name_failures(self.path):
                self._file.write(line.encode() + b"\n")
                self._file.flush()
                os.fsync(self._file.fileno())
        elif self.path is not None:
            raise JournalError(f"{self.path} is closed; open the journal again to add to it")

    def _read(self, file: BinaryIO) -> None:
        held = file.read()
        whole = held.rfind(b"\n") + 1
        lines = held[:whole].splitlines()
        if lines:
            self._check(lines[0])
            for number, line in enumerate(lines[1:], 2):
                key, value = self._entry(line, number)
                self._values[key] = value
        elif len(held) > 1000 or not b'{"kind": "colabel-journal"'.startswith(held[:26]):
            raise self._not_a_journal()
        if whole < len(held):
            file.truncate(whole)
        file.seek(whole)
        if not lines:
            self._write(json.dumps({"kind": _KIND, "version": VERSION, "arguments": self._hash}))

    def _entry(self, line: bytes, number: int) -> tuple[str, Any]:
        where = f"{self.path}, line {number}"
        try:
            match json.loads(line):
                case [str(key), value]:
                    if self._check_entry is not None:
                        self._check_entry(key, value)
                    return key, value
            raise ValueError("it must be a key and a value")
        except json.JSONDecodeError as error:
            raise JournalError(f"{where} is not whole; delete the file to start again") from error
        except (ValueError, RecursionError) as error:
            raise JournalError(
                f"{where} is not what was written there: {one_line(error)}; delete the file to "
                "start again"
            ) from error

    def _check(self, line: bytes) -> None:
        header = None
        with suppress(ValueError, RecursionError):
            header = json.loads(line)
        if not isinstance(header, dict) or header.get("kind") != _KIND:
            raise self._not_a_journal()
        if header.get("version") != VERSION:
            raise JournalError(
                f"{self.path} is a journal of version {one_line(header.get('version'))}, and "
                f"{VERSION} is read; name another file, or delete this one"
            )
        if header.get("arguments") != self._hash:
            raise JournalError(
                f"{self.path} holds results of other arguments, other data or other versions of "
                "the libraries; name another file, or delete this one"
            )

    def _not_a_journal(self) -> JournalError:
        return JournalError(f"{self.path} is not a journal of colabel; name another file")


def _open(path: Path) -> BinaryIO:
    """The file to read and to append to, for this process alone."""
    if path.is_dir():
        raise JournalError(f"{path} is a folder; name a file in it")
    if not path.resolve().parent.is_dir():
        raise JournalError(f"{path}: there is no folder {path.resolve().parent}; create it first")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    file = os.fdopen(descriptor, "r+b")
    try:
        _lock(descriptor)
    except OSError as error:
        file.close()
        raise JournalError(
            f"{path} is in use by another run with the same arguments; wait for it, or stop it"
        ) from error
    return file


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # a system without such locks
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
