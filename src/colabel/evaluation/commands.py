"""``colabel fit`` as one would type it for what a comparison ran."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from typing import Any

from colabel.evaluation import methods as registry
from colabel.evaluation.contestant import Contestant
from colabel.evaluation.contestants import contestants
from colabel.evaluation.snippets import changed_parameters

#: Options of :func:`colabel.datasets.load` that hold one text.
_TEXTS = ("label_column", "separator", "text", "encoding", "format")


def reading_arguments(path: str, options: Mapping[str, Any]) -> str | None:
    """The file and the options that read it, as the command line takes them.

    Parameters
    ----------
    path : str
        A file, or the name of a set.
    options : mapping
        Of :func:`colabel.datasets.load`.

    Returns
    -------
    str or None
        None for what cannot be said on a command line.

    Examples
    --------
    >>> from colabel.evaluation.commands import reading_arguments
    >>> reading_arguments("my news.csv", {"text": "body", "label_column": "tags", "separator": ";"})
    "'my news.csv' --text body --label-column tags --separator ';'"
    """
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
    contestant: Contestant, arguments: str | None, chosen: Iterable[Mapping[str, Any]], **plan: Any
) -> str | None:
    """The command that fits a method on data as the comparison did, on all rows.

    Parameters
    ----------
    contestant : Contestant
    arguments : str or None
        Of :func:`reading_arguments`.
    chosen : iterable of mapping
        The parameters that its searches found best, one for each split.
    **plan
        `scoring` and `seed` of the comparison.

    Returns
    -------
    str or None
        None where the command line has no such method, or cannot read the data.
    """
    known = contestants().get(contestant.name)
    is_ours = known is not None and known.estimator is contestant.estimator
    method = registry.methods().get(contestant.name) if is_ours else None
    if arguments is None or method is None:
        return None
    words = ["-m", contestant.name]
    if contestant.tunes_itself is None:
        words += ["--no-tune"] if method.tuned is not None else []
        parameters = _parameters(contestant, list(chosen))
        words += [word for name, value in parameters.items() for word in _set(name, value)]
    defaults = registry.Plan()
    words += ["--scoring", plan["scoring"]] if plan["scoring"] != defaults.scoring else []
    words += ["--seed", f"{plan['seed']}"] if plan["seed"] != defaults.seed else []
    return f"colabel fit {arguments} {shlex.join(words)} -o model.skops"


def _parameters(contestant: Contestant, chosen: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Of the method itself: what the comparison sets, and what was found best most often."""
    is_extractor = contestant.kind == "extractor"
    own = contestant.estimator.named_steps["extract"] if is_extractor else contestant.estimator
    found = {n: v for n, v in changed_parameters(own).items() if n != "random_state"}
    prefix = "extract__" if is_extractor else ""
    for name in contestant.grid or {}:
        short = name.removeprefix(prefix)
        values = [best[short] for best in chosen if short in best]
        if name.startswith(prefix) and values:
            found[short] = Counter(values).most_common(1)[0][0]
    return found


def _set(name: str, value: Any) -> list[str]:
    return ["--set", f"{name}={value}"]
