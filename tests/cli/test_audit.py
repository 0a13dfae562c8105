"""``colabel audit``: what was made wrong in a file is named."""

import command_files as files
import numpy as np
import pytest


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory):
    """Plants of which one label of one row is turned round."""
    path = files.plants(tmp_path_factory.mktemp("audit") / "plants.csv", 300)
    header, *rows = files.read(path)
    column = header.index("tree")
    strong = int(np.argmax([abs(float(row[1])) for row in rows]))
    rows[strong][column] = str(1 - int(rows[strong][column]))
    return files.write(path, header, rows), strong + 1


def test_the_wrong_label_leads(spoiled, colabel, tmp_path):
    path, row = spoiled
    said = colabel("audit", path, *files.NUMBERS, "-o", "out.csv")
    assert "less likely than their opposite" in said
    assert f"row {row:>6}  tree" in said
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == ["row", "label", "given", "probability", "suspicion", "kind", "corrected"]
    assert [str(row), "tree"] in [line[:2] for line in rows]
    for kind in ("missing", "surplus"):
        values = [float(line[4]) for line in rows if line[5] == kind]
        assert values == sorted(values, reverse=True)
        assert all(value >= 0.5 for value in values)
        assert {line[2] for line in rows if line[5] == kind} <= {"01"[kind == "surplus"]}


def test_json_and_page(spoiled, colabel, tmp_path):
    path, row = spoiled
    found = colabel.json("audit", path, *files.NUMBERS, "--most", 3, "--html", "audit.html")
    assert len(found["suspects"]) == 6
    assert found["rows"] == 300
    assert (row, "tree") in [(one["row"], one["label"]) for one in found["suspects"]]
    page = (tmp_path / "audit.html").read_text()
    assert "Content-Security-Policy" in page
    assert "Content-Security-Policy" in page
    assert f">{row}</td>" in page
    assert "How far these probabilities can be trusted" in page


def test_another_method(spoiled, colabel):
    path, row = spoiled
    said = colabel("audit", path, *files.NUMBERS, "--method", "opls", "--cv", 3)
    assert f"row {row:>6}  tree" in said


def test_names_of_labels_are_escaped(colabel, tmp_path):
    rng = np.random.default_rng(0)
    rows = [[x, int(x + rng.normal() > 0)] for x in rng.normal(size=60)]
    files.write(tmp_path / "d.csv", ["x", "<script>"], rows)
    colabel("audit", "d.csv", "--labels", "<script>", "--html", "a.html")
    assert "<script>" not in (tmp_path / "a.html").read_text()


def test_mistakes(spoiled, colabel):
    path, _ = spoiled
    assert "--scale huge" in colabel.fails("audit", path, *files.NUMBERS, "--scale", "huge")
    assert "--method" in colabel.fails("audit", path, *files.NUMBERS, "--method", "nothing")
