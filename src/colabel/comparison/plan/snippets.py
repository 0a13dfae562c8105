"""Estimators as the code that makes them."""

import inspect
from itertools import takewhile
from typing import Any

from colabel.scales import scale_first

_WIDTH = 88


def snippet(model: Any, scale: str, source: str | None, new: str | None = None) -> str:
    """Code that fits a model on a file and predicts for the rows of one, whole as it stands."""
    model = scale_first(model, scale)
    reader = "load_debtags()" if source is None else source
    imports = {_import(kind) for kind in classes_in(model)}
    imports |= {("colabel.datasets", call.partition("(")[0]) for call in (reader, new) if call}
    own = "  # your data: load('FILE')" if source is None else ""
    rows = "data.X"
    if new is not None:
        rows = f"next({new})  # or a file of new rows, with or without labels"
    lines = [
        *_import_lines(imports),
        "",
        f"data = {reader}{own}",
        f"model = {_expression(model)}",
        "model.fit(data.X, data.Y.toarray())",
        "",
        f"rows = {rows}",
        "print(model.predict(rows[:5]))",
    ]
    return "\n".join(lines)


def _import_lines(imports: set[tuple[str, str]]) -> list[str]:
    modules = sorted({module for module, _ in imports} - {"__main__"})
    return [
        f"from {module} import {', '.join(sorted(name for m, name in imports if m == module))}"
        for module in modules
    ]


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not inspect.isclass(value)


def classes_in(value: Any) -> set[type]:
    """The classes of all estimators in an estimator, or in a list or tuple of them."""
    if isinstance(value, list | tuple):
        return {kind for item in value for kind in classes_in(item)}
    if not _is_estimator(value):
        return set()
    parts = list(value.get_params(deep=False).values())
    return {type(value)} | classes_in(parts)


def _import(kind: type) -> tuple[str, str]:
    """Where a class is imported from by those who use it."""
    public = list(takewhile(lambda part: not part.startswith("_"), kind.__module__.split(".")))
    return ("__main__" if not public else ".".join(public)), kind.__name__


def _expression(value: Any, indent: int = 0) -> str:
    """What makes a value, on one line where it fits."""
    if _is_estimator(value):
        opening, closing = f"{type(value).__name__}(", ")"
        parts = [(f"{name}=", item) for name, item in changed_parameters(value).items()]
    elif isinstance(value, dict):
        opening, closing = "{", "}"
        parts = [(f"{key!r}: ", item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        opening, closing = ("[", "]") if isinstance(value, list) else ("(", ")")
        parts = [("", item) for item in value]
    else:
        return repr(value)
    flat = opening + ", ".join(name + _expression(item) for name, item in parts) + closing
    if indent + len(flat) <= _WIDTH and "\n" not in flat:
        return flat
    pad = " " * (indent + 4)
    inner = ",\n".join(pad + name + _expression(item, indent + 4) for name, item in parts)
    return f"{opening}\n{inner},\n{' ' * indent}{closing}"


def changed_parameters(estimator: Any) -> dict[str, Any]:
    """The parameters that differ from their defaults, or have none."""
    signature = inspect.signature(type(estimator).__init__).parameters
    found = {}
    for name, value in estimator.get_params(deep=False).items():
        default = signature[name].default if name in signature else inspect.Parameter.empty
        if default is inspect.Parameter.empty or repr(value) != repr(default):
            found[name] = value
    return found
