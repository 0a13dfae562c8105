# Everything runs in one virtual environment that these targets build by themselves.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Modules are compiled when they are first imported: most of what is installed never is, and to
# compile all of it takes a minute.
INSTALL := install --no-compile
# ... but for the oldest versions that are supported, which have their own.
LOWEST ?= .venv-lowest
LOWEST_PIP := $(LOWEST)/bin/python -m pip --quiet --disable-pip-version-check
# The first pip that knows dependency groups; a new environment may bring an older one.
GROUPS_PIP := 'pip>=25.1'
# Where the gallery looks for public data sets that are not part of the repository.
DATA ?= $(abspath $(firstword $(wildcard data ../shared/data) data))
TEST_SETTINGS := SCIPY_ARRAY_API=1 OMP_NUM_THREADS=1
# Each process begins with its own part of the files, so that a cluster, a browser or a set of fitted
# models is made by one of them, and takes from the other's at the end.
PYTEST := python -m pytest -n auto --dist worksteal

.PHONY: demo environments test test-lowest check dist docs site format tables bench chromium clean

demo: $(VENV)/.installed  ## compare the methods on bundled data, and write a report to open
	$(BIN)/colabel compare --quick --report colabel-report.html

test: $(VENV)/.installed-test chromium  ## the whole suite
	$(TEST_SETTINGS) $(BIN)/$(PYTEST) $(PYTEST_ARGS)

test-lowest: $(LOWEST)/.installed chromium  ## the same with every dependency at its floor
	$(TEST_SETTINGS) $(LOWEST)/bin/$(PYTEST) $(PYTEST_ARGS)

environments: $(VENV)/.installed-test $(LOWEST)/.installed  ## both, with -j2 side by side

check: $(VENV)/.installed-test  ## lint and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/repo-review .

# A wheel from the sdist has to be, byte for byte, the wheel from the checkout, and to work by itself.
dist: $(VENV)/.installed-test  ## what a release is: built, compared, checked, tried
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null
	$(BIN)/python -m build --no-isolation --outdir dist/again --sdist --wheel . >/dev/null
	cmp dist/*.whl dist/again/*.whl && cmp dist/*.tar.gz dist/again/*.tar.gz
	$(BIN)/twine check --strict dist/*.whl dist/*.tar.gz
	$(PIP) $(INSTALL) --no-deps --target dist/again/tried dist/*.whl
	cd dist && PYTHONPATH=again/tried $(abspath $(BIN))/python -m colabel describe debtags >/dev/null
	rm -r dist/again

# Pictures and gallery run real models, some minutes; `make site` is the same without them, in half a minute: what
# a writer looks at, and what tests/site builds in continuous integration, where the examples are tests of their
# own. No warning is left in either, and neither asks the network for anything.
SPHINX := python -m sphinx --fail-on-warning --keep-going --quiet -c docs
docs: $(VENV)/.installed-docs chromium  ## the site with pictures and gallery; open build/site/index.html
	$(BIN)/python scripts/pictures.py
	COLABEL_DATA=$(DATA) $(BIN)/$(SPHINX) . build/site
	@echo "open build/site/index.html"

site: $(VENV)/.installed-docs  ## the same without running the gallery
	$(BIN)/$(SPHINX) --tag quick . build/quick-site
	@echo "open build/quick-site/index.html"

format: $(VENV)/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

tables: $(VENV)/.installed  ## what documents have from the catalogue, the imports, pyproject.toml
	$(BIN)/python scripts/tables.py
	$(BIN)/python scripts/architecture.py

bench: $(VENV)/.installed-bench  ## every comparison, side by side; writes benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks

chromium:  ## the browser that opens reports in tests; without it those tests are skipped by name
	@command -v chromium chromium-browser >/dev/null || { \
	  command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null; } || \
	  echo "chromium cannot be installed here: tests in a browser will be skipped"

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("colabel needs Python 3.11 or newer; set PYTHON=" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) $(INSTALL) --editable .
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(VENV)/bin/python
	$(PIP) $(INSTALL) $(GROUPS_PIP)
	$(PIP) $(INSTALL) --editable '.[all]' --group dev
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/bin/python
	$(PIP) $(INSTALL) $(GROUPS_PIP)
	$(PIP) $(INSTALL) --editable '.[all]' --group docs
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: pyproject.toml | $(VENV)/bin/python
	$(PIP) $(INSTALL) $(GROUPS_PIP)
	$(PIP) $(INSTALL) --editable '.[dask,fast,plot]' --group bench
	@touch $@ $(VENV)/.installed

# Built anew whenever a floor changes: pip would leave what is newer where it is.
$(LOWEST)/.installed: pyproject.toml scripts/lowest.py
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python scripts/lowest.py bench docs embeddings lint release > $(LOWEST)/floors.txt
	$(LOWEST_PIP) $(INSTALL) --requirement $(LOWEST)/floors.txt editables
	$(LOWEST_PIP) $(INSTALL) --no-build-isolation --no-deps --editable .
	@touch $@

clean:
	rm -rf $(VENV) $(LOWEST) build docs/api docs/gallery .pytest_cache .mypy_cache .ruff_cache
