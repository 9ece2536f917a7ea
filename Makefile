# make demo and make test do all their own set-up: Python >= 3.11, make and git suffice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: setup web packages demo test test-fast test-changed coverage lint format bench \
	soak screens system requirements sbom audit clean

setup: $(STAMP) web

$(STAMP): pyproject.toml constraints.txt requirements/development.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "MPMS needs Python 3.11 or newer; set PYTHON=…"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV); the first time takes a minute or two."
	@$(PIP) --require-hashes --requirement requirements/development.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m pip check || { echo "If something is missing after a change of"; \
		echo "pyproject.toml or constraints.txt, run: make requirements"; exit 1; }
	@touch $(STAMP)

# Scripts and styles of the pages; does nothing where no source has changed.
web: $(STAMP)
	@$(BIN)/python hatch_build.py

# What tests take from npm and PyPI, beyond what the pages are built with.
packages: $(STAMP)
	@$(BIN)/python hatch_build.py --packages
	@$(BIN)/python -m tests.support.foreign_clients

demo: setup
	@$(BIN)/mpms demo $(ARGS)

# Three processes, each with servers of its own: tests wait half of their time, so three
# keep two cores busy. With ARGS only what they name, in one.
SPREAD := --dist loadscope --no-loadscope-reorder
MEASURED := $(BIN)/python tests/measured_run.py -m "not soak"

test: setup system packages
	@$(MEASURED) $(or $(ARGS),-n 3 $(SPREAD))

# What needs no server and no browser, without whole drives.
test-fast: setup
	@$(BIN)/python tests/measured_run.py -m "not soak and not long" \
		$(or $(ARGS),-n 2 $(SPREAD)) tests/unit

# Test files that mention what differs from the last commit, or from SINCE.
SINCE ?= HEAD
test-changed: setup system packages
	@files=$$($(BIN)/python tests/changed_tests.py $(SINCE)) \
		&& $(MEASURED) $(ARGS) $$files

# Which lines and branches the tests run, in all processes; the pages to read it in
# lie in build/coverage.
coverage: setup system packages
	@rm -f build/coverage/.coverage*
	@$(BIN)/coverage run tests/measured_run.py -m "not soak" \
		$(or $(ARGS),-n 3 $(SPREAD))
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage html --quiet
	@$(BIN)/coverage report --format=total

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --config .importlinter --no-cache
	@$(BIN)/python -m mpms.adapters.postgres.database.migration_files db/migrations
	@$(BIN)/python hatch_build.py --check

format: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# What tests want from the operating system; without the right to install it, the
# tests that need it say what they skip (and fail if CI=true).
system:
	@sh tests/install_system_parts.sh

bench: setup
	@$(PIP) --require-hashes --requirement requirements/bench.txt
	@for script in bench/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# Pictures of every page, into build/screens.
screens: setup system
	@$(BIN)/python tests/screens/take_screens.py $(ARGS)

soak: setup system packages
	@$(BIN)/python -m pytest -m soak --timeout 3600 $(ARGS)

# Every pinned package with the hashes of its files; after a change of pyproject.toml or
# constraints.txt. uv comes from the pins themselves, into a directory of its own.
requirements:
	@test -x build/supply/bin/uv || $(PYTHON) -m venv build/supply
	@build/supply/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt uv
	@sh requirements/write.sh build/supply/bin/uv

# What a release contains: CycloneDX, in build/sbom.json.
sbom: supply
	@mkdir -p build
	@build/supply/bin/cyclonedx-py requirements requirements/demo.txt \
		--pyproject pyproject.toml --mc-type application --output-reproducible \
		--output-file build/sbom.json
	@echo "Written to build/sbom.json"

# What is known against the pinned packages, where the database can be reached.
audit: supply
	@build/supply/bin/python requirements/audit.py

.PHONY: supply
supply:
	@test -x build/supply/bin/python || $(PYTHON) -m venv build/supply
	@build/supply/bin/python -m pip install --quiet --disable-pip-version-check \
		--require-hashes --requirement requirements/supply.txt

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache
