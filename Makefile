# The two commands: `make race` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN := .venv/bin
NOW := $(shell date -u +%FT%H-%M-%SZ)
ENGINE_SOURCES := $(shell find engine/http engine/requests engine/ring engine/volley -name '*.rs' -o -name '*.toml' 2>/dev/null) \
	engine/Cargo.toml engine/Cargo.lock

# $(call ensure,CHECK,PACKAGES): Debian packages where a check fails and we may install them.
ensure = { $(1); } >/dev/null 2>&1 || if [ "$$(id -u)" = 0 ]; then \
	echo "installing from Debian: $(2)"; \
	apt-get -q update >/dev/null && \
	DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $(2) >/dev/null; \
	else echo "missing; run: sudo apt-get install $(2)"; fi

# $(call need,PROGRAM,PACKAGE): the same for one program.
need = $(call ensure,command -v $(1),$(2))

.PHONY: help
help: ## Show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: race
race: setup ## Set up what is needed, race the default line-up, print standings and report
	$(BIN)/bakeoff setup
	$(BIN)/bakeoff race

# One contender at least of each toolchain, and no slow test: what the gate has time for.
TESTED := nginx libuv-http-parser brick erlang go-nethttp chi node-http fastify node-pm2 gunicorn \
	hyper spring-boot

.PHONY: test
test: brick-tools ## Set up what is needed and run every test, with a contender of each toolchain
	@# Setup is downloads and one long link: the brick is compiled meanwhile. Contenders wait for
	@# downloads, too: the engine's tests are compiled meanwhile.
	$(MAKE) --no-print-directory --jobs=2 setup tested-brick
	cargo test --manifest-path engine/Cargo.toml --quiet --no-run & compiling=$$!; \
		$(BIN)/bakeoff setup $(TESTED); wait $$compiling
	@$(call need,chromium,chromium)
	@$(call need,ab,apache2-utils)
	@$(call need,wrk,wrk)
	@$(call need,openssl,openssl)
	@$(call need,slowhttptest,slowhttptest)
	cargo test --manifest-path engine/Cargo.toml --quiet
	cd brick && ctest --preset debug
	$(TEST_PERSONALITIES) -m 'not slow'
	$(TEST_ALONGSIDE) -m 'not e2e and not slow'
	$(BIN)/pytest -m 'e2e and not slow' --contenders '$(TESTED)'

# Whatever loads a server is tested while nothing else runs; all other tests share the cores.
TEST_ALONGSIDE := $(BIN)/pytest --ignore tests/personality --numprocesses 2 --dist loadfile

# Hundreds of runs of a second or less, most of which wait: several at a time.
TEST_PERSONALITIES := $(BIN)/pytest tests/personality --numprocesses 4 --dist worksteal

.PHONY: test-all
test-all: setup brick ## The same with every contender
	$(BIN)/bakeoff setup --all
	@$(call need,chromium,chromium)
	@$(call need,ab,apache2-utils)
	@$(call need,wrk,wrk)
	@$(call need,openssl,openssl)
	@$(call need,slowhttptest,slowhttptest)
	cargo test --manifest-path engine/Cargo.toml --quiet
	$(TEST_BRICK)
	$(TEST_PERSONALITIES)
	$(TEST_ALONGSIDE) -m 'not e2e'
	$(BIN)/pytest -m e2e

# Plain, and with sanitizers: what one of them finds, the other may hide.
BUILD_BRICK := for preset in release debug; do \
	(cd brick && cmake --preset $$preset --log-level=WARNING && \
		cmake --build --preset $$preset --parallel 2 -- --quiet) || exit; done
TEST_BRICK := cd brick && ctest --preset release && ctest --preset debug

# For the gate: the programs as they are used, the tests with sanitizers alone.
.PHONY: tested-brick
tested-brick: brick-tools
	cd brick && cmake --preset release --log-level=WARNING && \
		cmake --build --preset programs --parallel 2 -- --quiet && \
		cmake --preset debug --log-level=WARNING && \
		cmake --build --preset tests --parallel 2 -- --quiet

.PHONY: brick
brick: brick-tools ## Build the C++ server library, its programs and its tests, into build/brick
	$(BUILD_BRICK)

build/brick/brick-yardstick: brick-tools
	cd brick && cmake --preset release --log-level=WARNING && \
		cmake --build --preset release --target brick-yardstick --parallel 2 -- --quiet

.PHONY: brick-tools
brick-tools:
	@$(call ensure,type cmake ninja c++ pkg-config && pkg-config --exists liburing gtest_main,\
		cmake ninja-build g++ pkg-config liburing-dev libgtest-dev)

BRICK_FILES = $$(git ls-files 'brick/*.[ch]pp' contenders/brick/main.cpp)
.PHONY: lint
lint: setup brick-tools ## Formatters, linters and type checks, each of them clean
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd engine/bench && ../../$(BIN)/mypy --config-file ../../pyproject.toml *.py
	cargo fmt --manifest-path engine/Cargo.toml --all --check
	cargo clippy --manifest-path engine/Cargo.toml --all-targets --quiet -- -D warnings
	@$(call need,clang-format-14,clang-format-14)
	clang-format-14 --style=file:brick/.clang-format --dry-run -Werror $(BRICK_FILES)

.PHONY: bench
bench: setup build/tools/bin/oha ## Measure our own speed against peers, into records/
	@$(call need,wrk,wrk)
	@$(call need,h2load,nghttp2-client)
	@$(call need,nginx,nginx-light)
	cargo build --manifest-path engine/Cargo.toml --release --quiet --package volley
	$(BIN)/bakeoff setup libuv-http-parser
	$(BIN)/python engine/bench/versus.py --out records/$(NOW)-engine-versus.json
	$(BIN)/bakeoff race libuv-http-parser libuv-http-parser -d 20 --boots 2 --out build/runs \
		--json records/$(NOW)-same-server-twice.json
	@sed -i 's#$(CURDIR)/##g' records/$(NOW)-same-server-twice.json

FEW_AND_MANY := 64,512
BENCHED_BRICK := brick nginx hyper may-minihttp libuv-http-parser
.PHONY: brick-bench
brick-bench: setup build/brick/brick-yardstick ## Race the brick against its null mode and its peers, into records/
	@$(call need,nginx,nginx-light)
	$(BIN)/bakeoff setup $(BENCHED_BRICK)
	$(call race_brick,keep-alive,$(BENCHED_BRICK) brick/bench/brick-null -c $(FEW_AND_MANY) -d 40)
	$(call race_brick,pipelined,$(BENCHED_BRICK) --pipeline 16 -d 30)
	$(call race_brick,close,$(BENCHED_BRICK) --close -d 30)
	$(call race_brick,open-loop,$(BENCHED_BRICK) --rate 20000 -d 40)

# $(call race_brick,WHAT,WORDS): a race of three boots, kept as a record without this machine's paths.
race_brick = $(BIN)/bakeoff race $(2) --boots 3 --out build/runs --json records/$(NOW)-brick-$(1).json && \
	sed -i 's|$(CURDIR)/||g' records/$(NOW)-brick-$(1).json

build/tools/bin/oha:
	cargo install --quiet --locked --root build/tools --version 1.16.0 oha

JUDGED ?= libuv-http-parser
.PHONY: judge-bench
judge-bench: setup build/brick/brick-yardstick ## Measure how often the judge errs, into records/; goes on where it was stopped
	$(BIN)/bakeoff setup $(JUDGED)
	$(BIN)/python -m tests.judge_bench --contender $(JUDGED) --out records/$(NOW)-judge-bench.json

FUZZ_S ?= 60
.PHONY: tidy
tidy: brick-tools ## Ask clang-tidy about the brick; half a minute a core and more
	@$(call need,run-clang-tidy-14,clang-tidy-14)
	cd brick && cmake --preset release --log-level=WARNING
	run-clang-tidy-14 -quiet -j 2 -p build/brick 'brick/(src|yardstick)/'

.PHONY: fuzz
fuzz: build/tools/bin/cargo-fuzz brick-tools ## Fuzz what reads bytes from outside, FUZZ_S seconds each (60)
	@# libFuzzer's flags are nightly's; RUSTC_BOOTSTRAP lets the stable compiler take them.
	cd engine && for target in response messages requests; do \
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
mutants: build/mutants/installed ## Mutate the judge and list what no test noticed (MUTATED, an hour)
	ln -sfn ../../bakeoff ../../tests ../../pyproject.toml build/mutants/
	cd build/mutants && .venv/bin/mutmut run --max-children 1 '$(MUTATED)' >run.log
	cd build/mutants && .venv/bin/mutmut results | sed '/not checked/d' | tee survivors.txt

build/mutants/installed: requirements/run.txt requirements/dev.txt requirements/mutants.txt
	python3 -m venv build/mutants/.venv
	build/mutants/.venv/bin/pip install --quiet --disable-pip-version-check --require-hashes \
		$(addprefix -r ,$^)
	@touch $@

.PHONY: setup
setup: .venv/installed .venv/bin/volley ## The virtual environment, the engine and the command line

.venv/installed: requirements/run.txt requirements/dev.txt
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "bakeoff needs Python 3.11 or later as python3"; exit 3; }
	@python3 -c 'import ensurepip' 2>/dev/null || { $(call need,no-such-program,python3-venv); }
	python3 -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes \
		-r requirements/run.txt -r requirements/dev.txt
	@touch $@

.venv/bin/volley: .venv/installed pyproject.toml $(ENGINE_SOURCES)
	@command -v cargo >/dev/null || \
		{ echo "the engine needs Rust: install rustup, then its stable toolchain"; exit 3; }
	cargo build --manifest-path engine/Cargo.toml --release --quiet
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

.PHONY: schemas
schemas: setup ## Write docs/schemas from the contracts
	$(BIN)/python -m bakeoff.model.schemas docs/schemas

.PHONY: lock
lock: setup ## Pin the newest dependencies that fit, with hashes
	python3 -m venv build/lock && build/lock/bin/pip install --quiet uv
	for each in run dev mutants; do build/lock/bin/uv pip compile --quiet --upgrade --generate-hashes \
		--no-emit-find-links --python-version 3.11 \
		--custom-compile-command 'make lock' requirements/$$each.in -o requirements/$$each.txt; done

.PHONY: clean
clean: ## Remove all that was built; runs and records stay
	rm -rf .venv build engine/target contenders/*/.out
	find . -name __pycache__ -prune -exec rm -rf {} +
