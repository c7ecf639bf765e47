# make demo and make test set everything up by themselves: they need Python 3.11 or later, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# -n 2: two test processes; more do not help on small machines.
# Each takes half of the tests in order, so that what the tests of a file share is made once; who is done first helps.
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal -q

# What every change wants to know first: the rows of all clauses by the fast engine, the rules, the house, each game.
QUICK := tests/clauses tests/rules tests/world tests/house/test_imports.py tests/house/test_types.py \
	tests/house/test_no_game_facts.py tests/cold_ford tests/bitterwoods/test_teaching_battle.py \
	tests/conformance/test_published.py tests/properties/test_engines_agree.py::test_engines_agree_about_all_games \
	tests/reference/test_cold_ford.py
# Compiled modules and tests are kept between runs, whatever the shell says: that is half of the time of a short run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick chapter coverage test-slow clients npm lint bench docs clean lock

demo: $(VENV)/.stamp-run
	$(BIN)/titm demo

test: $(VENV)/.stamp-test
	$(PYTEST)

# Under a minute: `make quick`.
quick: $(VENV)/.stamp-test
	$(PYTEST) $(QUICK) -k "not [reference and not -reference"

# The tests of one chapter of the rules, in seconds: `make chapter N=8`.
chapter: $(VENV)/.stamp-test
	$(BIN)/titm test $(wildcard rulesets/titm/1999/tests/$(N).yaml rulesets/titm/1999/tests/$(N)_*.yaml)

# Writes rulesets/titm/coverage.json: which clauses the tests reach, and in which tests they decide.
coverage: $(VENV)/.stamp-test
	$(PYTEST) --write-coverage

test-slow: $(VENV)/.stamp-test $(VENV)/.stamp-docs
	$(PYTEST) -m slow --timeout 7200

# What tests of the web take from other registries: generators of clients, apart from the rest as they want other versions of
# it, and axe-core, which looks for what people who do not see or point cannot use.
clients: | $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)/clients
	$(VENV)/clients/bin/python -m pip install --quiet "openapi-python-client>=0.26"
	npm install --silent --prefix $(VENV)/clients openapi-typescript@7 typescript@5 axe-core@4

# The npm package titm-oracle: this package in WebAssembly, for Node and for pages without a server (`titm site`).
# Of PyYAML there is none for WebAssembly; its part in Python is the same everywhere.
WASM := --platform pyemscripten_2026_0_wasm32
LINUX := --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64
FETCH := $(BIN)/python -m pip download --quiet --require-hashes --no-deps --only-binary :all: --python-version 3.14 \
	--implementation cp --abi cp314 --abi none --dest build/npm
npm: $(VENV)/.stamp-test
	npm ci --silent --no-audit --no-fund --prefix js/oracle
	rm -rf build/npm
	$(FETCH) $(WASM) -r js/oracle/requirements.txt
	$(FETCH) $(LINUX) -r js/oracle/requirements-c.txt
	$(BIN)/python -m hatchling build -t wheel -d build/npm
	node js/oracle/build.mjs build/npm
	cd js/oracle && npm pack --silent

lint: $(VENV)/.stamp-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/titm lint
	$(BIN)/titm fmt --check

bench: $(VENV)/.stamp-dev
	$(BIN)/python -m pytest benchmarks --benchmark-only -q

# Builds the documentation into site/; once the packages are there it needs no network.
docs: $(VENV)/.stamp-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@test ! -f js/oracle/dist/manifest.json || $(BIN)/titm site site/board
	@echo "open site/index.html; to search it: $(BIN)/python -m http.server --directory site"

clean:
	rm -rf $(VENV) build dist site demo-out js/oracle/dist js/oracle/node_modules js/oracle/*.tgz .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

# Demo and tests take the packages of the lock files, each with its hash, so that everybody runs the same.
INSTALL := $(BIN)/python -m pip install --quiet

$(VENV)/.stamp-run: pyproject.toml locks/run.txt | $(VENV)/bin/python
	$(INSTALL) --require-hashes --requirement locks/run.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.stamp-test: pyproject.toml locks/test.txt | $(VENV)/bin/python
	$(INSTALL) --require-hashes --requirement locks/test.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@ $(VENV)/.stamp-run

# Refreshes the lock files: `make lock`.
lock: | $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip install --quiet uv
	$(VENV)/lock/bin/uv pip compile $(LOCKED) --output-file locks/run.txt
	$(VENV)/lock/bin/uv pip compile $(LOCKED) --extra test --output-file locks/test.txt

LOCKED := --quiet --universal --generate-hashes --upgrade --python-version 3.11 --no-header pyproject.toml locks/build.in

$(VENV)/.stamp-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ $(VENV)/.stamp-run $(VENV)/.stamp-test

$(VENV)/.stamp-docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@ $(VENV)/.stamp-run
