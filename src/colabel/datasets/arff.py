"""The ARFF grammar: a header of attributes, then rows that are dense, or sparse and stay so.

Numbers are kept as they are; a nominal value as its place among those declared, so that in a
sparse row an omitted value is 0: the number zero, or the first value declared, as ARFF has it.
"""

import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from colabel._terminal import brief
from colabel.datasets._arff_tokens import QUOTED, Numbered, cells, entries, is_bare, unquote
from colabel.datasets._cells import number as read_number
from colabel.datasets._files import DataError, shown

_ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{}},]+)\s*(.*)", re.IGNORECASE)
_RELATION = re.compile(rf"@relation\s*({QUOTED}|.*)", re.IGNORECASE)
_RELATIONAL = re.compile(r"@attribute\s.*\srelational$", re.IGNORECASE)
_END = re.compile(r"@end\b", re.IGNORECASE)
_NUMERIC = re.compile(r"(?:numeric|real|integer)\s*(?:\[[^\[\]]*\])?", re.IGNORECASE)
_DATE = re.compile(rf"date(?:\s+(?:{QUOTED}|\S+))?", re.IGNORECASE)
_WEIGHT = re.compile(r"[,\t]\s*\{\s*([^{}\s]*)\s*\}$")
_ATTRIBUTE_WEIGHT = re.compile(r"(.*\S)\s+\{\s*([^{},\s]+)\s*\}")
_IN_NUMBERS = b"0123456789.eE+-"
_TRUTH = {"false": 0.0, "true": 1.0}


class Attribute(NamedTuple):
    """One column: a number, a text (`string`), one of the declared `values`, or nothing to read."""

    name: str
    line: int
    values: tuple[str, ...] | None = None
    string: bool = False
    #: What it is, where it can only be left out, as in "a date".
    unread: str = ""

    @property
    def numbers(self) -> np.ndarray | None:
        """The declared values as numbers; None where they are no numbers."""
        try:
            known = (_TRUTH.get(v.lower()) for v in self.values or ())
            pairs = zip(known, self.values or (), strict=True)
            return np.array([read_number(v) if k is None else k for k, v in pairs], dtype=float)
        except ValueError:
            return None


@dataclass
class Header:
    """What stands above @data."""

    path: Path
    relation: str = ""
    attributes: list[Attribute] = field(default_factory=list)
    #: Where each name was declared.
    lines: dict[str, int] = field(default_factory=dict)
    #: Texts met so far; a string value is kept as its place here, the empty text first.
    texts: list[str] = field(default_factory=lambda: [""])
    #: What a value means, for each attribute; and a cell as it stands, where that is as good.
    convert: list[Callable[[str], float]] = field(default_factory=list)
    convert_bare: list[Callable[[str], float]] = field(default_factory=list)

    def add(self, attribute: Attribute) -> None:
        """Take one more attribute."""
        line = self.lines.setdefault(attribute.name, attribute.line)
        if line != attribute.line:
            raise ValueError(
                f"attribute {shown(attribute.name)} was declared in line {line} already; rename "
                "one of them"
            )
        self.attributes.append(attribute)
        if attribute.string or attribute.unread:
            keep = self.keep if attribute.string else _nothing
            self.convert.append(keep)
            self.convert_bare.append(lambda text: keep(_bare(text)))
        elif attribute.values is None:
            self.convert.append(read_number)
            self.convert_bare.append(float)
        else:
            places = {value: float(i) for i, value in enumerate(attribute.values)}
            bare = {value: place for value, place in places.items() if is_bare(value)}
            self.convert.append(places.__getitem__)
            self.convert_bare.append(bare.__getitem__)

    def keep(self, text: str) -> float:
        """Remember a text, and give its place."""
        self.texts.append(text)
        return float(len(self.texts) - 1)


def _nothing(_: str) -> float:
    return 0.0


def _bare(text: str) -> str:
    text = text.strip()
    if text == "?" or not is_bare(text):
        raise ValueError
    return text


@dataclass(frozen=True)
class Rows:
    """The rows of a file, or some of them: a matrix of numbers and the line of each row."""

    matrix: Any
    lines: list[int]


def read_header(path: Path, lines: Numbered) -> Header:
    """Read up to @data."""
    header, number = Header(path), 0
    for number, text in lines:
        if text.lower().startswith("@data"):
            break
        try:
            _declare(header, number, text)
        except ValueError as error:
            raise DataError.at(path, number, str(error)) from None
        if _RELATIONAL.match(text):
            _skip_inner_attributes(lines)
    else:
        what = "no @data line" if number else "the file is empty"
        raise DataError.at(path, max(number, 1), f"{what}; is this a whole ARFF file?")
    if not header.attributes:
        raise DataError.at(path, number, "no @attribute stands before @data")
    return header


def _declare(header: Header, number: int, text: str) -> None:
    """Take what a line above @data declares."""
    if match := _ATTRIBUTE.match(text):
        header.add(_attribute(number, unquote(match[1]), match[2]))
    elif match := _RELATION.match(text):
        header.relation = unquote(match[1])
    else:
        raise ValueError(
            f"{shown(text)} is neither @relation, @attribute nor @data; take the line out"
        )


def _skip_inner_attributes(lines: Numbered) -> None:
    """Pass over what a relational attribute is made of, up to its @end."""
    depth = 1
    for _, text in lines:
        depth += bool(_RELATIONAL.match(text)) - bool(_END.match(text))
        if not depth:
            return


def _attribute(number: int, name: str, kind: str) -> Attribute:
    if match := _ATTRIBUTE_WEIGHT.fullmatch(kind):
        kind = match[1]
        _check_weight(f"attribute {shown(name)} has the weight", match[2])
    if _NUMERIC.fullmatch(kind):
        return Attribute(name, number)
    if kind.lower() == "string":
        return Attribute(name, number, string=True)
    if _DATE.fullmatch(kind):
        return Attribute(name, number, unread="a date")
    if kind.lower() == "relational":
        return Attribute(name, number, unread="relational")
    if not (kind.startswith("{") and kind.endswith("}")):
        raise ValueError(
            f"attribute {shown(name)} has the type {shown(kind)}; numeric, string and {{a,b,...}} "
            "are read, and date and relational where they are left out with ignore=; change it to "
            "one of these"
        )
    values = tuple(unquote(value) for value in cells(kind[1:-1]))
    if len(set(values)) < len(values):
        raise ValueError(f"attribute {shown(name)} declares a value twice; take one out")
    return Attribute(name, number, values)


def _check_weight(what: str, weight: str) -> None:
    """Weights of 1 say nothing; others would be lost."""
    try:
        if read_number(weight) == 1:
            return
    except ValueError:
        pass
    raise ValueError(f"{what} {{{weight}}}; only a weight of 1 is read, take it out")


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
    convert = header.convert_bare
    return keys, [convert[key](value) for key, value in zip(keys, words[1::2], strict=True)]


def _dense_row(header: Header, text: str) -> tuple[list[int], list[float]]:
    """Read a row of plain values; anything else is left to _careful_row."""
    if "_" in text or '"' in text or "'" in text or "\t" in text or not text.isascii():
        raise ValueError
    pairs = zip(header.convert_bare, text.split(","), strict=True)
    return [], [convert(cell) for convert, cell in pairs]


def _careful_row(header: Header, text: str, sparse: bool) -> tuple[list[int], list[float]]:
    """Read a row with quotes, spaces or missing values, or say what is wrong with it."""
    attributes = header.attributes
    if weight := _WEIGHT.search(text):
        _check_weight("the row has the instance weight", weight[1])
        text = text[: weight.start()].rstrip()
    if text.startswith("{") != sparse:
        raise ValueError(f"a {'dense' if sparse else 'sparse'} row among others; use one kind")
    if not sparse:
        found = cells(text)
        if len(found) != len(attributes):
            raise ValueError(f"{len(found)} values for {len(attributes)} attributes")
        return [], [_convert(header, i, cell) for i, cell in enumerate(found)]
    if not text.endswith("}"):
        raise ValueError(f"the row does not end with }}: {shown(text[-20:])}")
    given: dict[int, float] = {}
    for key, value in entries(text[1:-1].strip()):
        if not (key.isascii() and key.isdecimal()) or int(key) >= len(attributes):
            raise ValueError(f"index {shown(key)}; there are attributes 0 to {len(attributes) - 1}")
        if int(key) in given:
            raise ValueError(f"index {key} stands twice in a row; give each value once")
        given[int(key)] = _convert(header, int(key), value)
    return list(given), list(given.values())


def _convert(header: Header, i: int, text: str) -> float:
    if text == "?":
        return float("nan")
    attribute, meant = header.attributes[i], unquote(text)
    try:
        return header.convert[i](meant)
    except (ValueError, KeyError):
        allowed = "a number" if attribute.values is None else f"one of {brief(attribute.values)}"
        raise ValueError(
            f"attribute {shown(attribute.name)} is {shown(text)}; it must be {allowed}, or ? where "
            "it is missing"
        ) from None


def _refuse_infinite(path: Path, data: np.ndarray, counts: list[int], lines: list[int]) -> None:
    infinite = np.flatnonzero(np.isinf(data))
    if len(infinite):
        row = int(np.searchsorted(np.cumsum(counts), infinite[0], side="right"))
        raise DataError.at(path, lines[row], "an infinite value; write ? where it is not known")
