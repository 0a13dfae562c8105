"""``colabel fit`` as one would type it for what a comparison ran."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any

from colabel.catalogue import Method, Recipe, fittable, of_library

#: Options of :func:`colabel.datasets.load` that hold one text.
_TEXTS = ("label_column", "separator", "text", "encode", "encoding", "format")


def reading_arguments(path: str, options: Mapping[str, Any]) -> str | None:
    """The file and the options that read it, as the command line takes them."""
    words = [path if not path.startswith("-") else f"./{path}"]
    for name, value in options.items():
        given = _option(name, value)
        if given is None:
            return None
        words += given
    return shlex.join(words)


def _option(name: str, value: Any) -> list[str] | None:
    flag = f"--{name.replace('_', '-')}"
    if value is None:
        return []
    if name == "zero_based":
        return ["--zero-based" if value else "--one-based"]
    if name == "fetch":
        return [flag] if value else []
    if name == "kinds":
        return [word for pair in value.items() for word in ("--column", "=".join(pair))]
    if name == "text" and not isinstance(value, str):
        return [word for column in value for word in ("--text", column)]
    if name in ("labels", "ignore"):
        written = _columns(value)
    elif name in _TEXTS and isinstance(value, str):
        # a tab cannot be pasted into a terminal, and --separator knows this way to write it
        written = value.replace("\t", "\\t") if name == "separator" else value
    else:
        written = None
    if not written:
        return None
    return [f"{flag}={written}"] if written.startswith("-") else [flag, written]


def _columns(value: Any) -> str | None:
    """Names with commas between them, a number, or an XML file; None for what would be misread."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value}"
    if isinstance(value, PathLike) or (isinstance(value, str) and value.endswith(".xml")):
        return fspath(value)
    names = [value] if isinstance(value, str) else list(value)
    is_plain = all(isinstance(n, str) and n and n == n.strip() and "," not in n for n in names)
    alone = names[0] if is_plain and len(names) == 1 else ""
    if not is_plain or alone.lstrip("-").isdigit() or alone.endswith(".xml"):
        return None
    return ",".join(names)


def fit_command(
    method: Method, arguments: str | None, chosen: Iterable[Mapping[str, Any]], asked: Recipe
) -> str | None:
    """The command that fits a method on data as the comparison did, on all rows."""
    by_name = ":" in method.name if method.is_given else method.name in fittable()
    if arguments is None or not by_name:
        return None
    words = ["-m", method.name]
    if not method.tunes_itself and method.name in of_library():
        words += ["--no-tune"] if method.tuned is not None else []
        parameters = _parameters(method, list(chosen))
        words += [word for name, value in parameters.items() for word in _set(name, value)]
    usual = Recipe()
    words += ["--scoring", asked.scoring] if asked.scoring != usual.scoring else []
    words += ["--seed", f"{asked.seed}"] if asked.seed != usual.seed else []
    return f"colabel fit {arguments} {shlex.join(words)} -o model.skops"


def _parameters(method: Method, chosen: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Of the method itself: what the comparison sets, and what was found best most often."""
    found = {n: v for n, v in method.settings.items() if n != "random_state"}
    prefix = "extract__" if method.is_extractor else ""
    for name in method.grid:
        short = name.removeprefix(prefix)
        values = [best[short] for best in chosen if short in best]
        if name.startswith(prefix) and values:
            found[short] = Counter(values).most_common(1)[0][0]
    return found


def _set(name: str, value: Any) -> list[str]:
    return ["--set", f"{name}={value}"]
