"""Print every dependency of pyproject.toml at its floor, for pip: ``numpy>=2.2`` as ``numpy==2.2``.

``python scripts/lowest.py [NAME ...]`` leaves the named extras and dependency groups out. ``make
test-lowest`` installs what is printed.
"""

import re
import sys
import tomllib
from collections.abc import Collection, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
_FLOOR = re.compile(r"([\w.-]+(?:\[[\w,-]+\])?)>=(\d[\w.]*)")


def floors(project: dict, without: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Name and lowest version of all that builds the package, that it needs, extras and groups."""
    for requirement in _declared(project, without):
        if requirement.startswith(f"{project['project']['name']}["):
            continue  # extras of its own, each of which stands for itself
        parts = _FLOOR.fullmatch(requirement)
        if parts is None:
            raise ValueError(f"{requirement!r} has no floor; write it as NAME>=VERSION")
        yield parts[1], parts[2]


def parts(project: dict) -> dict[str, list]:
    """Extras and dependency groups, by name."""
    return project["project"]["optional-dependencies"] | project["dependency-groups"]


def _declared(project: dict, without: Collection[str]) -> Iterator[str]:
    yield from project["build-system"]["requires"]
    yield from project["project"]["dependencies"]
    for name, requirements in parts(project).items():
        if name not in without:
            # a group that is included stands for itself
            yield from (one for one in requirements if isinstance(one, str))


def main(without: list[str]) -> None:
    """Print the pins."""
    project = tomllib.loads(PROJECT.read_text())
    known = parts(project)
    for name in without:
        if name not in known:
            sys.exit(f"{name}: there is no such extra or group; there are {', '.join(known)}")
    sys.stdout.writelines(f"{name}=={version}\n" for name, version in floors(project, without))


if __name__ == "__main__":
    main(sys.argv[1:])
