"""What model files hold in the place of things that would fill them: words, and what is not used.

A list of a hundred thousand words is as many entries of JSON, and takes ten seconds to write. As
two arrays it takes none. Models are not changed: what stands for a part goes into a copy of what
holds it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from colabel._public import public

#: Of boosted trees, a type whose place changes with the versions; it follows from the rest.
_LOSS = "_loss"
#: Fewer words than this stay as they are.
MANY = 100


@public
@dataclass(frozen=True)
class Words:
    """Strings as one array of bytes and the places where they end.

    Examples
    --------
    >>> from colabel.persistence.packing import Words
    >>> Words.of(["one", "zwölf"]).unpack()
    ['one', 'zwölf']
    """

    letters: np.ndarray
    ends: np.ndarray
    #: Of the array they were in.
    shape: tuple[int, ...]

    @classmethod
    def of(cls, words: list[str], shape: tuple[int, ...] | None = None) -> Words:
        """Of a list, or of what was an array of a shape."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        letters = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        ends = np.cumsum([len(word) for word in encoded], dtype=np.int64)
        return cls(letters, ends, (len(words),) if shape is None else shape)

    def unpack(self) -> list[str]:
        """The strings."""
        ends = self.ends.tolist()
        if ends != sorted(ends) or (ends and not 0 <= ends[0] <= ends[-1] <= len(self.letters)):
            raise ValueError("words end outside of their letters")
        letters = self.letters.astype(np.uint8, copy=False).tobytes()
        return [
            letters[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip([0, *ends], ends, strict=False)
        ]


@public
@dataclass(frozen=True)
class Vocabulary:
    """A dictionary from words to numbers, in its order."""

    words: Words
    numbers: np.ndarray


def pack(model: Any, *, whole: bool = True, dtype: Any = None) -> Any:
    """The model with words as arrays; what holds some is copied, the rest is the same.

    Not `whole`: without what predictions do not need. With a `dtype`, large arrays of
    floating-point numbers are in it.
    """

    def rule(thing: Any) -> Any:
        if isinstance(thing, np.ndarray):
            return _pack_array(thing, dtype)
        if isinstance(thing, dict):
            return _pack_dict(thing)
        return thing

    def leave_out(thing: Any) -> tuple[str, ...]:
        if isinstance(thing, HistGradientBoostingClassifier):
            return (_LOSS,)
        return () if whole else getattr(type(thing), "_not_for_predict", ())

    return _Replacement(rule, leave_out).of(model)


def unpack(model: Any) -> Any:
    """The model as it was before `pack`."""

    def rule(thing: Any) -> Any:
        if isinstance(thing, Words):
            found = np.empty(len(thing.ends), dtype=object)
            found[:] = thing.unpack()
            return found.reshape(thing.shape)
        if isinstance(thing, Vocabulary):
            return dict(zip(thing.words.unpack(), thing.numbers.tolist(), strict=True))
        if isinstance(thing, HistGradientBoostingClassifier) and hasattr(thing, "_predictors"):
            vars(thing).setdefault(_LOSS, thing._get_loss(sample_weight=None))
        return thing

    return _Replacement(rule, lambda thing: ()).of(model)


def _pack_array(array: np.ndarray, dtype: Any) -> Any:
    if array.dtype == object and array.size >= MANY:
        words = array.ravel().tolist()
        if all(type(word) is str for word in words):
            return Words.of(words, array.shape)
    if dtype is not None and array.dtype.kind == "f" and array.size >= MANY:
        return array.astype(dtype, copy=False)
    return array


def _pack_dict(found: dict[Any, Any]) -> Any:
    if len(found) < MANY or not all(type(word) is str for word in found):
        return found
    if not all(isinstance(number, int | np.integer) for number in found.values()):
        return found
    return Vocabulary(Words.of(list(found)), np.array(list(found.values()), dtype=np.int64))


class _Replacement:
    """Parts of a model replaced by a rule, and copies of what holds them."""

    def __init__(
        self, rule: Callable[[Any], Any], leave_out: Callable[[Any], tuple[str, ...]]
    ) -> None:
        self.rule, self.leave_out = rule, leave_out
        # the things themselves are kept, too, so that no identity is used again
        self._done: dict[int, tuple[Any, Any]] = {}

    def of(self, thing: Any) -> Any:
        if id(thing) not in self._done:
            self._done[id(thing)] = thing, thing  # of what holds itself, itself
            self._done[id(thing)] = thing, self._replace(thing)
        return self._done[id(thing)][1]

    def _replace(self, thing: Any) -> Any:
        found = self.rule(thing)
        if found is not thing:
            return found
        if type(thing) in (list, tuple):
            parts = [self.of(part) for part in thing]
            same = all(a is b for a, b in zip(parts, thing, strict=True))
            return thing if same else type(thing)(parts)
        if type(thing) is dict:
            values = {key: self.of(value) for key, value in thing.items()}
            return values if any(values[key] is not thing[key] for key in thing) else thing
        if not hasattr(thing, "__dict__") or isinstance(thing, type | FunctionType):
            return thing
        return self._replace_attributes(thing)

    def _replace_attributes(self, thing: Any) -> Any:
        out = self.leave_out(thing)
        kept = {name: self.of(value) for name, value in vars(thing).items() if name not in out}
        if len(kept) == len(vars(thing)) and all(kept[n] is vars(thing)[n] for n in kept):
            return thing
        other = copy.copy(thing)
        other.__dict__.clear()
        other.__dict__.update(kept)
        return other
