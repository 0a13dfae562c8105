"""What plain data must look like, declared as data: a shape is a function that refuses a value.

A shape takes a value and where it stands, such as ``results[3].split``, and raises a ValueError
of one line that names the place, what must be there and what is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Shape = Callable[[Any, str], None]
_LONGEST = 60


def refuse(where: str, must: str, value: Any) -> ValueError:
    """The error to raise for a value that is not what it must be."""
    shown = " ".join(repr(value).split())
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    return ValueError(f"{where} must be {must}; got {shown}")


def text(value: Any, where: str) -> None:
    """Any string."""
    if type(value) is not str:
        raise refuse(where, "a string", value)


def flag(value: Any, where: str) -> None:
    """True or False."""
    if type(value) is not bool:
        raise refuse(where, "true or false", value)


def number(least: float = -math.inf, whole: bool = False) -> Shape:
    """A finite number that is not less than `least`, of Python's own types."""
    kind = "an integer" if whole else "a finite number"
    must = kind if least == -math.inf else f"{kind}, {least} or more"

    def check(value: Any, where: str) -> None:
        right = type(value) is int or (type(value) is float and not whole)
        if not right or not math.isfinite(value) or value < least:
            raise refuse(where, must, value)

    return check


def one_of(*values: str) -> Shape:
    """One of a few strings."""

    def check(value: Any, where: str) -> None:
        if type(value) is not str or value not in values:
            raise refuse(where, f"one of {', '.join(values)}", value)

    return check


def optional(shape: Shape) -> Shape:
    """None, or what the shape allows."""

    def check(value: Any, where: str) -> None:
        if value is not None:
            shape(value, where)

    return check


def list_of(shape: Shape, least: int = 0, length: int | None = None) -> Shape:
    """A list, each item of one shape."""
    must = f"a list of {length}" if length is not None else "a list"

    def check(value: Any, where: str) -> None:
        if type(value) is not list or (length is not None and len(value) != length):
            raise refuse(where, must, value)
        if len(value) < least:
            raise refuse(where, f"a list of {least} or more", value)
        for i, item in enumerate(value):
            shape(item, f"{where}[{i}]")

    return check


def mapping(shape: Shape) -> Shape:
    """A dict from strings to values of one shape."""

    def check(value: Any, where: str) -> None:
        if type(value) is not dict or not all(type(key) is str for key in value):
            raise refuse(where, "a dict with strings as keys", value)
        for key, item in value.items():
            shape(item, f"{where}.{key}")

    return check


def record(required: dict[str, Shape], more: dict[str, Shape] | None = None) -> Shape:
    """A dict with these keys, and perhaps `more`; other keys may hold any plain data."""
    more = more or {}

    def check(value: Any, where: str) -> None:
        if type(value) is not dict:
            raise refuse(where, f"a dict with {', '.join(required)}", value)
        missing = [key for key in required if key not in value]
        if missing:
            raise ValueError(f"{where} lacks {', '.join(missing)}; add what is missing")
        for key, item in value.items():
            inside = key if where == "" else f"{where}.{key}"
            (required.get(key) or more.get(key) or plain)(item, inside)

    return check


def plain(value: Any, where: str) -> None:
    """Anything that JSON can hold and give back as it was."""
    if value is None or type(value) in (str, bool, int):
        return
    if type(value) is float:
        number()(value, where)
    elif type(value) is list:
        list_of(plain)(value, where)
    elif type(value) is dict:
        mapping(plain)(value, where)
    else:
        raise refuse(where, "plain data (dict, list, str, number, bool, None)", value)


def distinct(names: list[str], where: str) -> set[str]:
    """The names as a set; two that are equal are refused."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{where} has {name!r} twice; give each a name of its own")
        seen.add(name)
    return seen
