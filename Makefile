# The two commands: `make race` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Cargo, and the makes that it starts, would look for our job server.
unexport MAKEFLAGS
# Python that keeps no bytecode compiles bakeoff anew for each command: tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
NOW := $(shell date -u +%FT%H-%M-%SZ)
ENGINE_SOURCES := engine/Cargo.lock $(shell find engine -name target -prune -o -name fuzz -prune \
	-o -name bench -prune -o \( -name '*.rs' -o -name '*.toml' \) -print)

# $(call ensure,CHECK,PACKAGES): Debian packages where a check fails and we may install them. That debconf
# would rather have apt-utils is nobody's trouble; all else that apt-get complains of is shown.
ensure = { $(1); } >/dev/null 2>&1 || if [ "$$(id -u)" = 0 ]; then \
	echo "installing from Debian: $(2)"; \
	apt-get -q update >/dev/null && \
	DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $(2) >/dev/null \
		2> >(grep -v 'apt-utils is not installed' >&2); \
	else echo "missing; run: sudo apt-get install $(2)"; fi

# $(call need,PROGRAM,PACKAGE): the same for one program.
need = $(call ensure,command -v $(1),$(2))

.PHONY: help
help: ## start: Show this list
	@for group in start check measure release; do \
		printf '%s:\n' "$$group"; \
		sed -nE "s/^([a-z-]+):.*## $$group: (.*)/  make \1\t\2/p" $(MAKEFILE_LIST) | expand -t 24; \
	done

# Each of them builds a wheel from the clone first. uv would take one that it made before.
.PHONY: install
install: ## start: Build the wheel for this machine; install it by uv, pipx or pip, whichever is there
	@if command -v uv >/dev/null; then set -- uv tool install --force --reinstall .; \
	elif command -v pipx >/dev/null; then set -- pipx install --force .; \
	else set -- python3 -m pip install --user .; fi; \
	echo "building the wheel, minutes where the engine was not compiled before, and installing it: $$*"; "$$@"

.PHONY: race
race: setup ## start: Set up what is needed, race the default line-up, print standings and report
	$(BIN)/bakeoff setup
	$(BIN)/bakeoff race -d 1m

# One contender at least of each toolchain: what `make test` has time for.
TESTED := nginx libuv-http-parser brick erlang go-nethttp chi node-http fastify node-pm2 gunicorn \
	hyper spring-boot

.PHONY: test
test: test-tools ## check: Set up what is needed and run all but the slow tests, with a contender of each toolchain
	$(call run_tests,$(TESTED),and not slow)

.PHONY: test-all
test-all: test-tools brick dist $(SITE)/installed ## check: Run every test, with every contender, and the brick's without sanitizers, too
	@$(call need,slowhttptest,slowhttptest)
	cd brick && ctest --preset release
	$(call run_tests,,)

# What every landing must pass: a clean checkout, where nobody compiles again what changed.
.PHONY: gate
gate: export CARGO_INCREMENTAL := 0
gate: test-tools ## check: The tests of `make test` and the checks of `make lint`, side by side
	$(call run_tests,$(TESTED),and not slow,lint-beside)

# Cargo takes one build at a time, and tests wait for theirs.
.PHONY: lint-beside
lint-beside: setup engine-tests
	@$(MAKE) --no-print-directory lint

# $(call run_tests,CONTENDERS,MARKS,ALSO): builds, and the tests whose parts are built already: what
# loads servers waits for most of its time, and the rest is for processors. At last the tests for which
# the machine must do nothing else. Without CONTENDERS it takes all.
define run_tests
	@echo "building and testing side by side: each part is shown when it is done"
	@$(SIDE_BY_SIDE) test-python test-timed test-served $(3) CONTENDERS='$(1)' MARKS='$(2)'
	$(call tried,$(CARGO_TEST) --test oracle)
	$(PYTEST) $(AGAIN) -m 'alone $(2)'
endef
SIDE_BY_SIDE = $(MAKE) --no-print-directory --jobs=8 --output-sync=target

# What can wait yields to tests that look at the clock; but not to all else that a machine does, for
# then its own tests would wait for minutes.
YIELDING := nice -n 5
# Nothing waits for linters.
LATER := nice -n 10
PYTEST := $(BIN)/pytest
# Where nobody can look again, a test may fail twice: the host may have stood still. It is said.
AGAIN := $(if $(CI),--reruns 2 -rR)
CTEST_AGAIN := $(if $(CI),--repeat until-pass:3)
tried = $(1) $(if $(CI),|| { echo 'once more after a failure' && $(1); })
CARGO_TEST := cargo test --manifest-path engine/Cargo.toml --quiet
ifdef CI
# Nobody compiles again what changed.
export CARGO_INCREMENTAL := 0
endif
TIMED_ENGINE_TESTS := RUST_TEST_THREADS=6 $(CARGO_TEST) --lib --bins --test '[!o]*' --test 'open_loop'

.PHONY: contenders
contenders: .venv/installed
	@# Not the installed command: contenders are built while the engine still is.
	@# With status 4 some can't be built here: their tests are skipped.
	$(YIELDING) $(BIN)/python -m bakeoff setup $(or $(CONTENDERS),--all) || [ $$? -eq 4 ]
	@# The upstream of workloads that forward: else the first tests would wait for its build.
	$(YIELDING) $(BIN)/python -m bakeoff setup ./catalogue/upstream

# Several processes at once would each compile what tests import.
.PHONY: modules
modules: .venv/installed
	@$(YIELDING) $(BIN)/python -m pytest --collect-only --ignore tests/e2e >/dev/null

.PHONY: test-python
test-python: setup brick-programs modules
	$(YIELDING) $(PYTEST) $(AGAIN) --ignore tests/personality -m 'not e2e $(MARKS)' \
		--numprocesses 3 --dist loadfile

# One after the other, several tests at a time: most of them wait.
.PHONY: test-timed
test-timed: setup brick-programs brick-tests engine-tests
	$(PYTEST) $(AGAIN) tests/personality -m 'not e2e $(MARKS)' --numprocesses 6 --dist worksteal
	$(call tried,$(TIMED_ENGINE_TESTS))
	cd brick && ctest --preset debug $(CTEST_AGAIN)

.PHONY: test-served
test-served: setup brick-programs contenders
	$(YIELDING) $(PYTEST) $(AGAIN) -m 'e2e and not alone $(MARKS)' --numprocesses 6 --dist loadgroup \
		--contenders '$(CONTENDERS)'

.PHONY: engine-tests
engine-tests:
	$(YIELDING) $(CARGO_TEST) --no-run

.PHONY: test-tools
test-tools: brick-tools
	@$(call need,chromium,chromium)
	@$(call need,ab,apache2-utils)
	@$(call need,wrk,wrk)
	@$(call need,nghttpd,nghttp2-server)
	@$(call need,h2load,nghttp2-client)
	@$(call need,openssl,openssl)
	@$(call ensure,ls /usr/lib/postgresql/*/bin/initdb,postgresql)
	@$(call need,curl,curl)
	@$(call need,php,php-cli)
	@$(call need,busybox,busybox)
	@$(call need,podman,podman runc)
	@$(call ensure,ruby -rwebrick -e '',ruby ruby-webrick)
	@$(call ensure,PATH="$$PATH:/usr/sbin" command -v lighttpd,lighttpd)

.PHONY: brick
brick: brick-tools ## check: Build the C++ server library, its programs and its tests, into build/brick
	$(call build_brick,release,release)
	$(call build_brick,debug,debug)

# $(call build_brick,CONFIGURATION,TARGETS), both as presets of CMakePresets.json.
build_brick = cd brick && cmake --preset $(1) --log-level=WARNING >/dev/null && \
	$(YIELDING) cmake --build --preset $(2) --parallel 2 -- --quiet

# What tests and benchmarks start, in build/brick.
.PHONY: brick-programs
brick-programs: brick-tools
	$(call build_brick,release,programs)

.PHONY: brick-tests
brick-tests: brick-tools
	$(call build_brick,debug,tests)

build/brick/brick-yardstick: brick-programs

.PHONY: brick-tools
brick-tools:
	@$(call ensure,type cmake ninja c++ pkg-config && pkg-config --exists liburing gtest_main,\
		cmake ninja-build g++ pkg-config liburing-dev libgtest-dev)

BRICK_FILES = $$(git ls-files 'brick/*.[ch]pp' catalogue/contenders/brick/main.cpp)
.PHONY: lint
lint: setup brick-tools ## check: Formatters, linters and type checks, each of them clean
	@$(call need,shellcheck,shellcheck)
	@$(call need,clang-format-14,clang-format-14)
	@$(SIDE_BY_SIDE) lint-python lint-engine lint-others

.PHONY: lint-python lint-engine lint-others
lint-python:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(LATER) $(BIN)/mypy
	cd engine/bench && ../../$(BIN)/mypy --config-file ../../pyproject.toml *.py

lint-engine:
	cargo fmt --manifest-path engine/Cargo.toml --all --check
	cargo fmt --manifest-path engine/fuzz/Cargo.toml --check
	$(LATER) cargo clippy --manifest-path engine/Cargo.toml --all-targets --quiet -- -D warnings

lint-others: build/tools/bin/actionlint
	build/tools/bin/actionlint
	shellcheck action/*.sh
	clang-format-14 --style=file:brick/.clang-format --dry-run -Werror $(BRICK_FILES)

build/tools/bin/actionlint:
	@command -v go >/dev/null || { echo "actionlint, which checks workflows, needs Go 1.25 or later"; exit 3; }
	GOBIN="$(CURDIR)/build/tools/bin" go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

include bench.mk

SOAK_MINUTES ?= 60
.PHONY: soak
soak: setup ## check: Race well- and ill-behaved servers at random for SOAK_MINUTES, into records/
	$(BIN)/python -m tests.soak --minutes $(SOAK_MINUTES) --out records/$(NOW)-soak.json

FUZZ_S ?= 60
.PHONY: tidy
tidy: brick-tools ## check: Ask clang-tidy about the brick; half a minute a core and more
	@$(call need,run-clang-tidy-14,clang-tidy-14)
	cd brick && cmake --preset release --log-level=WARNING
	run-clang-tidy-14 -quiet -j 2 -p build/brick 'brick/(src|yardstick)/'

.PHONY: fuzz
fuzz: build/tools/bin/cargo-fuzz brick-tools ## check: Fuzz what reads bytes from outside, FUZZ_S seconds each (60)
	@# libFuzzer's flags are nightly's; RUSTC_BOOTSTRAP lets the stable compiler take them.
	cd engine && for target in response messages requests h2 h3 h3_server events websocket; do \
		RUSTC_BOOTSTRAP=1 $(CURDIR)/$< run $$target -- -max_total_time=$(FUZZ_S) -print_final_stats=1; \
	done
	@$(call need,clang++-14,clang-14 libclang-rt-14-dev)
	cd brick && cmake --preset fuzz --log-level=WARNING && cmake --build --preset fuzz --parallel 2 -- --quiet
	cd build/brick-fuzz && ./write-seeds corpus && for fuzzer in fuzz-*; do \
		mkdir -p corpus/$${fuzzer#fuzz-}; \
		./$$fuzzer -max_total_time=$(FUZZ_S) -print_final_stats=1 corpus/$${fuzzer#fuzz-}; done

build/tools/bin/cargo-fuzz:
	cargo install --quiet --locked --root build/tools --version 0.13.2 cargo-fuzz

# The tool copies what it mutates to where it runs: build/mutants, which shows it our folders.
MUTATED ?= bakeoff.judge.*
.PHONY: mutants
mutants: build/mutants/installed ## check: Mutate the judge and list what no test noticed (MUTATED, an hour)
	ln -sfn ../../bakeoff ../../tests ../../pyproject.toml build/mutants/
	cd build/mutants && .venv/bin/mutmut run --max-children 1 '$(MUTATED)' >run.log
	cd build/mutants && .venv/bin/mutmut results | sed '/not checked/d' | tee survivors.txt

build/mutants/installed: requirements/run.txt requirements/dev.txt requirements/mutants.txt
	python3 -m venv build/mutants/.venv
	build/mutants/$(PIP) --require-hashes $(addprefix -r ,$^)
	@touch $@

.PHONY: setup
setup: .venv/bin/bakeoff ## start: The virtual environment, the engine and the command line

.venv/installed: requirements/run.txt requirements/dev.txt requirements/cluster.txt
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "bakeoff needs Python 3.11 or later as python3"; exit 3; }
	@python3 -c 'import ensurepip' 2>/dev/null || { $(call need,no-such-program,python3-venv); }
	@echo "installing Python packages into .venv, 1.4 GB: a minute or more, by network and disk"
	python3 -m venv .venv
	@# Modules are compiled where they are imported: most never are.
	@echo "1 of 2: what bakeoff and its tests need"
	@$(PIP) --no-compile --require-hashes -r requirements/run.txt -r requirements/dev.txt
	@# Ray starts six processes per node, each of which would compile it anew.
	@echo "2 of 2: Ray, for races on many machines"
	@$(PIP) --require-hashes -r requirements/cluster.txt
	@touch $@

engine/target/quick/volley: $(ENGINE_SOURCES)
	@command -v cargo >/dev/null || \
		{ echo "the engine needs Rust: install rustup, then its stable toolchain"; exit 3; }
	@echo "compiling the load engine: a minute or two on two cores, seconds where it was done before"
	$(YIELDING) cargo build --manifest-path engine/Cargo.toml --profile quick --package volley
	@touch $@

.venv/bin/bakeoff: .venv/installed engine/target/quick/volley pyproject.toml
	$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

# The wheel is built from the sdist, unpacked where cargo finds what it compiled before.
DIST := build/dist
.PHONY: dist
dist: setup $(DIST)/installed ## release: Build sdist and wheels into dist/, the engine for glibc 2.17, and check them
	@$(call need,qemu-aarch64,qemu-user libc6-arm64-cross libgcc-s1-arm64-cross)
	rm -rf dist $(DIST)/source
	$(BIN)/python -m bakeoff.cli.manual docs/bakeoff.1
	$(DIST)/bin/hatchling build -t sdist -d dist
	@# cargo asks how old a file is; hatchling gives all of them one date.
	mkdir $(DIST)/source && tar -xmf dist/*.tar.gz --strip-components 1 -C $(DIST)/source
	cd $(DIST)/source; \
	export PATH="$(CURDIR)/$(DIST)/bin:$$PATH" CARGO_TARGET_DIR="$(CURDIR)/$(DIST)/target"; \
	for machine in x86_64 aarch64; do \
		if [ "$$machine" = "$$(uname -m)" ] || rustup target add "$$machine-unknown-linux-gnu"; then \
			echo "the wheel for $$machine: compiling its engine takes minutes, seconds where it was done before"; \
			BAKEOFF_WHEEL_FOR=$$machine hatchling build -t wheel -d ../../../dist; \
		else echo "no wheel for $$machine: rustup has no libraries for it"; fi; \
	done
	$(DIST)/bin/twine check --strict dist/*
	for wheel in dist/*.whl; do $(DIST)/bin/auditwheel show "$$wheel"; done
	$(PYTEST) tests/dist/test_contents.py

$(DIST)/installed: requirements/dist.txt
	@echo "installing what builds and checks the wheel: 150 MB, under a minute as a rule"
	python3 -m venv $(DIST)
	$(DIST)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

.PHONY: release
release: dist ## release: Rehearse a release: build, check, install and race; print the tag. Publishes nothing
	$(PYTEST) tests/dist
	@git diff --quiet HEAD || echo "not yet: there are changes that are not committed"
	@printf 'would be tagged v%s with this message:\n\nbakeoff %s\n' $(VERSION) $(VERSION)
	@$(MAKE) --silent notes

VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' bakeoff/__init__.py)
.PHONY: notes
notes: ## release: Print what the changelog has of this version
	@sed -n "/^## $(VERSION)\b/,/^## /{/^## /d;p}" CHANGELOG.md

PIP := $(BIN)/pip install --quiet --disable-pip-version-check

SITE := build/site
.PHONY: site
site: setup $(SITE)/installed ## release: Make a site of the documents and the records, in build/site/html
	$(BIN)/python -m docs.site.build $(SITE) $(SITE)/venv/bin/sphinx-build
	@echo "begin with $(SITE)/html/index.html"

$(SITE)/installed: requirements/site.txt
	@echo "installing what makes the site: 90 MB, under a minute as a rule"
	python3 -m venv $(SITE)/venv
	$(SITE)/venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

.PHONY: schemas
schemas: setup ## release: Write all that documents have from sources: schemas, warnings, records, pictures, version
	$(BIN)/python -m bakeoff.schemas docs/schemas
	$(BIN)/python -m bakeoff.report.warnings docs/WARNINGS.md
	$(BIN)/python -m bakeoff.report.glossary docs/GLOSSARY.md
	$(BIN)/python -m tests.records_index
	$(BIN)/python -m tests.docs.picture
	$(BIN)/python -m tests.docs.address

.PHONY: recording
recording: setup ## release: Record the README's race in a terminal anew, in docs/pictures/race.svg; two minutes
	$(BIN)/python -m tests.docs.recording

.PHONY: lock
lock: setup ## release: Pin the newest dependencies that fit, with hashes
	python3 -m venv build/lock && build/lock/bin/pip install --quiet uv
	for each in run dev mutants dist cluster site; do build/lock/bin/uv pip compile --quiet --upgrade --generate-hashes \
		--no-emit-find-links --python-version 3.11 \
		--custom-compile-command 'make lock' requirements/$$each.in -o requirements/$$each.txt; done

.PHONY: clean
clean: ## start: Remove all that was built; runs and records stay
	rm -rf .venv build engine/target catalogue/contenders/*/.out
	find . -name __pycache__ -prune -exec rm -rf {} +
