"""The 28 measures that MULAN gives for a prediction on the flags data, to its four digits."""

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from colabel import metrics as m

FOLDER = Path(__file__).parents[2].parent / "shared" / "reference"
pytestmark = pytest.mark.skipif(
    not (FOLDER / "utiml-flags-measures.csv").exists(),
    reason=f"the reference values of MULAN are not at {FOLDER}",
)

of_sets = {
    "Hamming-Loss": m.hamming_loss,
    "Subset-Accuracy": m.subset_accuracy,
    "Accuracy": partial(m.accuracy, empty="mulan"),
    **{
        prefix + name: partial(function, average=average, empty="mulan")
        for prefix, average in (("", "samples"), ("Micro-", "micro"), ("Macro-", "macro"))
        for name, function in (
            ("Precision", m.precision),
            ("Recall", m.recall),
            ("F-Measure", m.f1),
            ("Specificity", m.specificity),
        )
    },
}
of_scores = {
    "Average-Precision": partial(m.average_precision, ties="mulan", empty="skip"),
    "Coverage": partial(m.coverage, ties="mulan"),
    "OneError": partial(m.one_error, ties="mulan"),
    "IsError": partial(m.is_error, ties="mulan"),
    "ErrorSetSize": partial(m.error_set_size, ties="mulan"),
    "Ranking-Loss": partial(m.ranking_loss, ties="mulan"),
    "Micro-AUC": partial(m.roc_auc, average="micro"),
    "Macro-AUC": partial(m.roc_auc, average="macro"),
    "Logarithmic-Loss": m.log_loss,
    **{
        f"{mean}{kind}-Precision": partial(
            m.mean_average_precision, average=average, recall_levels=levels, ties="mulan"
        )
        for mean, average in (("Mean-", "macro"), ("Geometric-Mean-", "geometric"))
        for kind, levels in (("Average", None), ("Average-Interpolated", 10))
    },
}


def table(name):
    return np.loadtxt(FOLDER / f"utiml-flags-{name}.csv", delimiter=",", skiprows=1)


def expected():
    with open(FOLDER / "utiml-flags-measures.csv") as file:
        return {row["measure"]: row["value"] for row in csv.DictReader(file, skipinitialspace=True)}


def test_every_reference_measure_is_compared():
    assert len(expected()) == 28
    assert {*of_sets, *of_scores} == set(expected())


@pytest.mark.parametrize("name", [*of_sets, *of_scores])
def test_equals_mulan(name):
    if name in of_sets:
        value = of_sets[name](table("expected"), table("bipartition"))
    else:
        value = of_scores[name](table("expected"), table("scores"))
    assert f"{value:.4f}" == f"{float(expected()[name]):.4f}"
