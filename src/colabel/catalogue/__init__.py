"""One row a method: what fits, compares, documents and trusts it reads this table."""

from colabel.catalogue.method import BEST, DEFAULT, SHARE, Method, Recipe
from colabel.catalogue.rows import catalogue, comparable, find, fittable, of_library, select
from colabel.catalogue.tables import markdown

__all__ = [
    "BEST",
    "DEFAULT",
    "SHARE",
    "Method",
    "Recipe",
    "catalogue",
    "comparable",
    "find",
    "fittable",
    "markdown",
    "of_library",
    "select",
]
