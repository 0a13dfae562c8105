"""From a table of any columns to predictions, in two commands."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from awkward_tables import NAMES, TABLES, tickets
from command_files import read, write
from numpy.testing import assert_allclose
from sklearn.pipeline import make_pipeline

import colabel as library
from colabel.persistence import TRUSTED, trusted
from colabel.tables import kinds

skrub = pytest.importorskip("skrub", reason="skrub is not installed: no tables are recognised")
RIDGE = ["-m", "label-ridge", "--no-tune", "--no-thresholds", "--set", "alpha=0.5"]


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_from_csv_to_the_scores_of_a_pipeline_written_by_hand(make, colabel, tmp_path):
    table = make()
    table.write(tmp_path)
    said = colabel("fit", "table.csv", *table.options, *RIDGE, "-o", "m.skops").splitlines()
    for name in table.warned:
        assert any(f"column '{name}'" in line for line in colabel.err.splitlines())
    assert colabel.err.count("warning") == len(table.warned)
    assert (
        sum(
            line.split(":")[0] not in ("label-ridge on table", "features", "saved")
            for line in said[: said.index(next(x for x in said if x.startswith("label-ridge on")))]
        )
        <= 5
    )
    colabel("predict", "m.skops", "new.csv", "-o", "scores.csv", "--scores", "--digits", "17")
    header, *scores = read(tmp_path / "scores.csv")
    by_hand = make_pipeline(table.by_hand(), library.LabelRidge(alpha=0.5))
    by_hand.fit(table.frame(table.rows), table.Y)
    expected = by_hand.decision_function(table.frame(table.new))
    assert header == NAMES
    assert_allclose(np.array(scores, dtype=float), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_what_is_decided_is_said_and_kept(make, colabel, tmp_path):
    table = make()
    table.write(tmp_path)
    said = colabel.json("fit", "table.csv", *table.options, *RIDGE, "-o", "m.skops")
    assert {column["name"]: column["kind"] for column in said["columns"]} == table.kinds
    model = library.load(tmp_path / "m.skops")
    frame = table.frame(table.new)
    assert model.predict(frame).shape == (len(table.new), len(NAMES))
    kept = [name for name, kind in table.kinds.items() if kind != "drop"]
    assert_allclose(model.scores(frame[kept]), model.scores(frame))


def test_the_default_method_reads_tickets_well_and_writes_tags_as_they_were(colabel, tmp_path):
    table = tickets()
    table.write(tmp_path)
    said = colabel("fit", "table.csv", *table.options, "-o", "m.skops")
    assert "labels: 3 tags in tags, between ';'" in said
    assert "numbers: price (13 gaps filled and marked)" in said
    assert "categories: product (3 values); dates: created (%Y-%m-%d %H:%M)" in said
    assert "texts: subject, body, by TF-IDF" in said
    assert "left out: ticket (an identifier: every row has its own)" in said
    assert "--column NAME=KIND (number, category, date, text, embedding, drop)" in said
    colabel("predict", "m.skops", "table.csv", "-o", "out.csv", "--keep", "ticket", "--block", "7")
    header, *rows = read(tmp_path / "out.csv")
    assert header == ["ticket", "tags"]
    found = [set(tags.split(";")) for _, tags in rows]
    truth = [set(row[-1].split("; ")) for row in table.rows]
    assert np.mean([a == b for a, b in zip(found, truth, strict=True)]) > 0.95
    for command in (["explain", "m.skops", "new.csv", "--row", "2"], ["describe", "m.skops"]):
        assert colabel(*command)


def test_json_tags_are_written_as_json(colabel, tmp_path):
    table = TABLES["unicode_and_json"]()
    table.write(tmp_path)
    said = colabel("fit", "table.csv", *table.options, *RIDGE, "-o", "m.skops")
    assert "as JSON lists" in said
    colabel("predict", "m.skops", "table.csv", "-o", "out.csv")
    rows = read(tmp_path / "out.csv")[1:]
    assert all(set(json.loads(tags)) <= set(NAMES) for (tags,) in rows)


def test_columns_can_be_overridden(colabel, tmp_path):
    table = tickets()
    table.write(tmp_path)
    options = ["--column", "product=drop", "--column", "ticket=text", "--column", "price=category"]
    said = colabel.json("fit", "table.csv", *table.options, *options, *RIDGE, "-o", "m.skops")
    found = {column["name"]: column["kind"] for column in said["columns"]}
    changed = {"product": "drop", "ticket": "text", "price": "category"}
    assert found == {**table.kinds, **changed}
    base = ["fit", "table.csv", *table.options, "-o", "n.skops", "--column"]
    assert "--column price: write it as NAME=KIND" in colabel.fails(*base, "price")
    assert "--column price=money: write it as NAME=KIND" in colabel.fails(*base, "price=money")
    assert "no column is named 'prize'; did you mean 'price'?" in colabel.fails(*base, "prize=drop")
    line = colabel.fails(*base, "subject=date")
    assert "column 'subject' holds nothing that can be read as date" in line


def test_two_texts_and_nothing_dropped_without_a_word(colabel, tmp_path):
    table = tickets()
    table.write(tmp_path)
    texts = ["--text", "subject", "--text", "body"]
    said = colabel("fit", "table.csv", *table.options, *texts, *RIDGE, "-o", "m.skops")
    assert "texts: subject, body, by TF-IDF" in said
    left_out = "left out: ticket, product, created, price, as only texts were asked for with --text"
    assert left_out in said
    one = colabel("fit", "table.csv", *table.options, *texts[:2], *RIDGE, "-o", "m.skops")
    assert "left out: ticket, body, product, created, price, as only texts" in one
    more = ["--column", "price=number"]
    said = colabel.json("fit", "table.csv", *table.options, *texts, *more, *RIDGE, "-o", "m.skops")
    assert [c["name"] for c in said["columns"]] == ["subject", "body", "price"]


def test_a_label_that_is_a_feature_too_is_warned_of(colabel, tmp_path):
    names = ["odd", "even"]
    rows = [[f"word{i % 5}", f"{i * 7 % 11}", names[i % 2]] for i in range(30)]
    write(tmp_path / "t.csv", ["body", "x", "tags"], rows)
    base = ["fit", "t.csv", "--label-column", "tags", *RIDGE, "-o", "m.skops"]
    colabel(*base, "--text", "tags")
    assert "column 'tags' is a label and a feature" in colabel.err


def test_copies_of_the_tags_and_thresholds_on_numbers_are_warned_of(colabel, tmp_path):
    table = tickets()
    rows = [
        [*row[:6], f"{row[-1].replace('; ', ',')},", f"{i % 3 + 5 * table.Y[i, 1]}", row[-1]]
        for i, row in enumerate(table.rows)
    ]
    write(tmp_path / "t.csv", [*table.header[:6], "copy", "level", "tags"], rows)
    colabel("fit", "t.csv", "--label-column", "tags", *RIDGE, "-o", "m.skops")
    assert "column 'copy' gives away 3 of 3 labels" in colabel.err
    assert "column 'level' gives away 'bug' by itself" in colabel.err
    assert "leave it out with --column level=drop" in colabel.err
    told = ["--column", "copy=drop", "--column", "level=drop", "--column", "ticket=drop"]
    colabel("fit", "t.csv", "--label-column", "tags", *told, *RIDGE, "-o", "m.skops")
    assert colabel.err == ""


def test_gaps_in_new_rows_of_a_model_of_complete_numbers(colabel, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    rows = [[*row, int(row[0] + row[1] > 0)] for row in X.tolist()]
    write(tmp_path / "t.csv", ["a", "b", "c", "up"], rows)
    write(tmp_path / "gap.csv", ["a", "b", "c"], [[0.5, "", 1.0]])
    write(tmp_path / "mean.csv", ["a", "b", "c"], [[0.5, X[:, 1].mean(), 1.0]])
    colabel("fit", "t.csv", "--labels", "up", *RIDGE, "-o", "m.skops")
    for name in ("gap", "mean"):
        colabel("predict", "m.skops", f"{name}.csv", "-o", f"{name}.out", "--scores")
    assert read(tmp_path / "gap.out") == read(tmp_path / "mean.out")


def test_cells_that_cannot_be_read_in_new_rows_are_gaps_and_said(colabel, tmp_path):
    table = tickets()
    table.new[0][5], table.new[0][4] = "much", "soon"
    table.write(tmp_path)
    colabel("fit", "table.csv", *table.options, *RIDGE, "-o", "m.skops")
    colabel("predict", "m.skops", "new.csv", "-o", "out.csv")
    assert "column 'price' holds 'much', which is no number; it counts as a gap" in colabel.err
    assert "column 'created' holds 'soon', which is no date" in colabel.err
    with (tmp_path / "new.csv").open("w", newline="") as file:
        csv.writer(file).writerow(["ticket", "body"])
    line = colabel.fails("predict", "m.skops", "new.csv", "-o", "out.csv")
    assert "no column is named" in line


def test_without_skrub_the_message_says_what_to_install(colabel, tmp_path, monkeypatch):
    for module in ("kinds", "features"):
        monkeypatch.setattr(f"colabel.tables.{module}.is_available", lambda: False)
    monkeypatch.setattr("colabel.datasets.tables.is_available", lambda: False)
    table = tickets()
    table.write(tmp_path)
    line = colabel.fails("fit", "table.csv", *table.options, "-o", "m.skops")
    assert "pip install 'colabel[tables]'" in line
    texts = ["--text", "subject", "--text", "body"]
    assert colabel("fit", "table.csv", *table.options, *texts, *RIDGE, "-o", "m.skops")
    write(tmp_path / "gap.csv", ["a", "b", "t"], [[1, "", 1], [2, 3, 0], [3, 4, 1]] * 3)
    line = colabel.fails("fit", "gap.csv", "--labels", "t", "-o", "m.skops")
    assert "values are missing in b" in line
    assert "pip install 'colabel[tables]'" in line


@pytest.mark.parametrize("suffix", ["jsonl", "json", "feather", "parquet", "xlsx"])
def test_other_kinds_of_files_through_pandas(suffix, colabel, tmp_path):
    table = tickets()
    table.write(tmp_path)
    frame = table.frame(table.rows).assign(tags=[row[-1].split("; ") for row in table.rows])
    if suffix == "xlsx":
        pytest.importorskip("openpyxl", reason="openpyxl is not installed: no spreadsheets")
        frame["tags"] = frame["tags"].str.join("; ")
        frame.to_excel(tmp_path / "t.xlsx", index=False)
    elif "json" in suffix:
        frame.to_json(tmp_path / f"t.{suffix}", orient="records", lines=suffix == "jsonl")
    else:
        getattr(frame, f"to_{suffix}")(tmp_path / f"t.{suffix}")
    for name in (f"t.{suffix}", "table.csv"):
        colabel("fit", name, "--label-column", "tags", *RIDGE, "-o", f"{name}.skops")
        colabel("predict", f"{name}.skops", name, "-o", f"{name}.out", "--scores")
    assert read(tmp_path / f"t.{suffix}.out") == read(tmp_path / "table.csv.out")


def test_a_model_of_a_table_holds_nothing_but_what_is_trusted(colabel, tmp_path):
    import skops.io

    table = tickets()
    table.write(tmp_path)
    colabel("fit", "table.csv", *table.options, *RIDGE, "-o", "m.skops")
    held = set(skops.io.get_untrusted_types(file=tmp_path / "m.skops"))
    assert held <= set(TRUSTED)
    foreign = {name for name in held if name.startswith("skrub")}
    assert foreign == set(trusted.TABLES)


def test_a_model_of_a_table_without_skrub_says_what_to_install(colabel, tmp_path, monkeypatch):
    table = tickets()
    table.write(tmp_path)
    colabel("fit", "table.csv", *table.options, *RIDGE, "-o", "m.skops")
    held = [name for name in TRUSTED if not name.startswith("skrub")]
    monkeypatch.setattr("colabel.persistence.files.TRUSTED", held)
    monkeypatch.setattr("colabel.persistence.files.is_available", lambda: False)
    line = colabel.fails("predict", "m.skops", "new.csv", "-o", "out.csv")
    assert "pip install 'colabel[tables]'" in line


def test_frames_are_read_as_files_are(tmp_path):
    table = tickets()
    table.write(tmp_path)
    frame = pd.read_csv(tmp_path / "table.csv")
    with pytest.warns(UserWarning, match="identifier"):
        data = library.datasets.load(frame, label_column="tags")
    with pytest.warns(UserWarning, match="identifier"):
        same = library.datasets.load(tmp_path / "table.csv", label_column="tags")
    assert data.feature_names.tolist() == same.feature_names.tolist()
    assert abs(data.X - same.X).max() < 1e-12
    assert kinds.is_available()
