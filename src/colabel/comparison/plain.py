"""Typed data from plain data and back, by msgspec; what it refuses, in our own words."""

import re
from copy import deepcopy
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_LONGEST = 60
_EXPECTED = re.compile(r"Expected `([^`]*)`(.*?)(?:, got `([^`]*)`)?$", re.S)
_WORDS = {
    "str": "a string",
    "bool": "true or false",
    "int": "an integer",
    "float": "a finite number",
    "array": "a list",
    "object": "a dict",
    "null": "null",
}


def to_plain(thing: Any) -> Any:
    """Dicts, lists, strings, numbers, booleans and None."""
    return msgspec.to_builtins(thing)


def read(data: Any, kind: type[T], where: str) -> T:
    """Typed data of plain data.

    Raises
    ------
    ValueError
        Of one line that names the place, what must be there and what is.

    Examples
    --------
    >>> from colabel.comparison.plain import read
    >>> read({"rows": "1"}, dict[str, int], "sizes")
    Traceback (most recent call last):
    ValueError: sizes.rows must be an integer; got str
    """
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        said = str(error)
        while "[...]" in said:
            said = _with_key(said, data, kind)
        raise ValueError(_in_words(said, where)) from None


def _with_key(message: str, data: Any, kind: Any) -> str:
    """The message with a key in place of the first "[...]", as which msgspec writes all keys.

    It is the one without which there would be another error, or none.
    """
    before = message.partition(" - at `$")[2].partition("[...]")[0]
    held = data = deepcopy(data)
    for name, number in re.findall(r"\.([^.\[`]+)|\[(\d+)\]", before):
        held = held[name or int(number)]
    everything = dict(held)
    for key, value in everything.items():
        held.clear()
        held[key] = value
        try:
            msgspec.convert(data, kind)
        except msgspec.ValidationError as error:
            if str(error) == message:
                return message.replace("[...]", f".{key}", 1)
    return message.replace("[...]", "", 1)


def _in_words(message: str, where: str) -> str:
    """As this library says it: place, what must be there, what is."""
    what, _, inside = message.partition(" - at `$")
    place = f"{where}{inside.rstrip('`')}".lstrip(".")
    if what.startswith("Object missing required field"):
        return f"{place} lacks {what.split('`')[1]}; add what is missing".strip()
    if what.startswith("Invalid enum value"):
        return f"{place} must be one of those that are known; got {what.split(' ', 3)[3]}"
    match = _EXPECTED.match(what)
    if match is None:  # of our own checks
        return what
    kinds, limit, got = match.groups()
    must = " or ".join(_WORDS.get(kind.strip(), kind.strip()) for kind in kinds.split("|"))
    must = "plain data" if kinds.count("|") > 2 else must
    return f"{place} must be {must}{_limit(limit)}" + (f"; got {got}" if got else "")


def _limit(said: str) -> str:
    if "e+308" in said or "e308" in said:  # the largest number that there is
        return ""
    if match := re.match(r" of length (>= )?(\d+)", said):
        return f" of {match[2]}" + (" or more" if match[1] else "")
    return re.sub(r"^ >= (\S+)$", r", \1 or more", said)


def refuse(where: str, must: str, value: Any) -> ValueError:
    """The error to raise for a value that is not what it must be."""
    shown = " ".join(repr(value).split())
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    return ValueError(f"{where} must be {must}; got {shown}")


def distinct(names: list[str], where: str) -> set[str]:
    """The names as a set; two that are equal are refused."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{where} has {name!r} twice; give each a name of its own")
        seen.add(name)
    return seen
