PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help setup demo test check lint types format docs dist release clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: $(READY)  ## a virtual environment with everything, made once

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

demo: $(READY)  ## generate, train, evaluate, report; under five minutes on two cores
	$(BIN)/llt demo

test: $(READY)  ## all tests, on all cores
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

check: lint types docs test  ## everything CI runs

lint: $(READY)  ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)  ## types
	$(BIN)/mypy

format: $(READY)  ## put style right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)  ## the documentation site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

dist: $(READY)  ## wheel and source distribution of the tracked files, in dist/, checked
	$(BIN)/python tools/distribution.py dist

release: $(READY)  ## check, build and tag a version; pushes and uploads nothing
	$(BIN)/python tools/release.py ready
	$(MAKE) check dist
	$(BIN)/python tools/release.py tag

clean:  ## remove what was made
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache
