"""Filtered ARFF files were read with their first columns as labels, against the XML beside them."""

import pytest
from command_files import colabel  # noqa: F401  a fixture

from colabel.datasets import DataError, load

TRAIL = "X: -C 2 -I 0-weka.filters.unsupervised.attribute.Remove-R1-2_X: -C 2"
ROWS = "1,0,0,1\n0,1,1,1\n1,1,0,0\n"
XML = '<labels><label name="l1"/><label name="l2"/></labels>'


def arff(folder, relation, name="medical.arff"):
    """Two features, then two labels, all of them 0 and 1."""
    attributes = "".join(f"@attribute {name} {{0,1}}\n" for name in ("a", "b", "l1", "l2"))
    path = folder / name
    path.write_text(f"@relation '{relation}'\n{attributes}@data\n{ROWS}")
    return path


@pytest.mark.parametrize("relation", [TRAIL, "X: -C 2", "X: -C -2", "X"])
@pytest.mark.parametrize("name", ["medical.arff", "medical-train.arff"])
def test_the_xml_file_wins_whatever_the_relation_says(tmp_path, relation, name):
    path = arff(tmp_path, relation, name)
    (tmp_path / "medical.xml").write_text(XML)
    data = load(path)
    assert data.label_names.tolist() == ["l1", "l2"]
    assert data.feature_names.tolist() == ["a", "b"]
    assert data.Y.toarray().tolist() == [[0, 1], [1, 1], [0, 0]]


def test_what_the_caller_names_wins_over_the_xml_file(tmp_path):
    path = arff(tmp_path, TRAIL)
    (tmp_path / "medical.xml").write_text(XML)
    assert load(path, labels=2).label_names.tolist() == ["a", "b"]
    assert load(path, labels=["l2"]).label_names.tolist() == ["l2"]


def test_a_trail_without_xml_is_refused_with_the_ways_out(tmp_path, colabel):  # noqa: F811
    arff(tmp_path, TRAIL)
    said = colabel.fails("describe", "medical.arff")
    assert "no medical.xml beside it" in said
    assert "a filter has moved columns since its relation said '-C 2'" in said
    assert "--labels FILE.xml" in said
    assert "--labels -2" in said
    (tmp_path / "other.xml").write_text(XML)
    assert "--labels other.xml" in colabel.fails("describe", "medical.arff")
    colabel("describe", "medical.arff", "--labels", "other.xml")
    colabel("describe", "medical.arff", "--labels", "-2")


def test_no_xml_and_no_count_is_refused_with_the_ways_out(tmp_path, colabel):  # noqa: F811
    arff(tmp_path, "X")
    said = colabel.fails("describe", "medical.arff")
    assert "--labels FILE.xml" in said
    assert "--labels -N" in said


def test_filters_of_rows_leave_the_count_as_it_was(tmp_path):
    path = arff(tmp_path, "X: -C -2-weka.filters.unsupervised.instance.Randomize-S42")
    assert load(path).label_names.tolist() == ["l1", "l2"]
    path = arff(tmp_path, "X: -C -2-weka.filters.AllFilter")
    with pytest.raises(DataError, match="which attributes are labels"):
        load(path)
