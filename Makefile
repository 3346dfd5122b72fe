# Every target makes and reuses .venv by itself; Python (>= 3.11) and make are all it takes.
PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help install demo test hostile test-cpus lint format bench papers docs clean

help:  ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "echelon needs Python 3.11 or newer; run make PYTHON=python3.11")'
	@echo "Installing into .venv (once, about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

# Groups of their own: packages compared with hold some libraries back, and the site needs many.
.venv-%/.installed: pyproject.toml
	@echo "Installing into .venv-$* (once, a few minutes) ..."
	@test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	@.venv-$*/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	@.venv-$*/bin/python -m pip install --quiet --editable . --group $*
	@touch $@

# fri does not import without two packages it does not ask for.
.venv-fri/.installed:
	@echo "Installing fri into .venv-fri (once, a minute) ..."
	@test -x .venv-fri/bin/python || $(PYTHON) -m venv .venv-fri
	@.venv-fri/bin/python -m pip install --quiet "fri==9.0.0" importlib_metadata attrs
	@touch $@

install: $(BIN)/.installed  ## install into .venv

demo: $(BIN)/.installed  ## rank features of an ordered outcome on embedded data, and write a report
	@$(BIN)/echelon demo

# A process per core, whole files each: fixtures of a file are made once.
test: $(BIN)/.installed  ## run all tests
	$(BIN)/python -m pytest -n auto --dist loadfile

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

lint: $(BIN)/.installed  ## check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(BIN)/.installed  ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

BENCH ?= relieff relief_family epistasis neighborhood bounds interval rankorder scale
bench: .venv-bench/.installed .venv-fri/.installed  ## measure against other packages (BENCH=relieff for one)
	@for name in $(BENCH); do .venv-bench/bin/python -m benchmarks.$$name --write || exit 1; done

docs: .venv-docs/.installed  ## build the site into docs/_build/html, warnings as errors
	.venv-docs/bin/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "Open docs/_build/html/index.html; .venv/bin/python -m pytest tests/site looks at it"

PAPER ?= all
papers: $(BIN)/.installed  ## the papers' experiments again, hours (PAPER=interval for one; needs ECHELON_DATA)
	@$(BIN)/python -m papers $(PAPER)

clean:  ## remove .venv and caches
	rm -rf demo-report.html .venv .venv-bench .venv-docs .venv-fri .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf docs/_build docs/api docs/gallery
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
