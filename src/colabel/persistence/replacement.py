"""Files that are written whole or not at all."""

import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

_OPEN_FILES = Path("/proc/self/fd")


@contextmanager
def name_failures(name: Any) -> Iterator[None]:
    """Let a full disk, and all else that fails, say which file it is about."""
    try:
        yield
    except OSError as error:
        if error.errno is None or str(error.filename) == str(name):
            raise
        raise OSError(error.errno, error.strerror, str(name)) from None


class _Named(io.RawIOBase):
    """Passes on what is written; what fails has a name, which descriptors do not know."""

    def __init__(self, file: Any, name: Any) -> None:
        self._file, self._name = file, name

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        with name_failures(self._name):
            return int(self._file.write(data))


@contextmanager
def named_writer(file: Any, name: Any) -> Iterator[BinaryIO]:
    """A binary file to write to in place of `file`, which is flushed and stays open."""
    with io.BufferedWriter(_Named(file, name)) as writer:
        yield writer
    with name_failures(name):
        file.flush()


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, that takes the place of `path` once all of it is on the disk.

    Until then the old file stays as it is, whatever happens: an exception, a kill, no power. What
    is not a file, such as a pipe, is written to directly.
    """
    target = Path(os.path.realpath(path))
    if Path(path).exists() and not (target.is_file() or target.is_dir()):
        with open(path, "wb", buffering=0) as device, named_writer(device, path) as file:
            yield file
        return
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {target.parent}; create it first")
    with name_failures(path):
        descriptor, name = _new_file(target.parent)
    try:
        with (
            open(descriptor, "wb", buffering=0, closefd=False) as new,
            named_writer(new, path) as file,
        ):
            yield file
        with name_failures(path):
            name = _finish(descriptor, name, target)
            os.close(descriptor)
            descriptor = -1
            os.replace(name, target)
        name = None
        _sync_folder(target.parent)
    finally:
        if descriptor >= 0:
            os.close(descriptor)
        if name is not None:
            with suppress(OSError):
                name.unlink()


def _finish(descriptor: int, name: Path | None, target: Path) -> Path:
    """The name of a new file that is on the disk, with the permissions of the one it replaces."""
    if target.exists() and hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
    os.fsync(descriptor)
    return name or _follow_links(descriptor, target.parent)


def _new_file(folder: Path) -> tuple[int, Path | None]:
    """A new file; without a name where the system can, so that a kill leaves nothing behind."""
    if hasattr(os, "O_TMPFILE") and _OPEN_FILES.is_dir():
        # not every file system has these
        with suppress(OSError):
            return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666), None
    name = _free_name(folder)
    binary: int = getattr(os, "O_BINARY", 0)
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | binary, 0o666), name


def _follow_links(descriptor: int, folder: Path) -> Path:
    """Give a name to a file without one."""
    name = _free_name(folder)
    parent = os.open(folder, os.O_RDONLY)
    try:
        # without dst_dir_fd the link itself would be linked, not the file that it leads to
        os.link(_OPEN_FILES / str(descriptor), name.name, dst_dir_fd=parent, follow_symlinks=True)
    finally:
        os.close(parent)
    return name


def _free_name(folder: Path) -> Path:
    return folder / f".colabel-{secrets.token_hex(8)}.tmp"


def _sync_folder(folder: Path) -> None:
    """Make the new name last; systems that cannot open folders do so by themselves."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
