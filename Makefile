# make demo: build, verify and measure a core.   make check: what a minute suffices for.   make test: linters and tests.
# make test-all: tests with all their cases.   make site: docs/ as pages that work offline, in build/site.
.PHONY: demo check test test-all site lint setup setup-test clean

PYTHON ?= $(shell scripts/python)
VENV := .venv
READY := $(VENV)/.ready
BUILD := build/ueno2020_enc
# One more than there are processors: what a test starts, it often waits for.
WORKERS = $(shell expr $$(nproc) + 1)
# Tests start the program hundreds of times: its modules are compiled once, whatever the shell says of that.
export PYTHONDONTWRITEBYTECODE :=

demo: setup
	$(VENV)/bin/aesmith demo --out $(BUILD)

check: setup-test lint
	$(VENV)/bin/pytest -n $(WORKERS) --dist worksteal --within 48

test: setup-test lint
	$(VENV)/bin/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test-all: export AESMITH_ALL_CASES := 1
test-all: test

site: setup
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict -f scripts/site/mkdocs.yml
	@echo "The site is build/site/index.html."

lint: setup-test
	$(VENV)/bin/ruff check src tests benchmarks
	$(VENV)/bin/ruff format --check src tests benchmarks
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache

setup:
	@scripts/debian-packages python3 g++ make perl
	@$(MAKE) --no-print-directory $(READY)

setup-test:
	@scripts/debian-packages python3 g++ make perl iverilog sta chromium pg_createcluster
	@$(MAKE) --no-print-directory $(READY)

$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

clean:
	rm -rf build $(VENV)
