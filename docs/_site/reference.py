"""The pages of the reference, one for each public name, from the lists that the library has.

They are written before Sphinx reads the site. `colabel.__all__` is grouped by what a name is for;
what else a module offers stands on one page of the module.
"""

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

import colabel

#: What a reader looks for, and the names for it; a test sees that no name is missing.
GROUPS = {
    "Classifiers": "LabelRidge LabelRidgeCV SharedSubspaceClassifier SharedSubspaceClassifierCV "
    "ASOClassifier RankSVM MtSDA MtSDACV BestOf",
    "Extractors": "PCA MDDMp MDDMf MVMD LabelCCA OPLS OCM MLSI MLDA DMLDA HypergraphSpectral "
    "KernelFeatures",
    "Few labelled rows": "CNMF SGT",
    "Thresholds, probabilities, promises": "ThresholdTuner ProbabilityCalibrator LabelSets",
    "Looking into data and models": "compare Comparison audit Audit explain Explanation "
    "all_estimators",
    "Data": "factor FactoredMatrix row_blocks",
    "Models on the disk": "save load to_onnx",
}
#: Modules with more to offer than the names above, each a page.
MODULES = (
    "metrics",
    "datasets",
    "family",
    "tuning",
    "classifiers",
    "semi_supervised",
    "tables",
    "mixture",
    "persistence",
    "catalogue",
)
_NAMES = {name for names in GROUPS.values() for name in names.split() if name[0].isupper()}


def modules() -> dict[str, list[str]]:
    """The names of each module that have no page of their own."""
    alone = set(colabel.__all__)
    found = {}
    for short in MODULES:
        module = importlib.import_module(f"colabel.{short}")
        found[short] = [name for name in module.__all__ if name not in alone]
    return found


def write(folder: Path) -> None:
    """Write all pages into a folder, touching only those that change."""
    pages = {"index.rst": _index()}
    for names in GROUPS.values():
        for name in names.split():
            pages[f"{name}.rst"] = _page(name)
    for short, names in modules().items():
        pages[f"{short}.rst"] = _module(short, names)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.rst"):
        if old.name not in pages:
            old.unlink()
    for file, text in pages.items():
        path = folder / file
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _index() -> str:
    parts = [
        _title("Reference", "="),
        ".. currentmodule:: colabel\n",
        "Every public name, by what it is for.\n",
    ]
    for group, names in GROUPS.items():
        parts.append(_title(group, "-"))
        parts.append(_table({name: _sentence(getattr(colabel, name)) for name in names.split()}))
    parts.append(_title("Modules", "-"))
    found = {short: importlib.import_module(f"colabel.{short}") for short in MODULES}
    parts.append(_table({short: _sentence(module) for short, module in found.items()}))
    pages = [name for names in GROUPS.values() for name in names.split()] + list(MODULES)
    inside = "\n".join(f"   {page}" for page in pages)
    parts.append(f".. toctree::\n   :hidden:\n\n{inside}\n")
    return "\n".join(parts)


def _table(sentences: dict[str, str]) -> str:
    rows = [".. list-table::", "   :widths: 30 70", "   :class: names", ""]
    for name, sentence in sentences.items():
        rows += [f"   * - :doc:`{name}`", f"     - {sentence}"]
    return "\n".join([*rows, ""])


def _page(name: str) -> str:
    return f"{_title(name, '=')}\n.. currentmodule:: colabel\n\n{_automatic(colabel, name)}"


def _module(short: str, names: list[str]) -> str:
    module = importlib.import_module(f"colabel.{short}")
    parts = [_title(f"colabel.{short}", "="), f".. automodule:: colabel.{short}\n   :no-members:\n"]
    own = [name for name in module.__all__ if name not in names]
    if own:
        parts.append("Also here, on pages of their own: " + ", ".join(map(_link, own)) + ".\n")
    for name in names:
        parts += [_title(name, "-"), _automatic(module, name)]
    return "\n".join(parts)


def _link(name: str) -> str:
    return f":doc:`{name}`"


def _automatic(module: ModuleType, name: str) -> str:
    thing, full = getattr(module, name), f"{module.__name__}.{name}"
    if inspect.isclass(thing):
        methods = ", ".join(_own_methods(thing))
        listed = f"   :members: {methods}\n" if methods else ""
        return f".. autoclass:: {full}\n   :no-members:\n{listed}".replace(
            "   :no-members:\n   :members:", "   :members:"
        )
    if inspect.ismodule(thing):
        return f".. automodule:: {thing.__name__}\n   :members:\n   :undoc-members:\n"
    if callable(thing):
        return f".. autofunction:: {full}\n"
    return f".. autodata:: {full}\n   :no-value:\n"


def _own_methods(kind: type) -> list[str]:
    """Public methods that the library has written; those of scikit-learn are documented there."""
    found = []
    for name in dir(kind):
        part = inspect.getattr_static(kind, name)
        plain = part.__func__ if isinstance(part, classmethod | staticmethod) else part
        plain = plain.fget if isinstance(plain, property) else plain
        code = getattr(inspect.unwrap(plain), "__code__", None) if callable(plain) else None
        ours = code is not None and f"{Path('colabel')}/" in code.co_filename
        if not name.startswith("_") and ours and inspect.getdoc(getattr(kind, name)):
            found.append(name)
    return found


def _sentence(thing: object) -> str:
    """The first paragraph of its documentation."""
    return plain((inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " "))


def plain(text: str) -> str:
    """A line whose names with an underscore at the end, and bars, are nothing but that.

    Docstrings are written to be read as they are; outside of backticks, reStructuredText takes
    ``mean_`` for a link and ``|Y|`` for something to fill in.
    """
    parts = text.split("`")
    parts[::2] = [re.sub(r"(?<=\w)_(?!\w)|\|", r"\\\g<0>", part) for part in parts[::2]]
    return "`".join(parts)


def _as_written(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
):
    """Make the lines of a docstring plain, but for examples."""
    in_example = False
    for i, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example and not line.startswith(".."):
            lines[i] = plain(line)


def _title(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}\n"


def _linked(app: Sphinx, page: nodes.document) -> None:
    """In the pages that people write, lead from a name in code to its page."""
    if app.env.docname.startswith("docs/api/"):
        return
    for code in list(page.findall(nodes.literal)):
        name = code.astext().partition("(")[0]
        if name in _NAMES and not isinstance(code.parent, nodes.reference | addnodes.pending_xref):
            link = addnodes.pending_xref(
                "",
                refdomain="py",
                reftype="obj",
                reftarget=f"colabel.{name}",
                refdoc=app.env.docname,
            )
            code.replace_self(link)
            link += code


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for any."""
    app.connect("builder-inited", lambda app: write(Path(app.confdir) / "api"))
    app.connect("doctree-read", _linked)
    app.connect("autodoc-process-docstring", _as_written, priority=900)  # after numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}
