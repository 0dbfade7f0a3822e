# `make results` makes the environment and runs the main job; `make test` makes it and runs the tests.

PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
STAMP := .venv/made

.PHONY: env results test test-studies test-slurm lint types format schema bench bench-quick clean-env

env: $(STAMP)

$(STAMP): pyproject.toml envs/constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14) and "attnnn needs Python 3.11, 3.12 or 3.13, found " + sys.version.split()[0] + "; say make PYTHON=python3.11 …")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -c envs/constraints.txt -e ".[dev]"
	touch $@

# Rules call `attnnn`, so the environment comes first on the path.
results: env
	PATH="$(CURDIR)/$(BIN):$$PATH" snakemake --cores $(CORES) --resources gpu=1

test: env
	$(BIN)/pytest -m "not study and not slurm" -n auto --maxprocesses 4 --dist loadfile

# Minutes. Whole studies to their ends: begun again, interrupted, of pairs, of many classes.
test-studies: env
	$(BIN)/pytest -m study tests/workflow

# Minutes. Starts a real Slurm, so it needs root and Debian's slurm-wlm; says what is missing and skips without.
test-slurm: env
	$(BIN)/pytest -m slurm tests/slurm

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

types: env
	$(BIN)/mypy

format: env
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

schema: env
	$(BIN)/attnnn schema

# Minutes, best on a machine that does nothing else; for options: python -m benchmarks --help
bench: env
	$(BIN)/python -m benchmarks

bench-quick: env
	$(BIN)/python -m benchmarks --quick --no-memory --no-growth --out build/bench-quick.json

clean-env:
	rm -rf .venv
