"""The claims about streams, messages and calls: `versus.py --streams` answers them.

Peers that no package has are taken from the PATH, by these names: gcannon; load_test, of
uWebSockets' benchmarks; k6, built with the extension xk6-sse.
"""

from __future__ import annotations

from pathlib import Path

import generators as g
import readings
from questions import Claim, Question, at_least, at_most

HERE = Path(__file__).resolve().parent
CLIENTS = HERE / "clients"
PROTO = HERE.parent.parent / "catalogue" / "workloads" / "helloworld.proto"
TOOLS = g.BUILD / "tools" / "bin"

_LOAD = (
    str(g.RELEASE / "volley"),
    *g.words("load --json -c {connections} -d {seconds}s"),
    *("--cpus", str(g.CORE)),
)


def streams_of(query: str, *options: str) -> tuple[g.Generator, ...]:
    """Clients of server-sent events; `query` is their script, `options` are those of volley."""
    url = f"http://{{address}}/events?{query}"
    script = str(CLIENTS / "events.k6.js")
    k6 = "k6 run --quiet --no-usage-report --log-output=stderr --vus {connections}"
    return (
        g.Generator(
            "volley", (*_LOAD, "--events", *options, url), readings.volley_events, g.WARM_UP_S
        ),
        g.Generator(
            "node",
            ("node", str(CLIENTS / "events.mjs"), url, "{connections}", "{seconds}"),
            readings.counted_events,
        ),
        g.Generator(
            "k6",
            (*g.words(k6), "--duration", "{seconds}s", "--env", f"URL={url}", script),
            readings.counted_events,
        ),
    )


ECHOES = (
    g.Generator(
        "volley",
        (*_LOAD, "--message", "hello", "ws://{address}/"),
        readings.volley,
        g.WARM_UP_S,
    ),
    g.Generator(
        "gcannon",
        (
            *g.words("gcannon http://{address}/ --ws --ws-msg hello --json"),
            *g.words("-t 1 -c {connections} -d {seconds}s"),
        ),
        readings.gcannon,
    ),
    # It runs until it is ended. It counts in steps of 4 s, of which the first is cut short.
    g.Generator(
        "load_test",
        (
            *("sh", "-c"),
            f"timeout {readings.LOAD_TEST_S} stdbuf -oL "
            "load_test {connections} 127.0.0.1 {port} 0 0 5; [ $? = 124 ]",
        ),
        readings.load_test,
        needs="load_test",
    ),
)


def callers(connections: int, streams: int) -> tuple[g.Generator, ...]:
    """Clients of gRPC that make so many calls at a time on each connection."""
    calls = ["--grpc", *("--protocol", "h2c", "--streams", str(streams))]
    hello = ["--body", "\n\x05World", "--expect-body", "\n\rHello, World!"]
    path = "{address}/helloworld.Greeter/SayHello"
    ghz = "--insecure --format json --duration {seconds}s --duration-stop ignore --connections"
    headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"]
    return (
        g.Generator(
            "volley", (*_LOAD, *calls, *hello, f"http://{path}"), readings.volley, g.WARM_UP_S
        ),
        g.Generator(
            "ghz",
            (
                *(str(TOOLS / "ghz"), *g.words(ghz), str(connections)),
                *("--concurrency", str(connections * streams)),
                *("--proto", str(PROTO), "--call", "helloworld.Greeter.SayHello"),
                *("--data", '{{"name": "World"}}', "{address}"),
            ),
            readings.ghz,
        ),
        g.Generator(
            "h2load",
            (
                *g.words(f"h2load -t1 -c {{connections}} -D {{seconds}} -m {streams}"),
                *("-d", str(CLIENTS / "hello.grpc"), *headers, f"http://{path}"),
            ),
            readings.h2load,
        ),
    )


def calls(connections: int, streams: int) -> Question:
    """How many calls a client does, next to its peers."""
    return Question(
        "how many unary calls of gRPC does the generator do, and at which cost?",
        "tonic",
        callers(connections, streams),
        (
            Claim("requests_per_s", "ratio to", "ghz", at_least(1.5)),
            Claim("requests_per_cpu_s", "ratio to", "ghz", at_least(1.5)),
            Claim("requests_per_s", "ratio to", "h2load", at_least(1.0)),
            Claim("requests_per_cpu_s", "ratio to", "h2load", at_least(1.0)),
        ),
        connections=(connections,),
        unit="call",
    )


QUESTIONS = {
    "events": Question(
        "how many server-sent events does the generator read, and at which cost?",
        "brick",
        streams_of("events=100&gap=0ms"),
        (
            Claim("requests_per_s", "ratio to", "node", at_least(3)),
            Claim("requests_per_cpu_s", "ratio to", "node", at_least(3)),
            Claim("requests_per_s", "ratio to", "k6", at_least(2)),
            Claim("requests_per_cpu_s", "ratio to", "k6", at_least(2)),
        ),
        connections=(64,),
        unit="event",
    ),
    "streams held": Question(
        "how much memory has the generator with 10,000 streams?",
        "brick",
        streams_of("events=4&gap=1000ms", "--timeout", "20s")[:1],
        (
            Claim("peak_mib", "median", goal=at_most(100e6 / 2**20)),
            Claim("requests_per_s", "median"),
        ),
        connections=(10_000,),
        seconds=6,
        unit="event",
    ),
    "echoes": Question(
        "how many messages does the generator send and get back, and at which cost?",
        "null websocket",
        ECHOES,
        tuple(
            claim
            for peer in ("gcannon", "load_test")
            for claim in (
                Claim("requests_per_s", "ratio to", peer, at_least(1.3)),
                Claim("requests_per_cpu_s", "ratio to", peer, at_least(1.3)),
            )
        ),
        unit="echo",
    ),
    "calls, 64 x 1": calls(64, 1),
    "calls, 8 x 8": calls(8, 8),
}
