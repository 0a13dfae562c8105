"""Model files: skops archives with the version of the library in them."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from numpy.typing import DTypeLike

from colabel._public import public
from colabel._terminal import brief
from colabel.persistence.packing import pack, unpack
from colabel.persistence.places import check_places
from colabel.persistence.replacement import replace_file
from colabel.persistence.trusted import TABLES, TRUSTED
from colabel.tables.kinds import is_available

#: The part of the archive that says who wrote it; read before anything else.
STAMP = "colabel.json"
_ZIP = b"PK\x03\x04"
_PICKLES = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))
_LARGEST_STAMP = 10_000


class ModelError(ValueError):
    """Why a model cannot be saved or loaded, in one line.

    Examples
    --------
    >>> from colabel.persistence import ModelError
    >>> print(ModelError.at("model.skops", "there is no such file"))
    model.skops: there is no such file
    """

    @classmethod
    def at(cls, path: Any, what: str) -> ModelError:
        """Name the file."""
        return cls(" ".join(f"{path}: {what}".split()))


@public
def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    trusted: Iterable[str] = (),
    whole: bool = True,
    dtype: DTypeLike | None = None,
) -> None:
    """Save a fitted model to a file that :func:`load` reads, whole or not at all.

    The file is an archive of the skops library: arrays, numbers and names of types, no code. It
    takes the place of an old one when all of it is written, and not before.

    Parameters
    ----------
    model : estimator, pipeline or Bundle
    path : str or path
        By custom it ends in ``.skops``.
    trusted : iterable of str, default=()
        Types that you trust beside :data:`colabel.persistence.TRUSTED`, such as
        ``"lightgbm.sklearn.LGBMClassifier"``; they have to be given to `load` too.
    whole : bool, default=True
        Whether to save what predictions do not need, such as the subspace that labels share.
    dtype : dtype or None, default=None
        ``"float32"`` halves the file: large arrays of numbers are saved with seven digits.

    Raises
    ------
    ModelError
        Saying what in the model cannot be saved.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import colabel
    >>> from sklearn.datasets import make_multilabel_classification
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> model = colabel.LabelRidge().fit(X, Y)
    >>> with TemporaryDirectory() as folder:
    ...     colabel.persistence.save(model, Path(folder, "model.skops"))
    ...     again = colabel.persistence.load(Path(folder, "model.skops"))
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    packed = pack(model, whole=whole, dtype=dtype)
    archive = _archive(packed, path, set(TRUSTED) | set(trusted))
    with replace_file(path) as file:
        file.write(archive)


@public
def load(path: str | os.PathLike[str], *, trusted: Iterable[str] = ()) -> Any:
    """Load a model that :func:`save` wrote; nothing in the file is run.

    Parameters
    ----------
    path : str or path
    trusted : iterable of str, default=()
        Types that you trust beside :data:`colabel.persistence.TRUSTED`.

    Raises
    ------
    ModelError
        For a file that is missing, damaged, of another library, of a newer version of this one, or
        that holds a type that is not trusted.

    Examples
    --------
    >>> from colabel.persistence import load
    >>> load("nowhere.skops")
    Traceback (most recent call last):
    colabel.persistence.ModelError: nowhere.skops: cannot be read: No such file or directory
    """
    try:
        with open(path, "rb") as file:
            _check_stamp(path, file)
            return _unpack(path, file, [*TRUSTED, *trusted])
    except OSError as error:
        raise ModelError.at(path, f"cannot be read: {error.strerror or error}") from None


def _archive(model: Any, path: Any, trusted: set[str]) -> bytes:
    import skops.io  # type: ignore[import-untyped]

    buffer = io.BytesIO()
    try:
        # stored as they are: coefficients are hardly smaller compressed, and that takes seconds
        skops.io.dump(model, buffer)
        untrusted = sorted(set(skops.io.get_untrusted_types(data=buffer.getvalue())) - trusted)
    except Exception as error:  # skops raises whatever its parts raise
        raise ModelError.at(
            path, f"{type(model).__name__} cannot be saved: {error}; nothing was written"
        ) from error
    if untrusted:
        raise ModelError.at(
            path,
            f"{type(model).__name__} holds {brief(untrusted)}, which load would refuse: a made-up "
            "file could do harm with it; pass it as trusted= to save and to load if you trust your "
            "files",
        )
    with ZipFile(buffer, "a", ZIP_DEFLATED) as archive:
        made_with = {name: version(name) for name in ("colabel", "scikit-learn", "skops")}
        archive.writestr(STAMP, json.dumps(made_with))
    return buffer.getvalue()


def _check_stamp(path: Any, file: BinaryIO) -> None:
    """Refuse a file of another kind, library or newer version, before any of it is interpreted."""
    begin = file.read(len(_ZIP))
    if begin.startswith(_PICKLES):
        raise ModelError.at(
            path,
            "this is a pickle, which could run any code, and was not opened; load it where you "
            "trust it, and save the model with colabel.save",
        )
    foreign = "this is not a model that colabel saved; make one with colabel fit or colabel.save"
    if begin != _ZIP:
        raise ModelError.at(path, foreign)
    try:
        with ZipFile(file) as archive:
            if STAMP not in archive.namelist():
                raise ModelError.at(path, foreign)
            if archive.getinfo(STAMP).file_size > _LARGEST_STAMP:
                raise ValueError("too large a stamp")
            theirs = _release(json.loads(archive.read(STAMP))["colabel"])
    except ModelError:
        raise
    except Exception as error:
        raise _say_damage(path, error) from None
    ours = version("colabel")
    if theirs > _release(ours):
        raise ModelError.at(
            path,
            f"saved by colabel {'.'.join(map(str, theirs))}, and this is {ours}; "
            "pip install --upgrade colabel",
        )


def _release(text: str) -> tuple[int, int]:
    major, minor, *_ = text.split(".")
    return int(major), int(minor)


def _unpack(path: Any, file: BinaryIO, trusted: list[str]) -> Any:
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException  # type: ignore[import-untyped]

    file.seek(0)
    try:
        model = skops.io.load(file, trusted=trusted)
        check_places(model)
        return unpack(model)
    except UntrustedTypesFoundException as error:
        # the message goes on for paragraphs
        refused = str(error).splitlines()[0].partition(": ")[2].rstrip(".")
        if any(name in refused for name in TABLES) and not is_available():
            what = "it reads a table by skrub; pip install 'colabel[tables]'"
            raise ModelError.at(path, what) from None
        raise ModelError.at(
            path,
            f"it holds {refused}, and was not loaded; if you know where the file comes from, pass "
            "these as trusted= to colabel.load",
        ) from None
    except Exception as error:  # a damaged file can fail anywhere
        raise _say_damage(path, error) from None


def _say_damage(path: Any, error: Exception) -> ModelError:
    what = "" if isinstance(error, BadZipFile | KeyError) else f" ({type(error).__name__}: {error})"
    return ModelError.at(path, f"the file is damaged{what}; copy it again, or fit the model again")
