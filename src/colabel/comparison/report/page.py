"""A comparison as a web page of one file: the verdict first, then what it rests on."""

from dataclasses import replace

from markupsafe import Markup

from colabel._terminal import one_line
from colabel.comparison.report import view as tables
from colabel.comparison.report.charts.rank_diagram import rank_diagram
from colabel.comparison.report.frame import render
from colabel.comparison.report.sections import section
from colabel.comparison.result import ComparisonData
from colabel.comparison.stats.overall import overall
from colabel.comparison.stats.recommendation import recommendation
from colabel.comparison.stats.standings import ALPHA, MARGIN, failures
from colabel.comparison.stats.verdict import title, verdict


def html(comparison: ComparisonData) -> str:
    """The report as a page that loads nothing from the network."""
    sets = [section(comparison, dataset, i) for i, dataset in enumerate(comparison.datasets)]
    titles = {method.name: title(method) for method in comparison.methods}
    return render(
        "comparison.html",
        script="script.js",
        title=comparison.meta.title,
        meta=comparison.meta,
        verdict=verdict(comparison),
        metrics=[replace(metric, title=one_line(metric.title)) for metric in comparison.metrics],
        alpha=ALPHA,
        margin=MARGIN,
        ranks=tables.average_rank_rows(comparison) if len(sets) > 1 else [],
        diagram=_diagram(comparison, titles),
        sets=sets,
        data=[one.data for one in sets],
        failures=failures(comparison),
        titles=titles,
        use=recommendation(comparison),
        methods=comparison.methods,
        made=tables.made(comparison),
    )


def _diagram(comparison: ComparisonData, titles: dict[str, str]) -> Markup | None:
    whole = overall(comparison)
    if whole is None:
        return None
    place = {name: i for i, (name, _) in enumerate(whole.ranks)}
    groups = [[place[name] for name in group] for group in whole.groups]
    ranks = [(titles[name], rank) for name, rank in whole.ranks]
    return rank_diagram(ranks, groups, whole.critical_difference)
