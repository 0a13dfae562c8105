"""Numbers kept from run to run, and what is slower now than they say.

A ratio to a bare cost or to a peer that was measured beside it is what lasts: seconds are compared
only of work that stands beside nothing, and only on the machine that they were measured on. Kept
numbers stay as they are until ``python -m benchmarks --keep`` replaces them, so that small losses
do not add up unseen; work that is new is added to them.
"""

import json

from benchmarks.measure import RESULTS

#: How many times what is kept is still noise.
LIMIT = 1.05


def path_of(section):
    return RESULTS / f"{section}.json"


def read(section):
    """Of each work, its seconds, its ratio (None beside nothing) and its machine."""
    path = path_of(section)
    return json.loads(path.read_text()) if path.exists() else {}


def write(section, kept, found, machine, *, replace=False):
    """Add what is new to what is kept; or replace all of it."""
    new = {work: {**numbers, "machine": machine} for work, numbers in found.items()}
    text = json.dumps(new if replace else {**new, **kept}, indent=1, ensure_ascii=False)
    path_of(section).write_text(text + "\n")


def fallen(kept, found, machine):
    """A line for each work that takes longer than is kept of it, the worst first."""
    lines = []
    for work in found.keys() & kept.keys():
        what = comparable(kept[work], found[work], machine)
        if what is not None:
            before, after = kept[work][what], found[work][what]
            if after > LIMIT * before:
                shown = f"{work}: {what} {before:.3g}, now {after:.3g} (+{after / before - 1:.0%})"
                lines.append((-after / before, shown))
    return [shown for _, shown in sorted(lines)]


def comparable(kept, found, machine):
    """Which of the numbers can be compared, if any."""
    if kept["ratio"] is not None and found["ratio"] is not None:
        return "ratio"
    alone = kept["ratio"] is None and found["ratio"] is None
    return "seconds" if alone and kept["machine"] == machine else None
