"""The ARFF grammar: a header of attributes, then rows that are dense, or sparse and stay so.

Numbers are kept as they are; a nominal value as its place among those declared, so that in a
sparse row an omitted value is 0: the number zero, or the first value declared, as ARFF has it.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from colabel._validation import listed
from colabel.datasets._files import DataError, shown

Numbered = Iterator[tuple[int, str]]

_QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{}},]+)\s*(.*)", re.IGNORECASE)
_RELATION = re.compile(rf"@relation\s*({_QUOTED}|.*)", re.IGNORECASE)
_CELL = re.compile(rf"\s*({_QUOTED}\s*|[^,\"'][^,]*|)(,|$)")
_ENTRY = re.compile(rf"\s*(\S+)\s+({_QUOTED}|[^,\s\"'][^,\s]*)\s*(,|$)")
_COMMENT = re.compile(rf"(?<![^\s,{{]){_QUOTED}|(?<!\S)%")
_WEIGHT = re.compile(r",\s*(\{[^{} ]*\})$")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_IN_NUMBERS = b"0123456789.eE+-"
_NUMERIC = {"numeric", "real", "integer"}
_TRUTH = {"false": 0.0, "true": 1.0}


class Attribute(NamedTuple):
    """One column: a number, a text (`string`), or one of the declared `values`."""

    name: str
    line: int
    values: tuple[str, ...] | None = None
    string: bool = False

    @property
    def numbers(self) -> np.ndarray | None:
        """The declared values as numbers; None where they are no numbers."""
        try:
            return np.array([_TRUTH.get(v.lower(), v) for v in self.values or ()], dtype=float)
        except ValueError:
            return None


@dataclass
class Header:
    """What stands above @data."""

    path: Path
    relation: str = ""
    attributes: list[Attribute] = field(default_factory=list)
    #: Texts met so far; a string value is kept as its place here, the empty text first.
    texts: list[str] = field(default_factory=lambda: [""])
    convert: list[Callable[[str], float]] = field(default_factory=list)

    def add(self, attribute: Attribute) -> None:
        """Take one more attribute."""
        self.attributes.append(attribute)
        if attribute.string:
            self.convert.append(self._plain_text)
        elif attribute.values is None:
            self.convert.append(float)
        else:
            self.convert.append({v: float(i) for i, v in enumerate(attribute.values)}.__getitem__)

    def keep(self, text: str) -> float:
        """Remember a text, and give its place."""
        self.texts.append(text)
        return float(len(self.texts) - 1)

    def _plain_text(self, text: str) -> float:
        if text.strip() in ("?", ""):
            raise ValueError
        return self.keep(text.strip())


@dataclass(frozen=True)
class Rows:
    """The rows of a file, or some of them: a matrix of numbers and the line of each row."""

    matrix: Any
    lines: list[int]


def numbered_lines(file: Any) -> Numbered:
    """Lines that say something, without trailing comments, with their numbers."""
    for number, line in enumerate(file, start=1):
        text = line.strip()
        if "%" in text:
            text = _uncommented(text)
        if text:
            yield number, text


def _uncommented(text: str) -> str:
    for match in _COMMENT.finditer(text):
        if match.group() == "%":
            return text[: match.start()].rstrip()
    return text


def read_header(path: Path, lines: Numbered) -> Header:
    """Read up to @data."""
    header, seen, number = Header(path), dict[str, int](), 0
    for number, text in lines:
        if match := _ATTRIBUTE.match(text):
            attribute = _attribute(path, number, _unquoted(match[1]), match[2])
            if attribute.name in seen:
                raise DataError.at(
                    path,
                    number,
                    f"attribute {shown(attribute.name)} was declared in line "
                    f"{seen[attribute.name]} already; rename one of them",
                )
            seen[attribute.name] = number
            header.add(attribute)
        elif text.lower().startswith("@data"):
            break
        elif match := _RELATION.match(text):
            header.relation = _unquoted(match[1])
        else:
            raise DataError.at(
                path, number, f"{shown(text)} is neither @relation, @attribute nor @data"
            )
    else:
        what = "no @data line" if number else "the file is empty"
        raise DataError.at(path, max(number, 1), f"{what}; is this a whole ARFF file?")
    if not header.attributes:
        raise DataError.at(path, number, "no @attribute stands before @data")
    return header


def _attribute(path: Path, number: int, name: str, kind: str) -> Attribute:
    if kind.lower() in _NUMERIC:
        return Attribute(name, number)
    if kind.lower() == "string":
        return Attribute(name, number, string=True)
    if not (kind.startswith("{") and kind.endswith("}")):
        raise DataError.at(
            path,
            number,
            f"attribute {shown(name)} has the type {shown(kind)}; "
            "numeric, string and {a,b,...} are read",
        )
    try:
        values = tuple(_unquoted(value) for value in _cells(kind[1:-1]))
    except ValueError as error:
        raise DataError.at(path, number, str(error)) from None
    if len(set(values)) < len(values):
        raise DataError.at(path, number, f"attribute {shown(name)} declares a value twice")
    return Attribute(name, number, values)


def read_rows(header: Header, lines: Numbered, most: int | None = None) -> Rows | None:
    """Read the next rows, at most so many; None where there are no more."""
    numbers: list[int] = []
    counts: list[int] = []
    columns, values = array("q"), array("d")
    sparse: bool | None = None
    for number, text in islice(lines, most):
        if sparse is None:
            sparse = text.startswith("{")
        try:
            found = (_sparse_row if sparse else _dense_row)(header, text)
        except (ValueError, KeyError, IndexError):
            try:
                found = _careful_row(header, text, sparse)
            except ValueError as error:
                raise DataError.at(header.path, number, str(error)) from None
        numbers.append(number)
        counts.append(len(found[1]))
        columns.extend(found[0])
        values.extend(found[1])
    if sparse is None:
        return None
    data = np.array(values)
    _refuse_infinite(header.path, data, counts, numbers)
    shape = (len(numbers), len(header.attributes))
    if not sparse:
        return Rows(data.reshape(shape), numbers)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    matrix = sp.csr_array((data, np.array(columns, dtype=np.int32), indptr), shape=shape)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return Rows(matrix, numbers)


def _sparse_row(header: Header, text: str) -> tuple[list[int], list[float]]:
    """Read a row of plain numbers, ``{3 0.5,8 1}``; anything else is left to _careful_row."""
    body = text[1:-1].strip().replace(", ", ",")
    if not body:
        return _careful_row(header, text, sparse=True)
    # What is left without the digits must be one space in each entry, one comma between two.
    between = body.encode().translate(None, _IN_NUMBERS)
    words = body.replace(",", " ").split()
    if between != b" ," * (len(words) // 2 - 1) + b" " or len(words) % 2 or text[-1] != "}":
        raise ValueError
    keys = list(map(int, words[::2]))
    if min(keys) < 0 or len(set(keys)) < len(keys):
        raise ValueError
    convert = header.convert
    return keys, [convert[key](value) for key, value in zip(keys, words[1::2], strict=True)]


def _dense_row(header: Header, text: str) -> tuple[list[int], list[float]]:
    if "_" in text or '"' in text or "'" in text:
        raise ValueError
    cells = text.split(",")
    return [], [convert(cell) for convert, cell in zip(header.convert, cells, strict=True)]


def _careful_row(header: Header, text: str, sparse: bool) -> tuple[list[int], list[float]]:
    """Read a row with quotes, spaces or missing values, or say what is wrong with it."""
    attributes = header.attributes
    if weight := _WEIGHT.search(text):
        raise ValueError(f"the instance weight {weight.group(1)} is not read; take it out")
    if text.startswith("{") != sparse:
        raise ValueError(f"a {'dense' if sparse else 'sparse'} row among others; use one kind")
    if not sparse:
        cells = _cells(text)
        if len(cells) != len(attributes):
            raise ValueError(f"{len(cells)} values for {len(attributes)} attributes")
        return [], [_converted(header, i, cell) for i, cell in enumerate(cells)]
    if not text.endswith("}"):
        raise ValueError(f"the row does not end with }}: {shown(text[-20:])}")
    found: dict[int, float] = {}
    for key, value in _entries(text[1:-1].strip()):
        if not key.isdecimal() or int(key) >= len(attributes):
            raise ValueError(f"index {shown(key)}; there are attributes 0 to {len(attributes) - 1}")
        if int(key) in found:
            raise ValueError(f"index {key} stands twice in a row; give each value once")
        found[int(key)] = _converted(header, int(key), value)
    return list(found), list(found.values())


def _converted(header: Header, i: int, text: str) -> float:
    if text == "?":
        return float("nan")
    attribute = header.attributes[i]
    if attribute.string:
        return header.keep(_unquoted(text))
    try:
        if attribute.values is None and "_" in text:
            raise ValueError
        return header.convert[i](_unquoted(text))
    except (ValueError, KeyError):
        allowed = "a number" if attribute.values is None else f"one of {listed(attribute.values)}"
        raise ValueError(
            f"attribute {shown(attribute.name)} is {shown(text)}; it must be {allowed}, or ? where "
            "it is missing"
        ) from None


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell, _ in _matches(_CELL, text)]


def _entries(text: str) -> list[tuple[str, str]]:
    return [(key, value) for key, value, _ in _matches(_ENTRY, text)] if text else []


def _matches(pattern: re.Pattern[str], text: str) -> list[tuple[str, ...]]:
    """All matches, one after the other from the start to the end of the text."""
    found, position = [], 0
    while match := pattern.match(text, position):
        found.append(match.groups())
        position = match.end()
        if not match.groups()[-1]:
            return found
    raise ValueError(f"cannot read {shown(text[position:])}; is a quote or a value missing?")


def _unquoted(text: str) -> str:
    if not text.startswith(("'", '"')) or len(text) < 2:
        return text
    return re.sub(r"\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), text[1:-1])


def _refuse_infinite(path: Path, data: np.ndarray, counts: list[int], lines: list[int]) -> None:
    infinite = np.flatnonzero(np.isinf(data))
    if len(infinite):
        row = int(np.searchsorted(np.cumsum(counts), infinite[0], side="right"))
        raise DataError.at(path, lines[row], "an infinite value; write ? where it is not known")
