"""The messages of `volley drive`, protocol 5: engine/PROTOCOL.md explains each key."""

from typing import Annotated, Literal, Self

from pydantic import (
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
    model_validator,
)

from bakeoff.model.base import Contract, IfAny, IfGiven
from bakeoff.model.datagrams import Datagrams
from bakeoff.model.plan import Arrivals, Connection, HttpVersion
from bakeoff.model.protocol import Agreed, Protocol, Tls

Fault = Literal["lost", "doubled", "out_of_order", "altered"]
"""Faults of an event of a stream."""


class Request(Contract):
    """The one request of a target."""

    method: str
    path: str
    host: str
    headers: tuple[tuple[str, str], ...] = ()
    body_base64: str = ""


class ExpectEvents(Contract):
    """A stream of this many server-sent events; None: of any number."""

    count: PositiveInt | None


class Expect(Contract):
    """The right answer; a body of None: any body is right. `events`: it is a stream of them;
    `grpc`: it answers a gRPC call."""

    status: int
    body_base64: str | None
    events: IfGiven[ExpectEvents] = None
    grpc: IfAny[bool] = False


class Requests(Contract):
    """A request file, its fields and weights drawn by the seed; `host` is the host that it
    requests."""

    file: str
    host: str
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 0


class Message(Contract):
    """A message over WebSocket, whose echo is right; or which all of a `room` of so many
    connections have to hear. The rooms are counted from `first_room` on."""

    message_base64: str
    binary: bool
    compression: bool
    room: IfGiven[PositiveInt] = None
    first_room: IfGiven[PositiveInt] = None


class Held(Contract):
    """Streams of events that are held open beside the requests, each on a connection of its own."""

    streams: PositiveInt
    request: Request
    expect: Expect


class Target(Contract):
    """One server to load, in its `protocol`; `tls` if that goes over TLS.

    It gets one `request`, whose right answer is `expect`, or which is an upgrade to `websocket`; or
    the `requests` of a file, which names the right answers itself. Beside them streams are `held`.
    """

    name: str
    address: str
    protocol: Protocol = "h1"
    tls: Tls | None = None
    request: Request | None = None
    expect: Expect | None = None
    requests: Requests | None = None
    websocket: IfGiven[Message] = None
    held: IfGiven[Held] = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        given = [each is not None for each in (self.request, self.expect, self.websocket)]
        if given not in ([False] * 3, [True, True, False], [True, False, True]) or (
            given[0] == (self.requests is not None)
        ):
            raise ValueError(
                "a target has `request` with `expect` or `websocket`, or `requests` instead"
            )
        return self


class Job(Contract):
    """Command: open these connections.

    Up to `pipeline` requests are under way on a connection of HTTP/1, and `streams` on one of
    HTTP/2. Before each slice a fixed piece of work is done on `fixed_work_cpu`.
    """

    type: Literal["job"] = "job"
    protocol: Literal[5] = 5
    targets: Annotated[tuple[Target, ...], Field(min_length=1)]
    connections: PositiveInt
    threads: PositiveInt
    io: Literal["auto", "uring", "epoll"]
    connection: Connection
    http: HttpVersion = "1.1"
    pipeline: PositiveInt = 1
    streams: PositiveInt = 1
    cpus: tuple[NonNegativeInt, ...]
    fixed_work_cpu: NonNegativeInt | None = None
    connect_timeout_ms: PositiveInt
    request_timeout_ms: PositiveInt


class SliceCommand(Contract):
    """Command: load one target for one slice, in a closed loop unless there is a `rate`.

    The ramp begins at `at_ns` of CLOCK_MONOTONIC; None: as soon as the engine is ready. `phase` is
    the place of the first uniform arrival within its distance; None: in the middle. `server_pids`
    are the target's processes, if these are on the engine's machine: their CPU time is read.
    """

    type: Literal["slice"] = "slice"
    target: NonNegativeInt
    block: NonNegativeInt
    ramp_ms: NonNegativeInt
    duration_ms: PositiveInt
    rate: PositiveFloat | None = None
    arrivals: Arrivals = "uniform"
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 0
    phase: Annotated[float, Field(ge=0, lt=1)] | None = None
    at_ns: NonNegativeInt | None = None
    server_pids: IfAny[tuple[PositiveInt, ...]] = ()


class StopCommand(Contract):
    """Command: close everything and end."""

    type: Literal["stop"] = "stop"


class Failure(Contract):
    """Why no connection to a target could be made."""

    kind: str
    detail: str


class HeldReady(Contract):
    """How many held streams of one target have had their first event."""

    open: NonNegativeInt
    error: Failure | None


class ReadyTarget(Contract):
    """How many connections of one target are open, and the properties of the first.

    `requests` are the names of a request file's, in its order.
    """

    name: str
    open: NonNegativeInt
    error: Failure | None
    agreed: Agreed | None = None
    requests: tuple[str, ...] | None = None
    held: IfGiven[HeldReady] = None


class Ready(Contract):
    """Event: connections are open."""

    type: Literal["ready"]
    protocol: int
    engine: str
    io: Literal["uring", "epoll"]
    threads: PositiveInt
    targets: tuple[ReadyTarget, ...]


class BadExchange(Contract):
    """The first bad exchange of a slice, byte for byte."""

    kind: str
    detail: str
    request_base64: str
    response_base64: str


class RequestSlice(Contract):
    """The figures of one request of a request file in a slice: keys as in `SliceEvent`."""

    requests: NonNegativeInt
    misses: NonNegativeInt
    errors: dict[str, PositiveInt]
    latency: str
    latency_count: NonNegativeInt
    latency_mean_us: NonNegativeFloat
    first_byte: str | None = None


class EventsSlice(Contract):
    """The events of a slice's streams of server-sent events; histograms as in `SliceEvent`.

    `count` are those of the window, `count_all` those of ramp and drain too. `first` has the times
    to the first event, `gap` those from one event to the next. `open` streams went on at the end.
    """

    count: NonNegativeInt
    count_all: NonNegativeInt
    first: str
    gap: str
    open: NonNegativeInt
    faults: dict[Fault, PositiveInt]


class RoomsSlice(Contract):
    """A slice's messages to rooms of WebSocket, of which `due` copies should have been heard and
    `heard` were, in time and unchanged. `unsent` more messages were due at a rate, but no room was
    free for them; `due` has their copies, too. `last` has the times until the last listener had
    heard a message, of those that all have heard."""

    messages: NonNegativeInt
    unsent: NonNegativeInt = 0
    due: NonNegativeInt
    heard: NonNegativeInt
    last: str


class HeldSlice(Contract):
    """The streams that were held beside a slice's requests: `open` at the end of its window.

    `opened` had their first event in the slice, `ended` ended rightly, and `errors` has those that
    broke or could not be opened. Events are counted as in `EventsSlice`; a `gap` counts where both
    of its events came in the window.
    """

    open: NonNegativeInt
    opened: NonNegativeInt
    ended: NonNegativeInt
    count: NonNegativeInt
    count_all: NonNegativeInt
    gap: str
    faults: dict[Fault, PositiveInt]
    errors: dict[str, PositiveInt]
    first_bad: BadExchange | None


class ServerCost(Contract):
    """The CPU time of a server's processes over a time that is about the window, and how many
    answers it gave in that."""

    cpu_ns: NonNegativeInt
    over_ns: NonNegativeInt
    requests: NonNegativeInt


class SliceEvent(Contract):
    """Event: one slice, measured. Times in ns of CLOCK_MONOTONIC, histograms in ns.

    `handshakes` counts those of TLS, ramp and drain included, of which `resumed` were short.
    `first_byte` is None if each answer's body came in one piece: then `latency` is that of its
    first byte, too. A slice has `events` if streams of them were requested, `rooms` if messages
    were sent to rooms, `held` if streams were held, `by_request` for a target with a request file
    (one for each of its requests, in order), and `datagrams` over HTTP/3. `delayed_ns` is how long
    the engine's threads waited in the window for others to leave their cores; None: the kernel
    doesn't report it. `server` is None where its processes' CPU time was not read, or one of them
    ended. `fixed_work_ns` is the CPU time of the job's fixed work just before, and `core_trip_ns`
    how long a line of the cache took from the generator's core to that of the work and back. Slices
    of earlier versions have none of these, nor `busy_threads` nor `requests_by_share`, which those
    of other load generators lack, too.
    """

    type: Literal["slice"] = "slice"
    target: NonNegativeInt
    block: NonNegativeInt
    start_ns: NonNegativeInt
    end_ns: NonNegativeInt
    drained_ns: NonNegativeInt
    requests: NonNegativeInt
    requests_by_share: NonNegativeFloat | None = None
    bytes: NonNegativeInt
    requests_all: NonNegativeInt
    redirects: NonNegativeInt
    misses: NonNegativeInt
    unsent: NonNegativeInt
    connects: NonNegativeInt
    handshakes: NonNegativeInt = 0
    handshake_mean_us: NonNegativeFloat | None = None
    resumed: NonNegativeInt = 0
    datagrams: IfGiven[Datagrams] = None
    idle_closed: NonNegativeInt
    errors: dict[str, PositiveInt]
    latency: str
    latency_count: NonNegativeInt
    latency_mean_us: NonNegativeFloat
    first_byte: str | None = None
    events: IfGiven[EventsSlice] = None
    rooms: IfGiven[RoomsSlice] = None
    held: IfGiven[HeldSlice] = None
    in_flight_ns: NonNegativeInt
    service: str | None
    send_lag: str | None
    cpu_ns: NonNegativeInt
    delayed_ns: NonNegativeInt | None = None
    server: ServerCost | None = None
    fixed_work_ns: PositiveInt | None = None
    core_trip_ns: PositiveInt | None = None
    busy: NonNegativeFloat
    busy_threads: tuple[NonNegativeFloat, ...] = ()
    first_bad: BadExchange | None
    by_request: tuple[RequestSlice, ...] | None = None

    @property
    def window_ns(self) -> int:
        """The counted time; 0 if it ended before it began."""
        return max(0, self.end_ns - self.start_ns)

    @property
    def busy_cores(self) -> tuple[float, ...]:
        """How busy each of the generator's cores was; it has one thread on each."""
        return self.busy_threads or (self.busy,)

    @property
    def due(self) -> int:
        """The requests started in the window, answered or not; in an open loop, those due in it."""
        return self.latency_count + self.misses

    @property
    def answered(self) -> float:
        """The window's answers, each with the share of its time in flight that was in the window;
        if that isn't known, the answers that were complete in it."""
        return self.requests if self.requests_by_share is None else self.requests_by_share

    @property
    def requests_per_s(self) -> float:
        """Throughput in the window; 0 if it has no length."""
        return self.answered / self.window_ns * 1e9 if self.window_ns else 0.0


class Done(Contract):
    """Event: the engine is about to end."""

    type: Literal["done"]
    cpu_ns: NonNegativeInt


class EngineError(Contract):
    """Event: a command was wrong; the engine ends."""

    type: Literal["error"]
    message: str


Event = Annotated[Ready | SliceEvent | Done | EngineError, Field(discriminator="type")]
EVENT: TypeAdapter[Event] = TypeAdapter(Event, config=ConfigDict(defer_build=True))
