"""What is known of a model, written when it is fitted and shown by ``colabel describe``."""

import platform
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel._terminal import one_line
from colabel.datasets import Dataset
from colabel.persistence import Bundle
from colabel.scales import done
from colabel.tuning.grid import TunedOnGrid
from colabel.tuning.quality import held_out_quality

#: The most held-out scores that are kept to judge the labels by.
MOST_SCORES = 5 * 10**7
#: Labels that are shown one by one where there are more.
SHOWN = 20
_LIBRARIES = ("colabel", "scikit-learn", "numpy", "scipy")


def keep_scores(estimator: Any, size: int) -> str | None:
    """Have held-out scores kept by the outermost part that can; the name of its parameter.

    None where there are too many, or none. A classifier behind an extractor knows nothing of that:
    the directions have seen the rows that it leaves out.
    """
    given = estimator.get_params()
    paths = [name.split("__") for name in given]
    known = [path for path in paths if path[-1] == "keep_scores" and "classify" not in path]
    if not known or size > MOST_SCORES:
        return None
    *parts, last = sorted(known, key=len)[0]
    owner = given["__".join(parts)] if parts else estimator
    name = "__".join([*parts, last])
    # rows are compared with each other, whose intercepts differ where each was left out by itself
    estimator.set_params(**{name: "level" if isinstance(owner, TunedOnGrid) else True})
    return name


def take_quality(estimator: Any, name: str | None, data: Dataset, seed: int) -> dict[str, Any]:
    """The quality of each label by the scores that were kept, which are let go."""
    if name is None:
        return {}
    part = estimator
    for step in name.split("__")[:-1]:
        part = part.named_steps[step] if hasattr(part, "named_steps") else part.estimator_
    scores = vars(part).pop("held_out_scores_", None)
    estimator.set_params(**{name: False})
    if scores is None or scores.shape != data.Y.shape:
        return {}
    return held_out_quality(scores, sp.csr_array(data.Y), seed).to_dict()


def calibration_kinds(estimator: Any) -> dict[str, int]:
    """How many labels have which kind of probabilities."""
    part = estimator
    while not hasattr(part, "calibration_") and hasattr(part, "steps"):
        part = part.steps[-1][1]
    found = getattr(part, "calibration_", None)
    if found is None:
        return {}
    kinds, counts = np.unique(found.kinds, return_counts=True)
    return {str(kind): int(count) for kind, count in zip(kinds, counts, strict=True)}


def versions() -> dict[str, str]:
    """Of what a model was made with."""
    return {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}


def member_lines(card: dict[str, Any]) -> list[str]:
    """What a mixture is made of, and what was left out of it."""
    if not card.get("members"):
        return []
    parts = ", ".join(f"{weight:.0%} {one_line(name)}" for name, weight in card["members"].items())
    out = [f"  without {name}: {one_line(why)}" for name, why in card["left_out"].items()]
    return [f"mixture: {parts}", *out]


def quality_lines(quality: dict[str, Any], names: Any, most: int = SHOWN) -> list[str]:
    """The labels with most rows, a line each, and the whole."""
    if not quality:
        return []
    order = np.argsort(-np.asarray(quality["positives"]), kind="stable")
    width = max(5, *(len(one_line(names[j])[:30]) for j in order[:most]))
    lines = [
        f"held out, {quality['rows']} rows; precision, recall and F1 by thresholds of other rows:",
        f"  {'label':<{width}}  {'rows':>6}    AUC  precision  recall     F1",
    ]
    for j in order[:most]:
        auc, precision, recall, f1 = (
            "    –" if quality[key][j] is None else f"{quality[key][j]:.3f}"
            for key in ("auc", "precision", "recall", "f1")
        )
        name = one_line(names[j])[:30]
        rows = quality["positives"][j]
        lines.append(f"  {name:<{width}}  {rows:>6}  {auc}      {precision}   {recall}  {f1}")
    if len(order) > most:
        lines.append(
            f"  … and {len(order) - most} more, in the model: colabel describe MODEL --json"
        )
    return [*lines, _means(quality)]


def _means(quality: dict[str, Any]) -> str:
    f1, auc = (
        np.mean([x for x in quality[key] if x is not None] or [np.nan]) for key in ("f1", "auc")
    )
    said = f"  mean over labels: F1 {f1:.3f}, AUC {auc:.3f}"
    if quality["log_loss"] is None:
        return said
    return (
        f"{said}; probabilities: log loss {quality['log_loss']:.3f} a label, calibration error "
        f"{quality['calibration_error']:.3f}"
    )


def describe(bundle: Bundle) -> dict[str, Any]:
    """A model as plain data."""
    settings = bundle.settings
    found: dict[str, Any] = {
        "model": settings.get("method", type(bundle.estimator).__name__),
        "version": bundle.version,
        "labels": [str(name) for name in bundle.label_names],
        "features": bundle.columns.n_features,
        "settings": {key: value for key, value in settings.items() if value is not None},
        **getattr(bundle, "card", {}),  # which models of before have not
    }
    if bundle.promise is not None:
        found["promise"] = {"rows": bundle.promise.n}
    return found


def card_lines(card: dict[str, Any]) -> list[str]:
    """A model on the terminal."""
    labels = card["labels"]
    made = ", ".join(f"{name} {value}" for name, value in card.get("versions", {}).items())
    settings, of = card["settings"], card.get("rows")
    lines = [
        f"{card['model']}, {len(labels)} labels, {card['features']} features",
        f"data: {one_line(settings.get('data', 'not known'))}" + (f", {of} rows" if of else ""),
        *card.get("notes", ()),
        f"features: {done(card.get('kind'), settings.get('scale'))}; thresholds: "
        f"{'tuned' if settings.get('thresholds') else 'none'}",
    ]
    if card.get("parameters"):
        found = ", ".join(f"{name} {value:g}" for name, value in card["parameters"].items())
        on = f" (on {card['tuned_on']})" if card.get("tuned_on") else ""
        lines.append(f"penalties: {found}{on}")
    lines += member_lines(card)
    lines += quality_lines(card.get("quality", {}), labels)
    kinds = card.get("calibration", {})
    said = ", ".join(f"{count} by {kind}" for kind, count in kinds.items())
    lines.append(f"probabilities: {said or 'none'}")
    if "promise" in card:
        rows = card["promise"]["rows"]
        lines.append(
            f"promises: {rows} rows set aside, for recalls of at most {1 - 1 / (rows + 1):.3f} "
            "(colabel predict --recall)"
        )
    else:
        lines.append("promises: none, as no rows were set aside (colabel fit --hold-out)")
    lines.append(f"made with: {made or 'colabel ' + str(card['version'])}")
    return lines
