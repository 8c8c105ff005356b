# Everything a developer or CI runs. After `make setup` nothing here needs a network.

## CAMPAIGN  what cspl and smoke call their run, a folder in data/ (local; smoke)
CAMPAIGN ?= local
## ENV       settings of cspl: base, evening, smoke, workstation or paper, folders in conf/ (base)
ENV ?= base
## PARAMS    single settings of cspl and smoke: PARAMS=seed=2,teachers.ppo.clip_ratio=0.1
PARAMS ?=
## PYTHON    Python, 3.11 or newer, that .venv is made with (python3)
PYTHON ?= python3
## PIP_ARGS  more arguments for pip: PIP_ARGS="--extra-index-url <index of torch wheels>"
PIP_ARGS ?=
comma := ,
SETTINGS = campaign=$(CAMPAIGN)$(if $(PARAMS),$(comma)$(PARAMS))
BIN := .venv/bin
STAMP := .venv/.fullpool-setup

# One thread a process: two spinning threads on two busy cores are ten times slower.
export OMP_NUM_THREADS ?= 1
export MLFLOW_DISABLE_TELEMETRY := true
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help setup check format test smoke cspl docs ui clean

help:  ## lists the targets and variables
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo; echo "Variables, as in make cspl CAMPAIGN=mine:"
	@awk '/^## / {print "  " substr($$0, 4)}' $(MAKEFILE_LIST)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "fullpool needs Python 3.11 or newer, but $(PYTHON) is $$($(PYTHON) --version 2>&1);" \
	       "name another one: make setup PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "creating .venv"; $(PYTHON) -m venv .venv; }
	@echo "installing the locked packages (about 2 GB, some minutes the first time)"
	@$(BIN)/python -m pip install --quiet $(PIP_ARGS) -r requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

setup: $(STAMP)  ## makes .venv from requirements.lock and compiles the kernels; quick the second time
	@$(BIN)/fullpool compile

check: $(STAMP)  ## lint, format, types and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(STAMP)  ## formats the code and mends what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: setup  ## the whole suite
	$(BIN)/pytest

smoke: CAMPAIGN := smoke
smoke: setup  ## the whole graph at toy size, in a campaign of its own
	$(BIN)/kedro run --pipeline=cspl --env=smoke --params $(SETTINGS)
	@$(BIN)/fullpool summary $(CAMPAIGN)

cspl: setup  ## trains and drafts
	$(BIN)/kedro run --pipeline=cspl --env=$(ENV) --params $(SETTINGS)
	@$(BIN)/fullpool summary $(CAMPAIGN)

ui: $(STAMP)  ## opens the comparison of runs
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/kedro mlflow ui

docs: $(STAMP)  ## checks the links of the pages
	$(BIN)/python docs/check_links.py

clean:  ## removes caches; data, the database and .venv stay
	rm -rf .cache .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build
