# Everything here needs only python3 (3.11 or newer), pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: install demo test lint-and-types lint typecheck unit bench clean
.DEFAULT_GOAL := install

install: $(INSTALLED)

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(INSTALLED)

demo: install
	$(BIN)/hypercone demo

# The linters and the type checker run beside the tests, on the second core.
test: install
	$(MAKE) -j2 lint-and-types unit

lint-and-types: lint typecheck

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

typecheck: install
	$(BIN)/mypy

unit: install
	$(BIN)/pytest

bench: install
	$(BIN)/hypercone bench kernel

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
