# make demo: build, verify and measure a core.   make test: everything that is checked.
.PHONY: demo test setup setup-test clean

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
BUILD := build/ueno2020_enc

demo: setup
	$(VENV)/bin/aesmith demo --out $(BUILD)

test: setup-test
	$(VENV)/bin/ruff check src tests benchmarks
	$(VENV)/bin/ruff format --check src tests benchmarks
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache
	$(VENV)/bin/pytest -n auto --dist worksteal

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
