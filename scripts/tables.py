"""Write what is known elsewhere into the documents: ``make tables``.

The tables of methods come from the catalogue, the addresses of the project from pyproject.toml.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from colabel.catalogue import markdown

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md",)
_PLACE = re.compile(r"(<!-- methods: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_ADDRESSES = re.compile(r"(<!-- addresses -->\n).*?(<!-- end -->)", re.DOTALL)


def written(text: str, project: dict | None = None) -> str:
    """A document with its tables as the catalogue has them, and the addresses that there are."""
    known = project or tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    text = _PLACE.sub(lambda found: f"{found[1]}{markdown(found[2])}\n{found[3]}", text)
    return _ADDRESSES.sub(lambda found: f"{found[1]}{addresses(known)}{found[2]}", text)


def addresses(project: dict) -> str:
    """A line of links; nothing while the project has no public home."""
    urls = project["project"].get("urls", {})
    links = " · ".join(f"[{name}]({place})" for name, place in urls.items())
    return f"\n{links}\n" if links else ""


def main() -> int:
    """Write them."""
    for name in DOCUMENTS:
        path = ROOT / name
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
