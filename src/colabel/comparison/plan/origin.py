"""Where results come from: versions, machine, and the methods with the code that makes them."""

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

from colabel.comparison.result import RunFacts

#: What results depend on; the last computes sparse products where it is installed.
_PARTS = ("numpy", "scipy", "scikit-learn", "numba")


def versions(kinds: Iterable[type] = ()) -> dict[str, str]:
    """The versions that results depend on, by the name of the distribution."""
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


def facts_of_run(title: str, seed: int | None, arguments: dict[str, Any]) -> RunFacts:
    """When, with which versions, on which machine, with which arguments."""
    return RunFacts(
        title=title,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        colabel=version("colabel"),
        versions={name: found for name, found in versions().items() if name != "colabel"},
        machine={
            "cores": joblib.cpu_count(),
            "memory_gib": _memory(),
            "system": f"{platform.system()} {platform.release()}",
            "processor": platform.processor() or platform.machine(),
        },
        seed=seed,
        arguments=arguments,
    )


def _memory() -> float | None:
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # a system without these
        return None
    return round(pages * size / 2**30, 1)
