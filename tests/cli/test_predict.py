"""``colabel predict``: labels, scores and best labels, block by block, whole or not at all."""

import command_files as files
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import colabel as library
from colabel.datasets import load, stream
from colabel.persistence import save


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model of texts and one of numbers, with files to predict from."""
    from colabel.cli.app import run

    folder = tmp_path_factory.mktemp("models")
    files.news(folder / "news.csv")
    files.news(folder / "new.csv", 30, seed=1)
    files.plants(folder / "plants.csv")
    for name, options in (("news", files.TEXTS), ("plants", files.NUMBERS)):
        arguments = [str(folder / f"{name}.csv"), *options, "-o", str(folder / f"{name}.skops")]
        assert run(["fit", *arguments, "--cv", "3"]) == 0
    return folder


def expected(models, name, data):
    """The bundle, its scores and its labels, by the functions of the library."""
    bundle = library.persistence.load(models / f"{name}.skops")
    (X,) = stream(models / data, bundle.columns)
    return bundle, bundle.scores(X), bundle.predict(X)


def uncut(models, name, data):
    """The scores that labels are ranked by."""
    bundle = library.persistence.load(models / f"{name}.skops")
    return bundle.uncut_scores(next(iter(stream(models / data, bundle.columns))))


def test_columns_of_labels(models, colabel, tmp_path):
    said = colabel("predict", models / "plants.skops", models / "plants.csv", "-o", "out.csv")
    assert "90 rows in out.csv" in said
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == ["tree", "green", "tall"]
    _, _, labels = expected(models, "plants", "plants.csv")
    assert_array_equal(np.array(rows, dtype=int), labels)


def test_tags_as_they_were_learned(models, colabel, tmp_path):
    colabel("predict", models / "news.skops", models / "new.csv", "-o", "out.csv")
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == ["tags"]
    bundle, _, labels = expected(models, "news", "new.csv")
    scores = uncut(models, "news", "new.csv")
    for (cell,), row, score in zip(rows, labels, scores, strict=True):
        best = [j for j in np.argsort(-score, kind="stable") if row[j]]
        assert cell == ";".join(bundle.label_names[best])
    truth = load(models / "new.csv", text="body", label_column="tags", separator=";")
    assert library.metrics.f1(truth.Y, labels, average="macro") > 0.9


def test_labels_in_the_other_form(models, colabel, tmp_path):
    colabel(
        "predict", models / "news.skops", models / "new.csv", "-o", "out.csv", "--as", "columns"
    )
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == list(files.TOPICS)
    assert_array_equal(np.array(rows, dtype=int), expected(models, "news", "new.csv")[2])
    options = ["--as", "tags", "--separator", " + "]
    colabel("predict", models / "plants.skops", models / "plants.csv", "-o", "out.csv", *options)
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == ["labels"]
    assert len(rows) == 90
    assert any(" + " in cell for (cell,) in rows)
    assert [""] in rows


def test_scores_to_the_last_digit(models, colabel, tmp_path):
    base = ["predict", models / "news.skops", models / "new.csv", "-o", "out.csv", "--scores"]
    colabel(*base, "--digits", "17")
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == list(files.TOPICS)
    scores = expected(models, "news", "new.csv")[1]
    assert_array_equal(np.array(rows, dtype=float), scores)
    colabel(*base)
    _, *rows = files.read(tmp_path / "out.csv")
    assert rows == [[f"{value:.4g}" for value in row] for row in scores]


def test_probabilities(models, colabel, tmp_path):
    base = ["predict", models / "news.skops", models / "new.csv", "-o", "out.csv", "--proba"]
    bundle = library.persistence.load(models / "news.skops")
    (X,) = stream(models / "new.csv", bundle.columns)
    P = bundle.estimator.predict_proba(X)
    colabel(*base, "--digits", "17")
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == list(files.TOPICS)
    assert_array_equal(np.array(rows, dtype=float), P)
    colabel(*base, "--top-k", "1")
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == ["label1", "probability1"]
    best = np.argmax(bundle.uncut_scores(X), axis=1)
    assert [name for name, _ in rows] == bundle.label_names[best].tolist()
    assert [p for _, p in rows] == [f"{row[j]:.4g}" for row, j in zip(P, best, strict=True)]


def test_columns_are_kept(models, colabel, tmp_path):
    base = ["predict", models / "plants.skops", models / "plants.csv", "-o", "out.csv"]
    colabel(*base, "--keep", "id,w", "--block", "7")
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == ["id", "w", "tree", "green", "tall"]
    given = files.read(models / "plants.csv")[1:]
    assert [row[:2] for row in rows] == [row[:2] for row in given]
    _, _, labels = expected(models, "plants", "plants.csv")
    assert_array_equal(np.array([row[2:] for row in rows], dtype=int), labels)
    assert "nothing" in colabel.fails(*base, "--keep", "nothing")


def test_sets_with_a_promise(models, colabel, tmp_path):
    base = [models / "plants.csv", *files.NUMBERS, "--cv", "3"]
    said = colabel("fit", *base, "--hold-out", "0.3", "-o", "aside.skops")
    assert "promises: by 27 rows set aside" in said
    predict = ["predict", "aside.skops", models / "plants.csv", "-o", "out.csv"]
    sizes = []
    for recall in ("0.5", "0.8", "0.95"):
        colabel(*predict, "--recall", recall)
        header, *rows = files.read(tmp_path / "out.csv")
        assert header == ["tree", "green", "tall"]
        sizes.append(np.array(rows, dtype=int).sum())
    assert sizes[0] < sizes[1] <= sizes[2]
    assert "recall of 0.99; 99 rows" in colabel.fails(*predict, "--recall", "0.99")
    assert "--recall 2" in colabel.fails(*predict, "--recall", "2")
    assert "--recall and --proba" in colabel.fails(*predict, "--recall", "0.5", "--proba")
    without = ["predict", models / "plants.skops", models / "plants.csv", "-o", "out.csv"]
    assert "--hold-out 0.2" in colabel.fails(*without, "--recall", "0.9")
    assert "one of them" in colabel.fails(*without, "--scores", "--proba")


def test_the_best_labels(models, colabel, tmp_path):
    base = ["predict", models / "news.skops", models / "new.csv", "-o", "out.csv", "--top-k", "2"]
    bundle, scores = expected(models, "news", "new.csv")[0], uncut(models, "news", "new.csv")
    best = np.argsort(-scores, axis=1, kind="stable")[:, :2]
    colabel(*base)
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == ["tags"]
    assert [cell for (cell,) in rows] == [";".join(bundle.label_names[row]) for row in best]
    colabel(*base, "--scores", "--digits", "17")
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == ["label1", "score1", "label2", "score2"]
    assert [row[::2] for row in rows] == bundle.label_names[best].tolist()
    ranked = np.take_along_axis(scores, best, axis=1)
    assert_array_equal(np.array([row[1::2] for row in rows], dtype=float), ranked)
    colabel(*base, "--as", "columns")
    _, *rows = files.read(tmp_path / "out.csv")
    assert set(np.array(rows, dtype=int).sum(axis=1)) == {2}


@pytest.mark.parametrize("block", [1, 7, 30, 1000])
def test_blocks_change_nothing(block, models, colabel, tmp_path):
    arguments = ["predict", models / "news.skops", models / "new.csv"]
    colabel(*arguments, "-o", "whole.csv")
    colabel(*arguments, "-o", "blocks.csv", "--block", block)
    assert (tmp_path / "whole.csv").read_text() == (tmp_path / "blocks.csv").read_text()


def test_columns_in_another_order_and_without_labels(models, colabel, tmp_path):
    header, *rows = files.read(models / "plants.csv")
    swapped = ["z", "more", "x", "w", "y"]
    picked = [
        [dict(zip(header, row, strict=True)).get(name, "?") for name in swapped] for row in rows
    ]
    files.write(tmp_path / "new.csv", swapped, picked)
    colabel("predict", models / "plants.skops", "new.csv", "-o", "a.csv")
    colabel("predict", models / "plants.skops", models / "plants.csv", "-o", "b.csv")
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()


def test_the_standard_output_and_json(models, colabel, tmp_path):
    said = colabel("predict", models / "plants.skops", models / "plants.csv", "-o", "-")
    colabel("predict", models / "plants.skops", models / "plants.csv", "-o", "out.csv")
    assert said == (tmp_path / "out.csv").read_text()
    result = colabel.json(
        "predict", models / "plants.skops", models / "plants.csv", "-o", "out.csv"
    )
    assert result["rows"] == 90
    assert result["labels"] == 3
    assert result["output"] == "out.csv"


def test_a_set_by_name(colabel, tmp_path):
    colabel("fit", "debtags", "-o", "d.skops", "--no-tune", "--no-thresholds")
    colabel("predict", "d.skops", "debtags", "-o", "out.csv", "--top-k", "1", "--scores")
    header, *rows = files.read(tmp_path / "out.csv")
    assert header == ["label1", "score1"]
    assert len(rows) == 4178


def test_no_rows_give_a_header(models, colabel, tmp_path):
    files.write(tmp_path / "none.csv", ["body"], [])
    colabel("predict", models / "news.skops", "none.csv", "-o", "out.csv")
    assert files.read(tmp_path / "out.csv") == [["tags"]]


def test_a_bad_row_leaves_the_old_file(models, colabel, tmp_path):
    header, *rows = files.read(models / "plants.csv")
    rows[70][1] = "much"
    files.write(tmp_path / "word.csv", header, [*rows[:60], *rows[61:]])
    (tmp_path / "out.csv").write_text("old")
    base = [models / "plants.skops", "-o", "out.csv", "--block", "10"]
    assert "line 71: column 'w' holds 'much'" in colabel.fails("predict", *base, "word.csv")
    assert (tmp_path / "out.csv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "word.csv"]


ERRORS = {
    "--top-k 5: the model has 4 labels": ["--top-k", "5"],
    "use one of tags, columns": ["--as", "rows"],
    "label 'health' holds the separator 'e'": ["--separator", "e"],
    "--zero-based does not apply": ["--zero-based"],
    "give -o a file": ["-o", "-", "--json"],
    "there is no folder": ["-o", "none/out.csv"],
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message, models, colabel):
    base = [models / "news.skops", models / "new.csv", "-o", "out.csv"]
    assert message in colabel.fails("predict", *base, *ERRORS[message])


def test_errors_in_the_files(models, colabel, tmp_path):
    news, plants = models / "news.skops", models / "plants.csv"
    assert "no column is named 'body'" in colabel.fails("predict", news, plants, "-o", "out.csv")
    line = colabel.fails("predict", "none.skops", plants, "-o", "out.csv")
    assert "none.skops: cannot be read" in line
    (tmp_path / "text.skops").write_text("text")
    line = colabel.fails("predict", "text.skops", plants, "-o", "out.csv")
    assert "not a model that colabel saved" in line
    rng = np.random.default_rng(0)
    save(library.LabelRidge().fit(rng.normal(size=(9, 2)), rng.integers(0, 2, (9, 2))), "py.skops")
    line = colabel.fails("predict", "py.skops", plants, "-o", "out.csv")
    assert "holds a LabelRidge saved from Python" in line
    line = colabel.fails("predict", news, "debtags", "-o", "out.csv")
    assert "debtags has 3000 features; the model was fitted on" in line
    assert not (tmp_path / "out.csv").exists()
