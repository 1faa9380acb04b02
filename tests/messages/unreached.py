"""What the page doesn't show, and why. This list only shrinks: what is reached must leave it."""

ON_A_CLUSTER = "it takes machines of a Ray cluster: tests/cluster"
SEVERAL = "several load generators are of a cluster: tests/load/test_several.py"
SAME_TEXT = "another place with the same message is reached: tests/load/tools"
NOT_ASKED = "no command asks for it; it guards what Python could"
MEANWHILE = (
    "a process ends, or belongs to another user, between two looks at it: tests/runs/test_holder.py"
)
MISSING_PART = "it takes an installation without a part of it: tests/e2e/test_satellites.py"
NEEDS_A_MACHINE = "it takes a machine, or a library, that is broken in a rare way"
NO_FAULT = "it is said beside a result: tests/traffic, tests/cli"
LATER = "it takes a long run, or a process or a draw that is lost in it: tests/runs, tests/e2e"
OF_CAUSES = "why.json has it, and the race its verdict: tests/runs/test_why.py, tests/why"
OF_A_PATH = "it takes a machine that doesn't let us make a network device: tests/load"
OF_HTTP_3 = "it takes a server of HTTP/3 that errs: tests/verify/test_http3.py"
RACY = "whether a write or the read after it fails, is a matter of microseconds: tests/verify"

SITES: dict[str, tuple[str, ...]] = {
    OF_CAUSES: (
        "judge/why.py judge_why",
        "runs/measuring/causes.py Causes._check_seen",
        "runs/measuring/causes.py Causes._measure",
        "runs/measuring/causes.py Causes._offer",
        "runs/measuring/causes.py Causes._keep",
        "runs/measuring/causes.py Causes._slice",
        "why/profiler.py Profiler._calls_of_strace",
        "why/profiler.py Profiler.calls",
        "why/profiler.py _check",
        "why/profiler.py _cores_of",
        "why/profiler.py _held",
        "why/profiler.py _output 1",
        "why/profiler.py _output 2",
    ),
    ON_A_CLUSTER: (
        "cluster/head.py Head._check",
        "cluster/head.py connected",
        "cluster/host.py Host.do",
        "cluster/host.py Host.take_sources",
        "cluster/host.py _LoadGenerators._check",
        "cluster/joining.py _facts 1",
        "cluster/joining.py _facts 2",
        "cluster/joining.py agents",
        "cluster/joining.py measured_route",
        "cluster/remote.py Lost.check 1",
        "cluster/remote.py Lost.check 2",
        "cluster/sources.py pack 1",
        "cluster/sources.py pack 2",
        "cluster/stages.py _Keepers.start",
        "cluster/calls.py Failed.of",
    ),
    SEVERAL: (
        "load/several.py Loaders.connect",
        "load/several.py Several.__init__ 1",
        "load/several.py Several.__init__ 2",
        "load/several.py Several.slice",
        "load/several.py all_ready",
    ),
    SAME_TEXT: (
        "load/tools/h2load.py parse 2",
        "load/tools/hey.py parse",
        "load/tools/quic_go_load.py parse",
        "load/tools/volley.py parse 2",
        "load/tools/webbench.py parse",
        "load/tools/wrk.py _block",
    ),
    NOT_ASKED: (
        "load/tools/h2load.py arguments",
        "plan/draws.py plan_draws 3",
        "load/tools/spec.py LoadSpec.__post_init__",
        "load/tools/spec.py LoadSpec.check 6",
    ),
    MEANWHILE: (
        "explore/live/watched.py Live.end",
        "runs/holder.py Holder.interrupt 1",
        "runs/holder.py Holder.interrupt 2",
        "runs/holder.py Holder.interrupt 3",
        "runs/holder.py Holder.interrupt 4",
        "runs/holder.py _ending",
    ),
    MISSING_PART: (
        "plan/protos.py _compiled",
        "plan/protos.py with_messages 3",
        "satellites.py needed",
    ),
    OF_A_PATH: (
        "load/forwarder.py Forwarder.__init__",
        "load/forwarder.py Forwarder._line 1",
        "load/forwarder.py Forwarder._line 2",
    ),
    NEEDS_A_MACHINE: (
        "history/database.py _look_through",
        "start/client.py Keeper.__init__",
        "start/client.py Keeper._ask",
        "start/client.py Keeper._lost",
        "traffic/openapi.py _read 2",
    ),
    OF_HTTP_3: (
        "verify/asking.py _open",
        "verify/http3.py Http3Connection._read 1",
        "verify/http3.py Http3Connection._read 2",
        "verify/http3.py Http3Connection._read 3",
        "verify/http3.py Http3Connection._read 4",
        "verify/http3.py Http3Connection._read 5",
        "verify/http3.py Http3Connection._shake 1",
        "verify/http3.py Http3Connection._shake 2",
        "verify/http3.py Http3Connection._shake 3",
        "verify/http3.py Http3Connection.ask",
        "verify/http3.py _no_handshake 1",
        "verify/http3.py _no_handshake 2",
        "verify/http3.py _no_handshake 3",
    ),
    RACY: ("verify/exchange.py sent",),
    LATER: (
        "runs/measuring/day.py Round._start",
        "runs/results.py Results.pair 4",
        "runs/store.py Store.create",
    ),
}
"""By reason the names of places, as tests/messages/sites.py names them."""

TEXTS: dict[str, tuple[str, ...]] = {
    SAME_TEXT: ("load/tools/running.py: go build -C {} -o ~/.local/bin/ .",),
    NEEDS_A_MACHINE: (
        "load/tools/running.py: {} can't be started on {}",
        "start/faults.py: it can't be pinned to its cores: {}; `nproc --all` says which there are",
        "start/faults.py: it can't be started ({}): {}",
        "start/faults.py: its folder {} can't be entered: {}",
        "verify/secure.py: none, and refused the handshake",
        "verify/secure.py: the TLS handshake failed: {}",
    ),
    LATER: (
        "start/faults.py: not ready after {} s ({}); it has {} s: see --ready-timeout",
        "start/faults.py: {}{}, {} s after its start{}",
        "start/faults.py:  after {} answer{} to the load",
        "runs/measuring/instances.py: {} can't be probed: a second process of it: {}",
        "runs/measuring/instances.py: {}: its probed process {}",
        "runs/measuring/instances.py: at its verification: {}",
        "runs/measuring/instances.py: had ended",
    ),
    OF_HTTP_3: (
        "verify/secure.py: its TCP port takes connections, without TLS and ALPN",
        "verify/secure.py: nothing listens at its TCP port either",
        "verify/secure.py: over TCP it offers {}",
    ),
    RACY: ("verify/exchange.py: the request could not be written: {}",),
    NO_FAULT: (
        "model/workload.py: , for status {}",
        "traffic/access_log.py: is not an object: {}",
        "verify/events.py: it holds events back: {} of {} came together with the one before, and "
        "their source sends them {} ms apart",
        "runs/measuring/instances.py: {}: measuring CPU and memory of {} (pid {}) and {}",
        "runs/measuring/instances.py: its control group",
        "runs/measuring/instances.py: all below it",
    ),
}
"""By reason fault texts, as tests/messages/texts.py names them."""
