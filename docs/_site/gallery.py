"""The gallery: every script of examples/, with what it prints and draws."""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_SCRIPT = re.compile(r"\]\((?:\.\./)*examples/(\w+)\.py\)")
#: What is shown first: one set of each kind, and then what to do with it.
_FIRST = ("text", "images", "genes", "log", "compare", "thresholds", "probabilities", "promises")


class Order:
    """The place of a script among the others."""

    def __init__(self, folder: str) -> None:
        """It is the same in every folder."""

    def __call__(self, script: str) -> tuple[int, str]:
        """Give those of the list before the others."""
        name = script.removeprefix("plot_").removesuffix(".py")
        return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)


def settings(root: Path, quick: bool) -> dict[str, Any]:
    """What sphinx-gallery is told; in the quick form nothing runs, and there are no pictures."""
    return {
        "examples_dirs": [str(root / "examples")],
        "gallery_dirs": ["docs/gallery"],
        "within_subsection_order": "gallery.Order",
        "filename_pattern": r"\.py$",
        "ignore_pattern": r"(__init__|found)\.py$",
        "download_all_examples": False,
        "show_memory": False,
        "capture_repr": (),  # what is printed and drawn, not what a last line happens to return
        "remove_config_comments": True,
        "copyfile_regex": r"found\.py",
        "notebook_images": False,
        "show_signature": False,
        "write_computation_times": False,  # its tables load scripts from elsewhere
        "plot_gallery": not quick,
        "abort_on_example_error": True,
    }


def _to_pages(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = _SCRIPT.sub(r"](/docs/gallery/\1.rst)", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """On the site, a link to a script leads to its page in the gallery."""
    app.connect("source-read", _to_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
