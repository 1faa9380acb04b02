"""The engine's claims: what is asked, who takes part, and which figures answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import estimates
import generators as g
import readings
import servers


@dataclass(frozen=True)
class Goal:
    """What an estimate should be."""

    side: Literal["at least", "at most"]
    value: float

    def verdict(self, found: estimates.Estimate) -> str:
        """Met or missed if the whole interval says so, else open."""
        sign = 1 if self.side == "at least" else -1
        inside = [sign * end >= sign * self.value for end in (found.low, found.high)]
        return "met" if all(inside) else "open" if any(inside) else "missed"


@dataclass(frozen=True)
class Claim:
    """One figure of volley: on its own, or against another generator's in the same rounds."""

    figure: str
    kind: Literal["ratio to", "difference to", "median"]
    other: str = ""
    goal: Goal | None = None

    def estimate(self, figures: Mapping[str, Sequence[float]], seed: int) -> estimates.Estimate:
        """From each generator's figures, round by round."""
        match self.kind:
            case "ratio to":
                return estimates.ratio(figures["volley"], figures[self.other], seed)
            case "difference to":
                return estimates.difference(figures["volley"], figures[self.other], seed)
            case "median":
                return estimates.median(figures["volley"], seed)


Protocol = Literal["h1-tls", "h2c", "h2"]
Maker = Literal["null", "nginx"]
Server = Literal[
    "null",
    "null for pipelines",
    "null, 100 KB",
    "null, 1 MB",
    "null h1-tls",
    "null h2c",
    "null h2",
    "null h2 and h3",
    "null websocket",
    "brick",
    "tonic",
    "nginx",
    "nginx h1-tls",
    "nginx h2c",
    "nginx h2",
]


@dataclass(frozen=True)
class Question:
    """Claims that are answered by the same runs."""

    asks: str
    server: Server
    generators: tuple[g.Generator, ...]
    claims: tuple[Claim, ...]
    # Those whose throughput is measured first, and at which share of the lowest all others load.
    peaks: tuple[g.Generator, ...] = ()
    share_of_peak: float = 0
    # None: as the command line says.
    connections: tuple[int, ...] | None = None
    rounds: int | None = None
    seconds: int | None = None
    # What the figures of a request are of.
    unit: Literal["request", "event", "echo", "call"] = "request"


def at_least(value: float) -> Goal:
    return Goal("at least", value)


def at_most(value: float) -> Goal:
    return Goal("at most", value)


def large(name: str, server: Server, length: int) -> Question:
    """What large answers cost the generator. Where nginx is the limit of all, there is no goal."""
    is_limit = server == "nginx"
    return Question(
        f"what does an answer of {name} cost the generator?",
        server,
        g.of_size(length),
        (
            Claim("work_us_per_request", "ratio to", "wrk", None if is_limit else at_most(1 / 2)),
            Claim("requests_per_s", "ratio to", "wrk", None if is_limit else at_least(1.5)),
            Claim("work_us_per_request", "ratio to", "volley-epoll"),
            Claim("work_us_per_request", "ratio to", "bare"),
        ),
        connections=(64,),
    )


QUESTIONS = {
    "throughput": Question(
        "how many requests per second can the generator do at all, and at which cost?",
        "null",
        (g.VOLLEY, g.VOLLEY_EPOLL, g.BARE, g.WRK, g.H2LOAD, g.OHA),
        (
            Claim("requests_per_s", "ratio to", "wrk", at_least(1.5)),
            Claim("requests_per_s", "ratio to", "h2load", at_least(1.5)),
            Claim("requests_per_s", "ratio to", "oha", at_least(1.9)),
            Claim("requests_per_s", "ratio to", "bare", at_least(0.98)),
            Claim("work_us_per_request", "ratio to", "bare", at_most(1 / 0.98)),
            Claim("requests_per_s", "ratio to", "volley-epoll"),
            Claim("work_us_per_request", "ratio to", "wrk", at_most(1 / 1.5)),
            Claim("cpu_us_per_request", "ratio to", "wrk"),
        ),
    ),
    "pipelined": Question(
        "and with 16 requests at a time on each connection?",
        "null for pipelines",
        (g.VOLLEY_PIPELINED, g.BARE_PIPELINED, g.WRK_PIPELINED),
        (
            Claim("requests_per_s", "ratio to", "wrk", at_least(2.1)),
            Claim("work_us_per_request", "ratio to", "wrk", at_most(1 / 2.1)),
            Claim("work_us_per_request", "ratio to", "bare", at_most(1 / 0.98)),
        ),
        connections=(64,),
    ),
    "closing": Question(
        "what does a request cost the generator that has a connection of its own?",
        "nginx",
        (g.VOLLEY_CLOSING, g.BARE_CLOSING, g.WRK_CLOSING, g.AB),
        (
            Claim("work_us_per_request", "ratio to", "wrk", at_most(1 / 1.5)),
            Claim("work_us_per_request", "ratio to", "ab", at_most(1 / 1.3)),
            Claim("work_us_per_request", "ratio to", "bare", at_most(1 / 0.95)),
            Claim("requests_per_s", "ratio to", "wrk", at_least(1.5)),
            Claim("requests_per_s", "ratio to", "bare"),
        ),
        connections=(64,),
    ),
    "100 KB": large("100 KB", "null, 100 KB", servers.LENGTHS[0]),
    "1 MB": large("1 MB", "null, 1 MB", servers.LENGTHS[1]),
    # A server as people have it.
    "nginx, 100 KB": large("100 KB", "nginx", servers.LENGTHS[0]),
    "nginx, 1 MB": large("1 MB", "nginx", servers.LENGTHS[1]),
    "many": Question(
        "how much are 10,000 connections, and what does a request cost there?",
        "null",
        (g.VOLLEY, g.BARE, g.WRK),
        (
            Claim("kib_per_connection", "median", goal=at_most(2)),
            Claim("requests_per_s", "ratio to", "wrk", at_least(1.5)),
            Claim("work_us_per_request", "ratio to", "wrk", at_most(1 / 1.5)),
            Claim("work_us_per_request", "ratio to", "bare"),
        ),
        connections=(10_000,),
        seconds=4,
    ),
    "many, open loop": Question(
        "and at 10,000 requests a second?",
        "null",
        (g.VOLLEY_10K,),
        (
            Claim("kib_per_connection", "median", goal=at_most(2)),
            Claim("send_lag_p50_us", "median"),
            Claim("send_lag_p99_us", "median"),
        ),
        connections=(10_000,),
        seconds=4,
    ),
    "cpu": Question(
        "what does a request cost the generator where the server is the limit of both?",
        "nginx",
        (g.VOLLEY, g.WRK),
        (
            Claim("work_us_per_request", "ratio to", "wrk", at_most(1 / 1.5)),
            Claim("cpu_us_per_request", "ratio to", "wrk"),
            Claim("requests_per_s", "ratio to", "wrk"),
        ),
    ),
    "mix": Question(
        "how fast is it where eight requests are drawn, and figures kept of each?",
        "null",
        (g.VOLLEY_MIX, g.VOLLEY_ONE),
        (
            Claim("requests_per_s", "ratio to", "one request", at_least(0.9)),
            Claim("work_us_per_request", "ratio to", "one request", at_most(1 / 0.9)),
        ),
    ),
    "as wrk": Question(
        "how much faster than wrk is volley in its place?",
        "null",
        (g.VOLLEY_WRK, g.WRK),
        (
            Claim("requests_per_s", "ratio to", "wrk", at_least(1.5)),
            Claim("work_us_per_request", "ratio to", "wrk"),
        ),
    ),
    "as wrk, with a script": Question(
        "and where each request is made by a script?",
        "null",
        (g.VOLLEY_WRK_SCRIPT, g.WRK_SCRIPT),
        (Claim("requests_per_s", "ratio to", "wrk", at_least(1.3)),),
    ),
    "as ab": Question(
        "how much faster than ab is volley in its place, with a connection per request?",
        "nginx",
        (g.VOLLEY_AB, g.AB),
        (
            Claim("requests_per_s", "ratio to", "ab", at_least(1.0)),
            Claim("cpu_us_per_request", "ratio to", "ab", at_most(1 / 1.3)),
        ),
        connections=(10,),
    ),
    "lag": Question(
        "how late are requests sent that are due 10,000 times a second?",
        "null",
        (g.VOLLEY_10K,),
        (
            Claim("send_lag_p50_us", "median", goal=at_most(3)),
            Claim("send_lag_p99_us", "median", goal=at_most(30)),
        ),
    ),
    "latency": Question(
        "how much does the generator add to the latency of one request at a time, 1,000/s?",
        "null",
        (g.VOLLEY_1K, g.PINGPONG_1K),
        (Claim("latency_mean_us", "difference to", "pingpong", at_most(8)),),
        connections=(1,),
    ),
    "tail": Question(
        "at 80 % of the peak, is its tail as short as wrk2 finds its own?",
        "nginx",
        (g.VOLLEY_AT_RATE, g.WRK2),
        (
            *(
                Claim(f"latency_{name}_us", "ratio to", "wrk2", at_most(1.0))
                for name in readings.TAIL
            ),
            Claim("requests_per_s", "ratio to", "wrk2"),
        ),
        peaks=(g.VOLLEY, g.WRK),
        share_of_peak=0.8,
        connections=(64,),
        rounds=10,
        seconds=20,
    ),
    "close": Question(
        "does it keep up 30 s of one connection per request?",
        "null",
        (g.VOLLEY_CLOSE,),
        (
            Claim("address_exhausted", "median", goal=at_most(0)),
            Claim("errors", "median", goal=at_most(0)),
            Claim("requests_per_s", "median"),
        ),
        connections=(64,),
        rounds=1,
        seconds=30,
    ),
}

# Few connections with many streams are another load than many with one.
CONNECTIONS_AND_STREAMS = ((64, 1), (64, 8), (64, 32), (1, 64))
NGINX_SERVERS: dict[Protocol, Server] = {
    "h1-tls": "nginx h1-tls",
    "h2c": "nginx h2c",
    "h2": "nginx h2",
}
# Of requests per second and per CPU second, by whose they are.
LEAST = {"wrk": 1.5, "h2load": 1.3, "oha": 2.0}


def in_protocol(protocol: Protocol, maker: Maker, connections: int, streams: int) -> Question:
    """What a protocol costs the generator, next to its peers."""
    generators = g.in_protocol(protocol, streams)
    peers = [each.name for each in generators[1:]]
    null: dict[Protocol, Server] = {"h1-tls": "null h1-tls", "h2c": "null h2c", "h2": "null h2"}
    return Question(
        f"how many requests of {protocol} does a second of the generator's CPU time do?",
        (null if maker == "null" else NGINX_SERVERS)[protocol],
        generators,
        tuple(
            claim
            for peer in peers
            for claim in (
                Claim("requests_per_cpu_s", "ratio to", peer, at_least(LEAST[peer])),
                Claim("requests_per_s", "ratio to", peer, at_least(LEAST[peer])),
                Claim("cpu_us_per_request", "ratio to", peer),
            )
        ),
        connections=(connections,),
    )


MAKERS: dict[Maker, str] = {"null": "", "nginx": "nginx, "}
for maker, of_maker in MAKERS.items():
    QUESTIONS[f"{of_maker}h1-tls"] = in_protocol("h1-tls", maker, 64, 1)
    of_http2: tuple[Protocol, ...] = ("h2c", "h2")
    for each in of_http2:
        for connections, streams in CONNECTIONS_AND_STREAMS:
            QUESTIONS[f"{of_maker}{each}, {connections} x {streams}"] = in_protocol(
                each, maker, connections, streams
            )
QUESTIONS["h3, 64 x 1"] = Question(
    "what does a request of h3 cost the generator, next to one of h2?",
    "null h2 and h3",
    g.h3_beside_h2(),
    (
        Claim("work_us_per_request", "ratio to", "volley-h2", at_most(2.5)),
        Claim("cpu_us_per_request", "ratio to", "volley-h2"),
    ),
    connections=(64,),
)
QUESTIONS["h3 handshakes"] = Question(
    "how many handshakes, with a request each, does the generator do over QUIC, next to TCP?",
    "null h2 and h3",
    g.h3_beside_h2("--close"),
    (
        Claim("requests_per_s", "ratio to", "volley-h2", at_least(0.7)),
        Claim("work_us_per_request", "ratio to", "volley-h2"),
    ),
    connections=(64,),
)
QUESTIONS["h3, 1,000 connections"] = Question(
    "how much memory do 1,000 connections of h3 take?",
    "null h2 and h3",
    g.h3_beside_h2(),
    (Claim("peak_mib", "median", goal=at_most(60)), Claim("peak_mib", "ratio to", "volley-h2")),
    connections=(1000,),
)
# nginx is told to keep no session, so every handshake is full, though a client offers less.
QUESTIONS["handshakes"] = Question(
    "how many full handshakes, with a request each, does a second of the generator's CPU time do?",
    "nginx h1-tls",
    g.HANDSHAKES,
    (
        Claim("requests_per_cpu_s", "ratio to", "oha", at_least(1.0)),
        Claim("requests_per_s", "ratio to", "oha"),
        Claim("requests_per_cpu_s", "median"),
    ),
    connections=(64,),
)
