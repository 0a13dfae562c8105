"""Times as a person writes them."""

import math
import re

from colabel.cli.errors import CommandError

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def seconds_of(given: str | None) -> float | None:
    """Seconds of a budget such as 90s, 5m, 1.5h."""
    if given is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", given.strip())
    seconds = float(match[1]) * _UNITS[match[2] or "s"] if match else math.nan
    if not 1 <= seconds < 1e7:
        raise CommandError(f"--budget {given}: use a time of a second or more, as 90s, 5m or 1h")
    return seconds
