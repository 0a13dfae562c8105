"""The experiments of the papers behind the library, run again, beside their figures."""

from colabel.papers import han2010, ji2008, liu2006, sun2008, xu2016
from colabel.papers.protocol import Protocol

#: By their names on the command line.
PROTOCOLS: dict[str, Protocol] = {
    module.PROTOCOL.name: module.PROTOCOL for module in (ji2008, sun2008, xu2016, han2010, liu2006)
}

__all__ = ["PROTOCOLS", "Protocol"]
