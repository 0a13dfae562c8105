"""Where the project lives: what ``[project.urls]`` of pyproject.toml says, and nothing else."""

from functools import cache
from importlib.metadata import metadata


@cache
def address(name: str) -> str:
    """The address of this name, without a slash at its end; "" where there is none.

    Examples
    --------
    >>> from colabel._address import address
    >>> address("Moon")
    ''
    """
    for entry in metadata("colabel").get_all("Project-URL") or ():
        label, _, found = entry.partition(", ")
        if label == name:
            return found.rstrip("/")
    return ""


def page_of(kind: type) -> str:
    """The address of the page of the reference with a class; "" without an address.

    A name of the package itself has a page, those of a module stand on the module's. Scikit-learn
    adds a parameter as the fragment.
    """
    site, module = address("Documentation"), kind.__module__
    page = kind.__name__ if module == "colabel" else module.removeprefix("colabel.")
    return f"{site}/docs/api/{page}.html" if site else ""
