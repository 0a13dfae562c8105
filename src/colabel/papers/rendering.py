"""Findings as markdown: tables beside the paper's figures, and in words who wins."""

from collections.abc import Sequence

from colabel._terminal import markdown_table
from colabel.papers.findings import Findings, Gap, best_methods, difference, published_best
from colabel.papers.folder import say_files
from colabel.papers.protocol import Measure, Protocol

#: From so many standard errors on, a difference is called one.
CLEAR = 2.0


def set_table(findings: Findings, protocol: Protocol, title: str) -> str:
    """All methods on a data set: our means, the paper's, and how they differ."""
    header: list[str] = [""]
    columns: list[list[str]] = [list(protocol.methods)]
    for measure in protocol.measures:
        differences = [
            difference(findings, protocol, title, method, measure.name)
            for method in protocol.methods
        ]
        header.append(measure.name)
        columns.append(_means(findings, protocol, title, measure))
        if any(differences):
            header += ["paper", "difference"]
            columns.append(["" if d is None else f"{d.paper:.4f}" for d in differences])
            columns.append(["" if d is None else shown(d) for d in differences])
    return markdown_table(header, zip(*columns, strict=True))


def shown(found: Gap) -> str:
    """A difference with its standard error."""
    error = "" if found.error is None else f" ± {found.error:.4f}"
    return f"{found.value:+.4f}{error}"


def _means(findings: Findings, protocol: Protocol, title: str, measure: Measure) -> list[str]:
    """Means and deviations over splits; the best, and those level with it, are bold."""
    leading = best_methods(findings, protocol, title, measure)
    cells = []
    for method in protocol.methods:
        mean = findings.mean(title, method, measure.name)
        deviation = findings.deviation(title, method, measure.name)
        text = "failed" if mean is None else f"{mean:.4f}"
        text = f"**{text}**" if method in leading else text
        cells.append(text if deviation is None else f"{text} ± {deviation:.4f}")
    return cells


def section(findings: Findings, protocol: Protocol, command: str, more: str = "") -> str:
    """A paper's page."""
    splits = max((about["splits"] for about in findings.sets.values()), default=0)
    parts = [
        f"# {protocol.citation}",
        f"{findings.created}, `{command}`.",
        protocol.about.format(splits=splits),
        "Means over splits and, where there are several, their standard deviations; bold is the "
        f"best, and what is level with it (less than {CLEAR:g} standard errors behind, split by "
        "split). A difference is ours less the paper's, with its "
        "standard error over splits.",
        verdict(findings, protocol),
    ]
    for title, about in findings.sets.items():
        size = f"{about['rows']}×{about['features']}, {about['labels']} labels"
        times = "1 split" if about["splits"] == 1 else f"{about['splits']} splits"
        parts.append(f"## {title}: {size}, {times}\n\n" + set_table(findings, protocol, title))
    parts += [more, *_remarks(findings)]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def verdict(findings: Findings, protocol: Protocol) -> str:
    """In words: who wins on each measure, here and in the paper, and where the figures differ."""
    lines = [protocol.words(findings)] if protocol.words else []
    lines += [_winners(findings, protocol, measure) for measure in protocol.measures]
    lines += [*_agreement(findings, protocol), *_missing(findings)]
    return "\n".join(f"- {line}" for line in lines if line)


def _winners(findings: Findings, protocol: Protocol, measure: Measure) -> str:
    parts = []
    for title in findings.sets:
        leading = best_methods(findings, protocol, title, measure)
        if not leading:
            continue
        mean = findings.mean(title, leading[0], measure.name)
        level = f", level with {_list(leading[1:])}" if leading[1:] else ""
        paper = published_best(protocol, title, measure)
        theirs = f" (the paper: {paper[0]}, {paper[1][0]:.4f})" if paper else ""
        parts.append(f"{title}: {leading[0]}, {mean:.4f}{level}{theirs}")
    return f"Best {measure.name}. " + "; ".join(parts) + "." if parts else ""


def _list(names: Sequence[str], most: int = 4) -> str:
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"


def _agreement(findings: Findings, protocol: Protocol) -> list[str]:
    """How many figures are the paper's, within the error, and which are furthest from it."""
    lines = []
    for measure in protocol.measures:
        found = [
            (d, f"{method} on {title} {shown(d)}")
            for title in findings.sets
            for method in protocol.methods
            if (d := difference(findings, protocol, title, method, measure.name)) is not None
        ]
        if not found:
            continue
        clear = [d for d, _ in found if d.error is None or abs(d.value) > CLEAR * d.error]
        higher = sum(d.value > 0 for d in clear)
        far = sorted(found, key=lambda pair: -abs(pair[0].value))[:3]
        lines.append(
            f"{measure.name} beside the paper: of {len(found)} figures {len(found) - len(clear)} "
            f"are within {CLEAR:g} standard errors, {higher} are higher and {len(clear) - higher} "
            f"lower. Furthest: {'; '.join(text for _, text in far)}."
        )
    return lines


def _missing(findings: Findings) -> list[str]:
    if not findings.missing:
        return []
    files = say_files(dict.fromkeys(findings.missing.values()))
    return [f"Not run, for want of data: {', '.join(findings.missing)}; {files}."]


def _remarks(findings: Findings) -> list[str]:
    remarks = []
    if findings.failures:
        failed = "\n".join(f"- {line}" for line in findings.failures)
        remarks.append(f"## Failed\n\n{failed}")
    chosen = [
        f"- {title}: " + "; ".join(f"{name} {_parameters(values)}" for name, values in of.items())
        for title, of in findings.tuned.items()
        if of
    ]
    if chosen:
        remarks.append("## Parameters, tuned on the first split\n\n" + "\n".join(chosen))
    early = _count_unconverged(findings)
    if early:
        remarks.append("Solvers stopped at their limit of iterations: " + "; ".join(early) + ".")
    return remarks


def _parameters(values: dict[str, object]) -> str:
    return ", ".join(
        f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in values.items()
    )


def _count_unconverged(findings: Findings) -> list[str]:
    counts: dict[str, int] = {}
    for methods in findings.values.values():
        for method, splits in methods.items():
            early = sum(values.get("unconverged", 0) for values in splits.values())
            counts[method] = counts.get(method, 0) + early
    return [f"{method}, in {count} fits" for method, count in counts.items() if count]
