"""A progress bar for a comparison that is started from Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from colabel._progress import line


@contextmanager
def bar(enabled: bool) -> Iterator[Any]:
    """What shows the progress of a comparison on a terminal, and nothing elsewhere."""
    if not enabled:
        yield lambda state: None
        return
    with line("comparing", None, patience=0.0) as shown:
        yield lambda state: shown.update(
            state.done, state.total, "; ".join(state.running) or "comparing"
        )
