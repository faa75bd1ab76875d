# To use hypercone: python3 (3.11 or newer), pip and make. To test it: node with npm and Chromium as well.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGE := $(VENV)/.package
INSTALLED := $(VENV)/.installed
TOOLS := $(VENV)/tools
LOCK := requirements-dev.lock
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
NODE_MODULES := explorer/node_modules/.package-lock.json
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

.PHONY: install lock audit browser demo test test-all lint-and-types lint typecheck unit unit-all test-plain test-compiled test-oldest test-newest page-test page docs bench clean
.DEFAULT_GOAL := install

install: $(INSTALLED)

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

# What a user needs, and no more, in the versions that a user would get today.
$(PACKAGE): pyproject.toml | $(VENV)/pyvenv.cfg
	$(PIP) install --upgrade pip
	$(PIP) install --editable .
	touch $(PACKAGE)

# What the tests need, byte for byte what the lock file says; the build tools are in it, so pip fetches nothing else.
$(INSTALLED): pyproject.toml $(LOCK) | $(VENV)/pyvenv.cfg
	$(PIP) install --require-hashes --no-deps --requirement $(LOCK)
	$(PIP) install --no-build-isolation --no-deps --editable .
	touch $(PACKAGE) $(INSTALLED)

# In an environment of their own, so that they add nothing to what is tested.
$(TOOLS):
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip --quiet --disable-pip-version-check install uv pip-audit

# The newest versions that pyproject.toml allows, for every Python from 3.11 up. Needs the network.
lock: $(TOOLS)
	$(TOOLS)/bin/uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 --extra dev \
	  --custom-compile-command "make lock" --output-file $(LOCK) pyproject.toml

# Are there known holes in what the lock file names? Asks a service on the network, and fails if it does not answer.
audit: $(TOOLS)
	$(TOOLS)/bin/pip-audit --strict --disable-pip --requirement $(LOCK)

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

# Everything, with what takes too long for every change; run it before a release.
test-all: install browser $(NODE_MODULES)
	$(MAKE) -j2 unit-all lint-and-types page-test

lint-and-types: lint typecheck

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

typecheck: install
	$(BIN)/mypy

# A file of tests stays with one worker, so that its kernels are compiled once.
unit: install browser
	$(BIN)/pytest -n 2 --dist loadfile -m "not slow"
	$(BIN)/pytest -n 2 --dist loadfile --doctest-modules src/hypercone

unit-all: install browser
	$(BIN)/pytest -n 2 --dist loadfile
	$(BIN)/pytest -n 2 --dist loadfile --doctest-modules src/hypercone

# Every kernel in one tier, whatever its work: as plain Python (but for training), or compiled.
test-plain test-compiled: install browser
	HYPERCONE_KERNELS=$(@:test-%=%) $(BIN)/pytest -n 2 --dist loadfile -m "not slow"

# The unit tests with the lowest versions that pyproject.toml allows, and with the newest, each in an environment of its
# own. Both need the network. Old libraries use what newer ones, on which they depend, have deprecated.
test-oldest: RESOLUTION := lowest-direct
test-oldest: WARNINGS := -W ignore::DeprecationWarning
test-newest: RESOLUTION := highest
test-oldest test-newest: $(TOOLS) browser
	$(TOOLS)/bin/uv pip compile --quiet --upgrade --resolution $(RESOLUTION) --python $(PYTHON) --extra dev \
	  --output-file $(VENV)/$(@:test-%=%).txt pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)/$(@:test-%=%)
	$(VENV)/$(@:test-%=%)/bin/python -m pip --quiet --disable-pip-version-check install -r $(VENV)/$(@:test-%=%).txt
	$(VENV)/$(@:test-%=%)/bin/python -m pip --quiet --disable-pip-version-check install --no-build-isolation --no-deps --editable .
	$(VENV)/$(@:test-%=%)/bin/pytest -n 2 --dist loadfile -m "not slow" $(WARNINGS)

# tsc and node's tests, and that the page in the package is what the sources build.
page-test: $(NODE_MODULES)
	cd explorer && npm test --silent
	cd explorer && npm run --silent fresh

page: $(NODE_MODULES)
	cd explorer && npm run --silent build

# The pages as a site, in site/. A warning, such as a link that leads nowhere, is an error; the tests build it as well.
docs: install
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: install
	$(BIN)/python -m benchmarks kernels

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache explorer/node_modules
