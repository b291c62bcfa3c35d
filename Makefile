# Each target sets itself up: it needs a Python from 3.11 on and a C compiler, nothing else.
# The packages go to .venv, once; after a change of pyproject.toml, again.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help serve test test-all check bench bench-check bench-peers soak faults steady reference models lock release docs vendor screenshots clean

ARGS ?=
SECONDS ?= 60
MINUTES ?= 10
WORLDS ?= 1000
INPUTS ?= 1000000
WORKERS ?= 2
# The interpreter to prefer, as in make test PYTHON=python3.13
PYTHON ?=
BIN := .venv/bin
VENV := .venv/.made
RUN := .venv/.installed-run
DEV := .venv/.installed-dev
LOCKED := .venv/.installed-locked
BENCH := .venv/.installed-bench
# Tests start hundreds of Python processes: without bytecode each compiles the server again.
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=10

# A .venv is made anew if its Python went away, as with an upgrade of the system, or if it was made in
# another folder: moved, it finds no code; copied, it runs that of the original.
ifneq ($(shell test -d .venv || exit 0; $(BIN)/python -c '' 2>/dev/null || echo broken; \
  test ! -s $(VENV) || test "$$(cat $(VENV))" = "$(CURDIR)" || echo elsewhere),)
$(shell rm -rf .venv)
endif

help: ## Show the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1	/' | expand -t 14

serve: $(RUN) ## Run the server: make serve ARGS="--port 9000 --memory"
	@exec $(BIN)/python -m hashrange serve $(ARGS)

# Without a place to look at in ARGS, the parts of the API that depend on who writes, and on work in
# the background, are tested on PostgreSQL and with workers as well; kills, power cuts, clients of
# other languages and what is marked as long are left to `make test-all`, which tests all of the API
# on PostgreSQL.
# The house rules are part of `make check`.
SHORT := -m "not long and not toolchain"
WRITES := $(patsubst %,tests/api/test_%.py,put_item delete_item batch_write_item update_item \
  transact_write_items index_updates streams time_to_live)
test: $(DEV) ## Run all tests: make test ARGS="tests/unit -k settings"
ifneq ($(filter-out --%,$(ARGS)),)
	@$(PYTEST) $(ARGS)
else
	@$(PYTEST) $(SHORT) --ignore tests/house $(ARGS)
	@$(PYTEST) $(SHORT) --engine postgres $(ARGS) $(if $(SHORT),$(WRITES),tests/api)
	@$(PYTEST) $(SHORT) --engine workers $(ARGS) $(WRITES)
endif

# A run that passes is recorded, and .ci/run goes by it; with make -i all runs pass.
test-all: $(DEV) ## Run all tests, the long ones too, and search longer: more examples, kills, power cuts
	@tested="$$($(BIN)/python -m tests.selection --tested)"; \
	$(MAKE) --no-print-directory test SHORT= ARGS="$(ARGS) --hypothesis-profile=thorough" \
	$(if $(findstring i,$(firstword -$(MAKEFLAGS))),,&& $(BIN)/python -m tests.selection --record "$$tested" $(ARGS))

check: $(DEV) ## Run everything that can be known without running the server
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m pytest -q tests/house

bench: $(DEV) ## Measure the server: make bench ARGS="--seconds 5"
	@$(BIN)/python -m bench $(ARGS)

bench-check: $(DEV) ## Compare what requests cost with the baseline: make bench-check ARGS=--update
	@$(BIN)/python -m bench.check $(ARGS)

bench-peers: $(BENCH) ## Measure the server beside others, which are installed: some 20 minutes
	@$(BIN)/python -m bench.peers $(ARGS)

soak: $(DEV) ## Search for faults in WORLDS, by INPUTS, for SECONDS each, then load a server for MINUTES: what grows
	@for form in one two operated throttled signed regions strong; do $(BIN)/python -m tests.simulation --form $$form --count $(WORLDS) || exit 1; done
	@if $(BIN)/python -c "import atheris" 2>/dev/null; then $(BIN)/python -m tests.fuzz.guided --inputs $(INPUTS); \
	  else echo "No search of parsers: the package atheris is not installed."; fi
	@$(BIN)/python -m tests.power.soak --seconds $(SECONDS)
	@$(BIN)/python -m tests.crash.soak --seconds $(SECONDS)
	@$(BIN)/python -m tests.servers.soak --seconds $(SECONDS)
	@$(BIN)/python -m tests.servers.stale --seconds $(SECONDS)
	@$(BIN)/python -m bench.soak --minutes $(MINUTES)

faults: $(DEV) ## Plant faults in a copy of src: the tests must find each; make faults ARGS=storage
	@$(BIN)/python -m tests.faults $(ARGS)

steady: $(DEV) ## Pass the tests on a loaded machine, again and again: make steady ARGS=tests/unit
	@$(BIN)/python -m tests.steady $(ARGS)

reference: $(DEV) ## Write the generated pages of docs/ again
	@$(BIN)/python -m tests.house.reference

models: $(DEV) ## Print what a newer botocore adds to the models: make models ARGS=its/folder
	@$(BIN)/python -m tests.house.model_facts $(ARGS)

lock: ## Write requirements-dev.txt again, with the newest packages that pyproject.toml allows; needs uv
	@uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --upgrade --extra dev pyproject.toml -o requirements-dev.txt

release: $(DEV) ## Build and try a release in dist/: wheel, sources, checksums, bill of materials, notes
	@$(BIN)/python -m tests.release $(ARGS)

# Each link of a page is relative to its file, so the pages lie as in the repository.
PAGES := README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE Dockerfile compose.yaml deploy docs examples \
  tests/README.md tests/api tests/unit/api vendor/iframe-worker.js
docs: $(DEV) ## Build the site of the documentation into build/site; a broken link is an error
	@rm -rf build/pages
	@for name in $(PAGES); do mkdir -p build/pages/$$(dirname $$name) && cp -r $$name build/pages/$$name || exit 1; done
	@$(BIN)/zensical build --config-file mkdocs.yml --clean --strict

vendor: ## Fetch and bundle the packages of the console's pages again; needs npm
	@cd vendor && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs

screenshots: $(DEV) ## Write the images of docs/console.md again; needs chromium
	@$(BIN)/python -m tests.console.screenshots

clean: ## Remove .venv and the caches; data directories stay
	rm -rf .venv vendor/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .bench-peers .faults .steady

$(VENV):
	@python=; for name in $(PYTHON) python3.14 python3.13 python3.12 python3.11 python3 python; do \
	  if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    python=$$name; break; fi; done; \
	if [ -z "$$python" ]; then \
	  echo "hashrange needs Python 3.11 or newer, and found none (looked for python3, python3.11 to python3.14)." >&2; \
	  exit 1; fi; \
	if command -v uv >/dev/null 2>&1; then uv venv -q --seed --allow-existing --python "$$python" .venv; \
	else "$$python" -m venv .venv || { \
	  echo "$$python cannot make a virtual environment: on Debian and Ubuntu, apt install python3-venv." >&2; \
	  exit 1; }; fi
	@echo "Using $$($(BIN)/python --version)."
	@echo "$(CURDIR)" >$@

# The packages of the arguments, into .venv.
define install
	@echo "Installing into .venv (once) ..."
	@if command -v uv >/dev/null 2>&1; then uv pip install -q --python $(BIN)/python $(1); \
	else $(BIN)/python -m pip install -q --disable-pip-version-check $(1); fi
	@touch $@
endef

# What the first hour needs beside the package itself: buckets.
$(RUN): pyproject.toml | $(VENV)
	$(call install,-e '.[s3]')

# Tests run with the versions that they passed with; servers with any that pyproject.toml allows.
$(LOCKED): requirements-dev.txt | $(VENV)
	$(call install,--require-hashes -r requirements-dev.txt)

$(DEV): pyproject.toml $(LOCKED)
	$(call install,--no-deps --no-build-isolation -e .)
	@touch $(RUN)

$(BENCH): pyproject.toml | $(DEV)
	$(call install,-e '.[bench]')
