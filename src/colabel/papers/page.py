"""What a run of a paper's experiment found, as markdown beside the paper's figures."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from colabel._terminal import markdown_table
from colabel.comparison.report.markdown import LEGEND, failures_section, score_cell
from colabel.comparison.report.view import cell_of
from colabel.comparison.result import DataFacts, MetricFacts
from colabel.comparison.stats.standings import ALPHA, Standing, standings
from colabel.comparison.stats.wording import NOTHING, count_things, join
from colabel.papers.cost import minutes_spent
from colabel.papers.earlier import date_of, load_earlier
from colabel.papers.effects import Results, differences, gaps_section
from colabel.papers.folder import say_files
from colabel.papers.gaps import CLEAR, all_gaps, gap
from colabel.papers.protocol import UNCONVERGED, Protocol
from colabel.papers.reproduction import Reproduction

_RULES = (
    f"{LEGEND} Certain is what Nadeau and Bengio's t-test for overlapping splits finds at "
    f"{ALPHA:.0%}, with Holm's correction for the number of methods; ≈ and ? are called level with "
    "the best, and of one split nothing is. A difference is ours less the paper's, with its "
    "standard error over splits."
)


def page(found: Reproduction, protocol: Protocol, folder: Path | None = None) -> str:
    """A paper's page; its pictures are drawn where there is a folder for them."""
    splits = max(data.splits.n for data in found.datasets)
    results = results_of(found, protocol, folder)
    took = f"{minutes_spent(found):.1f} minutes of one core"
    parts = [
        f"# {protocol.citation}",
        f"{date_of(found)}, `{found.meta.arguments['command']}`; {took}.",
        protocol.about.format(splits=splits),
        differences(results, protocol),
        _RULES if protocol.measures else "",
        verdict(found, protocol),
        gaps_section(results, protocol),
        *(_section(found, protocol, data) for data in found.datasets if protocol.measures),
        protocol.more(found, folder) if protocol.more else "",
        *failures_section(found),
        *_remarks(found),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _section(found: Reproduction, protocol: Protocol, data: DataFacts) -> str:
    size = f"{data.rows}×{data.features}, {data.labels} labels"
    head = f"## {data.name}: {size}, {count_things(data.splits.n, 'split')}"
    return f"{head}\n\n{_table(found, protocol, data.name)}"


def _table(found: Reproduction, protocol: Protocol, dataset: str) -> str:
    """All methods on a data set: our means, the paper's, and how they differ."""
    header: list[str] = [""]
    columns: list[list[str]] = [list(protocol.methods)]
    for measure in protocol.measures:
        name = measure.name
        of = {standing.name: standing for standing in standings(found, dataset, name)}
        gaps = [gap(found, protocol, dataset, method, name) for method in protocol.methods]
        header.append(name)
        columns.append([score_cell(cell_of(of[m]), _four) for m in protocol.methods])
        if any(gaps):
            header += ["paper", "difference"]
            columns.append(["" if one is None else f"{one.paper:.4f}" for one in gaps])
            columns.append(["" if one is None else str(one) for one in gaps])
    return markdown_table(header, zip(*columns, strict=True))


def _four(value: float | None) -> str:
    """With the four decimals of the papers' tables."""
    return NOTHING if value is None else f"{value:.4f}"


def verdict(found: Reproduction, protocol: Protocol) -> str:
    """In words: who wins on each measure, here and in the paper, and where the figures differ."""
    lines = [protocol.words(found)] if protocol.words else []
    lines += [_winners(found, protocol, measure) for measure in protocol.measures]
    lines += [_agreement(found, protocol, measure) for measure in protocol.measures]
    if found.missing:
        files = say_files(dict.fromkeys(found.missing.values()))
        lines.append(
            f"Not run, as they were not in the folder of data: {', '.join(found.missing)}; {files}."
        )
    return "\n".join(f"- {line}" for line in lines if line)


def _winners(found: Reproduction, protocol: Protocol, measure: MetricFacts) -> str:
    parts = []
    for data in found.datasets:
        table = standings(found, data.name, measure.name)
        if table[0].best:
            paper = published_best(protocol, data.name, measure)
            theirs = "" if paper is None else f" (the paper: {paper[0]}, {_four(paper[1])})"
            parts.append(f"{data.name}: {_leaders(table)}{theirs}")
    return f"Best {measure.name}. {'; '.join(parts)}." if parts else ""


def _leaders(table: list[Standing]) -> str:
    """The best, its score, and who is level with it."""
    level = join([standing.name for standing in table if standing.is_level], 4)
    best = f"{table[0].name}, {_four(table[0].score.mean)}"
    return f"{best}, level with {level}" if level else best


def published_best(
    protocol: Protocol, dataset: str, measure: MetricFacts
) -> tuple[str, float] | None:
    """The method that the paper has best, and its figure."""
    figures = protocol.published.get(measure.name, {}).get(dataset, {})
    pick = max if measure.greater_is_better else min
    best = pick(figures, key=lambda method: figures[method][0], default=None)
    return None if best is None else (best, figures[best][0])


def _agreement(found: Reproduction, protocol: Protocol, measure: MetricFacts) -> str:
    """How many figures are the paper's, within the error, and which are furthest from it."""
    gaps = {
        f"{method} on {dataset}": by
        for (dataset, method, name), by in all_gaps(found, protocol)
        if name == measure.name
    }
    if not gaps:
        return ""
    clear = [by for by in gaps.values() if by.is_clear]
    higher = sum(by.value > 0 for by in clear)
    far = sorted(gaps.items(), key=lambda pair: -abs(pair[1].value))[:3]
    return (
        f"{measure.name} beside the paper: of {len(gaps)} figures {len(gaps) - len(clear)} are "
        f"within {CLEAR:g} standard errors, {higher} are higher and {len(clear) - higher} lower. "
        f"Furthest: {'; '.join(f'{where} {by}' for where, by in far)}."
    )


def _remarks(found: Reproduction) -> Iterator[str]:
    """The parameters that were tuned, and where solvers stopped early."""
    chosen: dict[str, dict[str, str]] = {}
    early = {method.name: 0.0 for method in found.methods}
    for result in found.results:
        if result.chosen:
            chosen.setdefault(result.dataset, {})[result.method] = _parameters(result.chosen)
        early[result.method] += result.scores.get(UNCONVERGED.name) or 0
    lines = [
        f"- {dataset}: " + "; ".join(f"{method} {said}" for method, said in of.items())
        for dataset, of in chosen.items()
    ]
    if lines:
        yield "## Parameters, tuned on the first split\n\n" + "\n".join(lines)
    stopped = [f"{method}, in {count:g} fits" for method, count in early.items() if count]
    if stopped:
        yield f"Solvers stopped at their limit of iterations: {'; '.join(stopped)}."


def _parameters(values: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in values.items()
    )


def results_of(found: Reproduction, protocol: Protocol, folder: Path | None) -> Results:
    """With what was measured of the differences from the paper, and by an earlier protocol."""
    choices = None
    if folder is not None and protocol.choices is not None:
        path = folder / f"{protocol.choices.name}.json"
        choices = Reproduction.load(path) if path.is_file() else None
    return Results(found, choices, load_earlier(folder, protocol))
