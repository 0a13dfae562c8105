"""``colabel explain``: the parts of a score, on the terminal, as JSON, as a page."""

import command_files as files
import pytest

import colabel as library
from colabel.datasets import stream


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    from colabel.cli.app import run

    folder = tmp_path_factory.mktemp("models")
    files.news(folder / "news.csv")
    files.plants(folder / "plants.csv")
    for name, options in (("news", files.TEXTS), ("plants", files.NUMBERS)):
        arguments = [str(folder / f"{name}.csv"), *options, "-o", str(folder / f"{name}.skops")]
        method = "shared-subspace" if name == "news" else "label-ridge"
        assert run(["fit", *arguments, "--cv", "3", "--method", method]) == 0
    return folder


def test_parts_sum_to_the_score(models, colabel):
    found = colabel.json(
        "explain", models / "news.skops", models / "news.csv", "--row", 7, "--most", 4
    )
    bundle = library.load(models / "news.skops")
    (X,) = stream(models / "news.csv", bundle.columns)
    scores = dict(zip(bundle.label_names, bundle.scores(X)[6], strict=True))
    assert found["row"] == 7
    assert found["labels"]
    for one in found["labels"]:
        total = sum(part["part"] for part in one["parts"]) + one["others"]["part"]
        assert total == pytest.approx(scores[one["label"]], abs=1e-10)
        assert one["shared"] + one["own"] == pytest.approx(one["score"], abs=1e-10)
        assert len(one["parts"]) <= 4
        assert len(one["shares_with"]) == 3
        assert 0 < one["probability"] < 1
    predicted = {name for name, score in scores.items() if score > 0}
    assert {one["label"] for one in found["labels"]} == predicted


def test_words_are_named(models, colabel):
    said = colabel("explain", models / "news.skops", models / "news.csv", "--label", "sport")
    assert "sport: " in said
    assert "score" in said
    assert "(base)" in said
    assert "through what labels share" in said


def test_numbers_without_a_subspace(models, colabel):
    said = colabel("explain", models / "plants.skops", models / "plants.csv", "--row", 2,
                   "--label", "tree,tall")  # fmt: skip
    assert "tree: " in said
    assert "tall: " in said
    assert "share" not in said


def test_page(models, colabel, tmp_path):
    colabel("explain", models / "news.skops", models / "news.csv", "--html", "why.html")
    page = (tmp_path / "why.html").read_text()
    assert "Content-Security-Policy" in page
    assert "<svg" in page
    assert "bar less" in page


def test_mistakes(models, colabel):
    base = ["explain", models / "plants.skops", models / "plants.csv"]
    assert "--row 999: " in colabel.fails(*base, "--row", 999)
    assert "--label oak: the model has tree, green, tall" in colabel.fails(*base, "--label", "oak")


def test_a_kernel_is_refused(colabel, models):
    colabel("fit", models / "plants.csv", *files.NUMBERS, "--method", "kernel-ridge",
            "--no-tune", "-o", "k.skops")  # fmt: skip
    assert "a kernel mixes the features" in colabel.fails(
        "explain", "k.skops", models / "plants.csv"
    )
