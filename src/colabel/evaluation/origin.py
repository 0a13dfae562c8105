"""Where results come from: versions, machine, and the methods with the code that makes them."""

from __future__ import annotations

import hashlib
import inspect
import os
import platform
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any

import joblib

from colabel.evaluation.contestant import Contestant
from colabel.evaluation.prepared import Prepared
from colabel.evaluation.snippets import snippet

#: What results depend on; the last computes sparse products where it is installed.
_PARTS = ("numpy", "scipy", "scikit-learn", "numba")


def versions(kinds: Iterable[type] = ()) -> dict[str, str]:
    """The versions that results depend on, by the name of the distribution.

    Parameters
    ----------
    kinds : iterable of type
        Classes of methods: those of other projects have versions, too. Of a class that no
        distribution has, such as one in a script, it is a hash of its code.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> from colabel.evaluation.origin import versions
    >>> {"colabel", "numpy", "python", "scikit-learn", "scipy"} <= versions().keys()
    True
    """
    found = {"colabel": version("colabel"), "python": platform.python_version()}
    for name in _PARTS:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    for kind in kinds:
        found.update(_version_of(kind))
    return dict(sorted(found.items()))


def _version_of(kind: type) -> dict[str, str]:
    package = kind.__module__.partition(".")[0]
    if package in ("colabel", "sklearn"):
        return {}
    holders = _distributions().get(package)
    if holders:
        return {name: version(name) for name in set(holders)}
    try:
        code = inspect.getsource(kind)
    except (OSError, TypeError):  # typed at a prompt, or compiled
        return {}
    return {kind.__qualname__: hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()[:16]}


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def about_run() -> dict[str, Any]:
    """When, with which versions, on which machine; as plain data.

    Examples
    --------
    >>> from colabel.evaluation.origin import about_run
    >>> sorted(about_run())
    ['colabel', 'created', 'machine', 'versions']
    """
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "colabel": version("colabel"),
        "versions": {name: found for name, found in versions().items() if name != "colabel"},
        "machine": {
            "cores": joblib.cpu_count(),
            "memory_gib": _memory(),
            "system": f"{platform.system()} {platform.release()}",
            "processor": platform.processor() or platform.machine(),
        },
    }


def _memory() -> float | None:
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # a system without these
        return None
    return round(pages * size / 2**30, 1)


def about_method(
    contestant: Contestant, model: Any, data: Prepared, command: str | None
) -> dict[str, Any]:
    """What a comparison says of a method; code and command read the given data."""
    return {
        "name": contestant.name,
        "title": contestant.title,
        "kind": contestant.kind,
        "about": contestant.about,
        "code": snippet(model, data.scale, data.source, data.new_rows),
        "command": command,
    }
