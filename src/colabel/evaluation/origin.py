"""Where results come from: versions, machine, and the methods with the code that makes them."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import joblib

from colabel.evaluation.contestant import Contestant
from colabel.evaluation.snippets import snippet

_PARTS = ("numpy", "scipy", "scikit-learn")


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
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in _PARTS},
        },
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


def about_methods(
    models: list[tuple[Contestant, Any]], scale: str, source: str | None
) -> list[dict[str, Any]]:
    """What a comparison says of its methods; the code reads the first data set."""
    return [
        {
            "name": contestant.name,
            "title": contestant.title,
            "kind": contestant.kind,
            "about": contestant.about,
            "code": snippet(model, scale, source),
        }
        for contestant, model in models
    ]
