PYTHON ?= python3
VENV := .venv
LOCKED := requirements/runtime.txt requirements/dev.txt requirements/docs.txt

.PHONY: setup
setup: $(VENV)/.stamp

$(VENV)/.stamp: $(LOCKED) pyproject.toml
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --require-hashes $(addprefix -r ,$(LOCKED))
	$(VENV)/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
