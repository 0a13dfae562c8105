"""How the site is built: ``make docs``. Everything it needs is in the repository; no network."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "docs" / "_site")]

import tomllib  # noqa: E402

import gallery  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

project = PROJECT["project"]["name"]
author = copyright = PROJECT["project"]["authors"][0]["name"]
version = release = PROJECT["project"]["version"]

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "gallery",
    "mathml",
    "reference",
]

# The source of the site is the repository itself, so that a link between two of its files leads to
# the same place on the site, in an editor and wherever else the files are shown.
root_doc = "docs/index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
include_patterns = [
    "docs/**",
    "*.md",
    "benchmarks/RESULTS.md",
    # parts of the page above that others link to; a new one also goes into docs/which_method.md
    "benchmarks/results/audits.md",
    "benchmarks/results/held_out.md",
    "benchmarks/results/kernel_methods.md",
    "benchmarks/results/kernels.md",
    "benchmarks/results/mixtures.md",
    "benchmarks/results/probabilities.md",
    "benchmarks/results/promises.md",
    "benchmarks/results/unknown_labels.md",
]
exclude_patterns = [
    ".*",
    "README.md",  # docs/index.md is the first page here
    "build",
    "src",
    "tests",
    "**/__pycache__",
    "docs/_site",
    "docs/gallery/**/*.ipynb",
    "docs/gallery/**/*.zip",
]
# results of benchmarks are sections of one page, and begin as sections do
suppress_warnings = ["myst.header"]
nitpicky = False

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

default_role = "literal"
add_module_names = False
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = gallery.settings(ROOT, quick=tags.has("quick"))  # noqa: F821  Sphinx gives it

html_theme = "pydata_sphinx_theme"
html_title = "colabel"
html_extra_path = ["_site/extra"]
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_show_search_summary = False  # it would fetch pages, which files on a disk may not
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "colabel"},
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
}
html_context = {"default_mode": "auto"}
