# Every target makes and reuses .venv by itself; Python (>= 3.11) and make are all it takes.
PYTHON ?= python3
BIN := .venv/bin
# With the extras that tests, pages and papers need; torch and dask bring too much for everybody.
SELF := ".[app,cli,plot,report]"

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all hostile test-cpus test-places test-lowest test-newest lint format \
  bench release-check release-cut papers docs clean

help:  ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "echelon needs Python 3.11 or newer; run make PYTHON=python3.11")'
	@echo "Installing into .venv (once, about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --editable $(SELF) --group dev
	@touch $@

# Groups of their own: packages compared with hold some libraries back, and the site needs many.
.venv-%/.installed: pyproject.toml
	@echo "Installing into .venv-$* (once, a few minutes) ..."
	@test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	@.venv-$*/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@.venv-$*/bin/python -m pip install --quiet --editable $(SELF) --group $*
	@touch $@

# fri does not import without two packages it does not ask for.
.venv-fri/.installed:
	@echo "Installing fri into .venv-fri (once, a minute) ..."
	@test -x .venv-fri/bin/python || $(PYTHON) -m venv .venv-fri
	@.venv-fri/bin/python -m pip install --quiet "fri==9.0.0" importlib_metadata attrs
	@touch $@

# The oldest versions come from pyproject itself.  (torch is left out: its wheels bring gigabytes.)
OLDEST ?= $(shell command -v python3.11 || echo $(PYTHON))
.venv-lowest/.installed: pyproject.toml release/lowest.py
	@test -x .venv-lowest/bin/python || $(OLDEST) -m venv .venv-lowest
	@.venv-lowest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@.venv-lowest/bin/python -m release.lowest > .venv-lowest/lowest.txt
	@.venv-lowest/bin/python -m pip install --quiet --editable ".[app,cli,dask,io,plot,report]" --group test --constraint .venv-lowest/lowest.txt
	@touch $@

.venv-newest/.installed: pyproject.toml
	@test -x .venv-newest/bin/python || $(PYTHON) -m venv .venv-newest
	@.venv-newest/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@.venv-newest/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager --editable ".[app,cli,dask,io,plot,report]" --group test
	@touch $@

.venv-release/.installed: pyproject.toml
	@test -x .venv-release/bin/python || $(PYTHON) -m venv .venv-release
	@.venv-release/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@.venv-release/bin/python -m pip install --quiet --group release
	@touch $@

install: $(BIN)/.installed  ## install into .venv

demo: $(BIN)/.installed  ## rank features of an ordered outcome on bundled data, and write a report
	@$(BIN)/echelon demo

# A process per core; one that has nothing left takes half of what another has still to do.
WORKERS := -n auto --dist worksteal
test: $(BIN)/.installed  ## run all tests but the slow ones
	$(BIN)/python -m pytest $(WORKERS) -m "not slow"

test-all: $(BIN)/.installed  ## run all tests: clusters, tables by leaves, signals, odd places, papers too
	$(BIN)/python -m pytest $(WORKERS)

SEED ?= $(shell date +%s)
CASES ?= 3000
hostile: $(BIN)/.installed  ## give thousands of odd inputs to everything (SEED=1 CASES=500 for a run of your own)
	@echo "SEED=$(SEED) CASES=$(CASES)"
	HOSTILE_CASES=$(CASES) $(BIN)/python -m pytest -q tests/hostile --hypothesis-seed=$(SEED)

# Sums are rounded in another order by numba's code for another processor, and by BLAS's.  With the
# name of a processor numba keeps the features of this one (AVX-512, say), unless they are emptied.
NUMERICAL := bounds engines/test_nearest.py evaluation filters intervals margin neighborhood \
  package/test_properties.py papers/test_paper_soft_margin.py rankorder
test-cpus: $(BIN)/.installed  ## run the numerical tests as on other x86-64 processors (half an hour)
	@for cpu in "NUMBA_CPU_NAME=generic" "NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES=" \
	  "OPENBLAS_CORETYPE=Haswell" "OPENBLAS_CORETYPE=Prescott" \
	  "NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES= OPENBLAS_CORETYPE=Haswell"; do \
	  echo "== $$cpu"; \
	  env $$cpu $(BIN)/python -m pytest -q -p no:cacheprovider \
	    $(NUMERICAL:%=tests/%) src docs README.md || exit 1; \
	done

# A home that nobody can write to, not even root; the locale of no country; no assert of
# ours (those of test files pytest runs all the same); and a path a shell or a compiler may trip over.
PLACE_TESTS ?= $(addprefix tests/,cli filters hostile margin package report)
ODD_PATH = $(CURDIR)/.venv-places/mein Ordner ßé 日本
test-places: $(BIN)/.installed  ## run the tests with one core, no home, plain C, -O, an odd path (PLACE_TESTS=tests/cli)
	@for place in "NUMBA_NUM_THREADS=1" "HOME=/dev/null/home" \
	  "LANG=C LC_ALL=C" "PYTHONOPTIMIZE=1"; do \
	  echo "== $$place"; \
	  env $$place $(BIN)/python -m pytest -q $(WORKERS) -p no:cacheprovider \
	    -W ignore::pytest.PytestConfigWarning $(PLACE_TESTS) || exit 1; \
	done
	@echo "== $(ODD_PATH)"
	@rm -rf "$(ODD_PATH)" && mkdir -p "$(ODD_PATH)"
	@git ls-files -z | tar --null -cf - -T - | tar -xf - -C "$(ODD_PATH)"
	@cd "$(ODD_PATH)" && PYTHONPATH="$(ODD_PATH)/src" "$(CURDIR)/$(BIN)/python" -m pytest -q $(WORKERS) \
	  -p no:cacheprovider $(PLACE_TESTS)

# Compiled code is kept apart: numba would throw away what another version of itself compiled.
# Old libraries find newer ones deprecated; that is between them.
TESTS ?= tests
test-lowest: .venv-lowest/.installed  ## run the tests with the oldest versions pyproject allows (OLDEST=python3.11, TESTS=tests/cli)
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-lowest/numba .venv-lowest/bin/python -m pytest -q $(WORKERS) \
	  -p no:cacheprovider -W ignore::DeprecationWarning $(TESTS)

test-newest: .venv-newest/.installed  ## run the tests with the newest versions (PYTHON=python3.14, TESTS=tests/cli)
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-newest/numba .venv-newest/bin/python -m pytest -q $(WORKERS) \
	  -p no:cacheprovider $(TESTS)

lint: $(BIN)/.installed  ## check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --strict release/client.py
	$(BIN)/lint-imports --no-logo

format: $(BIN)/.installed  ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

BENCH ?= relieff relief_family epistasis neighborhood bounds interval rankorder scale
bench: .venv-bench/.installed .venv-fri/.installed  ## measure against other packages (BENCH=relieff for one)
	@for name in $(BENCH); do .venv-bench/bin/python -m benchmarks.$$name --write || exit 1; done

release-check: .venv-release/.installed  ## build sdist and wheel, install the wheel elsewhere, and use it there
	.venv-release/bin/python -m release.check

release-cut: .venv-release/.installed  ## set version, changelog and citation of a release (VERSION=0.2.0)
	@.venv-release/bin/python -m release.cut $(VERSION)

docs: .venv-docs/.installed  ## build the site into docs/_build/html, warnings as errors
	.venv-docs/bin/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "Open docs/_build/html/index.html; .venv/bin/python -m pytest tests/site looks at it"

PAPER ?= all
papers: $(BIN)/.installed  ## the papers' experiments again, hours (PAPER=interval for one; needs ECHELON_DATA)
	@$(BIN)/python -m papers $(PAPER)

clean:  ## remove .venv and caches
	rm -rf demo-report.html .venv .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf docs/_build docs/api docs/gallery
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
