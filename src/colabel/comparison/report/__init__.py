"""The report of a comparison: one page that needs nothing else, or markdown."""

from colabel.comparison.report.markdown import markdown
from colabel.comparison.report.page import html

__all__ = ["html", "markdown"]
