# Needs Python 3.10 or newer, pip and make. Everything is installed into $(VENV); an environment that is
# there already is kept, and only what it lacks is added.
#
#   make demo     install, and reduce the BufferCopy seed
#   make test     the everyday tests; the first time, they install a few FlyDSL releases into workdirs/
#   make test TESTS='-m "not release and not slow"'    those that need no package index
#   make PYTHON=python3.12 VENV=.venv312 PIP_ARGS="--index-url https://…" test

PYTHON ?= python3
VENV ?= .venv
# More arguments for every `pip install`, as another package index.
PIP_ARGS ?=
# A file of hashes that what is pinned must have, as requirements.lock; in an environment of our own alone.
LOCK ?=
# More arguments for pytest, as a folder or `-k name`.
TESTS ?=
# Test files that run at once.
AT_ONCE ?= 2

# Pure rooms, and the least that their own tests reach by branch, in percent. What passes share in `source` is
# tested with the passes.
FLOORS ?= search:97 case:90 source:84 oracle:93 judge:90

# Benches, and what they are given.
BENCH ?= probe memory reductions scaling searching
KEEP ?=

BIN := $(VENV)/bin
OURS := $(VENV)/made-by-flybisect
PIP_IS_THERE = $(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip --upgrade
INSTALL = $(BIN)/python -m pip install --disable-pip-version-check --quiet $(PIP_ARGS) \
	$$(test ! -e $(OURS) || echo --constraint constraints.txt)

LOCKED = test -z "$(LOCK)" -o ! -e $(OURS) || $(BIN)/python -m pip install --disable-pip-version-check --quiet \
	$(PIP_ARGS) --require-hashes --no-deps --only-binary :all: --requirement $(LOCK)

.PHONY: demo test test-slow coverage bench lint format clean

demo: $(VENV)/.flybisect-run
	$(BIN)/flybisect reduce seeds/buffer_copy --output workdirs/buffer_copy.min.py
	@cat workdirs/buffer_copy.min.py

test: $(VENV)/.flybisect-dev
	$(BIN)/python -m pytest -m "not slow" --numprocesses $(AT_ONCE) --dist loadfile $(TESTS)

test-slow: $(VENV)/.flybisect-dev
	$(BIN)/python -m pytest -m slow $(TESTS)

# By branch, of the pure rooms alone, by their own tests; fails as well where a test checks nothing.
coverage: $(VENV)/.flybisect-dev
	$(BIN)/coverage run -m pytest -p tests.bench.vacuous -m "not slow and not release" $(TESTS) \
		$(foreach each,$(FLOORS),tests/$(firstword $(subst :, ,$(each))))
	$(BIN)/python -m tests.bench.vacuous
	set -e; for each in $(FLOORS); do \
		$(BIN)/coverage report --skip-covered --include="flybisect/$${each%:*}/*" --fail-under=$${each#*:}; done

# What docs/benchmarks.md says, measured again. The releases it installs are kept.
#   make bench BENCH=large     one of `python -m tests.bench --help`;  KEEP=--keep writes the results into the repository
bench: $(VENV)/.flybisect-run
	set -e; for each in $(BENCH); do $(BIN)/python -m tests.bench $$each $(KEEP); done

lint: $(VENV)/.flybisect-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.flybisect-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Removes what tools leave; environments and workdirs stay.
clean:
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.flybisect-run: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing flybisect, FlyDSL, torch and a linker into $(VENV); the first time this takes minutes"
	@$(PIP_IS_THERE)
	$(INSTALL) --editable '.[lld]'
	touch $@

$(VENV)/.flybisect-dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing flybisect and what its tests need into $(VENV); the first time this takes minutes"
	@$(PIP_IS_THERE)
	@$(LOCKED)
	$(INSTALL) --editable '.[dev]'
	touch $@

# A half-made environment is removed, so that the next try starts anew.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "flybisect needs Python 3.10 or newer, this is " + sys.version.split()[0] + "; make PYTHON=python3.x")'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) can't make a virtual environment; install its venv module (Debian: apt install python3-venv)" >&2; exit 1; }
	touch $(OURS)
