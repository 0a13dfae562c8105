"""``colabel fit``: a model from a data file."""

import ast
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from colabel._terminal import brief, one_line
from colabel.catalogue import Method, Recipe, default_method, find, fittable
from colabel.cli import card, learning, reading
from colabel.cli.errors import CommandError, in_options
from colabel.cli.output import STDOUT, Json, busy, check_outputs, print_json, tell
from colabel.cli.times import seconds_of
from colabel.datasets import Dataset, load
from colabel.datasets.sources import files_read
from colabel.linalg import cost
from colabel.metrics import get_scorer
from colabel.persistence import Bundle, save
from colabel.preparation import FrequentColumns
from colabel.scales import SCALES, done, kind_of
from colabel.tables import kinds
from colabel.tuning.engine import expect, is_long_in_folds, part_size
from colabel.tuning.label_sets import set_scores
from colabel.tuning.promise import Promise

NAME = "fit"
#: Folds of what has no closed form, where no number is given.
USUAL_FOLDS = 5
#: Numbers of a subspace that are saved with a model: ten megabytes and a bit.
SMALL = 1_500_000
#: What of a fit is written into the model, beside its settings.
CARD = (
    "rows", "kind", "parameters", "tuned_on", "thresholds_on", "score", "members", "left_out",
    "quality", "calibration", "versions",
)  # fmt: skip
HELP = """Learn from DATA, and save a model that 'colabel predict' uses.

Penalties are found by cross-validation, and a threshold for each label.

\b
Any table with a column of tags, such as "sport;news" or ["sport"]; what
its columns are is recognised, said, and changed by --column:
  colabel fit tickets.csv --label-column tags -o tickets.skops
  colabel fit tickets.csv --label-column tags --column zip=category \\
      --column note=drop -o tickets.skops

\b
Texts alone:
  colabel fit news.csv --text title --text body --label-column tags \\
      -o news.skops

\b
Columns of numbers, and columns of 0 and 1 for the labels:
  colabel fit plants.csv --labels tree,green --ignore id -o plants.skops
  colabel fit plants.parquet --labels 'is_*' --method mvmd -o plants.skops

\b
Files that say themselves what their labels are:
  colabel fit yeast.arff -o yeast.skops
  colabel fit corpus.svm.xz --method label-ridge -o corpus.skops

\b
With a fifth of the rows set aside, for sets of labels that are complete as
often as they say (predict --recall):
  colabel fit debtags --hold-out 0.2 -o debtags.skops

\b
Forests, kernels, linear models and others, mixed as rows that they have not
seen say, in about ten minutes at most:
  colabel fit plants.csv --labels tree,green -m best --budget 10m \\
      -o plants.skops

\b
Without a search, with parameters of your own:
  colabel fit debtags --no-tune --set alpha=0.01 --set beta=0.1 -o d.skops
"""


@reading.reads_files
def command(
    data: reading.Source,
    output: learning.Output,
    options: dict[str, Any],
    method: learning.AnyMethod = None,
    tune: learning.Tune = True,
    thresholds: learning.Thresholds = True,
    scale: learning.Scale = "auto",
    min_rows: learning.MinRows = 1,
    hold_out: learning.HoldOut = 0.0,
    cv: learning.Folds = None,
    scoring: learning.Scoring = "f1_macro",
    budget: learning.Budget = None,
    seed: learning.Seed = 0,
    jobs: learning.Jobs = None,
    parameters: learning.Parameters = None,
    as_json: Json = False,
) -> None:
    """Fit, save, and say how it went."""
    begin = time.monotonic()
    _check_output(output, data, options)
    given = _parameters(parameters or []) | _budget(budget)
    recipe = Recipe(tune, thresholds, scale, cv, scoring, seed, jobs, given)
    _check_recipe(method, recipe)
    with busy(f"reading {reading.title(data)}"), reading.at_hand(data) as path:
        found = _frequent(load(path, **options), min_rows)
    notes = _notes(found, aloud=not as_json)
    settings = {"data": Path(reading.title(data)).name, "hold_out": hold_out, **options}
    if found.separator is not None:
        settings["separator"] = found.separator
    found, aside = _set_aside(found, hold_out, seed)
    _check_data(found, recipe)
    bundle = _fit(_method(method, recipe, found, aloud=not as_json), recipe, found, settings)
    bundle = replace(bundle, card={**bundle.card, "notes": notes})
    if aside is not None:
        bundle = replace(bundle, promise=_promise(bundle.estimator, aside))
    with busy(f"saving {output.name}"):
        save(bundle, output, whole=False)
    result = {
        **_result(bundle, found),
        **bundle.card,
        "columns": [] if found.table is None else [vars(one) for one in found.table.plan_],
        "model": str(output),
        "seconds": time.monotonic() - begin,
    }
    if as_json:
        print_json(result)
    else:
        _say(result, bundle, decided=scale == "auto")


def _notes(data: Dataset, *, aloud: bool) -> list[str]:
    """What was decided when the file was read."""
    notes = [one_line(in_options(line)) for line in data.notes]
    for line in notes if aloud else ():
        tell(line)
    return notes


def _check_output(output: Path, data: str, options: dict[str, Any]) -> None:
    if output == STDOUT:
        raise CommandError("-o -: a model is a file of its own; name one, such as model.skops")
    check_outputs([("-o", output)], files_read(data, **options))


def _fit(method: Method, recipe: Recipe, data: Dataset, settings: dict[str, Any]) -> Bundle:
    if recipe.scale == "auto":
        recipe = replace(recipe, scale=kind_of(data).scale)
    if recipe.cv is None and is_long_in_folds(_size(data), data.Y.shape[1], USUAL_FOLDS):
        recipe = replace(recipe, held_out=part_size(data.X.shape[0]))
    estimator = method.recipe(recipe)
    Y = sp.csr_array(data.Y)
    Y.columns = data.label_names  # as a DataFrame has them, for warnings that name labels
    if recipe.tune and method.tunes_itself and not method.has_budget:
        _announce(data, recipe)
    kept = card.keep_scores(estimator, Y.shape[0] * Y.shape[1])
    with busy(f"fitting {method.name}"):
        estimator.fit(data.X, Y)
    quality = card.take_quality(estimator, kept, data, recipe.seed)
    bundle = Bundle(
        estimator=estimator,
        columns=data.columns,
        label_names=data.label_names,
        settings={"method": method.name, **settings, **vars(recipe)},
        version=version("colabel"),
    )
    known = {
        **_result(bundle, data),
        "quality": quality,
        "calibration": card.calibration_kinds(estimator),
        "versions": card.versions(),
    }
    return replace(
        bundle,
        card={name: known[name] for name in CARD if name in known},
        subspace=_small_subspace(estimator),
    )


def _small_subspace(model: Any) -> np.ndarray | None:
    """What labels share, for explanations, where it does not make the file much larger."""
    while hasattr(model, "steps") or hasattr(model, "estimator_"):
        model = model.steps[-1][1] if hasattr(model, "steps") else model.estimator_
    found = getattr(model, "subspace_", None)
    return found if found is not None and found.size <= SMALL else None


def _set_aside(data: Dataset, share: float, seed: int) -> tuple[Dataset, Dataset | None]:
    """The rows to learn from, and those that promises are made by."""
    n = data.X.shape[0]
    count = round(share * n)
    if not share:
        return data, None
    if not 0 < count < n - 1:
        raise CommandError(f"--hold-out {share:g} of {n} rows leaves nothing; use another share")
    order = np.random.default_rng(seed).permutation(n)
    return data.select(rows=np.sort(order[count:])), data.select(rows=np.sort(order[:count]))


def _promise(estimator: Any, aside: Dataset) -> Promise:
    whole = ~np.isnan(aside.Y.toarray()).any(axis=1)
    if not whole.any():
        raise CommandError(
            f"all {len(whole)} rows of --hold-out have labels that are unknown, and a promise "
            "needs rows whose labels are all known"
        )
    aside = aside.select(rows=whole)
    return Promise.of(set_scores(estimator, aside.X, aside.Y.shape[1]), aside.Y)


def _announce(data: Dataset, recipe: Recipe) -> None:
    """Say before it begins that a fit takes long, or much memory."""
    expected = expect(_size(data), data.Y.shape[1], recipe.cv)
    if expected.is_long:
        tell(f"expected to take {expected}; Ctrl-C stops it", err=True)


def _size(data: Dataset) -> cost.Size:
    (n, d), is_dense = data.X.shape, not sp.issparse(data.X)
    return cost.Size(n, d, nnz=n * d if is_dense else data.X.nnz, dense=is_dense)


def _parameters(given: list[str]) -> dict[str, Any]:
    found = {}
    for part in given:
        name, equals, value = part.partition("=")
        if not equals:
            raise CommandError(f"--set {part}: write it as NAME=VALUE, such as alpha=0.1")
        try:
            found[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            found[name] = value
    return found


def _budget(given: str | None) -> dict[str, Any]:
    return {} if given is None else {"budget": seconds_of(given)}


def _find(name: str) -> Method:
    try:
        return find(name, fittable())
    except ValueError as error:
        raise CommandError(f"--method {error}") from None


def _method(name: str | None, recipe: Recipe, data: Dataset, *, aloud: bool) -> Method:
    """The one that is named, or the one for data of this size, which is said."""
    if name is not None:
        return _find(name)
    (n, q), (_, unknown) = data.Y.shape, data.known
    chosen = default_method(n, q, recipe, all_known=not unknown)
    if aloud and chosen.reason is not None:
        tell(f"method: {chosen.name}; {chosen.reason}")
    return _find(chosen.name)


def _check_recipe(name: str | None, recipe: Recipe) -> None:
    """What can be seen to be wrong before the data are read."""
    if recipe.scale not in SCALES:
        raise CommandError(f"--scale {recipe.scale}: use one of {', '.join(SCALES)}")
    get_scorer(recipe.scoring)
    method = _find(name or default_method(0, 0, recipe).name)
    if "budget" in recipe.parameters and not method.has_budget:
        raise CommandError(
            f"--budget: {method.name} takes what it takes; only mixtures have one: -m "
            + " or ".join(one.name for one in fittable().values() if one.has_budget)
        )
    method.recipe(replace(recipe, scale="none"))


def _frequent(data: Dataset, min_rows: int) -> Dataset:
    if min_rows == 1:
        return data
    Y, _ = data.known
    kept = FrequentColumns(min_rows).fit(Y).get_support()
    if not kept.any():
        most = int(np.max(Y.sum(axis=0)))
        raise CommandError(
            f"--min-rows {min_rows}: no label has so many rows; the most have {most}"
        )
    return data.select(labels=kept)


def _check_data(data: Dataset, recipe: Recipe) -> None:
    n = data.X.shape[0]
    folds = recipe.cv or USUAL_FOLDS
    if n < folds and (recipe.tune or recipe.thresholds):
        raise CommandError(
            f"{data.name} has {n} rows, too few for {folds} folds; use --cv {max(n, 2)}, or "
            "--no-tune --no-thresholds"
        )
    values = data.X.data if sp.issparse(data.X) else data.X
    if np.isnan(values).any():
        columns = np.flatnonzero(np.isnan(np.asarray(data.X.sum(axis=0))).ravel())
        names = columns if data.feature_names is None else data.feature_names[columns]
        filled = (
            "save it as CSV, whose gaps are filled and marked"
            if kinds.is_available()
            else "have tables filled and marked: pip install 'colabel[tables]'"
        )
        raise CommandError(
            f"{data.name}: values are missing in {brief(names)}; fill them in, leave the columns "
            f"out with --ignore, or {filled}"
        )


def _result(bundle: Bundle, data: Dataset) -> dict[str, Any]:
    """What there is to say about a fit, as plain data."""
    model, is_whole = bundle.estimator, True
    found: dict[str, Any] = {}
    while hasattr(model, "steps") or hasattr(model, "estimator_"):
        # the score of a part says little of the whole
        is_whole = is_whole and hasattr(model, "steps")
        found |= getattr(model, "best_params_", {})
        model = model.steps[-1][1] if hasattr(model, "steps") else model.estimator_
    n, d = data.X.shape
    result = {
        "method": bundle.settings["method"],
        "data": data.name,
        "rows": n,
        "features": d,
        "labels": len(bundle.label_names),
        "kind": kind_of(data).name,
        "scale": bundle.settings["scale"],
        "thresholds": bundle.settings["thresholds"],
    }
    if not is_whole and bundle.settings["held_out"]:
        result["thresholds_on"] = f"{bundle.settings['held_out']} held-out rows of {n}"
    if found:
        short = {name.rpartition("__")[2]: value for name, value in found.items()}
        kept = {name: float(v) for name, v in short.items() if isinstance(v, int | float)}
        result |= {"parameters": kept, "searched": bundle.settings["tune"], "tuned_on": None}
    if hasattr(model, "left_out_"):
        result |= {"members": model.weights_, "left_out": model.left_out_}
    if hasattr(model, "cv_results_"):
        names = model.cv_results_["params"][0]
        result["parameters"] = {name: float(getattr(model, f"{name}_")) for name in names}
        result["searched"] = bundle.settings["tune"]
        result["tuned_on"] = getattr(model, "tuned_on_", None)
        if is_whole:
            value = float(model.best_score_)
            result["score"] = {"name": bundle.settings["scoring"], "value": value}
    return result


def _say(result: dict[str, Any], bundle: Bundle, *, decided: bool) -> None:
    tell(
        f"{result['method']} on {one_line(result['data'])}: {result['rows']} rows, "
        f"{result['features']} features, {result['labels']} labels"
    )
    scaled = done(result["kind"], result["scale"])
    if decided:
        tell(f"features: taken for {result['kind']}, {scaled}; --scale says otherwise")
    else:
        tell(f"features: {scaled}")
    if "parameters" in result:
        found = ", ".join(f"{name} {value:g}" for name, value in result["parameters"].items())
        score = result.get("score")
        with_score = f", with {score['name']} {score['value']:.3f} held out" if score else ""
        on = f" (on {result['tuned_on']})" if result["tuned_on"] else ""
        what = "best of the search" if result["searched"] else "as given"
        tell(f"{what}: {found}{with_score}{on}")
    for line in card.member_lines(result):
        tell(line)
    for line in card.quality_lines(result["quality"], bundle.label_names):
        tell(line)
    if bundle.promise is not None:
        tell(f"promises: by {bundle.promise.n} rows set aside")
    if "thresholds_on" in result:
        tell(f"thresholds: found on {result['thresholds_on']}")
    tell(f"saved in {result['model']} after {result['seconds']:.1f} s")
