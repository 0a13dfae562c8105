"""What was asked for, what came of it and what it looks like, put together."""

from colabel.catalogue import Method, Recipe
from colabel.comparison import result as typed
from colabel.comparison.plan.commands import fit_command
from colabel.comparison.plan.origin import facts_of_run
from colabel.comparison.plan.request import FOLDS, Request
from colabel.comparison.plan.snippets import snippet
from colabel.metrics import METRICS


def assemble(
    asked: Request, results: list[typed.Result], insights: dict[str, typed.Insights]
) -> typed.ComparisonData:
    """The comparison."""
    return typed.ComparisonData(
        meta=_run(asked),
        metrics=[_metric(name) for name in asked.metrics],
        methods=[_method(asked, method, results) for method in asked.methods],
        datasets=[data.facts(insights[data.name]) for data in asked.datasets],
        results=results,
    )


def _metric(name: str) -> typed.MetricFacts:
    metric = METRICS[name]
    title = name.replace("_", " ").replace("f1", "F1").replace("auc", "AUC")
    return typed.MetricFacts(name, title, metric.greater_is_better, metric.description)


def _method(asked: Request, method: Method, results: list[typed.Result]) -> typed.MethodFacts:
    """Code and command are for the first data set."""
    data = asked.datasets[0]
    chosen = [r.chosen for r in results if (r.dataset, r.method) == (data.name, method.name)]
    recipe = Recipe(scoring=asked.metrics[0], seed=asked.seed)
    code = snippet(asked.model(method), data.scale, data.source, data.new_rows)
    command = fit_command(method, data.arguments, chosen, recipe)
    kind = "baseline" if method.kind == "semi-supervised" else method.kind
    return typed.MethodFacts(method.name, method.title, kind, method.about_compared, code, command)


def _run(asked: Request) -> typed.RunFacts:
    arguments = {
        "data": [data.name for data in asked.datasets],
        "methods": [method.name for method in asked.methods],
        "metrics": list(asked.metrics),
        "splits": [len(data.splits) for data in asked.datasets],
        "folds": FOLDS,
        "budget": asked.budget,
        "quick": asked.quick,
        "jobs": asked.jobs,
    }
    names = ", ".join(data.name for data in asked.datasets)
    return facts_of_run(f"{len(asked.methods)} methods on {names}", asked.seed, arguments)
