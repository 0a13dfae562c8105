"""The catalogue as tables of the documentation."""

from colabel._terminal import markdown_table
from colabel.catalogue.method import Kind, Method
from colabel.catalogue.rows import catalogue


def markdown(kind: Kind) -> str:
    """The methods of one kind as a markdown table: name, class, and what it does."""
    rows = [_row(m) for m in catalogue().values() if m.kind == kind and m.then == "ridge"]
    return markdown_table(["name", "class", "what it does"], rows)


def _row(method: Method) -> list[str]:
    name = getattr(method.make, "__name__", "") or type(method.make()).__name__
    tuned = f", `{method.types[-1].__name__}`" if len(set(method.types)) > 1 else ""
    return [f"`{method.name}`", f"`{name}`{tuned}", method.about]
