"""Write the tables of methods into the documents, from the catalogue: ``make tables``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from colabel.catalogue import markdown

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md",)
_PLACE = re.compile(r"(<!-- methods: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def written(text: str) -> str:
    """A document with its tables as the catalogue has them."""
    return _PLACE.sub(lambda found: f"{found[1]}{markdown(found[2])}\n{found[3]}", text)


def main() -> int:
    """Write them."""
    for name in DOCUMENTS:
        path = ROOT / name
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
