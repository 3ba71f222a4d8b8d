# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check docs evaluate evaluate-sensitivity lock clean
.DEFAULT_GOAL := demo

$(VENV)/.installed: pyproject.toml requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: $(VENV)/.installed
	$(BIN)/steady demo

check: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2

# WORKERS: processes that run tests. One more than two processors: some tests wait for what they
# download or for a deadline. Those that share a real tool stay in one (tests/conftest.py).
WORKERS ?= 3

test: check
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

# The files that follow from what the action declares: action.yml, action-types.yml, README's tables.
docs: $(VENV)/.installed
	$(BIN)/python -m tools.documents

# DATA: the folder with the papers' data, jmh-steady and uoptime. One thread a process.
DATA ?= ../shared/data
JOBS ?= 2
evaluate evaluate-sensitivity: export OPENBLAS_NUM_THREADS := 1

evaluate: $(VENV)/.installed
	$(BIN)/python -m evaluation $(DATA) --jobs $(JOBS)

evaluate-sensitivity: $(VENV)/.evaluation
	$(BIN)/python -m evaluation.sensitivity $(DATA) --jobs $(JOBS)

$(VENV)/.evaluation: $(VENV)/.installed requirements-evaluation.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-evaluation.txt
	touch $@

# The locks carry hashes and no index address; `uv` is needed only here.
lock:
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml --extra annotations -o requirements.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml --group dev -o requirements-dev.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --constraint requirements-dev.txt --group evaluation -o requirements-evaluation.txt

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
