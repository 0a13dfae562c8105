"""Ranks, tests and diagrams of Xu, Liu, Yin & Sun (2016), measure by measure."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from colabel._terminal import markdown_table
from colabel.comparison.result import ComparisonData, MetricFacts
from colabel.comparison.stats.overall import mean_table, overall
from colabel.comparison.stats.ranks import average_ranks, critical_difference, friedman
from colabel.comparison.stats.standings import spread_of
from colabel.papers.figures import rank_diagrams
from colabel.papers.xu2016_methods import (
    DIRECTIONS,
    EXTRACTORS,
    FILLED,
    PUBLISHED_DIRECTIONS,
    PUBLISHED_F,
    PUBLISHED_LINKS,
    PUBLISHED_RANKS,
    RULES,
    SECONDS,
    SHARE,
    TRIED,
    measures_of,
)


def overall_ranks(found: ComparisonData, suffix: str = "") -> dict[str, float]:
    """The average rank of each method over data sets and measures."""
    of = [measure_ranks(found, measure, suffix) for measure in measures_of()]
    return {
        method.name: float(np.mean([ranks[method.name] for ranks in of]))
        for method in found.methods
    }


def further_sections(found: ComparisonData, folder: Path | None) -> str:
    """Average ranks, Friedman's test and Nemenyi's diagram, and how many directions are kept."""
    parts = [_ranks_section(found)]
    if overall(found) is not None:
        parts.append(_friedman_section(found))
        if all(name in {method.name for method in found.methods} for name in PUBLISHED_RANKS):
            parts.append(_nemenyi_section(found, folder))
    parts += [_directions_section(found), _seconds_section(found)]
    return "\n\n".join(parts)


def _ranks_section(found: ComparisonData) -> str:
    of = {rule: overall_ranks(found, suffix) for rule, suffix in TRIED.items()}
    rows = [
        (name, *(f"{ranks[name]:.2f}" for ranks in of.values()), f"{published:.2f}")
        for name, published in PUBLISHED_RANKS.items()
        if name in of["cut at 0"]
    ]
    body = markdown_table(["", *of, "paper"], rows)
    return f"## Average ranks over sets and measures\n\n{body}"


def _nemenyi_section(found: ComparisonData, folder: Path | None) -> str:
    """Nemenyi's test for each measure, as the paper makes it: its figure 4."""
    distance = critical_difference(len(found.methods), len(found.datasets))
    lines, rows = [], []
    for measure in measures_of():
        of = {rule: measure_ranks(found, measure, suffix) for rule, suffix in RULES.items()}
        lines += [(f"{measure.name}, {rule}", ranks, distance) for rule, ranks in of.items()]
        cells = [_links(linked(ranks, distance), measure.name) for ranks in of.values()]
        rows.append((measure.name, *cells, ", ".join(sorted(PUBLISHED_LINKS[measure.name]))))
    picture = "" if folder is None else rank_diagrams(lines, folder / "xu2016_figure4.svg")
    words = (
        f"Methods whose average ranks differ from that of MVMD by less than the critical "
        f"difference, {distance:.2f} here and 4.25 in the paper; ✓ where they are the paper's."
    )
    table = markdown_table(["linked with MVMD", *RULES, "paper"], rows)
    return f"## Nemenyi's test for each measure\n\n{words}\n\n{table}\n\n{picture}"


def measure_ranks(found: ComparisonData, measure: MetricFacts, suffix: str) -> dict[str, float]:
    """The average rank of each method over data sets, by one measure."""
    table = mean_table(found, measure.name + suffix)
    ranks = average_ranks(table, greater_is_better=measure.greater_is_better)
    return {method.name: float(rank) for method, rank in zip(found.methods, ranks, strict=True)}


def linked(ranks: Mapping[str, float], distance: float) -> set[str]:
    """The methods that the test does not tell from MVMD."""
    return {m for m in ranks if m != "MVMD" and abs(ranks[m] - ranks["MVMD"]) < distance}


def _links(found: set[str], measure: str) -> str:
    said = ", ".join(sorted(found))
    return f"✓ {said}" if found == PUBLISHED_LINKS[measure] else said


def in_words(found: ComparisonData) -> str:
    """The order of the average ranks beside the paper's."""
    plain, filled = (_order(overall_ranks(found, s)) for s in ("", FILLED))
    return (
        f"Average ranks over {len(found.datasets)} sets and six measures, scores cut at 0: {plain} "
        f"With a label for every row: {filled} In the paper: {_order(PUBLISHED_RANKS)} The paper "
        "tests the ranks of each measure by itself, and so does the page; means over measures, "
        "which depend on each other, are tested by nobody."
    )


def _order(ranks: Mapping[str, float]) -> str:
    return (
        ", ".join(f"{name} {ranks[name]:.2f}" for name in sorted(ranks, key=ranks.__getitem__))
        + "."
    )


def _friedman_section(found: ComparisonData) -> str:
    rows = []
    for measure in measures_of():
        tables = [mean_table(found, measure.name + suffix) for suffix in RULES.values()]
        greater = measure.greater_is_better
        tests = [friedman(t, greater_is_better=greater, correct_ties=False) for t in tables]
        cells = (f"{test.f:.2f} (p = {test.f_p:.0e})" for test in tests)
        rows.append((measure.name, *cells, f"{PUBLISHED_F[measure.name]:.2f}"))
    words = "F_F of the hypothesis that all methods are equally good; the paper's beside ours."
    return f"## Friedman's test\n\n{words}\n\n" + markdown_table(["", *RULES, "paper"], rows)


def _directions_section(found: ComparisonData) -> str:
    titles = [data.name for data in found.datasets]
    rows = []
    for method in EXTRACTORS:
        means = [spread_of(found, title, method, DIRECTIONS.name).mean for title in titles]
        rows.append([method, *("" if mean is None else f"{mean:.0f}" for mean in means)])
        if "Scene" in titles:
            rows[-1].append(str(PUBLISHED_DIRECTIONS[method]))
    header = ["", *titles, *(["Scene, paper"] if "Scene" in titles else [])]
    return f"## Directions kept, t = {SHARE}\n\n" + markdown_table(header, rows)


def _seconds_section(found: ComparisonData) -> str:
    """The paper's table 10."""
    titles = [data.name for data in found.datasets]
    rows = []
    for method in EXTRACTORS:
        means = [spread_of(found, title, method, SECONDS.name).mean for title in titles]
        known = [mean for mean in means if mean is not None]
        cells = ("" if mean is None else f"{mean:.3g}" for mean in means)
        rows.append([method, *cells, f"{np.mean(known):.3g}" if known else ""])
    words = (
        "The paper's table 10 is not in the text that we have. Ours is of the "
        "processor, one thread: of a factorisation that all "
        "methods share, counted for each, and of what the method does with it; the mean over sets "
        "is last."
    )
    return f"## Seconds of extraction\n\n{words}\n\n" + markdown_table(["", *titles, "mean"], rows)
