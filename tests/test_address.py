"""The public addresses of the project stand in one place, and everything else reads them there."""

import runpy
import tomllib
from email.message import Message
from pathlib import Path

import pytest
from sklearn.pipeline import make_pipeline

import colabel
from colabel import _address
from colabel.tuning import OutOfFoldSearch

ROOT = Path(__file__).resolve().parents[1]
URLS = {"Documentation": "https://docs.example.org/stable/", "Source": "https://example.org/code"}


class Mine(colabel.LabelRidge):
    """A class of somebody else, which our reference does not know."""


def having(urls):
    message = Message()
    for name, place in urls.items():
        message["Project-URL"] = f"{name}, {place}"
    return lambda package: message


@pytest.fixture(params=[{}, URLS], ids=["no address", "addresses"])
def urls(request, monkeypatch):
    monkeypatch.setattr(_address, "metadata", having(request.param))
    _address.address.cache_clear()
    yield request.param
    _address.address.cache_clear()


def test_estimators_lead_to_their_page_of_the_reference(urls):
    site = "https://docs.example.org/stable/docs/api/"
    for model, page in [
        (colabel.PCA(), "PCA.html"),
        (colabel.LabelRidgeCV(), "LabelRidgeCV.html"),
        (OutOfFoldSearch(colabel.LabelRidge(), {}), "tuning.html"),
    ]:
        assert model._get_doc_link() == (site + page if urls else "")
    assert Mine()._get_doc_link() == ""


def test_pictures_of_estimators_have_these_links_and_no_others(urls):
    shown = make_pipeline(colabel.PCA(), colabel.LabelRidge())._repr_html_()
    assert ('href="https://docs.example.org/stable/docs/api/LabelRidge.html' in shown) == bool(urls)
    assert ("example.org" in shown) == bool(urls)


def test_the_readme_has_them(urls):
    written = runpy.run_path(str(ROOT / "scripts" / "tables.py"))["written"]
    readme = written((ROOT / "README.md").read_text(), {"project": {"urls": urls}})
    assert all(f"[{name}]({place})" in readme for name, place in urls.items())
    assert ("example.org" in readme) == bool(urls)


def test_no_other_place_has_them():
    """Metadata, citation and documents agree; nobody has made one up."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert ("repository-code" in citation) == ("urls" in project)
