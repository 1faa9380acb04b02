"""The options of `import bakeoff`'s functions, with their types: those of the command line."""

from collections.abc import Sequence
from typing import Any, Required, TypedDict

from bakeoff.model.gate import CantTell
from bakeoff.model.plan import Arrivals, Connection, Until
from bakeoff.model.protocol import Protocol
from bakeoff.model.replay import Driver

Time = float | str
Share = float | str
Counts = int | Sequence[int] | str


class Common(TypedDict, total=False):
    """Options of every run."""

    seed: int


class Requests(Common, total=False):
    """Options of runs that start contenders: what is requested, and which answer is right."""

    workload: str | dict[str, Any]
    request: str
    method: str
    headers: Sequence[str]
    body: str
    body_file: str
    cookies: Sequence[str]
    user: str
    grpc: str
    message: str
    message_size: int
    binary: bool
    compression: bool
    room: int
    held: int
    held_path: str
    proto: str
    events: int
    expect_status: int
    expect_length: int | str
    expect_body: str
    expect_body_file: str
    expect_sha256: str
    expect_contains: Sequence[str]
    expect_match: str
    expect_json: str
    expect_headers: Sequence[str]
    expect_message: str
    cpus: str
    ready_timeout: Time


class Attaching(TypedDict, total=False):
    """Options of runs that take a URL."""

    ca: str
    insecure: bool
    allow_hosts: Sequence[str]


class Race(Requests, Attaching, total=False):
    """Options of `race`."""

    everything: bool
    connections: Counts
    connection: Connection | Sequence[Connection]
    pipeline: Counts
    protocol: Protocol | Sequence[Protocol]
    streams: Counts
    path: str | Sequence[str]
    rate: float
    load: Share
    arrivals: Arrivals
    solo: bool
    duration: Time
    budget: Time
    until: Until
    precision: Share
    confirm: bool
    why: bool
    warm_up: Time
    boots: int
    instances: int
    twin: bool
    workers: Counts
    ports: Sequence[int]
    pids: Sequence[int]
    probes: bool
    reference: str
    within: Share
    gates: Sequence[str]
    cant_tell: CantTell
    same_answers: bool
    keep_going: bool
    cluster: str
    server_nodes: int


class Capacity(Requests, Attaching, total=False):
    """Options of `capacity`."""

    slo: Required[str | Sequence[str]]
    connections: int
    protocol: Protocol
    streams: int
    path: str
    arrivals: Arrivals
    duration: Time
    boots: int
    instances: int
    workers: int
    keep_going: bool
    cluster: str


class Replay(Common, total=False):
    """Options of `replay`."""

    driver: Driver
    protocol: Protocol
    scale: float
    faithful: bool


class Crosscheck(Common, Attaching, total=False):
    """Options of `crosscheck`."""

    connections: int
    connection: Connection
    protocol: Protocol
    streams: int
    rate: int
    tools: str | Sequence[str]
    per_run: Time
    rounds: int


class Draws(Requests, Attaching, total=False):
    """Options of `draws`."""

    everything: bool
    connections: int
    protocol: Protocol
    streams: int
    processes: int
    sets: int
    per_contender: Time
    quick: bool
    warm_up: Time
    boots: int
    pids: Sequence[int]


class Day(Requests, total=False):
    """Options of `day`."""

    connections: int
    protocol: Protocol
    streams: int
    arrivals: Arrivals
    storm: int
    slow_clients: int
    time_limit: Time
    workers: int
    keep_going: bool
    cluster: str
