# `make help` lists what there is. Everything runs in .venv, which is made when it is needed.

PY := .venv/bin/python
PYTEST = $(PY) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
ARGS ?=
# A learner needs a part of what the tests need; where all of it is there, that does.
LAB := $(firstword $(wildcard .venv/.installed .venv/.course) .venv/.lab)
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

.PHONY: help lab edit test test-rest test-all test-changed test-quick test-lowest test-newest test-colab lint book links lite pyodide cells editor generated notebooks bench bench-all mutants peers lock audit release-check clean

help: ## list these
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1@\2/p' $(MAKEFILE_LIST) | awk -F@ '{printf "%-18s %s\n", $$1, $$2}'

lab: $(LAB) ## copy the workbook to recsys-workbook and open it in JupyterLab (PORT=8888)
	@$(PY) -m recsys_metrics.cli lab $(if $(PORT),--port $(PORT)) $(ARGS)

edit: .venv/.installed ## open the clone's own chapters in JupyterLab, to write them (PORT=8888)
	@$(PY) -m recsys_metrics.cli lab $(if $(PORT),--port $(PORT)) $(ARGS) .

# A worker often waits for a program that it has started: three keep two cores busy.
test test-rest test-all test-changed: WORKERS ?= 3
EVERYTHING = --nbval --durations 20 tests recsys_metrics chapters solutions $(ARGS)

test: .venv/.installed ## run every kind of check, with a random sample of the large sweeps (SEED=7, ARGS="-k word")
	@$(PYTEST) --sweeps sample $(if $(SEED),--sweep-seed $(SEED)) $(EVERYTHING)

test-rest: .venv/.installed ## run what a sample left out (SEED=7, as make test printed it)
	@$(PYTEST) --sweeps rest $(if $(SEED),--sweep-seed $(SEED)) $(EVERYTHING)

test-changed: .venv/.installed ## run what the change since main touches, and print what is left out (BASE=HEAD~1)
	@$(PY) dev/tools/changed.py $(if $(BASE),--base $(BASE)) -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

test-all: .venv/.installed ## run every test, every doctest, every cell of every notebook
	@$(PYTEST) $(EVERYTHING)

# A bare word narrows, anything else goes to pytest as it is.
test-quick: WORKERS ?= 2
test-quick: .venv/.installed ## run the units and doctests of library and checker, in a minute (ARGS=ranking)
	@$(PYTEST) -p no:nbval --quick --brief tests recsys_metrics $(if $(filter-out -%,$(firstword $(ARGS))),-k "$(ARGS)",$(ARGS))

test-lowest: ## run the quick tests with the lowest versions that pyproject.toml allows (ARGS="--python python3.13")
	@PYTHON="$(PYTHON)" sh dev/tools/venv.sh uv
	@$(PY) dev/tools/versions.py lowest $(ARGS)

test-newest: ## run the quick tests with the newest versions there are
	@PYTHON="$(PYTHON)" sh dev/tools/venv.sh uv
	@$(PY) dev/tools/versions.py newest $(ARGS)

test-colab: ## run every chapter, and what a front end draws, with the versions that Colab has (PYTHON=python3.13)
	@PYTHON="$(PYTHON)" sh dev/tools/venv.sh uv
	@$(PY) dev/tools/versions.py colab $(ARGS)

lint: .venv/.installed ## check code style, types and import rules; print warnings on the style of pages
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@.venv/bin/lint-imports --no-cache
	@$(PY) dev/tools/style.py

book: .venv/.installed ## build the site into book/_build/html (PYODIDE=folder or address of the Python for pages, LITE=where the site of make lite is)
	@PYODIDE="$(PYODIDE)" LITE="$(LITE)" $(PY) -m sphinx -q -W --keep-going -d book/_build/doctrees -c book . book/_build/html
	@echo "book/_build/html/index.html"

links: .venv/.installed ## ask every address that the book names whether it is there
	@$(PY) -m sphinx -q -b linkcheck -d book/_build/doctrees -c book . book/_build/links

lite: .venv/.installed ## build a site whose notebooks run in the browser, into build/lite/site (PYODIDE=folder or address)
	@PYODIDE="$(PYODIDE)" $(PY) dev/tools/lite.py $(ARGS)

pyodide: .venv/.installed ## get the Python that runs in a browser into build/wasm/runtime, each file held to its hash
	@$(PY) dev/tools/wasm.py fetch

cells: WORKERS ?= 1
cells: pyodide ## run the cells of every chapter in their pages, in a browser, and compare with what is printed
	@$(PYTEST) --durations 0 tests/book/test_cells_in_book.py $(ARGS)

editor: ## bundle the editor and the reader of Parquet of the book's pages anew, which takes Node
	@cd book/editor && npm ci --silent --ignore-scripts && npm run --silent build

generated: .venv/.installed ## write what is made from the code: tests of types, texts of measures, solutions
	@$(PY) dev/tools/build_type_tests.py
	@$(PY) dev/tools/build_measure_texts.py
	@$(PY) dev/tools/build_solutions.py

notebooks: .venv/.installed ## run the text of the chapters and write their notebooks (ARGS=02_ranking)
	@$(PY) dev/tools/build_notebooks.py $(ARGS)

bench: .venv/.installed ## measure speed beside light libraries, in a few minutes (ARGS=auc)
	@$(PY) -m dev.benchmarks $(ARGS)

bench-all: .venv/.installed ## measure speed beside all libraries that make peers installed, for the book
	@$(PY) -m dev.benchmarks all --keep $(ARGS)

mutants: .venv/.installed ## change the library thousands of times: do the tests notice? (ARGS=rating)
	@$(PY) dev/tools/mutants.py $(ARGS)

peers: .venv/.installed ## compare with 19 other libraries, each in its own environment (ARGS=ranx)
	@$(PY) dev/tools/peers.py $(ARGS)

lock: ## pin all packages again in requirements.lock (ARGS=--upgrade for the newest)
	@PYTHON="$(PYTHON)" sh dev/tools/venv.sh uv
	@sh dev/tools/lock.sh $(ARGS)

audit: .venv/.installed ## read the licences of all pinned packages, and ask for holes that are known
	@$(PY) dev/tools/audit.py $(ARGS)

release-check: .venv/.installed ## build what is published into dist, install it alone, and see that all tell one version
	@$(PY) dev/tools/release.py $(ARGS)

clean: ## remove all that make has made; recsys-workbook stays, it is yours
	rm -rf .venv api book/_build dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './recsys-workbook/*' -prune -exec rm -rf {} +

# The stamp names the folder it was made in: a clone that was moved is installed again.
ifneq ($(shell cat .venv/.installed 2>/dev/null),$(CURDIR))
.PHONY: .venv/.installed
endif
ifneq ($(shell cat .venv/.lab 2>/dev/null),$(CURDIR))
.PHONY: .venv/.lab
endif
ifneq ($(shell cat .venv/.course 2>/dev/null),$(CURDIR))
.PHONY: .venv/.course
endif

.venv/.installed: requirements.lock pyproject.toml
	@PYTHON="$(PYTHON)" sh dev/tools/venv.sh

.venv/.lab: requirements-lab.lock pyproject.toml
	@PYTHON="$(PYTHON)" sh dev/tools/venv.sh lab

.venv/.course: requirements-course.lock pyproject.toml
	@PYTHON="$(PYTHON)" sh dev/tools/venv.sh course
