"""The site: it builds without a warning, and a real browser finds nothing wrong with any page."""

import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import colabel

pytest.importorskip("sphinx", reason="needs the dependency group docs")
playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
in_a_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="needs the browser chromium (apt-get install chromium, or CHROMIUM=)"
)
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
#: A page of each kind, seen in every form.
KINDS = (
    "docs/index",
    "docs/from_a_file",
    "docs/which_method",
    "docs/guide/thresholds",
    "docs/mathematics/extractors",
    "docs/api/index",
    "docs/api/SharedSubspaceClassifierCV",
    "docs/gallery/index",
    "docs/gallery/plot_text",
    "docs/comparison",
    "benchmarks/results/mixtures",
    "CHANGELOG",
)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site without running the gallery, built once for all processes of the suite."""
    folder = tmp_path_factory.getbasetemp()
    shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    built, done = shared / "site", shared / "site-built"
    try:
        built.mkdir()
    except FileExistsError:
        while not done.exists():
            time.sleep(0.5)
    else:
        done.write_text(build(built))
    assert done.read_text() == ""
    return built


def build(folder):
    """Everything that Sphinx complains about."""
    command = ["-m", "sphinx", "--quiet", "--tag", "quick", "-c", str(ROOT / "docs")]
    ran = subprocess.run(
        [sys.executable, *command, "-d", str(folder / ".doctrees"), str(ROOT), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stderr if ran.returncode == 0 else f"{ran.returncode}: {ran.stdout}{ran.stderr}"


def pages(site):
    """All pages; what the theme keeps beside its styles is a part of one."""
    return sorted(page for page in site.rglob("*.html") if "_static" not in page.parts)


def test_every_page_that_the_project_asks_for_is_there(site):
    there = {str(page.relative_to(site).with_suffix("")) for page in pages(site)}
    assert set(KINDS) <= there
    guide = ("tables", "thresholds", "probabilities", "kernels", "unknown_labels", "large_data")
    assert {f"docs/guide/{name}" for name in guide} <= there
    assert {"docs/in_python", "docs/papers", "docs/own_method", "docs/architecture"} <= there
    scripts = {path.stem for path in (ROOT / "examples").glob("plot_*.py")}
    assert len(scripts) >= 12
    assert {f"docs/gallery/{name}" for name in scripts} <= there


def reference():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs/_site/reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_is_in_the_reference(site):
    shown = {
        name
        for page in (site / "docs" / "api").glob("*.html")
        for name in re.findall(r'id="(colabel[\w.]*)"', page.read_text(encoding="utf-8"))
    }
    alone = [name for name in colabel.__all__ if not inspect.ismodule(getattr(colabel, name))]
    wanted = {f"colabel.{name}" for name in alone}
    for module, names in reference().modules().items():
        holder = importlib.import_module(f"colabel.{module}")
        wanted |= {
            f"colabel.{module}.{name}"
            for name in names
            if not inspect.ismodule(getattr(holder, name))
        }
    assert wanted - shown == set()


def test_links_lead_somewhere(site):
    parsed = {}
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        parsed[page.resolve()] = (
            set(re.findall(r'\bid="([^"]*)"', text)),
            set(re.findall(r'<(?:a|link|img|script)\b[^>]*?\b(?:href|src)="([^"]*)"', text)),
        )
    lost = []
    for page, (_, links) in parsed.items():
        for link in links:
            target, fragment = urldefrag(unquote(link).replace("&amp;", "&"))
            if re.match(r"(https?|data|mailto):", target):
                continue
            found = (page.parent / target.split("?")[0]).resolve() if target else page
            known = parsed.get(found, (set(),))[0]
            if not found.exists() or (fragment and found in parsed and fragment not in known):
                lost.append(f"{page.relative_to(site.resolve())}: {link}")
    assert lost == []


def test_formulas_are_drawn_by_the_browser_itself(site):
    text = (site / "docs/mathematics/extractors.html").read_text(encoding="utf-8")
    assert text.count("<math") > 30
    assert "$$" not in text
    assert not re.search(r"<script[^>]*(mathjax|katex)", text, re.IGNORECASE)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def opened(browser, site):
    """Open pages; at the end, see that none asked for anything from outside or complained."""
    contexts, wrong = [], []

    def context(**options):
        made = browser.new_context(**{"viewport": DESK, **options})
        contexts.append(made)
        page = made.new_page()
        page.on("request", lambda r: r.url.startswith(("file:", "data:")) or wrong.append(r.url))
        page.on("console", lambda m: m.type == "error" and wrong.append(f"{page.url}: {m.text}"))
        page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
        return page

    yield context
    for made in contexts:
        made.close()
    assert wrong == []


@in_a_browser
def test_every_page_loads_by_itself(opened, site):
    page = opened()
    for path in pages(site):
        if path != site / "index.html":  # it leads on by itself: see below
            page.goto(path.as_uri(), wait_until="load")
            assert "colabel" in page.title()


@in_a_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_pages_fit_and_are_light_or_dark(opened, site, scheme, viewport):
    page = opened(color_scheme=scheme, viewport=viewport)
    for name in KINDS:
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= viewport["width"], f"{name} is {wide} wide"
        assert page.locator("article h1, main h1, main h2").first.is_visible(), name


@in_a_browser
def test_the_search_finds_without_a_network(opened, site):
    page = opened()
    page.goto((site / "search.html").as_uri() + "?q=conformal")
    results = page.locator("#search-results li")
    results.first.wait_for()
    assert results.count() >= 2
    # A click returns when the page begins to come in; this waits until all of it is there.
    with page.expect_navigation():
        results.first.locator("a").click()
    assert "conformal" in page.locator("main").inner_text().lower()


@in_a_browser
def test_the_first_page_is_where_a_browser_looks(opened, site):
    page = opened()
    page.goto((site / "index.html").as_uri())
    page.wait_for_url("**/docs/index.html*")
    assert page.locator("main img").first.evaluate("image => image.naturalWidth") > 100
