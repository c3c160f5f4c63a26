# Everything a developer or a machine does with this repository. `make help` lists it.
# Needs only Python >= 3.11 (and a C compiler for the compiled build).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
unexport RAILWISE_COMPILE

# The first interpreter that is new enough; `make PYTHON=/some/python3.12 setup` chooses another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

VENV := .venv
BIN := $(VENV)/bin
COMPILED := .venv-compiled
LIGHT := .venv-runtime
LOCKED := requirements/runtime.txt requirements/dev.txt requirements/docs.txt
SOURCES := $(shell find src -name '*.py')
# The rooms whose tests also run on the compiled build: those that are compiled, and what decides through them.
COMPILED_TESTS := $(wildcard tests/compiled tests/model tests/engine tests/oracle tests/properties tests/conformance)
WORKERS ?= 2
PYTEST := $(BIN)/python -m pytest

##@ Use

.PHONY: demo
demo: $(LIGHT)/.stamp ## the tour: a virtual fabric, four schedulers side by side, a report
	$(LIGHT)/bin/python -m railwise demo

$(LIGHT)/.stamp: requirements/runtime.txt | python
	test -x $(LIGHT)/bin/python || $(PYTHON) -m venv $(LIGHT)
	$(LIGHT)/bin/python -m pip install --quiet --require-hashes -r requirements/runtime.txt
	$(LIGHT)/bin/python -c 'import pathlib, sysconfig; \
	pathlib.Path(sysconfig.get_path("purelib"), "railwise.pth").write_text(str(pathlib.Path("src").resolve()) + "\n")'
	touch $@

.PHONY: cluster
cluster: setup ## a Kubernetes control plane on this machine with fake GPU nodes; NODES=500
	$(BIN)/python -m railwise dev cluster up --nodes $(or $(NODES),500)

##@ Develop

.PHONY: setup
setup: $(VENV)/.stamp ## create .venv with everything, pinned by hash

$(VENV)/.stamp: $(LOCKED) pyproject.toml setup.py | python
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes $(addprefix -r ,$(LOCKED))
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

.PHONY: python
python:
	@test -n '$(PYTHON)' || { echo 'error: no Python >= 3.11 found; hint: make PYTHON=/path/to/python3.11 …' >&2; exit 2; }

.PHONY: check
check: static test-fast ## style, types, layers and the fast tests: within a minute

.PHONY: static
static: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/towncrier build --draft --version unreleased >/dev/null

.PHONY: test-fast
test-fast: setup ## the fast tests alone
	HYPOTHESIS_PROFILE=fast $(PYTEST) -n $(WORKERS) -m 'not slow and not nightly'

.PHONY: test
test: static docs test-compiled control-plane ## everything: checks, docs, both builds, all tests but the nightly ones
	RAILWISE_EXPECT_BUILD=pure $(PYTEST) -n $(WORKERS)

.PHONY: control-plane
control-plane: setup ## build etcd, kube-apiserver and friends into the cache, once; RAILWISE_CONTROL_PLANE=none: do without
	$(BIN)/python -m railwise dev cluster build --if-possible

.PHONY: test-compiled
test-compiled: compiled ## the tests of the compiled rooms, on the compiled build
	RAILWISE_EXPECT_BUILD=compiled $(COMPILED)/bin/python -m pytest -n $(WORKERS) $(COMPILED_TESTS)

.PHONY: fuzz
fuzz: setup ## long searches for counterexamples
	HYPOTHESIS_PROFILE=nightly $(PYTEST) -n $(WORKERS) -m nightly

.PHONY: bench
bench: setup ## benchmarks as ratios to a calibration loop; ONLY=name runs one, BUILD=compiled the other build
	$(if $(filter compiled,$(BUILD)),$(MAKE) compiled)
	$(if $(filter compiled,$(BUILD)),$(COMPILED),$(VENV))/bin/python -m benchmarks.run $(if $(ONLY),--only $(ONLY))

##@ Document

.PHONY: docs
docs: setup ## build the documentation into docs/_build/html; every warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet -b html docs docs/_build/html

.PHONY: docs-generate
docs-generate: setup ## write what the documentation takes from the program: commands, fields, codes, pictures
	$(BIN)/python -m tests.docs.generate

.PHONY: docs-update
docs-update: setup ## run the examples of the documentation and write down what they print now
	$(BIN)/python -m tests.docs.update

.PHONY: changelog
changelog: setup ## gather changelog.d/ into CHANGELOG.md
	$(BIN)/towncrier build --yes

##@ Package

.PHONY: wheel
wheel: setup ## the pure wheel, into dist/
	rm -rf build/lib
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

.PHONY: compiled
compiled: $(COMPILED)/.stamp ## the wheel with engine and model compiled, installed in .venv-compiled

# The second environment borrows every dependency from the first through a path file, so that it costs no download. The
# project itself comes from the wheel: path files are not followed into another environment, src/ is not in reach.
$(COMPILED)/.stamp: $(VENV)/.stamp $(SOURCES)
	find build -name '*.py' -path 'build/lib*' -delete 2>/dev/null || true
	rm -rf dist/compiled
	mkdir -p build
	RAILWISE_COMPILE=1 $(BIN)/uv build --offline --wheel --no-build-isolation --python $(BIN)/python \
		--out-dir dist/compiled . >build/compile.log 2>&1 || { tail -n 40 build/compile.log >&2; exit 1; }
	$(BIN)/python -m venv --clear --without-pip $(COMPILED)
	$(BIN)/python -m pip --python $(COMPILED)/bin/python install --quiet --no-deps dist/compiled/*.whl
	$(COMPILED)/bin/python -c 'import pathlib, sys, sysconfig; \
	pathlib.Path(sysconfig.get_path("purelib"), "dependencies.pth").write_text(sys.argv[1] + "\n")' \
		"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
	touch $@

.PHONY: lock
lock: ## resolve requirements/*.in anew into the hashed *.txt; UPGRADE=1 takes the newest versions
	test -x $(BIN)/uv || { test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); $(BIN)/python -m pip install --quiet uv; }
	cd requirements; \
	lock() { ../$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-config --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade) "$$@"; }; \
	lock runtime.in -o runtime.txt; \
	lock dev.in -c runtime.txt -o dev.txt; \
	lock docs.in -c dev.txt -o docs.txt

.PHONY: protos
protos: setup ## compile the .proto files into the messages beside them
	$(BIN)/python -m grpc_tools.protoc -Isrc --python_out=src --pyi_out=src src/railwise/gnmi/gnmi.proto

.PHONY: clean
clean: ## remove everything that make creates
	rm -rf $(VENV) $(COMPILED) $(LIGHT) build dist docs/_build src/*.egg-info
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help
help: ## this list
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
