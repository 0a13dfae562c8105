"""The published figures are whole, and say of themselves what the papers say of them."""

import numpy as np
import pytest

from colabel.papers import PROTOCOLS
from colabel.papers.han2010 import MICRO_AUC
from colabel.papers.ji2008 import AUC, MACRO_F1, MICRO_F1
from colabel.papers.sun2008 import MEAN_ROC
from colabel.papers.xu2016_methods import PUBLISHED_DIRECTIONS, PUBLISHED_F, PUBLISHED_RANKS

JI_METHODS = {"ML_LS", "CCA+ridge", "CCA+SVM", "ASO-SVM", "SVM (C=1)", "SVM"}


def best(methods):
    return max(methods, key=lambda name: methods[name][0])


@pytest.mark.parametrize("name", PROTOCOLS)
def test_figures_belong_to_sets_methods_and_measures(name):
    protocol = PROTOCOLS[name]
    assert set(protocol.published) <= {measure.name for measure in protocol.measures}
    for sets in protocol.published.values():
        assert set(sets) <= set(protocol.sources)
        for methods in sets.values():
            assert set(methods) <= set(protocol.methods)
            for mean, deviation in methods.values():
                assert 0.2 < mean < 1
                assert deviation is None or 0 < deviation < 0.13


@pytest.mark.parametrize("name", PROTOCOLS)
def test_tables_name_the_sets(name):
    protocol = PROTOCOLS[name]
    assert set().union(*protocol.tables.values()) == set(protocol.sources)


def test_ji2008_has_eleven_sets_and_its_claims_hold():
    for figures in (AUC, MACRO_F1, MICRO_F1):
        assert len(figures) == 11
        assert all(set(methods) == JI_METHODS for methods in figures.values())
    assert sum(best(methods) == "ML_LS" for methods in AUC.values()) == 9
    assert all(best(methods) == "ML_LS" for methods in MACRO_F1.values())
    assert sum(best(methods) == "ML_LS" for methods in MICRO_F1.values()) == 10


def test_sun2008_regularisation_always_helps():
    assert {title: len(methods) for title, methods in MEAN_ROC.items()} == dict.fromkeys(
        ("Scene", "Yeast", "Arts", "Computers"), 17
    )
    for methods in MEAN_ROC.values():
        for name in methods:
            if name.endswith("λ"):
                assert methods[name] > methods[name.removesuffix(" λ")]


def test_han2010_mtsda_leads_on_every_set_of_pages():
    assert len(MICRO_AUC) == 14
    pages = [title for title in MICRO_AUC if title not in ("NUS-6", "NUS-16", "MM2.0")]
    assert all(best(MICRO_AUC[title]).startswith("MtSDA") for title in pages)
    assert best(MICRO_AUC["MM2.0"]) == "HSML"


def test_xu2016_ranks_of_nine_methods_have_the_mean_five():
    assert np.mean(list(PUBLISHED_RANKS.values())) == pytest.approx(5, abs=0.005)
    assert set(PUBLISHED_RANKS) == set(PROTOCOLS["xu2016"].methods)
    assert set(PUBLISHED_RANKS) - {"none"} == set(PUBLISHED_DIRECTIONS)
    assert set(PUBLISHED_F) == {measure.name for measure in PROTOCOLS["xu2016"].measures}
