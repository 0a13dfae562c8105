"""The report of a comparison: one page that needs nothing else, or markdown."""

from colabel.evaluation.report.markdown import markdown
from colabel.evaluation.report.page import html

__all__ = ["html", "markdown"]
