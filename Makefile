# Two commands do everything on a fresh machine: `make demo` and `make test`; `make help` lists all.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Tests start Python hundreds of times; without bytecode, each start compiles everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test thorough quick seconds on-runner fuzz check dist sbom docs site pictures evaluate evaluate-sensitivity evaluate-stoppers train-stoppers lock base clean help
.DEFAULT_GOAL := demo

help: ## lists the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(firstword $(MAKEFILE_LIST)) | awk -F': ' '{printf "%-22s %s\n", $$1, $$2}'

$(VENV)/.installed: pyproject.toml requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: $(VENV)/.installed ## shows recorded runs: a shorter suite, and a verdict on two versions, in seconds
	$(BIN)/steady demo

check: $(VENV)/.installed ## checks style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2

# WORKERS: processes that run tests. One more than two processors: some tests wait for what they
# download or for a deadline. Tests that share a real tool run in one process (tests/conftest.py).
WORKERS ?= 3

test: check ## checks style and types, and runs the tests, with the real tools that are installed
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not thorough"

thorough: check ## the same with every case of the workflows and of old tools, in about twelve minutes
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

# mypy checks only files that changed since its last run, and those that depend on them.
quick: $(VENV)/.installed ## the same without slow tests and real tools, in under a minute
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 -m "not slow and not thorough"

seconds: $(VENV)/.installed ## writes the processor time of each test file to tests/SECONDS.md
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not thorough" --seconds-table tests/SECONDS.md

# act runs workflows, and emulate is an emulation of GitHub's API. Neither is installed with steady.
ON_RUNNER := build/on-runner
MODULES := $(abspath $(ON_RUNNER))/node_modules

$(ON_RUNNER)/.installed:
	mkdir -p $(ON_RUNNER)/bin
	npm install --silent --no-audit --no-fund --prefix $(ON_RUNNER) node@24.21.0 emulate@0.12.2
	GOBIN=$(abspath $(ON_RUNNER))/bin go install github.com/nektos/act@v0.2.89
	printf '#!/bin/sh\nexec "$(MODULES)/node/bin/node" "$(MODULES)/emulate/dist/index.js" "$$@"\n' >$(ON_RUNNER)/bin/emulate
	chmod +x $(ON_RUNNER)/bin/emulate
	touch $@

on-runner: $(VENV)/.installed $(ON_RUNNER)/.installed ## runs the workflows to copy with act against emulate, in under ten minutes
	PATH=$(abspath $(ON_RUNNER))/bin:$$PATH $(BIN)/python -m pytest -n 2 --dist loadgroup tests/on_runner

MINUTES ?= 5

fuzz: $(VENV)/.installed ## feeds mutated inputs to all readers for MINUTES=5 on both cores (docs/fuzzing.md)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

dist: $(VENV)/.installed ## builds the package for PyPI, as wheel and sources, in dist
	mkdir -p dist
	$(BIN)/python -c "from flit_core import buildapi as b; b.build_sdist('dist'); b.build_wheel('dist')"

sbom: $(VENV)/.installed ## writes the packages of requirements.txt as CycloneDX to build/sbom.cdx.json
	mkdir -p build
	$(BIN)/python -m pip install --dry-run --ignore-installed --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r requirements.txt --report build/installed.json
	$(BIN)/python setup/sbom.py build/installed.json >build/sbom.cdx.json

# Files that follow from a declaration (action.yml, action-types.yml, README's tables), quotations of
# the recorded demo, and the repository's name, which `Source` in pyproject.toml defines.
docs: $(VENV)/.installed ## regenerates the files that follow from declarations
	$(BIN)/python -m docs.generate

# The site has a separate environment: neither steady nor its tests need MkDocs.
SITE := build/site-venv

$(SITE)/.installed: requirements-site.txt
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-site.txt
	touch $@

site: $(SITE)/.installed ## builds the documentation site in build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict

# BROWSER: the Chromium for the pictures.
BROWSER ?= chromium

pictures: $(VENV)/.installed ## regenerates the pictures of the recorded demo's comment and report, light and dark
	$(BIN)/python -m docs.images.shoot $(BROWSER)

# DATA: the folder with the papers' data, jmh-steady and uoptime. One thread per process.
DATA ?= ../shared/data
JOBS ?= 2
evaluate evaluate-sensitivity evaluate-stoppers train-stoppers: export OPENBLAS_NUM_THREADS := 1

evaluate: $(VENV)/.installed ## regenerates the evaluation of DATA, the papers' data
	$(BIN)/python -m evaluation $(DATA) --jobs $(JOBS)

evaluate-sensitivity: $(VENV)/.evaluation ## regenerates the page on sensitivity, in hours
	$(BIN)/python -m evaluation.sensitivity $(DATA) --jobs $(JOBS)

train-stoppers: $(VENV)/.training ## trains the learned stoppers and their folds, in two hours; existing networks are kept
	$(BIN)/python -m evaluation.train_rocket $(DATA)
	$(BIN)/python -m evaluation.train_networks $(DATA)
	$(BIN)/python -m evaluation.train_longer $(DATA)

evaluate-stoppers: $(VENV)/.installed ## regenerates the page on the stoppers from the results of the training
	$(BIN)/python -m evaluation.stoppers $(DATA) --jobs $(JOBS)

$(VENV)/.training: $(VENV)/.installed requirements-training.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-training.txt
	touch $@

$(VENV)/.evaluation: $(VENV)/.installed requirements-evaluation.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-evaluation.txt
	touch $@

# The locks contain hashes and no address of an index; `uv` is needed only here.
lock: ## regenerates the pinned requirements
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml --extra github --extra annotations -o requirements.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml --extra github --extra annotations --extra plot --extra tables --extra completion --group dev -o requirements-dev.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --constraint requirements-dev.txt --group evaluation -o requirements-evaluation.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --constraint requirements-dev.txt --group training -o requirements-training.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --group site -o requirements-site.txt

# Docker requests the tag's current digest for all processors, and fetches no image.
base: ## updates the digest of the image's base to the newest of its tag
	@name=$$(sed -n 's/^ARG PYTHON=\([^@]*\)@.*/\1/p' Dockerfile) \
	&& digest=$$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$$name") \
	&& echo "$$digest" | grep -qxE 'sha256:[0-9a-f]{64}' \
	&& sed -i "s|^ARG PYTHON=.*|ARG PYTHON=$$name@$$digest|" Dockerfile \
	&& sed -n 's/^ARG PYTHON=//p' Dockerfile

clean: ## removes the outputs of all commands
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .fuzz build dist
