# The targets that measure bakeoff itself, its engine and its brick, into records/.

# What is published was measured by the wheel's engine.
.PHONY: release-engine
release-engine: setup
	cargo build --manifest-path engine/Cargo.toml --release --quiet
	install engine/target/release/volley $(BIN)/volley

.PHONY: bench
bench: release-engine build/tools/bin/oha ## measure: Measure our own speed against peers, into records/; an hour and a half
	@$(call need,wrk,wrk)
	@$(call need,ab,apache2-utils)
	@$(call need,h2load,nghttp2-client)
	@$(call need,nginx,nginx-light)
	@$(call need,openssl,openssl)
	$(BIN)/bakeoff setup libuv-http-parser
	$(BIN)/python engine/bench/versus.py --out records/$(NOW)-engine-versus.json
	$(BIN)/bakeoff race libuv-http-parser libuv-http-parser -d 20 --boots 2 --out build/runs \
		--json records/$(NOW)-same-server-twice.json
	@sed -i 's#$(CURDIR)/##g' records/$(NOW)-same-server-twice.json

.PHONY: streams-bench
streams-bench: release-engine build/brick/brick-yardstick build/tools/bin/ghz build/tools/tonic/release/server ## measure: Read events, messages and calls beside peers, into records/; a quarter of an hour
	@$(call need,h2load,nghttp2-client)
	$(BIN)/python engine/bench/versus.py --streams --rounds 10 --seconds 2 \
		--out records/$(NOW)-streams-bench.json
	$(BIN)/python engine/bench/packets.py --out records/$(NOW)-event-times.json

FEW_AND_MANY := 64,512
BENCHED_BRICK := brick nginx hyper may-minihttp libuv-http-parser
.PHONY: brick-bench
brick-bench: release-engine build/brick/brick-yardstick ## measure: Race the brick against its null mode and its peers, into records/
	@$(call need,nginx,nginx-light)
	$(BIN)/bakeoff setup $(BENCHED_BRICK)
	$(call race_brick,keep-alive,$(BENCHED_BRICK) brick/bench/brick-null -c $(FEW_AND_MANY) -d 40)
	$(call race_brick,pipelined,$(BENCHED_BRICK) --pipeline 16 -d 30)
	$(call race_brick,close,$(BENCHED_BRICK) --close -d 30)
	$(call race_brick,open-loop,$(BENCHED_BRICK) --rate 20000 -d 40)

.PHONY: brick-attacks
brick-attacks: setup brick-programs ## measure: Attack the brick while others use it: their latency, its memory; into records/
	$(BIN)/python brick/bench/attacks.py --out records/$(NOW)-brick-attacks.json

# The suite is for Python 2.7 alone, and so are its packages.
PYTHON2 ?= python2.7
build/autobahn/bin/wstest: requirements/autobahn.txt
	@$(PYTHON2) --version >/dev/null 2>&1 || \
		{ echo "Autobahn's test suite needs Python 2.7; name it: make autobahn PYTHON2=/where/it/is/python2.7"; exit 3; }
	PYTHONUSERBASE=$(CURDIR)/build/autobahn $(PYTHON2) -m pip install --quiet --disable-pip-version-check \
		--user --ignore-installed --no-warn-script-location --require-hashes -r $<
	@touch $@

.PHONY: autobahn
autobahn: brick-programs build/autobahn/bin/wstest ## measure: Test the brick's WebSocket by Autobahn's suite, into records/; needs Python 2.7
	python3 brick/bench/autobahn.py --out records/$(NOW)-autobahn.json

# $(call race_brick,WHAT,WORDS): a race, kept as a record without this machine's paths.
race_brick = $(BIN)/bakeoff race $(2) --out build/runs --json records/$(NOW)-brick-$(1).json && \
	sed -i 's|$(CURDIR)/||g' records/$(NOW)-brick-$(1).json

build/tools/bin/oha:
	cargo install --quiet --locked --root build/tools --version 1.16.0 --features http3 oha

build/tools/bin/quic-go-load: $(wildcard catalogue/clients/quic-go-load/*)
	go build -C $(<D) -trimpath -buildvcs=false -o $(CURDIR)/$(@D)/ .

# Minutes of it are oha's: after each run it waits 30 s for connections that nobody closes.
CROSSCHECK_ROUNDS ?= 10
CROSSCHECK_LOADS := -c64 -c8,--streams=8
CROSSCHECK_FILE := static/64k.txt
CROSSCHECKED := HOST=127.0.0.1 PORT=28443 GOMAXPROCS=1 PROTOCOL=h3 STATIC_DIR=$(CURDIR)/build/tools/static \
	TLS_CERT=$(CURDIR)/build/tools/cert.pem TLS_KEY=$(CURDIR)/build/tools/key.pem
.PHONY: clients-bench
clients-bench: export PATH := $(CURDIR)/build/tools/bin:$(PATH)
clients-bench: release-engine build/tools/bin/oha build/tools/bin/quic-go-load ## measure: Hold our figures over HTTP/3 against those of two other clients, small answers and 64 KB, into records/
	@$(call need,openssl,openssl)
	$(BIN)/bakeoff setup go-nethttp
	@openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
		-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
		-keyout build/tools/key.pem -out build/tools/cert.pem
	@mkdir -p build/tools/static && head -c 65536 /dev/zero | tr '\0' x > build/tools/$(CROSSCHECK_FILE)
	env $(CROSSCHECKED) taskset --cpu-list 0 catalogue/contenders/go-nethttp/.out/server & \
	trap "kill $$!" EXIT; \
	for path in "" $(CROSSCHECK_FILE); do for load in $(CROSSCHECK_LOADS); do \
		name=$${load//[-=]/}; record=records/$(NOW)-crosscheck-h3-$${name/,/-}$${path:+-64k}.json; \
		$(BIN)/bakeoff crosscheck https://127.0.0.1:28443/$$path --protocol h3 --ca build/tools/cert.pem \
			$${load//,/ } --tools oha,quic-go-load --rounds $(CROSSCHECK_ROUNDS) \
			--out build/runs --json $$record; \
		sed -i 's|$(CURDIR)/||g' $$record; \
	done; done

# Where a packet takes a while, and where some are lost, by the protocol that carries requests.
PATHS := 0ms 0ms,0.1% 0ms,1% 10ms 10ms,0.1% 10ms,1% 50ms 50ms,0.1% 50ms,1%
PATH_SECONDS ?= 270
.PHONY: path-bench
path-bench: release-engine ## measure: Race HTTP/1.1, HTTP/2 and HTTP/3 over paths with delay and loss, into records/
	$(BIN)/bakeoff setup hyper
	$(BIN)/bakeoff race hyper --protocol h1-tls,h2,h3 $(PATHS:%=--path %) -d $(PATH_SECONDS) --out build/runs \
		--json records/$(NOW)-http3-paths.json || [ $$? -eq 4 ]
	@sed -i 's|$(CURDIR)/||g' records/$(NOW)-http3-paths.json

build/tools/bin/ghz:
	GOBIN=$(CURDIR)/build/tools/bin go install github.com/bojand/ghz/cmd/ghz@v0.121.0

build/tools/tonic/release/server: catalogue/contenders/tonic/src/main.rs
	cargo build --quiet --locked --release --manifest-path catalogue/contenders/tonic/Cargo.toml \
		--target-dir build/tools/tonic

.PHONY: explore-bench
explore-bench: setup test-tools ## measure: Time the explorer with 10,000 simulated runs, into records/
	test -d build/many-runs || $(BIN)/bakeoff simulate --runs 10000 --contenders 5 -d 2 --effect -10% \
		--out build/many-runs
	$(BIN)/python -m tests.explore_bench build/many-runs --out records/$(NOW)-explore-bench.json

.PHONY: watching-bench
watching-bench: release-engine build/brick/brick-yardstick ## measure: Race equals watched and not, in pairs, into records/; takes a quiet machine
	$(BIN)/python -m tests.watching_bench --out records/$(NOW)-watching-bench.json

JUDGE_MINUTES ?= 60
.PHONY: judge-bench
judge-bench: release-engine build/brick/brick-yardstick ## measure: Prove the frozen method by races for JUDGE_MINUTES; goes on where it was stopped
	$(BIN)/python -m tests.judge_bench --minutes $(JUDGE_MINUTES) --out records/$(NOW)-judge-bench.json

CLUSTER_RACES ?= 10
.PHONY: cluster-bench
cluster-bench: release-engine build/brick/brick-yardstick ## measure: Race equals and a planted 3 % on machines of namespaces and on this one, as root
	$(BIN)/python -m tests.cluster_bench --races $(CLUSTER_RACES) --out records/$(NOW)-cluster-bench.json

WHY_MINUTES ?= 100
.PHONY: why-bench
why-bench: release-engine build/brick/brick-yardstick ## measure: Plant causes and count those that `bakeoff why` names for WHY_MINUTES; goes on where it was stopped
	$(BIN)/bakeoff setup nginx libuv-http-parser gin go-nethttp fastify node-http uvicorn granian
	$(BIN)/python -m tests.why_bench --minutes $(WHY_MINUTES) --out records/$(NOW)-why-bench.json
