# To use hypercone: python3 (3.11 or newer), pip and make. To test it: node with npm and Chromium as well.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGE := $(VENV)/.package
INSTALLED := $(VENV)/.installed
NODE_MODULES := explorer/node_modules/.package-lock.json
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: install browser demo test lint-and-types lint typecheck unit page-test page bench clean
.DEFAULT_GOAL := install

install: $(INSTALLED)

# What a user needs, and no more.
$(PACKAGE): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $(PACKAGE)

$(INSTALLED): $(PACKAGE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(INSTALLED)

demo: $(PACKAGE)
	$(BIN)/hypercone demo

# The explorer is tested in a real browser; where there is none, Debian's is installed.
browser:
	command -v chromium > /dev/null || ($(SUDO) apt-get update -qq && \
	  $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium > /dev/null)

$(NODE_MODULES): explorer/package-lock.json
	cd explorer && npm ci --silent --no-audit --no-fund
	touch $(NODE_MODULES)

# The linters, the type checker and the tests of the page run beside those of the package.
test: install browser $(NODE_MODULES)
	$(MAKE) -j2 unit lint-and-types page-test

lint-and-types: lint typecheck

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

typecheck: install
	$(BIN)/mypy

# A file of tests stays with one worker, so that its kernels are compiled once.
unit: install browser
	$(BIN)/pytest -n 2 --dist loadfile

# tsc and node's tests, and that the page in the package is what the sources build.
page-test: $(NODE_MODULES)
	cd explorer && npm test --silent
	cd explorer && npm run --silent fresh

page: $(NODE_MODULES)
	cd explorer && npm run --silent build

bench: install
	$(BIN)/hypercone bench kernel

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache explorer/node_modules
