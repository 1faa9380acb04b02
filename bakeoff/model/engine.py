"""The messages of `volley drive`, protocol 1: engine/PROTOCOL.md says what each key means."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, TypeAdapter

from bakeoff.model.base import Contract
from bakeoff.model.plan import Connection


class Request(Contract):
    """The request of one target."""

    method: str
    path: str
    host: str
    headers: tuple[tuple[str, str], ...] = ()
    body_base64: str = ""


class Expect(Contract):
    """The right answer; a body of None: any body is right."""

    status: int
    body_base64: str | None


class Target(Contract):
    """One server to load."""

    name: str
    address: str
    request: Request
    expect: Expect


class Job(Contract):
    """Command: open these connections."""

    type: Literal["job"] = "job"
    protocol: Literal[1] = 1
    targets: Annotated[tuple[Target, ...], Field(min_length=1)]
    connections: PositiveInt
    connection: Connection
    cpus: tuple[NonNegativeInt, ...]
    connect_timeout_ms: PositiveInt
    request_timeout_ms: PositiveInt


class SliceCommand(Contract):
    """Command: load one target for one slice."""

    type: Literal["slice"] = "slice"
    target: NonNegativeInt
    block: NonNegativeInt
    ramp_ms: NonNegativeInt
    duration_ms: PositiveInt


class StopCommand(Contract):
    """Command: close everything and end."""

    type: Literal["stop"] = "stop"


class Failure(Contract):
    """Why a target could not be connected to."""

    kind: str
    detail: str


class ReadyTarget(Contract):
    """How many connections of one target are open."""

    name: str
    open: NonNegativeInt
    error: Failure | None


class Ready(Contract):
    """Event: connections are open."""

    type: Literal["ready"]
    protocol: int
    engine: str
    io: str
    targets: tuple[ReadyTarget, ...]


class BadExchange(Contract):
    """The first wrong answer of a slice, byte for byte."""

    kind: str
    detail: str
    response_base64: str


class SliceEvent(Contract):
    """Event: one slice, measured. Times in ns of CLOCK_MONOTONIC, `latency` in ns."""

    type: Literal["slice"] = "slice"
    target: NonNegativeInt
    block: NonNegativeInt
    start_ns: NonNegativeInt
    end_ns: NonNegativeInt
    drained_ns: NonNegativeInt
    requests: NonNegativeInt
    bytes: NonNegativeInt
    requests_all: NonNegativeInt
    connects: NonNegativeInt
    idle_closed: NonNegativeInt
    errors: dict[str, PositiveInt]
    latency: str
    latency_count: NonNegativeInt
    latency_mean_us: NonNegativeFloat
    cpu_ns: NonNegativeInt
    busy: NonNegativeFloat
    first_bad: BadExchange | None


class Done(Contract):
    """Event: the engine is about to end."""

    type: Literal["done"]
    cpu_ns: NonNegativeInt


class EngineError(Contract):
    """Event: a command was wrong; the engine ends."""

    type: Literal["error"]
    message: str


Event = Annotated[Ready | SliceEvent | Done | EngineError, Field(discriminator="type")]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)
