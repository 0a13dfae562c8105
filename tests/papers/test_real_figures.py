"""A short look at real data: one split, few methods, near what the papers print."""

from functools import cache

import pytest
import real_data

from colabel.datasets import load
from colabel.papers import PROTOCOLS
from colabel.papers.protocol import Split
from colabel.papers.xu2016_methods import PUBLISHED_DIRECTIONS


@cache
def first_split(paper, title):
    source = PROTOCOLS[paper].sources[title]
    path = real_data.FOLDER / f"{source.file}.svm.xz"
    if not path.exists():
        pytest.skip(f"the {source.file} data set is not in {real_data.FOLDER.name}/")
    return Split(source.prepare(load(path)), 0)


@cache
def figures(paper, title, method):
    return PROTOCOLS[paper].methods[method].run(first_split(paper, title), {})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("paper", "title", "method", "measure", "distance"),
    [
        ("ji2008", "Arts", "SVM (C=1)", "AUC", 0.02),
        ("ji2008", "Arts", "SVM (C=1)", "macro F1", 0.03),
        # not micro F1, which is lower by 0.066 with LIBSVM's hinge; why is not known
        ("sun2008", "Scene", "HG c", "mean ROC", 0.03),
        ("sun2008", "Scene", "HG c λ", "mean ROC", 0.02),
    ],
)
def test_figures_are_near_the_papers(paper, title, method, measure, distance):
    found = figures(paper, title, method)[measure]
    published = PROTOCOLS[paper].published[measure][title][method][0]
    assert found == pytest.approx(published, abs=distance)


@pytest.mark.parametrize("method", PUBLISHED_DIRECTIONS)
def test_xu2016_keeps_the_published_number_of_directions_on_scene(method):
    split = first_split("xu2016", "Scene")
    found = PROTOCOLS["xu2016"].methods[method].run(split, {})
    assert found["directions"] == PUBLISHED_DIRECTIONS[method]


def test_han2010_mtsda_on_arts_is_between_eq_11_and_what_adds_the_means():
    split = first_split("han2010", "Arts")
    method = PROTOCOLS["han2010"].methods["MtSDA (Ω=I)"]
    found = method.run(split, {"l1": 0.15, "l2": 1.0, "rho": 0.0})
    published = PROTOCOLS["han2010"].published["micro AUC"]["Arts"]["MtSDA (Ω=I)"][0]
    assert found["micro AUC"] < published < found["micro AUC, means added"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::UserWarning")
def test_liu2006_the_start_decides_on_enron():
    split = first_split("liu2006", "Enron, 100 labelled")
    methods = PROTOCOLS["liu2006"].methods
    random, ours = (methods[name].run(split, {}) for name in ("CNMF (random start)", "CNMF"))
    assert ours["highest F1"] > random["highest F1"] + 0.05
