"""What a comparison shows, in sentences that claim no more than it does."""

from colabel._terminal import one_line
from colabel.comparison.result import ComparisonData, MethodFacts, MetricFacts
from colabel.comparison.stats.overall import Overall, overall
from colabel.comparison.stats.standings import ALPHA, MARGIN, Standing, standings
from colabel.comparison.stats.wording import chance, count_things, join, score, seconds, times

#: A difference in speed that is worth a sentence.
_FASTER = 1.5
#: With fewer splits than these, intervals say more of the splits than of the methods.
_FEW = 5


def verdict(comparison: ComparisonData) -> list[str]:
    r"""What the comparison shows: over all data sets if there are several, else on the one."""
    if len(comparison.datasets) == 1:
        return dataset_verdict(comparison, comparison.datasets[0].name)
    whole = overall(comparison)
    if whole is None:
        return ["There are not two methods and two data sets to compare: too few runs finished."]
    return _overall_sentences(comparison, whole)


def dataset_verdict(comparison: ComparisonData, dataset: str) -> list[str]:
    r"""What the comparison shows on one data set."""
    table = standings(comparison, dataset)
    metric = comparison.metrics[0]
    splits = comparison.dataset(dataset).splits.n
    if not table[0].best:
        return [f"No method finished {_all(splits)}, so none can be called the best."]
    said = _quality(table, metric, splits)
    faster = _faster(table)
    if faster:
        said.append(faster)
    unfinished = [title(s.method) for s in table if not s.complete]
    if unfinished:
        said.append(f"Not finished, and not ranked: {join(unfinished)}.")
    return said


def title(method: MethodFacts) -> str:
    """What a method is called in sentences and tables."""
    return one_line(method.title)


def _all(splits: int) -> str:
    return "its split" if splits == 1 else f"all {splits} splits"


def _quality(table: list[Standing], metric: MetricFacts, splits: int) -> list[str]:
    best = table[0]
    others = [standing for standing in table[1:] if standing.complete]
    name, what = title(best.method), one_line(metric.title)
    value = score(best.score.mean)
    if not others:
        return [f"{name} reaches {what} {value}; no other method finished to compare it with."]
    if splits == 1:
        second = others[0]
        return [
            f"{name} has the best {what} on the one split made, {value}; "
            f"{title(second.method)} follows with {score(second.score.mean)}.",
            "With one split nothing can be said about how certain that is.",
        ]
    if any(standing.is_level for standing in others):
        return [f"{name} has the best {what}, {value}.", *_behind(others, splits)]
    second = others[0]
    lead = f"by {_lead(second, splits)} over {title(second.method)}, the next"
    if any((standing.p or 0.0) >= ALPHA for standing in others):
        return [f"{name} is best on {what}, {value}, {lead}."]
    return [
        f"{name} is best on {what}, {value}, {lead}; over {splits} splits every other method is "
        "significantly worse."
    ]


def _behind(others: list[Standing], splits: int) -> list[str]:
    """As good, and behind though not for certain: two sentences that nobody can take for one."""
    good = [f"{title(s.method)} ({_lead(s, splits)} behind)" for s in others if s.as_good]
    open_ = [f"{title(s.method)} ({_lead(s, splits)} behind)" for s in others if s.is_open]
    said = []
    if good:
        verb = "is" if len(good) == 1 else "are"
        said.append(f"As good, within {MARGIN:.0%} of it on these splits, {verb} {join(good, 4)}.")
    if open_ and splits < _FEW:
        said.append(
            f"{splits} splits are too few to say how certain the order is; take {_FEW} or more."
        )
    elif open_:
        said.append(f"Behind it, though not for certain over {splits} splits: {join(open_, 4)}.")
    return said


def _lead(standing: Standing, splits: int) -> str:
    """The lead of the best, with half its interval where there are splits enough to know it."""
    lead = standing.lead
    assert lead is not None  # only asked of methods that were compared with the best
    half = f" ± {score(lead.upper - lead.mean)}" if splits >= _FEW else ""
    return f"{score(lead.mean)}{half}"


def _faster(table: list[Standing]) -> str | None:
    """Of those that are as good, the fastest; nobody wants a worse one because it is fast."""
    best = table[0]
    good = [(s.fit.mean, title(s.method)) for s in table[1:] if s.as_good and s.fit.mean]
    if not good or not best.fit.mean:
        return None
    least, name = min(good)
    if best.fit.mean <= _FASTER * least:
        return None
    cost = f"{seconds(least)} against {seconds(best.fit.mean)}"
    return f"{name} is as good and {times(best.fit.mean / least)} faster to fit ({cost})."


def _overall_sentences(comparison: ComparisonData, whole: Overall) -> list[str]:
    titles = {method.name: title(method) for method in comparison.methods}
    what = one_line(comparison.metrics[0].title)
    (first, rank), *_ = whole.ranks
    n, test = whole.friedman.n_datasets, whole.friedman
    said = [f"{titles[first]} has the best average rank on {what} over {n} data sets, {rank:.2f}."]
    found = f"F = {test.f:.2f}, {chance(test.f_p)}"
    if test.f_p >= ALPHA:
        said.append(
            f"Friedman's test does not find that the {test.n_methods} methods differ ({found}): "
            "the order may be luck."
        )
    else:
        said.append(f"The {test.n_methods} methods differ (Friedman's test: {found}).")
        said.append(_nemenyi_sentence(whole, titles, first))
    if whole.failed:
        said.append(
            f"In {count_things(len(whole.failed), 'place')} a method did not finish and takes the "
            "worst rank."
        )
    if whole.left_out:
        said.append(f"Finished nowhere, and left out: {join([titles[m] for m in whole.left_out])}.")
    return said


def _nemenyi_sentence(whole: Overall, titles: dict[str, str], first: str) -> str:
    together = [m for group in whole.groups if first in group for m in group if m != first]
    apart = [m for m, _ in whole.ranks if m != first and m not in together]
    level = f"Nemenyi's test (critical difference {whole.critical_difference:.2f})"
    if not together:
        return f"{level} tells it apart from every other method."
    names = join([titles[m] for m in together], 4)
    if not apart:
        return f"{level} does not tell it apart from any other: {names}."
    worse = join([titles[m] for m in apart], 4)
    return f"{level} does not tell it apart from {names}; it is better than {worse}."
