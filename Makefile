PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CLIENTS := tests/clients/node_modules/.package-lock.json

export DATA_DIR ?= $(CURDIR)/var
export HOST ?= 127.0.0.1
export PORT ?= 8000
# Outside the checkout, so that a fresh clone does not check types from nothing. mypy compares sources by hash, and its
# cache may still look for modules that have moved.
export MYPY_CACHE_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/study-data-service/mypy

.DEFAULT_GOAL := help
.PHONY: help run wheel release release-check test databases test-all check audit lint format types rows migrations conformance secret openapi clients lock bench exam-plan drills syllabi syllabi-fit syllabi-model schema pictures

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Set up and serve on http://127.0.0.1:8000 (HOST, PORT, BASE_URL, DATA_DIR)
	@$(PYTHON) studyservice/trial/alone.py $(VENV).lock $(MAKE) --silent $(VENV)/installed
	@exec $(BIN)/python -m studyservice.trial

secret: $(VENV)/bin/python
	@$(BIN)/python -m studyservice.trial.secret_key

wheel: $(VENV)/installed-build ## Build the package into dist/
	$(BIN)/python -m hatchling build -t wheel

release: $(VENV)/installed-build ## Check that the version is new, build the package, test it, and list the manual steps
	@$(BIN)/python -m tools.release

release-check: $(VENV)/installed-build
	@$(BIN)/python -m tools.release --package-only

test: $(VENV)/installed-dev $(CLIENTS) ## Set up, check, and test on SQLite (through the tools) and on PostgreSQL (over REST)
	@$(MAKE) --no-print-directory --jobs=2 check databases

databases: $(VENV)/installed-dev
	$(BIN)/python -m tests.support.both $(PYTEST_ARGS)

test-all: test ## The same, then all tests through both entry points on both databases, and on each installed Python from 3.11 and PostgreSQL 15
	$(BIN)/python -m tests.support.both --entry-points both --thorough $(PYTEST_ARGS)
	$(BIN)/python -m tests.support.matrix $(PYTEST_ARGS)

PYTEST_ARGS ?= -n auto --dist worksteal

$(CLIENTS): tests/clients/package-lock.json
	@if command -v npm >/dev/null; then \
		echo "Installing the locked MCP clients for the tests ..."; \
		npm ci --prefix tests/clients --ignore-scripts --no-audit --no-fund --loglevel=error; \
	else echo "npm was not found: the tests with JavaScript clients of MCP will be skipped"; fi

check: types lint rows migrations conformance ## Lint, types, order of imports, limits of statements, insecure code, migrations, docs/conformance.md

lint: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --severity-level medium --recursive .

types: $(VENV)/installed-dev secret
	$(BIN)/mypy . || { echo 'Once more without the cache ...'; rm -rf $(MYPY_CACHE_DIR); $(BIN)/mypy .; }
	$(BIN)/python -m tests.support.any_share

rows: $(VENV)/installed-dev secret
	$(BIN)/python -m tests.support.rows_only

migrations: $(VENV)/installed secret
	$(BIN)/python manage.py makemigrations --check --dry-run

audit: $(VENV)/installed-dev ## Check the locked packages for known vulnerabilities (needs the network)
	$(BIN)/pip-audit --strict --require-hashes --disable-pip --desc off -r requirements/runtime.txt -r requirements/dev.txt

conformance: $(VENV)/installed-dev
	$(BIN)/python -m tests.support.conformance

format: $(VENV)/installed-dev ## Format the code and fix what can be fixed
	$(BIN)/ruff check --fix-only -q .
	$(BIN)/ruff format .

openapi: $(VENV)/installed-dev ## Refresh docs/openapi.json, the bundled client, query and round-trip counts, header sets and promises
	$(BIN)/pytest --database sqlite --refresh-baselines tests/operations/test_baselines.py tests/operations/test_promises.py tests/server/test_header_sets.py
	$(BIN)/pytest --database sqlite --refresh-baselines tests/operations/test_carried_client.py
	$(BIN)/pytest --database postgresql --refresh-baselines tests/operations/test_exchanges.py

pictures: $(VENV)/installed-dev ## Retake the pictures in docs/images (needs Chromium)
	$(BIN)/python -m tests.support.pictures

schema: $(VENV)/installed-dev ## Refresh tests/schema, the committed schema of each database
	$(BIN)/pytest --database sqlite --refresh-baselines tests/server/test_schema.py
	$(BIN)/pytest --database postgresql --refresh-baselines tests/server/test_schema.py

clients: $(VENV)/installed-dev $(CLIENTS) ## Build the Python and the TypeScript client into tools/clients/build/
	@$(BIN)/python -m tools.clients

exam-plan: $(VENV)/installed ## Simulate members who follow an exam plan, and write the tables of docs/exam-plan.md
	$(BIN)/python -m tools.bench.exam_plan

bench: $(VENV)/installed-dev ## Measure against the floor and other frameworks (needs redis-server); writes RESULTS.md and PLANS.md
	$(BIN)/python -m tools.bench
	$(BIN)/python -m tools.bench.plans

drills: $(VENV)/installed-dev ## Kill, fill and skew the service's components under load (needs redis-server); writes DRILLS.md
	$(BIN)/python -m tools.bench.drills

syllabi: $(VENV)/installed ## Measure how well labelled syllabi are read, from the tests or DIR=... (docs/syllabi-measured.md)
	@$(BIN)/python -m tools.bench.syllabi $(or $(DIR),$(LABELLED) $(LABELLED)/odd $(LABELLED)/unseen) $(SHOW)

syllabi-fit: $(VENV)/installed-dev ## Fit the weights of the reasons on the labelled syllabi in DIR=..., which no rule has seen (ONLY=b_,c_)
	@$(BIN)/python -m tools.bench.syllabi_fit $(DIR) $(if $(ONLY),--only $(ONLY))

syllabi-model: $(VENV)/installed ## Measure proposals made of a model's answers: DIR=texts ANSWERS=answers (docs/syllabi-measured.md)
	@$(BIN)/python -m tools.bench.model_reading $(DIR) $(ANSWERS) $(SHOW)

LABELLED := tests/syllabi/labelled

lock: $(VENV)/installed-dev ## Compile the hashed requirement files from pyproject.toml
	$(BIN)/uv pip compile $(LOCK) pyproject.toml -o requirements/runtime.txt
	$(BIN)/uv pip compile $(LOCK) --extra build -c requirements/runtime.txt pyproject.toml -o requirements/build.txt
	$(BIN)/uv pip compile $(LOCK) --extra s3 -c requirements/runtime.txt pyproject.toml -o requirements/s3.txt
	$(BIN)/uv pip compile $(LOCK) --extra dev -c requirements/runtime.txt -c requirements/build.txt -c requirements/s3.txt pyproject.toml -o requirements/dev.txt

LOCK := -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	--no-annotate --no-header

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; set PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: requirements/runtime.txt | $(VENV)/bin/python
	@echo "Installing the locked packages ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.txt
	@touch $@

$(VENV)/installed-build: requirements/build.txt $(VENV)/installed
	@echo "Installing the locked packages that build the package ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt
	@touch $@

$(VENV)/installed-dev: requirements/dev.txt $(VENV)/installed
	@echo "Installing the locked development packages ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@
