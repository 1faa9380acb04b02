"""One server, one load, no comparison. Schema bakeoff.load/2.

`bakeoff load --json` prints it, and the output of other tools is read into it.
"""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract
from bakeoff.model.datagrams import Datagrams
from bakeoff.model.engine import BadExchange
from bakeoff.model.protocol import Agreed, Protocol

Tool = Literal["volley", "ab", "wrk", "wrk2", "webbench", "oha", "hey", "h2load", "quic-go-load"]
"""Programs whose output can be read into a `LoadResult`."""

Personality = Literal["ab", "wrk", "wrk2", "webbench"]
"""Programs that our engine can replace."""

Loader = Literal[
    "engine",
    "ab",
    "wrk",
    "wrk2",
    "webbench",
    "oha",
    "hey",
    "h2load",
    "quic-go-load",
    "volley-ab",
    "volley-wrk",
    "volley-wrk2",
    "volley-webbench",
]
"""Sources of load: `engine` is `volley load`, `volley-ab` is `volley ab`."""


class Latency(Contract):
    """A distribution of latencies, µs.

    None: the quantile is among requests that were never answered, or the tool doesn't print it.
    """

    mean: float
    p50: float | None
    p75: float | None
    p90: float | None
    p99: float | None
    p99_9: float | None
    max: float | None
    stdev: float | None = None


class Client(Contract):
    """The cost of the load to its generator; CPU time is None without requests.

    `busy` is the mean over its threads.
    """

    cpu_us_per_request: NonNegativeFloat | None
    busy: NonNegativeFloat
    threads: PositiveInt


class Ceiling(Contract):
    """The generator's own limit, against its null server, and the share of it that was used."""

    requests_per_s: NonNegativeFloat
    share: NonNegativeFloat


class Events(Contract):
    """The events of streams of server-sent events.

    `first_us` is the time to the first event of a stream, `gap_us` that from one event to the next,
    0 if they came at once; a gap of at least `--stall` is one of the `stalls`. `open` streams went
    on at the end, and count neither as requests nor as misses.
    """

    count: NonNegativeInt
    per_s: NonNegativeFloat
    first_us: Latency | None
    gap_us: Latency | None
    stalls: NonNegativeInt
    lost: NonNegativeInt
    doubled: NonNegativeInt
    out_of_order: NonNegativeInt
    altered: NonNegativeInt
    open: NonNegativeInt


class Rooms(Contract):
    """Messages to rooms of WebSocket: `last_us` is the time until the last listener had heard one,
    `reach` the share of listeners that heard one in time and unchanged. `unsent` more were due at a
    rate, but no room was free for them."""

    messages: NonNegativeInt
    unsent: NonNegativeInt = 0
    per_s: NonNegativeFloat
    last_us: Latency | None
    reach: NonNegativeFloat | None


class Held(Contract):
    """Streams of events that were held open beside the requests: `open` at the end.

    `opened` had their first event, `ended` ended rightly, and `errors` has those that broke or
    could not be opened. A gap of their `events` counts where both events came in the counted time.
    """

    open: NonNegativeInt
    opened: NonNegativeInt
    ended: NonNegativeInt
    events: Events
    errors: dict[str, PositiveInt]
    first_bad: BadExchange | None


class RequestResult(Contract):
    """The figures of one request of a request file, by its own name or method and path."""

    name: str
    requests: NonNegativeInt
    latency_us: Latency | None
    first_byte_us: Latency | None = None
    errors: dict[str, PositiveInt]
    misses: NonNegativeInt


class LoadResult(Contract):
    """The result of one load; its counts are those of engine/PROTOCOL.md.

    A value that the `tool`, or the `personality`, doesn't report or count is None. `personality` is
    the program that our engine replaced, if any. In an open loop `latency_us` counts from the
    moment when a request was due, `service_us` from its sending; `send_lag_us` is the difference.
    `first_byte_us` is that of the first byte of the answer's body; None: `latency_us` is, too.
    `agreed`, `handshakes`, `handshake_mean_us` and `resumed` are those of engine/PROTOCOL.md.
    `counted_bytes_per_s` is the part of `bytes_per_s` that was counted and not read, since no rule
    checks it. `early_accepted` and `early_rejected` count the requests that went ahead of their
    handshake over HTTP/3 (0-RTT); None: without `--early-data`. `by_request` has the requests of a
    request file of our engine, in order.
    """

    schema_: Literal["bakeoff.load/2"] = Field("bakeoff.load/2", alias="schema")
    tool: Tool = "volley"
    personality: Personality | None = None
    url: str
    requests: NonNegativeInt
    duration_s: NonNegativeFloat
    requests_per_s: NonNegativeFloat
    bytes_per_s: NonNegativeFloat
    counted_bytes_per_s: NonNegativeFloat | None = None
    latency_us: Latency | None
    first_byte_us: Latency | None = None
    events: Events | None = None
    rooms: Rooms | None = None
    held: Held | None = None
    service_us: Latency | None
    send_lag_us: Latency | None
    errors: dict[str, PositiveInt]
    misses: NonNegativeInt | None
    unsent: NonNegativeInt | None
    redirects: NonNegativeInt | None
    connects: NonNegativeInt | None
    protocol: Protocol | None = None
    streams: PositiveInt | None = None
    agreed: Agreed | None = None
    datagrams: Datagrams | None = None
    handshakes: NonNegativeInt | None = None
    handshake_mean_us: NonNegativeFloat | None = None
    resumed: NonNegativeInt | None = None
    early_accepted: NonNegativeInt | None = None
    early_rejected: NonNegativeInt | None = None
    first_bad: BadExchange | None
    by_request: tuple[RequestResult, ...] | None = None
    client: Client | None
    little: NonNegativeFloat | None
    limited_by: Literal["client", "rate", "target", "unknown"] | None
    ceiling: Ceiling | None
    mode: Literal["closed", "open"]
    connections: PositiveInt
    rate: PositiveFloat | None
    io: Literal["uring", "epoll"] | None
