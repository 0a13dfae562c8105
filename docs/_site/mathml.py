"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network, no TeX.

Sphinx's own renderers load MathJax from elsewhere or make pictures with LaTeX. docutils, which is
there anyway, has a converter.
"""

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_LOG = logging.getLogger(__name__)


def _drawn(node: nodes.Element, *, as_block: bool) -> str:
    # the sign ⊤ of fonts that are not made for formulas stands far too high
    tex = node.astext().replace(r"^\top", r"^{\mathrm{T}}")
    try:
        return latex2mathml.tex2mathml(tex, as_block=as_block)
    except MathError as error:
        _LOG.warning("formula %r: %s", node.astext(), error, location=node)
        return ""


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(_drawn(node, as_block=False))
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{_drawn(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
