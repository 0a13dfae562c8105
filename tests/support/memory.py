"""How much memory a piece of work takes; the benchmarks measure by it too."""

import tracemalloc


def peak_bytes(function):
    """The most memory that a function holds at a time, what it starts with not counted."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
