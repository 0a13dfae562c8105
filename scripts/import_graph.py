"""Who imports whom, read from the files, and the law about it.

The tests hold the library to :data:`LAYERS`; ``scripts/architecture.py`` draws the graph.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from colabel._homes import HOMES, PARTS

SOURCE = Path(__file__).resolve().parents[1] / "src" / "colabel"
#: A part may import only parts that stand before it.
LAYERS = [
    ["colabel._homes", "colabel._public", "colabel._limits", "colabel._address"],
    ["colabel.linalg"],
    ["colabel._terminal", "colabel._bars", "colabel._sklearn", "colabel._top_k"],
    ["colabel._documents", "colabel._tags", "colabel._discovery"],
    ["colabel._plotting"],
    ["colabel._parameters"],
    ["colabel._kernels"],
    ["colabel._row_blocks", "colabel._unknown"],
    ["colabel._weights", "colabel._indicator"],
    ["colabel._class_weights"],
    ["colabel._rows", "colabel._labels", "colabel._cuts", "colabel._scores", "colabel._accuracy"],
    ["colabel._in_parts", "colabel._bases"],
    ["colabel.family"],
    ["colabel.variance", "colabel.hypergraph"],
    ["colabel.tables"],
    ["colabel.metrics", "colabel.datasets", "colabel.extractors"],
    ["colabel.kernel_features"],
    ["colabel.preparation", "colabel.scales", "colabel.classifiers"],
    ["colabel.tuning"],
    ["colabel.mixture"],
    ["colabel.semi_supervised"],
    ["colabel.catalogue"],
    ["colabel.persistence"],
    ["colabel.explanation"],
    ["colabel.comparison.plain", "colabel.comparison.result"],
    ["colabel.comparison.plan"],
    ["colabel.comparison.run"],
    ["colabel.comparison.stats"],
    ["colabel.comparison.report"],
    ["colabel.comparison"],
    ["colabel.papers"],
    ["colabel.cli", "colabel.__main__"],
]


@cache
def modules() -> dict[str, Path]:
    """Every module below the package, and its file."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name != "colabel":
            found[name] = path
    return found


def part_of(module: str) -> str:
    """The entry of the layers that a module belongs to."""
    for names in LAYERS:
        for name in names:
            if module == name or module.startswith(name + "."):
                return name
    raise LookupError(f"{module} has no layer: add it to LAYERS in scripts/import_graph.py")


def layer_of(module: str) -> int:
    """How high a module stands."""
    part = part_of(module)
    return next(level for level, names in enumerate(LAYERS) if part in names)


def imported(module: str) -> Iterator[str]:
    """Every module of the library that one imports, at its head or inside of a function."""
    for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("colabel"):
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found = full if full in modules() else str(node.module)
                yield home_of(alias.name) if found == "colabel" else found
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("colabel."))


def home_of(name: str) -> str:
    """Where a name of the package itself is written."""
    for homes in (HOMES, PARTS):
        for home, names in homes.items():
            if name in names.split():
                return f"colabel.{home}"
    return f"colabel.{name}"


def edges() -> Iterator[tuple[str, str]]:
    """Who imports whom, module by module."""
    for module in modules():
        for other in imported(module):
            if other != module and not other.startswith("colabel._homes"):
                yield module, other
