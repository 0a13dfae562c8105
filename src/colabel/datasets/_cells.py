"""What the text of a cell says: a number, or whether a label is there."""

from collections.abc import Sequence

import numpy as np

#: How files write that a label is absent or present, in small letters.
TRUTH = {
    **dict.fromkeys(("0", "0.0", "false", "f", "no", "n"), 0.0),
    **dict.fromkeys(("1", "1.0", "true", "t", "yes", "y"), 1.0),
}


#: How files write that a value, or a label, is not known, in small letters.
MISSING = {"", "?", "na", "n/a", "nan", "null", "none"}


def number(text: str) -> float:
    """The number that a text writes; unlike `float`, it takes no ``1_0`` and no other digits."""
    if "_" in text or not text.strip().isascii():
        raise ValueError(f"{text!r} is no number")
    return float(text)


def numbers(cells: Sequence[str]) -> np.ndarray:
    """A column of texts as numbers; they are looked through all at once."""
    together = "".join(cells)
    if "_" in together or not together.isascii():
        return np.array([number(cell) for cell in cells])
    return np.array([float(cell) for cell in cells])
