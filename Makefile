# Two targets for people: `make site` builds and shows the way to the sample site, `make test` is the whole gate.
.PHONY: site test
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
NODE_TOOLS := tests/js/node_modules
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

site: $(VENV)/.installed
	$(BIN)/sitegen build runs -o site

test: $(VENV)/.installed-dev $(NODE_TOOLS)/.installed
	@command -v chromium >/dev/null || ($(AS_ROOT) apt-get update -q && $(AS_ROOT) apt-get install -q -y --no-install-recommends chromium)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	cd tests/js && PATH="$(abspath $(BIN)):$$PATH" ./node_modules/.bin/tsc --project tsconfig.json
	PATH="$(abspath $(BIN)):$$PATH" node --test 'tests/js/*.test.js'
	BIN="$(abspath $(BIN))" sh tests/wheel.sh
	$(BIN)/pytest -n 2

# Debian's python3 comes without venv; everything else is installed into it.
$(BIN)/python:
	$(PYTHON) -c 'import ensurepip' 2>/dev/null || ($(AS_ROOT) apt-get update -q && $(AS_ROOT) apt-get install -q -y --no-install-recommends python3-venv)
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/pip install -q --disable-pip-version-check --editable .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/pip install -q --disable-pip-version-check --editable '.[dev]'
	touch $@

$(NODE_TOOLS)/.installed: tests/js/package-lock.json $(VENV)/.installed-dev
	cd tests/js && PATH="$(abspath $(BIN)):$$PATH" npm ci --silent --no-audit --no-fund
	touch $@
