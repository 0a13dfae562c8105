"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_OPEN_FILES = Path("/proc/self/fd")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, that takes the place of `path` once all of it is on the disk.

    Until then the old file stays as it is, whatever happens: an exception, a kill, no power. What
    is not a file, such as a pipe, is written to directly.
    """
    target = Path(os.path.realpath(path))
    if Path(path).exists() and not (target.is_file() or target.is_dir()):
        with open(path, "wb") as file:
            yield file
        return
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a folder; name a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {target.parent}; create it first")
    descriptor, name = _new_file(target.parent)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            yield file
        if target.exists() and hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
        os.fsync(descriptor)
        name = name or _linked(descriptor, target.parent)
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


def _new_file(folder: Path) -> tuple[int, Path | None]:
    """A new file; without a name where the system can, so that a kill leaves nothing behind."""
    if hasattr(os, "O_TMPFILE") and _OPEN_FILES.is_dir():
        # not every file system has these
        with suppress(OSError):
            return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666), None
    name = _free_name(folder)
    binary: int = getattr(os, "O_BINARY", 0)
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | binary, 0o666), name


def _linked(descriptor: int, folder: Path) -> Path:
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
