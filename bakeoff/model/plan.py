"""plan.json: all decisions before the start."""

from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from bakeoff.model.base import Contract, IfAny, IfGiven
from bakeoff.model.contender import Contender
from bakeoff.model.gate import CantTell, Gate
from bakeoff.model.machine import Cluster
from bakeoff.model.protocol import WITH_STREAMS, Protocol, Tls
from bakeoff.model.workload import Workload

Connection = Literal["keep-alive", "close"]
HttpVersion = Literal["1.0", "1.1"]
Arrivals = Literal["uniform", "poisson"]
RankedBy = Literal["requests_per_s", "p99"]
Until = Literal["decided"]


WARM_UP_S_MAX = 20.0
"""The longest warm-up of one contender in one boot, unless another bound is needed."""

SLICE_MS_MIN = 20
"""The shortest slice, of those whose servers answer fast."""

LONG_SHARE = 0.2
"""The share of the measured time for long slices, unless more is needed."""
LATENCY_LONG_SHARE = 0.5
"""The same where latencies or the gaps of held streams are compared: only long slices have them."""


class Cores(Contract):
    """Which processors the servers and the load generator are pinned to.

    `apart`: the generator's are those of another machine.
    """

    server: tuple[NonNegativeInt, ...]
    client: tuple[NonNegativeInt, ...]
    apart: IfAny[bool] = False

    @property
    def shared(self) -> bool:
        """Whether server and generator compete for a processor."""
        return not self.apart and bool(set(self.server) & set(self.client))

    @property
    def here(self) -> frozenset[int]:
        """The processors of the servers' machine, whose time is in blocks."""
        return frozenset(self.server if self.apart else self.server + self.client)


DELAY_MS_MAX = 1000
"""No two places on Earth have a longer path between them."""


class NetworkPath(Contract):
    """The network between load generator and servers: `delay_ms` more in each round trip, half of
    it each way, and the share `loss` of all packets that is lost, each way."""

    delay_ms: Annotated[float, Field(ge=0, le=DELAY_MS_MAX)]
    loss: Annotated[float, Field(ge=0, lt=1)] = 0.0

    def __str__(self) -> str:
        """As on the command line: `20ms,0.1%`."""
        return f"{self.delay_ms:g}ms" + (f",{self.loss * 100:g}%" if self.loss else "")


class PathFigures(NetworkPath):
    """The path to the servers, and the activity of its process on `cpus` while blocks were
    measured: its CPU time as a share of a core (`busy`), the `packets` that it received, of which
    some were lost as planned and some had no place (`overrun`), and the lateness of the others, in
    the worst draw."""

    cpus: tuple[NonNegativeInt, ...]
    busy: NonNegativeFloat
    packets: NonNegativeInt
    lost: NonNegativeInt
    overrun: NonNegativeInt
    late_p50_us: NonNegativeFloat
    late_p99_us: NonNegativeFloat


class Attached(Contract):
    """A foreign server: we load it and neither start nor stop it.

    `tls`: its port speaks TLS.
    """

    host: str
    port: Annotated[int, Field(ge=1, le=65535)]
    address: str
    path: str
    pid: PositiveInt | None = None
    tls: Tls | None = None


class Entry(Contract):
    """One row of a race: a contender of ours to start, or a server to attach to.

    `name` is unique in the race. `twin_of` marks the second copy of the reference, whose ratio to
    the reference is the noise floor. `folder` has the contender's files; a command from the command
    line has the folder in which it was given. `workers` is its own number of workers, and
    `protocol` that of its requests; None: the plan's.
    """

    name: str
    title: str
    origin: Literal["catalogue", "folder", "command", "url"]
    contender: Contender | None = None
    folder: str | None = None
    attached: Attached | None = None
    fixed_port: Annotated[int, Field(ge=1, le=65535)] | None = None
    path: str
    workers: PositiveInt | None = None
    protocol: Protocol | None = None
    twin_of: str | None = None

    @model_validator(mode="after")
    def _is_started_or_attached(self) -> Self:
        if (self.contender is None) == (self.attached is None):
            raise ValueError("takes either `contender` or `attached`")
        return self


class Skipped(Contract):
    """A contender that is not in the race, with its reason."""

    name: str
    reason: str


class Expected(Contract):
    """How long a race will probably take besides builds: `about_s`; it ends after `at_most_s`."""

    about_s: PositiveFloat
    at_most_s: PositiveFloat


class Plan(Contract):
    """A race, decided. `duration_s` is measured time over all entries and boots.

    `long_share` is its share for long slices, which check the short ones, and of which latencies
    are taken. `warm_up_s` bounds a contender's warm-up in each boot. `instances` is how many
    processes of each contender take turns in the draws of a boot; None: the race decides by each
    one's start and warm-up. In an open loop each server is offered `rate` requests per second, or
    the share `load` of the throughput at the end of its own warm-up; one of the two is given. Up to
    `pipeline` requests are under way on a connection of HTTP/1, and up to `streams` on one of
    HTTP/2. With a `precision` (0.01: each interval between neighbours in the standings reaches at
    most ±1 %) `duration_s` is a bound, and the race ends once the precision is reached; with
    `until` it ends once all gates or, without gates, all pairs are decided. `within` is the
    difference that doesn't matter: 0.02 counts 1/1.02 to 1.02 as alike. `gates` must hold for the
    race to succeed, with `cpu_gates` by server CPU too; `cant_tell` says whether an undecided gate
    passes. With `fewer_connections` the number of `connections` was not requested: there are fewer
    if a server's listen queue can't take them. With `same_answers` an entry is out if it answers
    differently from the reference. `upstream` is the server or database that the workload makes the
    entries request, on `upstream_cpus`. `confirm` measures the entries solo too, after the race,
    with a bound of their own; with `why` a look for causes follows. Without `expected`, as in
    earlier versions, a race has no limit of time. Servers listen on `host`. Without a `cluster` all
    of it is on one machine. `available`: the contenders were not named one by one, so those that
    can't be built or don't serve the workload are left out. Servers are reached over the `path`,
    which is made on `path_cpus`; None: by loopback or a network. With `keep_going` a run goes on
    with a single contender if others failed. Without `probes` servers get only the workload's
    requests, and the audit lacks the findings of others.
    """

    schema_: Literal["bakeoff.plan/1"] = Field("bakeoff.plan/1", alias="schema")
    run: str
    command_line: tuple[str, ...]
    entries: Annotated[tuple[Entry, ...], Field(min_length=1)]
    skipped: tuple[Skipped, ...] = ()
    workload: Workload
    upstream: Entry | None = None
    upstream_cpus: tuple[NonNegativeInt, ...] = ()
    mode: Literal["closed", "open"] = "closed"
    rate: PositiveFloat | None = None
    load: Annotated[float, Field(gt=0, le=2)] | None = None
    arrivals: Arrivals = "uniform"
    pipeline: PositiveInt = 1
    protocol: Protocol = "h1"
    streams: PositiveInt = 1
    precision: Annotated[float, Field(gt=0, lt=1)] | None = None
    until: IfGiven[Until] = None
    within: IfGiven[Annotated[float, Field(gt=0, lt=1)]] = None
    connection: Connection
    http: HttpVersion = "1.1"
    connections: PositiveInt
    fewer_connections: bool = False
    duration_s: PositiveFloat
    long_share: Annotated[float, Field(ge=0, le=1)] = LONG_SHARE
    boots: PositiveInt
    warm_up_s: PositiveFloat = WARM_UP_S_MAX
    instances: PositiveInt | None = None
    workers: PositiveInt
    cores: Cores
    reference: str
    solo: bool
    confirm: bool = False
    why: Annotated[bool, Field(exclude_if=lambda given: not given)] = False
    gates: tuple[Gate, ...] = ()
    cpu_gates: IfAny[bool] = False
    cant_tell: CantTell = "pass"
    same_answers: bool = False
    available: bool = False
    keep_going: bool = False
    probes: bool = True
    expected: Expected | None = None
    seed: NonNegativeInt
    host: str = "127.0.0.1"
    cluster: IfGiven[Cluster] = None
    path: IfGiven[NetworkPath] = None
    path_cpus: IfAny[tuple[NonNegativeInt, ...]] = ()

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        names = [entry.name for entry in self.entries]
        if len(set(names)) != len(names):
            raise ValueError("`entries` has a name twice")
        if self.reference not in names:
            raise ValueError(f"`reference` is {self.reference}, which is not among the entries")
        return self

    @model_validator(mode="after")
    def _offers_what_its_mode_asks(self) -> Self:
        given = sum(each is not None for each in (self.rate, self.load))
        if given != (self.mode == "open"):
            raise ValueError("an open loop takes either `rate` or `load`, a closed one neither")
        return self

    @property
    def may_end_early(self) -> bool:
        """Whether the measurements decide when the race ends, with `duration_s` as its budget."""
        return self.precision is not None or self.until is not None

    @property
    def slice_ms_min(self) -> int:
        """The shortest slice: longer over a network, because of its round trips."""
        return self.cluster.slice_ms_min if self.cluster else SLICE_MS_MIN

    @property
    def ranked_by(self) -> RankedBy:
        """The figure that ranks the standings: throughput or, in an open loop, where it is given,
        the p99."""
        return "requests_per_s" if self.mode == "closed" else "p99"

    def workers_of(self, name: str) -> int:
        return self.entry(name).workers or self.workers

    def server_cores_of(self, name: str) -> int:
        """How many cores an entry can use: those of the plan, or as many as it has workers."""
        return max(1, min(len(self.cores.server), self.workers_of(name)))

    @property
    def upstream_cores(self) -> int:
        """How many cores the upstream can use: the server has one thread, the database a process
        for each connection."""
        return max(1, len(self.upstream_cpus)) if self.workload.database_rows else 1

    def protocol_of(self, name: str) -> Protocol:
        return self.entry(name).protocol or self.protocol

    @property
    def contenders(self) -> tuple[str, ...]:
        """The names of the entries, without the twin."""
        return tuple(entry.name for entry in self.entries if not entry.twin_of)

    @property
    def least(self) -> int:
        """The fewest contenders with which the run goes on: two, if at least two were requested."""
        requested = len(self.contenders) + len(self.skipped)
        return 1 if self.keep_going else min(2, requested)

    def enough(self, names: Iterable[str]) -> bool:
        """Whether as many contenders are among `names` as the run needs."""
        return len(set(names) & set(self.contenders)) >= self.least

    @property
    def machines(self) -> int:
        return len(self.cluster.servers) if self.cluster else 1

    def host_of(self, name: str, boot: int) -> str:
        if self.cluster is None or self.machines == 1:
            return self.host
        here, beside = self.cluster.hosts(boot)
        return beside if self.entry(name).twin_of else here

    def places_of(self, name: str) -> int:
        """How many requests to that entry may be under way at a time, over all connections."""
        streams = self.protocol_of(name) in WITH_STREAMS
        return self.connections * (self.streams if streams else self.pipeline)

    def entry(self, name: str) -> Entry:
        """The entry `name`; raises KeyError where it doesn't exist."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise KeyError(name)
