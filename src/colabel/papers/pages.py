"""The pages that a run leaves: one for its paper, and the index of all papers."""

import json
from pathlib import Path
from typing import Any

from colabel.papers.findings import Findings
from colabel.papers.protocol import Protocol
from colabel.papers.rendering import section, verdict
from colabel.persistence.replacement import replace_file

_OPENING = """# The papers' experiments, run again

Our numbers beside the published ones, on the data that could be had. Written by `colabel reproduce`
from the results beside each page; nothing here is typed by hand. Each paper has a page with all
tables.
"""


def write_text(path: Path, text: str) -> None:
    """Write a file whole, or not at all."""
    with replace_file(path) as file:
        file.write(text.encode())


def write_pages(
    folder: Path, findings: Findings, protocol: Protocol, command: str, protocols: Any
) -> list[Path]:
    """The page of a paper, its results, its pictures, and the index beside the folder."""
    folder.mkdir(exist_ok=True)
    more = protocol.more(findings, folder) if protocol.more else ""
    page = folder / f"{protocol.name}.md"
    write_text(page, section(findings, protocol, command, more))
    results = json.dumps(findings.to_dict(), ensure_ascii=False, indent=1)
    write_text(folder / f"{protocol.name}.json", results + "\n")
    index = folder.with_suffix(".md")
    write_text(index, index_page(folder, protocols))
    return [page, index]


def index_page(folder: Path, protocols: Any) -> str:
    """In words, what each paper's run in a folder found."""
    parts = [_OPENING]
    for name, protocol in protocols.items():
        path = folder / f"{name}.json"
        if path.is_file():
            findings = Findings.from_dict(json.loads(path.read_text(encoding="utf-8")))
            link = f"[All tables]({folder.name}/{name}.md), {findings.created}."
            parts.append(f"## {protocol.citation}\n\n{link}\n\n{verdict(findings, protocol)}\n")
    return "\n".join(parts)
