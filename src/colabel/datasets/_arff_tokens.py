"""The words of ARFF: values between commas or tabs, with quotes, escapes and comments."""

import re
from collections.abc import Iterator
from typing import Any

from colabel.datasets._files import shown

Numbered = Iterator[tuple[int, str]]

#: A value in quotes, and one without: it holds nothing that would need them.
QUOTED = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_BARE = r"""[^\s,"'{}]++"""
_CELL = re.compile(rf"\s*({QUOTED}|{_BARE}|)\s*(,|\t|$)")
_ENTRY = re.compile(rf"\s*(\S+)\s+({QUOTED}|{_BARE})\s*(,|$)")
_COMMENT = re.compile(rf"(?<![^\s,{{]){QUOTED}|(?<!\S)%")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[0-3][0-7]{2}|[0-7]{1,2}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}
is_bare = re.compile(_BARE).fullmatch


def numbered_lines(file: Any) -> Numbered:
    """Lines that say something, without trailing comments, with their numbers."""
    for number, line in enumerate(file, start=1):
        text = line.strip()
        if "%" in text:
            text = _uncomment(text)
        if text:
            yield number, text


def _uncomment(text: str) -> str:
    for match in _COMMENT.finditer(text):
        if match.group() == "%":
            return text[: match.start()].rstrip()
    return text


def cells(text: str) -> list[str]:
    """The values of a dense row, or those that a nominal attribute declares, as they stand."""
    return [cell for cell, _ in _matches(_CELL, text)]


def entries(text: str) -> list[tuple[str, str]]:
    """The indices and values of a sparse row, as they stand."""
    return [(key, value) for key, value, _ in _matches(_ENTRY, text)] if text else []


def _matches(pattern: re.Pattern[str], text: str) -> list[tuple[str, ...]]:
    """All matches, one after the other from the start to the end of the text."""
    found, position = [], 0
    while match := pattern.match(text, position):
        found.append(match.groups())
        position = match.end()
        if not match.groups()[-1]:
            return found
    raise ValueError(
        f"cannot read {shown(text[position:].strip())}; is a quote or a value missing? Put quotes "
        "around values that hold spaces, quotes or braces"
    )


def unquote(text: str) -> str:
    """What a value means: without its quotes, and with its escapes as the letters they are for."""
    if not text.startswith(("'", '"')) or len(text) < 2:
        return text
    meant = _ESCAPE.sub(_letter, text[1:-1])
    try:
        # \ud83d\ude00 is one letter in two halves
        return meant.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeError:
        raise ValueError(f"{shown(text)} holds half a letter; escape both halves of it") from None


def _letter(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "u" and len(code) > 1:
        return chr(int(code[1:], 16))
    return chr(int(code, 8)) if code[0] in "01234567" else _ESCAPED.get(code, code)
