# Two commands do everything on a fresh machine: `make demo` and `make test`; `make help` lists all.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Tests start Python hundreds of times; without its bytecode each start compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test thorough quick seconds on-runner fuzz check dist sbom docs site pictures evaluate evaluate-sensitivity evaluate-stoppers train-stoppers lock base clean help
.DEFAULT_GOAL := demo

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(firstword $(MAKEFILE_LIST)) | awk -F': ' '{printf "%-22s %s\n", $$1, $$2}'

$(VENV)/.installed: pyproject.toml requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: $(VENV)/.installed ## recorded runs: a suite made shorter, and a verdict on two versions, in seconds
	$(BIN)/steady demo

check: $(VENV)/.installed ## style and types of everything
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2

# WORKERS: processes that run tests. One more than two processors: some tests wait for what they
# download or for a deadline. Those that share a real tool stay in one (tests/conftest.py).
WORKERS ?= 3

test: check ## style, types, and the tests, with the real tools that are installed
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not thorough"

thorough: check ## the same with every case of the workflows and of old tools, in some twelve minutes
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

# mypy reads again what changed since its last run, and what depends on that.
quick: $(VENV)/.installed ## the same without slow tests and real tools, under a minute
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 -m "not slow and not thorough"

seconds: $(VENV)/.installed ## how much processor time each test file takes, in tests/SECONDS.md
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not thorough" --seconds-table tests/SECONDS.md

# act runs workflows, and emulate is a GitHub that answers. Neither is ever installed with steady.
ON_RUNNER := build/on-runner
MODULES := $(abspath $(ON_RUNNER))/node_modules

$(ON_RUNNER)/.installed:
	mkdir -p $(ON_RUNNER)/bin
	npm install --silent --no-audit --no-fund --prefix $(ON_RUNNER) node@24.21.0 emulate@0.12.2
	GOBIN=$(abspath $(ON_RUNNER))/bin go install github.com/nektos/act@v0.2.89
	printf '#!/bin/sh\nexec "$(MODULES)/node/bin/node" "$(MODULES)/emulate/dist/index.js" "$$@"\n' >$(ON_RUNNER)/bin/emulate
	chmod +x $(ON_RUNNER)/bin/emulate
	touch $@

on-runner: $(VENV)/.installed $(ON_RUNNER)/.installed ## the workflows to copy, run by act against emulate, in under ten minutes
	PATH=$(abspath $(ON_RUNNER))/bin:$$PATH $(BIN)/python -m pytest -n 2 --dist loadgroup tests/on_runner

MINUTES ?= 5

fuzz: $(VENV)/.installed ## mutated inputs for MINUTES=5 on both cores (docs/fuzzing.md)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

dist: $(VENV)/.installed ## the package for PyPI, as wheel and as sources, in dist
	mkdir -p dist
	$(BIN)/python -c "from flit_core import buildapi as b; b.build_sdist('dist'); b.build_wheel('dist')"

sbom: $(VENV)/.installed ## what requirements.txt installs, as CycloneDX, in build/sbom.cdx.json
	mkdir -p build
	$(BIN)/python -m pip install --dry-run --ignore-installed --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r requirements.txt --report build/installed.json
	$(BIN)/python setup/sbom.py build/installed.json >build/sbom.cdx.json

# What follows from a declaration (action.yml, action-types.yml, README's tables), whatever quotes the
# recorded demo, and the repository's name, which `Source` in pyproject.toml says.
docs: $(VENV)/.installed ## the files that follow from declarations, written anew
	$(BIN)/python -m docs.generate

# The site has an environment of its own: neither steady nor its tests need MkDocs.
SITE := build/site-venv

$(SITE)/.installed: requirements-site.txt
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-site.txt
	touch $@

site: $(SITE)/.installed ## the documentation as a site in build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict

# BROWSER: a Chromium that takes the pictures.
BROWSER ?= chromium

pictures: $(VENV)/.installed ## the pictures of the recorded demo's comment and report, light and dark, taken anew
	$(BIN)/python -m docs.images.shoot $(BROWSER)

# DATA: the folder with the papers' data, jmh-steady and uoptime. One thread a process.
DATA ?= ../shared/data
JOBS ?= 2
evaluate evaluate-sensitivity evaluate-stoppers train-stoppers: export OPENBLAS_NUM_THREADS := 1

evaluate: $(VENV)/.installed ## the document of DATA, the papers' data, written anew
	$(BIN)/python -m evaluation $(DATA) --jobs $(JOBS)

evaluate-sensitivity: $(VENV)/.evaluation ## the same for sensitivity, in hours
	$(BIN)/python -m evaluation.sensitivity $(DATA) --jobs $(JOBS)

train-stoppers: $(VENV)/.training ## the learned stoppers' weights and folds, in two hours; a network that is there is kept
	$(BIN)/python -m evaluation.train_rocket $(DATA)
	$(BIN)/python -m evaluation.train_networks $(DATA)
	$(BIN)/python -m evaluation.train_longer $(DATA)

evaluate-stoppers: $(VENV)/.installed ## their document, from what the training left
	$(BIN)/python -m evaluation.stoppers $(DATA) --jobs $(JOBS)

$(VENV)/.training: $(VENV)/.installed requirements-training.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-training.txt
	touch $@

$(VENV)/.evaluation: $(VENV)/.installed requirements-evaluation.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-evaluation.txt
	touch $@

# The locks carry hashes and no index address; `uv` is needed only here.
lock: ## the pinned requirements, written anew
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml --extra github --extra annotations -o requirements.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml --extra github --extra annotations --extra plot --extra tables --extra completion --group dev -o requirements-dev.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --constraint requirements-dev.txt --group evaluation -o requirements-evaluation.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --constraint requirements-dev.txt --group training -o requirements-training.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 --group site -o requirements-site.txt

# Docker asks for what the tag means now, for all processors at once, and fetches no image.
base: ## the digest of the image's base, the newest of its tag
	@name=$$(sed -n 's/^ARG PYTHON=\([^@]*\)@.*/\1/p' Dockerfile) \
	&& digest=$$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$$name") \
	&& echo "$$digest" | grep -qxE 'sha256:[0-9a-f]{64}' \
	&& sed -i "s|^ARG PYTHON=.*|ARG PYTHON=$$name@$$digest|" Dockerfile \
	&& sed -n 's/^ARG PYTHON=//p' Dockerfile

clean: ## without what all of these leave
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .fuzz build dist
