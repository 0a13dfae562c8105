"""Why a row gets its labels, as a web page of one file, in the frame of the report."""

from typing import Any

from colabel.comparison.report.charts.bars import signed
from colabel.comparison.report.frame import render


def page(plain: dict[str, Any]) -> str:
    """The page, as text."""
    labels = [{**one, "drawn": _draw(one), "split": _split(one)} for one in plain["labels"]]
    return render(
        "explanation.html",
        title=f"Row {plain['row']} of {plain['data']}",
        model=plain["model"],
        labels=labels,
    )


def _draw(one: dict[str, Any]) -> Any:
    parts = [(part["feature"], part["part"]) for part in one["parts"]]
    if one["others"]["count"]:
        parts.append((f"{one['others']['count']} others", one["others"]["part"]))
    return signed(parts, f"what features add to the score of {one['label']}")


def _split(one: dict[str, Any]) -> Any:
    if "shared" not in one:
        return None
    return signed(
        [("shared with other labels", one["shared"]), ("its own, and the base", one["own"])],
        f"what of the score of {one['label']} is shared",
    )
