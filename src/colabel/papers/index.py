"""The pages of a folder, and the index of them: who agrees with the papers, and what it took."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from colabel._terminal import markdown_table
from colabel.papers.cost import WholeRun, forecast, minutes_spent
from colabel.papers.earlier import count, date_of, is_outdated, set_aside
from colabel.papers.effects import causes_of, count_causes
from colabel.papers.page import page, results_of, verdict
from colabel.papers.protocol import FAILS, HOLDS, NOT_RUN, Protocol, Verdict
from colabel.papers.reproduction import Reproduction
from colabel.persistence.replacement import replace_file

_OPENING = """# The papers' experiments, run again

Our numbers beside the published ones, on the data that could be had. Written by `colabel reproduce`
from the results beside each page; nothing here is typed by hand. Each paper has a page with all
tables.

A claim is judged by the paper's own words, and by no limit of ours. "A above B" is a higher mean,
on every data set unless the paper says on how many; "in most cases", "as a whole" and what is said
without a number are more than half of them; tests are the paper's own, at its own level; "close"
and "similar" are the largest distance in the paper's own table. Where a limit is needed and the
paper has none, what was found is told, and the claim is not called tested.
"""
#: What the table of all papers has.
_COLUMNS = (
    "paper",
    "run",
    "splits (the paper's)",
    "figures within 2 standard errors",
    "by the earlier protocol",
    "causes of the others",
    "claims that hold",
    "minutes of one core",
)
#: With how many processes the whole is said to take how long.
_JOBS = 2


def write_pages(
    folder: Path, found: Reproduction, protocol: Protocol, protocols: Mapping[str, Protocol]
) -> list[Path]:
    """The page of a paper, its results, its pictures, and the index beside the folder."""
    folder.mkdir(exist_ok=True)
    set_aside(folder, protocol)
    own = folder / f"{protocol.name}.md"
    _write(own, page(found, protocol, folder))
    found.save(folder / f"{protocol.name}.json")
    for name, other in protocols.items():  # the page of the tables tells of its choices
        kept = folder / f"{name}.json"
        if other.choices is protocol and kept.is_file():
            _write(folder / f"{name}.md", page(Reproduction.load(kept), other, folder))
    return [own, write_index(folder, protocols)]


def write_index(folder: Path, protocols: Mapping[str, Protocol]) -> Path:
    """The index alone."""
    index = folder.with_suffix(".md")
    _write(index, index_page(folder, protocols))
    return index


def write_again(folder: Path, protocols: Mapping[str, Protocol]) -> list[Path]:
    """All pages of a folder and the index, from the results that are kept there.

    But for those of an earlier protocol, whose pages say what was done then.
    """
    written = []
    for name, protocol in {**protocols, **_choices(protocols)}.items():
        kept = folder / f"{name}.json"
        found = Reproduction.load(kept) if kept.is_file() else None
        if found is not None and not is_outdated(found, protocol):
            written.append(folder / f"{name}.md")
            _write(written[-1], page(found, protocol, folder))
    return [*written, write_index(folder, protocols)]


def _write(path: Path, text: str) -> None:
    with replace_file(path) as file:
        file.write(text.encode())


def _choices(protocols: Mapping[str, Protocol]) -> dict[str, Protocol]:
    of = (protocol.choices for protocol in protocols.values())
    return {choices.name: choices for choices in of if choices is not None}


def index_page(folder: Path, protocols: Mapping[str, Protocol]) -> str:
    """In words, what each paper's run in a folder found, its claims and its figures."""
    every = {**protocols, **_choices(protocols)}
    kept = {
        name: Reproduction.load(folder / f"{name}.json")
        for name in every
        if (folder / f"{name}.json").is_file()
    }
    tables = [name for name in kept if name in protocols and protocols[name].measures]
    claims = {name: list(_claims_of(name, kept, protocols)) for name in tables}
    rows = [_glance(folder, protocols[name], kept[name], claims[name]) for name in tables]
    took = sum(map(minutes_spent, kept.values()))
    whole = forecast(folder, every.values(), jobs=_JOBS)
    words = (
        f"All that is kept here took {took:.0f} minutes of one core. `colabel reproduce all --jobs "
        f"{_JOBS}`, with the numbers of splits that it makes by itself: {whole}."
    )
    whole_run = WholeRun.load(folder)
    words += "" if whole_run is None else f" {whole_run}"
    parts = [_OPENING, markdown_table(_COLUMNS, rows), f"\n{words}\n"]
    for name in tables:
        protocol, found = protocols[name], kept[name]
        link = f"[All tables]({folder.name}/{name}.md), {_dated(found, protocol)}."
        link += _figures(folder, name)
        parts.append(f"## {protocol.citation}\n\n{link}\n\n{verdict(found, protocol)}\n")
        table = [(text, where, *verdict_) for text, where, verdict_ in claims[name]]
        head = ["claim", "where", "here", "by how much"]
        parts.append(f"{markdown_table(head, table)}\n" if table else "")
    return "\n".join(parts)


def _glance(
    folder: Path, protocol: Protocol, found: Reproduction, claims: list[tuple[str, str, Verdict]]
) -> tuple[str, ...]:
    """A paper's row in the table of all."""
    results = results_of(found, protocol, folder)
    splits = max(data.splits.n for data in found.datasets)
    numbers = ["" if of is None else _share(of, protocol) for of in (found, results.before)]
    said = [verdict for _, _, (verdict, _) in claims]
    holding, failing = said.count(HOLDS), said.count(FAILS)
    return (
        f"[{protocol.name}]({folder.name}/{protocol.name}.md)",
        date_of(found),
        f"{splits} ({protocol.paper_splits})",
        *numbers,
        count_causes(causes_of(results, protocol)) if numbers[0] else "",
        f"{holding} of {holding + failing} tested",
        f"{minutes_spent(found):.1f}",
    )


def _share(found: Reproduction, protocol: Protocol) -> str:
    within, of = count(found, protocol)
    return f"{within} of {of}" if of else ""


def _dated(found: Reproduction, protocol: Protocol) -> str:
    """When it was run, and whether what is run was changed since."""
    day = date_of(found)
    if not is_outdated(found, protocol):
        return day
    return f"{day}: an earlier protocol than that of {protocol.since}, which is yet to be run"


def _claims_of(
    name: str, kept: Mapping[str, Reproduction], protocols: Mapping[str, Protocol]
) -> Iterator[tuple[str, str, Verdict]]:
    """The claims of a paper's tables and figures, and what became of them."""
    for own, protocol in protocols.items():
        if own == name or own.startswith(f"{name}_"):
            for claim in protocol.claims:
                verdict, said = claim.judge(kept.get(own))
                if verdict == NOT_RUN:
                    said = f"`colabel reproduce {_asked(own)}` tests it"
                yield claim.text, claim.where, (verdict, said)


def _asked(name: str) -> str:
    """What is typed for an experiment."""
    return name.replace("_figure", " --figure ")


def _figures(folder: Path, name: str) -> str:
    """Links to the pages of a paper's figures that there are."""
    pages = sorted(folder.glob(f"{name}_figure*.md"))
    links = (
        f"[{page.stem.removeprefix(f'{name}_figure')}]({folder.name}/{page.name})" for page in pages
    )
    figures = f" Figures: {', '.join(links)}." if pages else ""
    choices = folder / f"{name}_choices.md"
    open_ = f" [What is open, done otherwise]({folder.name}/{choices.name})."
    return figures + (open_ if choices.is_file() else "")
