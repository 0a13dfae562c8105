"""The experiments of the papers behind the library, run again, beside their figures."""

from colabel.papers import han2010, ji2008, liu2006, sun2008, xu2016
from colabel.papers.ji2008_figures import FIGURES as JI_FIGURES
from colabel.papers.other_figures import HAN_FIGURES, LIU_FIGURES, XU_FIGURES
from colabel.papers.protocol import Protocol
from colabel.papers.sun2008_figures import FIGURES as SUN_FIGURES

#: By their names on the command line.
PROTOCOLS: dict[str, Protocol] = {
    module.PROTOCOL.name: module.PROTOCOL for module in (ji2008, sun2008, xu2016, han2010, liu2006)
}
#: The figures of each paper, by number; some are of the same experiment as the tables.
FIGURES: dict[str, dict[int, Protocol]] = {
    "ji2008": JI_FIGURES,
    "sun2008": SUN_FIGURES,
    "xu2016": {**XU_FIGURES, 3: xu2016.PROTOCOL, 4: xu2016.PROTOCOL},
    "han2010": HAN_FIGURES,
    "liu2006": {1: liu2006.PROTOCOL, **LIU_FIGURES},
}

__all__ = ["FIGURES", "PROTOCOLS", "Protocol", "figures_by_name"]


def figures_by_name() -> dict[str, Protocol]:
    """The figures that are experiments of their own."""
    every = (figure for of in FIGURES.values() for figure in of.values())
    return {figure.name: figure for figure in every if figure.name not in PROTOCOLS}
