"""Draw the pictures of the README and of the site's first pages: ``make docs`` runs it.

`overview.svg` shows one real row on its way through a real model, `web.svg` which methods are
special cases of which, and `report.png` the page that ``colabel compare --quick --report``
writes, in a browser (left as it is where there is none).
"""

from __future__ import annotations

import io
import os
import shutil
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from PIL import Image
from sklearn.feature_extraction.text import TfidfTransformer

from colabel import SharedSubspaceClassifierCV
from colabel.cli.app import run
from colabel.datasets import load_debtags

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"
INK, SOFT, ACCENT, PALE = "#1c2733", "#5b6b7a", "#0b6e99", "#e8f1f5"
#: A box of the web.
WIDE, HIGH = 1.42, 0.56
#: Of the web: where a method stands.
PLACES = {
    "PCA": (0.0, 3.0),
    "MVMD": (1.25, 3.0),
    "MDDMp": (2.5, 3.0),
    "MDDMf": (3.75, 3.0),
    "OPLS": (3.75, 2.0),
    "SharedSubspace-\nClassifier": (2.5, 1.0),
    "LabelRidge": (0.0, 1.0),
    "ASOClassifier\n(least squares)": (2.5, 0.0),
    "OCM": (1.25, 2.0),
    "LabelCCA": (3.75, 0.0),
    "HypergraphSpectral\n(cca)": (5.1, 0.0),
    "LDA\n(one-hot labels)": (5.1, 1.0),
    "MLDA": (5.1, 2.0),
    "MtSDA": (6.3, 1.0),
}
#: From one method to another, and where it becomes that.
WEB = [
    ("MVMD", "PCA", "β = 0"),
    ("MVMD", "MDDMp", "β = 1"),
    ("MDDMf", "MDDMp", "β = 0"),
    ("MDDMf", "OPLS", "γ = (1−β)/β"),
    ("SharedSubspace-\nClassifier", "OPLS", "α → ∞"),
    ("SharedSubspace-\nClassifier", "MDDMp", "β → ∞"),
    ("SharedSubspace-\nClassifier", "OCM", "β → ∞, scaled, one-hot"),
    ("SharedSubspace-\nClassifier", "LabelRidge", "α = 0"),
    ("SharedSubspace-\nClassifier", "ASOClassifier\n(least squares)", "β = 0"),
    ("SharedSubspace-\nClassifier", "LabelCCA", "α → ∞, whitened"),
    ("SharedSubspace-\nClassifier", "LDA\n(one-hot labels)", "α → ∞, scaled"),
    ("HypergraphSpectral\n(cca)", "LabelCCA", "label ridge 0"),
    ("MLDA", "LDA\n(one-hot labels)", ""),
    ("MtSDA", "LDA\n(one-hot labels)", "λ → 0"),
]


def canvas(width: float, height: float) -> tuple[plt.Figure, plt.Axes]:
    """Axes without anything on them, in inches, on white: it is shown on dark pages too."""
    figure = plt.figure(figsize=(width, height), facecolor="white")
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, width), ylim=(0, height))
    ax.axis("off")
    return figure, ax


def box(ax: plt.Axes, x: float, y: float, width: float, height: float, **style: object) -> None:
    """A box with round corners, centred."""
    style = {"facecolor": PALE, "edgecolor": ACCENT, "linewidth": 1.2, **style}
    shape = "round,pad=0,rounding_size=0.08"
    corner = (x - width / 2, y - height / 2)
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=shape, **style))


def keep(figure: plt.Figure, name: str) -> None:
    """Write an SVG that is the same whenever it is drawn from the same numbers."""
    FOLDER.mkdir(exist_ok=True)
    figure.savefig(FOLDER / name, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def web() -> None:
    """Which methods are special cases of which."""
    figure, ax = canvas(12.2, 6.0)
    at = {name: (1.1 + 1.6 * x, 0.7 + 1.5 * y) for name, (x, y) in PLACES.items()}
    for start, end, when in WEB:
        (x0, y0), (x1, y1) = at[start], at[end]
        # from the edge of one box to the edge of the other
        out = 1 / max(abs(x1 - x0) / (WIDE / 2), abs(y1 - y0) / (HIGH / 2))
        first, last = (
            (x0 + out * (x1 - x0), y0 + out * (y1 - y0)),
            (x1 - out * (x1 - x0), y1 - out * (y1 - y0)),
        )
        style = {"arrowstyle": "-|>", "mutation_scale": 12, "shrinkA": 0, "shrinkB": 0}
        ax.add_patch(FancyArrowPatch(first, last, color=SOFT, linewidth=1.1, **style))
        where = ((x0 + x1) / 2, (y0 + y1) / 2 + (0.15 if y0 == y1 else 0))
        patch = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
        ax.text(*where, when, ha="center", va="center", fontsize=8, color=INK, bbox=patch, zorder=3)
    for name, (x, y) in at.items():
        box(ax, x, y, WIDE, HIGH, zorder=2)
        ax.text(x, y, name, ha="center", va="center", fontsize=9, color=INK, zorder=4)
    keep(figure, "web.svg")


def overview() -> None:
    """A real row, the directions that its labels share, and what becomes of them."""
    data = load_debtags()
    train, test = data.split
    tfidf = TfidfTransformer(sublinear_tf=True)
    X = tfidf.fit_transform(data.X)
    model = SharedSubspaceClassifierCV(random_state=0, verbose=False).fit(X[train], data.Y[train])
    row = test[0]
    words = np.asarray(data.feature_names)[X[[row]].indices[np.argsort(-X[[row]].data)]]
    probable = model.predict_proba(X[[row]])[0]
    draw_overview(data.row_names[row], words[:7], data.label_names, probable, len(train))


def draw_overview(
    name: str, words: np.ndarray, tags: np.ndarray, probable: np.ndarray, rows: int
) -> None:
    """Words to the left, shared directions in the middle, tags to the right."""
    figure, ax = canvas(10.0, 4.3)
    heads = ((1.3, "features"), (4.85, "what labels share"), (8.2, "labels, and how probable"))
    for x, text in heads:
        ax.text(x, 4.0, text, ha="center", fontsize=12, weight="bold", color=INK)
    heights = np.linspace(3.45, 0.75, len(words))
    middle = np.linspace(2.95, 1.25, 3)
    best = np.argsort(-probable)[:7]
    for y, word in zip(heights, words, strict=True):
        box(ax, 1.3, y, 1.9, 0.34)
        ax.text(1.3, y, word, ha="center", va="center", fontsize=10, color=INK)
        for centre in middle:
            ax.plot([2.27, 4.42], [y, centre], color=SOFT, alpha=0.25, linewidth=0.9, zorder=0)
    for centre in middle:
        box(ax, 4.85, centre, 0.8, 0.5, facecolor=ACCENT)
        for y in heights:
            ax.plot([5.28, 6.05], [centre, y], color=SOFT, alpha=0.25, linewidth=0.9, zorder=0)
    ax.text(4.85, 0.8, "…", ha="center", va="center", fontsize=12, color=SOFT)
    for y, label in zip(heights, best, strict=True):
        ax.text(6.1, y, tags[label], va="center", fontsize=9.5, color=INK)
        box(ax, 9.1, y, 1.3, 0.2, edgecolor="none")
        width = 1.3 * probable[label]
        box(ax, 8.45 + width / 2, y, width, 0.2, facecolor=ACCENT, edgecolor="none")
        ax.text(8.38, y, f"{probable[label]:.2f}", ha="right", va="center", fontsize=9, color=INK)
    said = f"{name}, a program in Debian; learnt from {rows:,} others, with {len(tags)} tags"
    ax.text(5.0, 0.22, said, ha="center", fontsize=9.5, color=SOFT)
    keep(figure, "overview.svg")


def report(page: Path) -> None:
    """The page that a comparison writes, and what a browser shows of it."""
    page.parent.mkdir(parents=True, exist_ok=True)
    code = run(["compare", "debtags", "--quick", "--report", str(page)])
    if code:
        sys.exit(code)
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if browser is None:
        print("no chromium here: docs/pictures/report.png stays as it is", file=sys.stderr)
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        opened = running.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        view = opened.new_page(viewport={"width": 1100, "height": 1000}, color_scheme="light")
        view.goto(page.resolve().as_uri())
        shown = Image.open(io.BytesIO(view.screenshot()))
        opened.close()
    shown.quantize(32).save(FOLDER / "report.png", optimize=True)  # a third of the bytes


def main() -> None:
    """Draw all."""
    # text stays text: smaller, and found by a search
    plt.rcParams.update(
        {"svg.fonttype": "none", "svg.hashsalt": "colabel", "font.family": "sans-serif"}
    )
    web()
    overview()
    report(ROOT / "build" / "report.html")


if __name__ == "__main__":
    main()
