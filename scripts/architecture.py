"""Draw the house from the import graph: ``make tables`` writes docs/architecture.md and .svg.

A room is a package or module of the library; it stands above all that it imports, and an arrow
leads up from each room that it needs and reaches through no other.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

from import_graph import LAYERS, edges, part_of

DOCS = Path(__file__).resolve().parents[1] / "docs"
#: Modules with an underscore are one room; the lowest of them hold only names and limits.
INSIDE, CELLAR = "_rows, _labels, _bases", LAYERS[0]


@dataclass(frozen=True)
class Room:
    """Where a part is drawn, what it does, and types that those above take from it."""

    column: float
    says: str
    gives: str


#: Columns are chosen so that arrows pass between rooms; heights follow from the imports.
ROOMS = {
    "linalg": Room(
        2.5,
        "X̄ and the products with it, whatever holds the numbers: dense, sparse, blocks on disk or "
        "a cluster, sums, kernels, weights; factorisations, Krylov and Newton solvers",
        "linalg.data: CentredData FactoredMatrix",
    ),
    INSIDE: Room(
        2.5,
        "X and y as they come in, parameters that are declared once, the bases of all estimators",
        "_indicator: Indicator; _bases: LinearScorer",
    ),
    "family": Room(
        1,
        "the problem max tr(PᵀAP) s.t. PᵀBP = I: similarities of which A and B are made, a solver "
        "a file, and the choice among them",
        "family.problem: TraceProblem Directions",
    ),
    "metrics": Room(
        3,
        "measures of sets, labels, rankings and probabilities; scorers",
        "metrics: Metric LabelScorer",
    ),
    "tables": Room(4, "columns of any kind as numbers", "tables: TableFeatures"),
    "variance": Room(0, "the method that looks at no label", "variance: PCA"),
    "extractors": Room(
        1, "methods that are nothing but a problem", "extractors: MVMD LabelCCA OPLS"
    ),
    "hypergraph": Room(
        2, "spectral learning on labels as hyperedges", "hypergraph: HypergraphSpectral"
    ),
    "kernel_features": Room(5, "landmarks for any pipeline", "kernel_features: KernelFeatures"),
    "datasets": Room(
        4, "files, frames and names as rows and labels; splits", "datasets: Dataset Columns"
    ),
    "classifiers": Room(
        1.5,
        "a linear or kernel score for each label, each method with the solver that only it needs",
        "classifiers: LabelRidge RankSVM MtSDA",
    ),
    "preparation": Room(4.4, "rare labels, rows, words, far values", "preparation: AsinhScaler"),
    "scales": Room(5, "what features are, and how they are scaled", "scales: FeatureKind"),
    "tuning": Room(
        3,
        "scores of rows that a model has not seen, and what is read from them: penalties, "
        "thresholds, probabilities, promises, audits",
        "tuning.held_out: HeldOut; tuning: ThresholdTuner",
    ),
    "semi_supervised": Room(1.5, "few labelled rows among many", "semi_supervised: CNMF SGT"),
    "mixture": Room(3.2, "members of several kinds, mixed by held-out scores", "mixture: BestOf"),
    "catalogue": Room(
        3,
        "a row a method, which commands, comparison, documents and model files read",
        "catalogue: Method Recipe",
    ),
    "persistence": Room(3, "models on the disk, and as ONNX", "persistence: Bundle"),
    "explanation": Room(
        2, "a score split into features and shared parts", "explanation: Explanation"
    ),
    "comparison": Room(
        4,
        "all methods on the same splits: plan, run in processes, statistics, report",
        "comparison: Comparison",
    ),
    "papers": Room(4, "the papers' experiments, on the same processes", "papers: Protocol"),
    "cli": Room(3, "the commands, and what they print", ""),
}
PAGE = """# The house in one picture

Written by `scripts/architecture.py` (`make tables`) from the imports in the files; a test compares
it with them.

![The parts of colabel, each above what it imports](architecture.svg)

A room stands above all that it imports, and no import leads upwards: `LAYERS` in
`scripts/import_graph.py` is the law, finer than the picture, and a test holds every file to it. An
arrow leads from a room to one that needs it; where it is needed through another room already, there
is none. Modules with an underscore (`_rows`, `_labels`, `_indicator`, `_bases`, …) are one room.

What flows, from the bottom to the top: X becomes `CentredData` and y an `Indicator` before any
method sees them. An extractor says which `TraceProblem` it is and gets `Directions`; a classifier
gives a score for each label. A search keeps the scores of rows that its models have not seen, and
thresholds, probabilities, promises and audits are read from these. A `Bundle` is a fitted model
with all that rows of a file go through before it, and a `Comparison` is what many models did on the
same splits.

{rows}
"""


def room_of(module: str) -> str | None:
    """The room that a module is in; None for the cellar and for the door."""
    part = part_of(module)
    if part in CELLAR or part == "colabel.__main__":
        return None
    name = part.removeprefix("colabel.").partition(".")[0]
    return INSIDE if name.startswith("_") else name


def needs() -> dict[str, set[str]]:
    """The rooms that each room imports from."""
    found: dict[str, set[str]] = {name: set() for name in ROOMS}
    for module, other in edges():
        above, below = room_of(module), room_of(other)
        if above and below and above != below:
            found[above].add(below)
    return found


def levels(graph: dict[str, set[str]]) -> dict[str, int]:
    """How high each room stands: one above the highest that it imports."""
    found: dict[str, int] = {}

    def level(name: str) -> int:
        if name not in found:
            found[name] = 1 + max(map(level, graph[name]), default=-1)
        return found[name]

    return {name: level(name) for name in graph}


def without_detours(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The imports that are not there through another room already."""

    def reach(name: str) -> set[str]:
        return graph[name].union(*map(reach, graph[name]))

    return {
        name: {other for other in below if not any(other in reach(b) for b in below)}
        for name, below in graph.items()
    }


COLUMN, ROW, BOX, TALL = 190, 78, 174, 46
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1b2733; text-anchor: middle }
.gives { font-size: 10.5px; fill: #4a5a68 }
rect { fill: #e8f0f7; stroke: #5b7f9e }
path { fill: none; stroke: #7b8b99; stroke-width: 1.3; marker-end: url(#end) }
marker path { fill: #7b8b99; stroke: none; marker-end: none }
"""


def places(heights: dict[str, int]) -> dict[str, tuple[float, float]]:
    """The middle of the upper edge of each room."""
    top = max(heights.values())
    return {
        name: (COLUMN * (room.column + 0.5), 10 + ROW * (top - heights[name]))
        for name, room in ROOMS.items()
    }


def picture() -> str:
    """The house as SVG."""
    graph = needs()
    at = places(levels(graph))
    width = max(x for x, _ in at.values()) + COLUMN / 2
    height = max(y for _, y in at.values()) + TALL + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
        "<title>The parts of colabel, each above what it imports</title>",
        f"<style>{STYLE}</style>",
        '<marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0 8 4 0 8z"/></marker>',
    ]
    for name, below in without_detours(graph).items():
        lines += [_arrow(at[other], at[name]) for other in sorted(below, key=list(ROOMS).index)]
    lines += [_box(name, *at[name]) for name in ROOMS]
    return "\n".join([*lines, "</svg>", ""])


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (u, v) = start, end
    u += max(-BOX / 3, min(BOX / 3, (x - u) / 5))
    v += TALL
    bend = (y - v) / 2
    return f'<path d="M{x:g} {y:g}C{x:g} {y - bend:g} {u:g} {v + bend:g} {u:g} {v:g}"/>'


def _box(name: str, x: float, y: float) -> str:
    room = ROOMS[name]
    given = ", ".join(type_names(room))
    text = y + (19 if given else 28)
    parts = [
        f"<g><title>{escape(room.says)}</title>",
        f'<rect x="{x - BOX / 2:g}" y="{y:g}" width="{BOX}" height="{TALL}" rx="6"/>',
        f'<text x="{x:g}" y="{text:g}">{escape(name)}</text>',
    ]
    if given:
        parts.append(f'<text class="gives" x="{x:g}" y="{y + 35:g}">{escape(given)}</text>')
    return "".join([*parts, "</g>"])


def type_names(room: Room) -> list[str]:
    """The types that a room gives, without where they are written."""
    return [name for _, names in homes(room) for name in names]


def homes(room: Room) -> list[tuple[str, list[str]]]:
    """Where the types that a room gives are written, and what they are called."""
    entries = [entry.partition(":") for entry in room.gives.split(";") if entry]
    return [(home.strip(), names.split()) for home, _, names in entries]


def page() -> str:
    """The document around the picture."""
    graph, lines = needs(), ["| part | what it does | gives | imports |", "|---|---|---|---|"]
    for name in sorted(ROOMS, key=levels(graph).__getitem__, reverse=True):
        given = ", ".join(f"`{one}`" for one in type_names(ROOMS[name]))
        below = ", ".join(f"`{one}`" for one in ROOMS if one in graph[name])
        lines.append(f"| `{name}` | {ROOMS[name].says} | {given} | {below} |")
    return PAGE.format(rows="\n".join(lines))


def main() -> int:
    """Write both."""
    (DOCS / "architecture.md").write_text(page(), encoding="utf-8")
    (DOCS / "architecture.svg").write_text(picture(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
