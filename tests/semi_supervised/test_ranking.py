"""The evaluation of Liu, Jin and Yang, and its figure."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from partly_labelled import topics

from colabel.metrics import f1_at, precision_at, recall_at
from colabel.semi_supervised import (
    CNMF,
    LabelledOnly,
    RankingCurves,
    evaluate_ranking,
    plot_ranking,
)

X, Y, _ = topics()


def curves(n_labelled=30, labels=Y, **options):
    return evaluate_ranking(
        {"ridge": LabelledOnly(), "CNMF": CNMF(random_state=0)},
        X,
        labels,
        n_labelled=n_labelled,
        n_splits=3,
        random_state=0,
        **options,
    )


def test_they_are_the_measures_of_the_unlabelled_rows():
    found = curves(max_rank=4)
    rng = np.random.RandomState(0)
    for split in range(3):
        mask = np.zeros(len(X), dtype=bool)
        mask[rng.permutation(len(X))[:30]] = True
        scores = LabelledOnly().fit(X, Y, labelled=mask).label_scores_[~mask]
        for name, at in (("precision", precision_at), ("recall", recall_at), ("F1", f1_at)):
            expected = at(Y[~mask], scores, [1, 2, 3, 4])
            assert_allclose(found.values[name]["ridge"][split], expected)
    assert_allclose(found.mean("F1", "CNMF"), found.values["F1"]["CNMF"].mean(axis=0))
    assert_allclose(found.deviation("F1", "CNMF"), found.values["F1"]["CNMF"].std(axis=0))


def test_ranks_end_with_the_labels():
    found = curves()
    assert list(found.ranks) == [1, 2, 3, 4, 5]
    assert_allclose(found.values["recall"]["CNMF"][:, -1], 1.0)
    assert_allclose(curves(labels=sp.csr_array(Y)).mean("F1", "CNMF"), found.mean("F1", "CNMF"))


def test_few_labelled_rows_say_nothing_of_missing_labels():
    curves(n_labelled=3)


def test_a_table_of_them():
    lines = curves(max_rank=2).to_markdown().splitlines()
    assert lines[0].split() == ["|", "precision", "at", "rank", "|", "1", "|", "2", "|"]
    assert len([line for line in lines if line.startswith("| CNMF")]) == 3
    assert any("**" in line for line in lines)


@pytest.mark.parametrize("n_labelled", [0, 60, 100])
def test_some_rows_must_be_unlabelled(n_labelled):
    with pytest.raises(ValueError, match=f"n_labelled={n_labelled} must be at least 1.*60"):
        curves(n_labelled=n_labelled)


def drawn(curves, **options):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    return plot_ranking(curves, **options)


def test_the_figure_has_a_plot_for_each_measure_and_size(tmp_path):
    first, second = curves(20, max_rank=3), curves(40, max_rank=3)
    figure = drawn([first, second])
    assert len(figure.axes) == 6
    titles = [ax.get_title() for ax in figure.axes]
    assert titles[0] == "precision micro, 20 labelled rows"
    assert titles[5] == "F1 micro, 40 labelled rows"
    for ax, measure in zip(figure.axes, ["precision", "recall", "F1"] * 2, strict=True):
        data = first if "20" in ax.get_title() else second
        for line, method in zip(ax.lines[::3], ["ridge", "CNMF"], strict=True):
            assert_allclose(line.get_xydata()[:, 1], data.mean(measure, method))
    figure.savefig(tmp_path / "ranking.svg")
    assert (tmp_path / "ranking.svg").stat().st_size > 1000
    assert len(drawn(first, figure=__import__("matplotlib.figure").figure.Figure()).axes) == 3


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    data = RankingCurves(np.array([1]), 5, {})
    with pytest.raises(ImportError, match=r"pip install 'colabel\[plot\]'"):
        plot_ranking(data)
