"""What Xu, Liu, Yin & Sun (2016) say of their results, put to ours."""

import numpy as np

from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.overall import mean_table, overall
from colabel.comparison.stats.ranks import critical_difference, friedman
from colabel.comparison.stats.standings import ALPHA as LEVEL
from colabel.comparison.stats.standings import spread_of
from colabel.papers import protocol as paper
from colabel.papers.claims import ratio
from colabel.papers.xu2016_methods import (
    DIRECTIONS,
    EXTRACTORS,
    PUBLISHED_DIRECTIONS,
    PUBLISHED_LINKS,
    PUBLISHED_RANKS,
    RULES,
    SECONDS,
    measures_of,
)
from colabel.papers.xu2016_sections import linked, measure_ranks, overall_ranks


def _methods(found: ComparisonData) -> set[str]:
    return {method.name for method in found.methods}


def _leading(rule: str, suffix: str) -> paper.Claim:
    def test(found: ComparisonData) -> paper.Verdict | None:
        if "MVMD" not in _methods(found):
            return None
        places = {}
        for measure in measures_of():
            ranks = measure_ranks(found, measure, suffix)
            places[measure.name] = sum(rank < ranks["MVMD"] for rank in ranks.values()) + 1
        right = all(place == (2 if name == "recall" else 1) for name, place in places.items())
        said = ", ".join(f"{name} {place}" for name, place in places.items())
        return (paper.HOLDS if right else paper.FAILS), f"places of MVMD: {said}"

    text = "MVMD has the top average rank on five measures, and the second on recall"
    return paper.Claim(f"{text} ({rule})", "tables 3 to 8", test)


def _rejected(rule: str, suffix: str) -> paper.Claim:
    def test(found: ComparisonData) -> paper.Verdict | None:
        if any(overall(found, measure.name + suffix) is None for measure in measures_of()):
            return None
        tests = {
            measure.name: friedman(
                mean_table(found, measure.name + suffix),
                greater_is_better=measure.greater_is_better,
                correct_ties=False,
            )
            for measure in measures_of()
        }
        right = all(one.f_p < LEVEL for one in tests.values())
        least = max(tests, key=lambda name: tests[name].f_p)
        said = f"the largest p is that of {least}, {tests[least].f_p:.0e}"
        return (paper.HOLDS if right else paper.FAILS), said

    text = "on six measures, all nine methods have different performance (Friedman's test, 5%)"
    return paper.Claim(f"{text} ({rule})", "section 4.3", test)


def _groups(rule: str, suffix: str) -> paper.Claim:
    def test(found: ComparisonData) -> paper.Verdict | None:
        if not set(PUBLISHED_RANKS) <= _methods(found):
            return None
        distance = critical_difference(len(found.methods), len(found.datasets))
        same = [
            measure.name
            for measure in measures_of()
            if linked(measure_ranks(found, measure, suffix), distance)
            == PUBLISHED_LINKS[measure.name]
        ]
        right = len(same) == len(PUBLISHED_LINKS)
        said = f"exactly the paper's on {len(same)} of {len(PUBLISHED_LINKS)}: {', '.join(same)}"
        return (paper.HOLDS if right else paper.FAILS), said

    text = "what Nemenyi's test, made for each measure, does not tell from MVMD"
    return paper.Claim(f"{text} ({rule})", "figure 4", test)


def _on_scene(found: ComparisonData) -> paper.Verdict | None:
    if "Scene" not in {data.name for data in found.datasets}:
        return None
    kept = {
        method: spread_of(found, "Scene", method, DIRECTIONS.name).mean
        for method in PUBLISHED_DIRECTIONS
    }
    same = sum(kept[method] == number for method, number in PUBLISHED_DIRECTIONS.items())
    right = same == len(kept)
    return (paper.HOLDS if right else paper.FAILS), f"{same} of {len(kept)} numbers are the paper's"


def _mean_seconds(found: ComparisonData) -> dict[str, float]:
    """The mean over sets, as the last row of its table."""
    means = {}
    for method in EXTRACTORS:
        of = [spread_of(found, data.name, method, SECONDS.name).mean for data in found.datasets]
        known = [value for value in of if value is not None]
        if len(known) == len(found.datasets):
            means[method] = float(np.mean(known))
    return means


def _slowest(found: ComparisonData) -> paper.Verdict | None:
    means = _mean_seconds(found)
    if len(means) < len(EXTRACTORS):
        return None
    last = max(means, key=means.__getitem__)
    said = f"the slowest is {last}, {means[last]:.3g} s; MLSI {means['MLSI']:.3g} s"
    return (paper.HOLDS if last == "MLSI" else paper.FAILS), said


def _fast(found: ComparisonData) -> paper.Verdict | None:
    means = _mean_seconds(found)
    others = {name: mean for name, mean in means.items() if name not in ("PCA", "MVMD")}
    if not {"PCA", "MVMD"} <= set(means) or not others:
        return None
    slower = [name for name, mean in others.items() if mean > means["MVMD"]]
    said = (
        f"MVMD {means['MVMD']:.3g} s, PCA {means['PCA']:.3g} s; slower than MVMD: "
        f"{', '.join(slower) or 'none'}"
    )
    return (paper.HOLDS if len(slower) == len(others) else paper.FAILS), said


def _most_recall(rule: str, suffix: str) -> paper.Claim:
    def test(found: ComparisonData) -> paper.Verdict | None:
        if not set(PUBLISHED_RANKS) <= _methods(found):
            return None
        recall = next(measure for measure in measures_of() if measure.name == "recall")
        ranks = measure_ranks(found, recall, suffix)
        first = min(ranks, key=ranks.__getitem__)
        said = f"first is {first}, {ranks[first]:.2f}; MDDMf {ranks['MDDMf']:.2f}"
        return (paper.HOLDS if first == "MDDMf" else paper.FAILS), said

    return paper.Claim(
        f"MDDMf has the first average rank on recall ({rule})", "tables 3 to 8", test
    )


def _first_of_all(rule: str, suffix: str) -> paper.Claim:
    def test(found: ComparisonData) -> paper.Verdict | None:
        if not set(PUBLISHED_RANKS) <= _methods(found):
            return None
        ranks = overall_ranks(found, suffix)
        first = min(ranks, key=ranks.__getitem__)
        said = f"first is {first}, {ranks[first]:.2f}; MVMD {ranks['MVMD']:.2f}"
        return (paper.HOLDS if first == "MVMD" else paper.FAILS), said

    return paper.Claim(f"MVMD has the first rank over all six measures ({rule})", "figure 3", test)


FEW, MANY = ("MLDA", "MDDMp", "MDDMf", "CCA"), ("PCA", "MLSI", "DMLDA")


def _three_groups(found: ComparisonData) -> paper.Verdict | None:
    """Few directions, those of MVMD, and many; on every set."""
    right = 0
    for data in found.datasets:
        of = {m: spread_of(found, data.name, m, DIRECTIONS.name).mean for m in EXTRACTORS}
        kept = {method: number for method, number in of.items() if number is not None}
        if len(kept) < len(of):
            return None
        few, many = max(kept[m] for m in FEW), min(kept[m] for m in MANY)
        right += few < kept["MVMD"] < many
    said = f"so on {right} of {len(found.datasets)} sets"
    return (paper.HOLDS if right == len(found.datasets) else paper.FAILS), said


CLAIMS = (
    *(
        make(*rule)
        for make in (_leading, _most_recall, _first_of_all, _rejected, _groups)
        for rule in RULES.items()
    ),
    paper.Claim("directions kept on Scene at t = 0.999", "figure 1", _on_scene),
    paper.Claim(
        "MVMD runs faster than the six algorithms other than PCA",
        "table 10",
        _fast,
        "extraction was not timed in these results",
    ),
    paper.Claim(
        "MVMD runs almost as fast as PCA",
        "table 10",
        ratio("MVMD", "PCA", SECONDS.name),
        "extraction was not timed in these results",
    ),
    paper.Claim(
        "MLSI is time consuming (here: the slowest)",
        "table 10",
        _slowest,
        "extraction was not timed in these results",
    ),
    paper.Claim(
        "MVMD keeps more directions than MLDA, MDDMp, MDDMf and CCA, and fewer than PCA, MLSI and "
        "DMLDA",
        "table 9",
        _three_groups,
    ),
)
