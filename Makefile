# make demo: build, verify and measure a core.   make site: docs/ as pages that work offline, in build/site.
# make check: what a minute suffices for.   make test: linters and the quick tier, 11 to 16 minutes on two processors.
# make test-all: linters, the quick tier, a third of other cases, half an hour; AESMITH_ALL_CASES=1 make test-all: all, hours.
.PHONY: demo check test test-all test-record run-test run-test-all run-test-record site lint style types setup setup-test setup-firmware clean

TIER ?= quick
PYTHON ?= $(shell scripts/python)
VENV := .venv
READY := $(VENV)/.ready
BUILD := build/ueno2020_enc
# One more than there are processors: what a test starts, it often waits for.
PYTEST = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(VENV)/bin/pytest -n $(shell expr $$(nproc) + 1)
# Tests start the program hundreds of times: its modules are compiled once, whatever the shell says of that.
export PYTHONDONTWRITEBYTECODE :=

demo: setup
	$(VENV)/bin/aesmith demo --out $(BUILD)

check: setup-test lint
	$(PYTEST) --dist worksteal --within 48

# What compiles firmware and drivers is installed for the thorough tier; the quick one uses it if it is there.
test-all test-record: setup-firmware
setup-firmware:
	@scripts/debian-packages mbedtls riscv64-unknown-elf-gcc rustc linux-headers

# Types are checked beside the tests: that takes one processor for a minute.
test test-all test-record: setup-test style
	@$(MAKE) --no-print-directory -j2 types run-$@

run-test:
	$(PYTEST) --dist loadfile --no-loadscope-reorder --tier=quick

run-test-all:
	$(PYTEST) --dist loadfile --no-loadscope-reorder

run-test-record:
	$(PYTEST) --dist loadfile --no-loadscope-reorder --tier=$(TIER) --record

site: setup
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict -f scripts/site/mkdocs.yml
	@echo "The site is build/site/index.html."

lint: style types

style: setup-test
	$(VENV)/bin/ruff check src tests benchmarks scripts
	$(VENV)/bin/ruff format --check src tests benchmarks scripts
	$(VENV)/bin/lint-imports --no-cache

types: setup-test
	$(VENV)/bin/mypy

setup:
	@scripts/debian-packages python3 g++ make perl
	@$(MAKE) --no-print-directory $(READY)

setup-test:
	@scripts/debian-packages python3 g++ make perl iverilog sta chromium pg_createcluster
	@$(MAKE) --no-print-directory $(READY)

# Modules are compiled when they are first used: most never are. Those that answer a requirement are used at once, so that
# the first answer takes no longer than the next, whatever the shell says of bytecode.
$(READY): requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.txt
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(VENV)/bin/aesmith recommend --mode gcm --min-throughput 5Gbps >/dev/null
	touch $@

clean:
	rm -rf build $(VENV)
