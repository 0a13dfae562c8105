"""Text of strangers, made fit to be shown."""

from __future__ import annotations

from typing import Any


def one_line(text: Any) -> str:
    r"""Text on one line, without characters that steer a terminal or a page.

    Examples
    --------
    >>> from colabel._text import one_line
    >>> one_line("two  words\x1b[2J")
    'two words�[2J'
    """
    return "".join(c if c.isprintable() else "�" for c in " ".join(str(text).split()))
