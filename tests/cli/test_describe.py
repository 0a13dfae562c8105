"""``colabel describe``: figures, pictures, JSON, and a page that loads nothing."""

from html.parser import HTMLParser

import command_files as files
import pytest

from colabel import LabelRidge
from colabel.datasets import load_debtags
from colabel.persistence import load, save


def test_the_picture(colabel, tmp_path):
    files.plants(tmp_path / "plants.csv")
    said = colabel("describe", "plants.csv", *files.NUMBERS)
    for part in ("plants", "rows", "90", "dense", "labels a row", "tree", "green", "tall", "█"):
        assert part in said
    assert colabel.err == ""


def test_json_is_the_description(colabel):
    assert colabel.json("describe", "debtags") == {**load_debtags().describe(), "notes": []}
    assert len(colabel.json("describe", "debtags", "--most", "3")["co_occurrence"]["labels"]) == 3


def test_one_label_and_no_label_are_drawn_too(colabel, tmp_path):
    files.write(tmp_path / "one.csv", ["a", "t"], [[1, 1], [2, 0]])
    assert "t" in colabel("describe", "one.csv", "--labels", "t")
    files.write(tmp_path / "none.csv", ["a", "t"], [[1, 0], [2, 0]])
    assert "labels without rows" in colabel("describe", "none.csv", "--labels", "t")


HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a&b", "[red]x[/]"]


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_escapes_names_and_loads_nothing(colabel, tmp_path):
    rows = [[i, *((i >> j) & 1 for j in range(4))] for i in range(16)]
    files.write(tmp_path / "hostile.csv", ["x", *HOSTILE], rows)
    said = colabel("describe", "hostile.csv", "--labels", "-4", "--html", "page.html")
    for name in HOSTILE:
        assert name in said
    page = Page()
    page.feed((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert not {"script", "img", "link", "iframe", "object"} & set(page.tags)
    assert {"svg", "rect", "table"} <= set(page.tags)
    text = "".join(page.text)
    assert all(name in text for name in HOSTILE)
    names = {name for name, _ in page.attributes}
    assert not names & {"src", "href", "onerror", "onload", "style"}
    assert "default-src 'none'" in dict(page.attributes)["content"] or any(
        "default-src 'none'" in str(value) for _, value in page.attributes
    )
    assert not any("http" in str(value) for name, value in page.attributes if name != "http-equiv")


def test_names_cannot_steer_the_terminal(colabel, tmp_path):
    files.write(tmp_path / "bell.csv", ["x", "t\x1b[2J\x07"], [[1, 1], [2, 0]])
    said = colabel("describe", "bell.csv", "--labels", "-1", "--html", "page.html")
    for text in (said, (tmp_path / "page.html").read_text(encoding="utf-8")):
        assert "\x1b" not in text
        assert "\x07" not in text


def test_errors(colabel, tmp_path):
    files.plants(tmp_path / "plants.csv")
    assert "there is no such file" in colabel.fails("describe", "plant.csv")
    line = colabel.fails("describe", "plants.csv")
    assert "--labels a,b" in line
    assert "--label-column tags" in line
    assert "did you mean 'tree'" in colabel.fails("describe", "plants.csv", "--labels", "tre")
    assert "at least one" in colabel.fails("describe", "plants.csv", "--labels", ",")
    line = colabel.fails("describe", "plants.csv", *files.NUMBERS, "--html", "none/page.html")
    assert "there is no folder" in line


def test_the_card_of_a_model(colabel, tmp_path):
    files.plants(tmp_path / "plants.csv", 200)
    base = ["fit", "plants.csv", *files.NUMBERS, "--hold-out", "0.2", "-o", "m.skops"]
    said = colabel(*base, "--method", "label-ridge")
    assert "held out, 160 rows" in said
    assert "mean over labels: F1" in said
    card = colabel.json("describe", "m.skops")
    assert card["model"] == "label-ridge"
    assert card["rows"] == 160
    assert card["labels"] == ["tree", "green", "tall"]
    assert card["promise"] == {"rows": 40}
    assert card["calibration"] == {"sigmoid": 3}
    assert set(card["versions"]) >= {"python", "colabel", "scikit-learn"}
    assert list(card["parameters"]) == ["alpha"]
    for measure in ("auc", "f1", "precision", "recall"):
        assert all(0.5 < value <= 1 for value in card["quality"][measure])
    shown = colabel("describe", "m.skops")
    for part in ("label-ridge, 3 labels", "plants.csv, 160 rows", "penalties: alpha", "tree"):
        assert part in shown
    assert "40 rows set aside, for recalls of at most 0.976" in shown
    assert "--html" in colabel.fails("describe", "m.skops", "--html", "m.html")


@pytest.mark.parametrize("method", ["opls", "rank-svm", "shared-subspace"])
def test_every_kind_of_model_has_a_card(method, colabel, tmp_path):
    files.plants(tmp_path / "plants.csv")
    colabel("fit", "plants.csv", *files.NUMBERS, "--method", method, "--cv", 3, "-o", "m.skops")
    card = colabel.json("describe", "m.skops")
    assert card["quality"]["rows"] == 90
    assert card["calibration"] == {"sigmoid": 3}
    model = load(tmp_path / "m.skops")
    parts = [model.estimator, *getattr(model.estimator, "named_steps", {}).values()]
    assert not any(hasattr(part, "held_out_scores_") for part in parts)


def test_a_model_without_a_card(colabel, tmp_path):
    save(LabelRidge().fit([[0.0], [1.0]], [[0, 1], [1, 0]]), tmp_path / "m.skops")
    assert "holds a LabelRidge" in colabel.fails("describe", "m.skops")
