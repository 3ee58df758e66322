# Targets are one-liners over `python -m kg|generation|training|evaluation`. `make help` lists them.
# Settings: GRAPH= a file of your own, PROFILE=open|full, RECIPE=, Q=, ARGS= more arguments for the command.

SHELL := /bin/bash
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt
PYTHON := python3
PROFILE := full
ARGS :=

.DEFAULT_GOAL := help
.PHONY: help questions test lint bench clean show

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(PY):
	$(PYTHON) -m venv $(VENV)

$(VENV)/core: pyproject.toml constraints.txt | $(PY)
	$(PIP) -e .
	@touch $@

$(VENV)/dev: $(VENV)/core
	$(PIP) -e '.[dev]'
	@touch $@

questions: $(VENV)/core ## build the graph and make all questions from it
	$(PY) -m kg build --profile $(PROFILE)
	$(PY) -m generation questions $(ARGS)

show: $(VENV)/core ## print some questions with path and proofs
	$(PY) -m generation show $(ARGS)

test: $(VENV)/dev ## install the rest and run every test
	$(PY) -m pytest $(ARGS)

lint: $(VENV)/dev ## ruff and mypy
	$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check . && $(VENV)/bin/mypy

build/graph/edges.parquet: | $(VENV)/core
	$(PY) -m kg build --profile $(PROFILE)

bench: $(VENV)/core build/graph/edges.parquet ## speed, as ratios in one run
	$(PY) tests/bench/questions.py

clean: ## remove what was made (not the environment)
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis
