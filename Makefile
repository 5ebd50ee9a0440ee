# `make demo` and `make test` work on a fresh machine with Python 3.11 or newer: they make .venv themselves.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help demo paper test doctest verify check format lint types contracts guard accept bench bench-peers bench-page lock clean

help:  ## Say what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "banditq needs Python 3.11 or newer; point to one with: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY)  ## Reproduce the paper at reduced size, in about a minute: demo/index.html
	$(BIN)/banditq paper --quick --out demo

paper: $(READY)  ## Reproduce the paper at full size, in minutes: report/index.html
	$(BIN)/banditq paper --out report

test: $(READY)  ## Run the tests
	$(BIN)/python -m pytest --numprocesses 2

doctest: $(READY)  ## Run the examples in docstrings, README and docs
	$(BIN)/python -m pytest --doctest-modules --doctest-glob='*.md' src README.md docs

verify: check  ## `make check` and the checks that take minutes
	$(BIN)/python -m pytest --numprocesses 2 -m heavy

check: format lint types contracts guard test doctest  ## What CI runs: format, lint, types, import contract, speed guard, tests, doctests

format: $(READY)  ## Check the formatting
	$(BIN)/ruff format --check .

lint: $(READY)  ## Lint
	$(BIN)/ruff check .

types: $(READY)  ## Check the types
	$(BIN)/mypy

contracts: $(READY)  ## Check that imports point one way
	$(BIN)/lint-imports

guard: $(READY)  ## Check that no central loop executes more instructions a round than was accepted
	$(BIN)/python -m banditq.bench.guard benchmarks/accepted.json

accept: $(READY)  ## Accept the instructions a round that the central loops execute now
	$(BIN)/python -m banditq.bench.guard benchmarks/accepted.json --accept

bench: $(READY)  ## Measure speed on a quiet machine, about five minutes: docs/speed.md; AUTHOR=folder times his code too
	$(BIN)/banditq bench --out benchmarks/results.json --docs docs $(if $(AUTHOR),--author $(AUTHOR))

bench-peers: $(READY)  ## Measure other packages beside ours, about five minutes: docs/speed.md
	$(BIN)/python benchmarks/peers/run.py
	$(MAKE) --no-print-directory bench-page

bench-page: $(READY)  ## Draw docs/speed.md again from the figures in benchmarks/
	$(BIN)/banditq bench --redraw --out benchmarks/results.json --docs docs

lock:  ## Resolve the dependencies anew
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-annotate --no-header --all-extras --group dev --output-file requirements.lock pyproject.toml

clean:  ## Remove the environment and what was generated
	rm -rf .venv demo report .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
