"""What `bakeoff load --json` prints: one server, one load, no comparison. Schema bakeoff.load/1."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from bakeoff.model.base import Contract
from bakeoff.model.plan import Connection
from bakeoff.model.verdict import Latency


class Client(Contract):
    """What the load cost its generator."""

    cpu_us_per_request: NonNegativeFloat
    busy: NonNegativeFloat


class LoadResult(Contract):
    """The result of one load; `errors` is a map of kind → count, as in engine/PROTOCOL.md."""

    schema_: Literal["bakeoff.load/1"] = Field("bakeoff.load/1", alias="schema")
    url: str
    requests: NonNegativeInt
    duration_s: NonNegativeFloat
    requests_per_s: NonNegativeFloat
    bytes_per_s: NonNegativeFloat
    latency_us: Latency
    send_lag_us: None
    errors: dict[str, PositiveInt]
    client: Client
    limited_by: Literal["client", "unknown"]
    mode: Literal["closed"]
    connection: Connection
    connections: PositiveInt
    rate: None
    io: str
