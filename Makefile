# `make demo` and `make test` are all a newcomer needs; each installs what it uses into .venv.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Says nothing unless something is wrong; --silent would not say that either.
NPM_QUIET := --loglevel error --no-audit --no-fund >/dev/null

.PHONY: demo test prove check generate docs bench clean

demo: .venv/installed
	$(BIN)/acpgen generate --full
	$(BIN)/acpgen validate tests/interop/session.ndjson

test: .venv/installed-dev node
	$(BIN)/pytest -n auto --maxprocesses 8 -m "scaled or not prove"

# What takes long: tests/support/proofs.py says how a test is marked.
prove: .venv/installed-dev node
	$(BIN)/pytest -n auto --maxprocesses 8 -m prove

check: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/acpgen lint
	$(BIN)/acpgen generate --check
	$(BIN)/acpgen docs inject --check README.md schema/README.md
	$(BIN)/acpgen docs inject --check templates/README.md --links generated/docs

generate: .venv/installed
	$(BIN)/acpgen generate

docs: .venv/installed-docs
	npm ci --prefix site $(NPM_QUIET)
	$(BIN)/python site/build.py
	@echo "Open build/site/index.html"

bench: .venv/installed-dev
	$(BIN)/python benchmarks/import_time.py
	$(BIN)/python benchmarks/diff.py
	$(BIN)/python benchmarks/ledger.py
	$(BIN)/python benchmarks --peers .venv/peers

# What the tests compare with lives in npm packages. Without npm those tests say that they skip.
.PHONY: node
node:
	@if command -v npm >/dev/null; then \
	  for folder in tests/interop tests/mdx tests/languages tests/site site; do \
	    npm ci --prefix $$folder $(NPM_QUIET) || exit 1; \
	  done; \
	else echo "npm is missing: tests that need it will be skipped"; fi

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("acpgen needs Python 3.11 or newer: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv || { echo "Debian: apt-get install python3-venv"; rm -rf .venv; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[generate]'
	@touch $@

.venv/installed-docs: .venv/installed
	$(PIP) --group docs
	@touch $@

.venv/installed-dev: .venv/installed
	$(PIP) --group dev
	@touch $@

clean:
	rm -rf .venv build
