"""One row a method: what fits, compares, documents and trusts it reads this table."""

from colabel.catalogue.default import default_method
from colabel.catalogue.method import BEST, LINEAR, QUICK, SHARE, Method, Recipe
from colabel.catalogue.rows import catalogue, comparable, find, fittable, of_library, select
from colabel.catalogue.tables import markdown

__all__ = [
    "BEST",
    "LINEAR",
    "QUICK",
    "SHARE",
    "Method",
    "Recipe",
    "catalogue",
    "comparable",
    "default_method",
    "find",
    "fittable",
    "markdown",
    "of_library",
    "select",
]
