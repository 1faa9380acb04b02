"""machine.json: the machine's facts that every run keeps."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract, IfAny


class Machine(Contract):
    """Facts of the machine before the race. None: the machine doesn't report one."""

    schema_: Literal["bakeoff.machine/1"] = Field("bakeoff.machine/1", alias="schema")
    taken_at: str
    kernel: str
    distribution: str | None = None
    cpu_model: str
    cpus: int
    threads_per_core: int | None = None
    memory_mib: int
    virtualisation: str | None = None
    governor: str | None = None
    turbo: bool | None = None
    mitigations: dict[str, str]
    clock_source: str | None = None
    cgroup: str
    cpu_quota: float | None = None
    somaxconn: int | None = None
    port_range: tuple[int, int] | None = None
    open_files_limit: int
    tcp_tw_reuse: int | None = None
    load_average: float
    io_uring: str | None = None
    python: str
    bakeoff: str
    engine: str

    def unlike(self, other: "Machine") -> list[str]:
        """The keys in which two machines differ so much that their runs can't be compared."""
        keys = ("kernel", "cpu_model", "cpus", "virtualisation", "governor", "threads_per_core")
        return [key for key in keys if getattr(self, key) != getattr(other, key)]


class Hindrance(Contract):
    """Something that affects a measurement, and how to fix it."""

    what: str
    why: str
    fix: str | None = None
    level: Literal["ok", "note", "warning"]


Role = Literal["server", "load"]


class ClusterNode(Contract):
    """One machine, as it describes itself. Its `address` is the one by which Ray knows it.

    `cpus` are the processors that its programs may use, whatever Ray was started with. `niceness`
    is that of contenders and engine: Ray gives its workers 15, and reverts it only if permitted.
    `folder` is where contenders are built; `unwritable` says why they can't be.
    """

    address: str
    host: str
    roles: tuple[Role, ...]
    kernel: str
    python: str
    ray: str
    bakeoff: str
    cpus: tuple[NonNegativeInt, ...] = ()
    niceness: int = 0
    engine: str = ""
    folder: str = ""
    unwritable: str = ""


class Route(Contract):
    """The network from a load node to a server node, measured before the race.

    `offset_ns` is how far the server's monotonic clock is ahead of the load's, and `error_ns`
    bounds its error: half of the shortest round trip. `rtt_us` is the shortest of `exchanges` round
    trips of a byte, and `rtt_median_us` their median. `bytes_per_s` is the rate of one connection
    from the server; `link_bytes_per_s` is the speed that the server's interface reports (None: it
    doesn't).
    """

    load: str
    server: str
    exchanges: PositiveInt
    rtt_us: NonNegativeFloat
    rtt_median_us: NonNegativeFloat
    offset_ns: int
    error_ns: NonNegativeInt
    bytes_per_s: PositiveFloat | None = None
    link_bytes_per_s: PositiveFloat | None = None


class Cluster(Contract):
    """The machines of a race that is not on a single one: `address` is the head's, for Ray.

    All slices last at least `slice_ms_min`. Beside its server nodes, `may_load` may be loaded.
    `others` are server nodes after the first: contenders are rotated over all of them.
    """

    address: str
    server: ClusterNode
    loads: tuple[ClusterNode, ...]
    routes: tuple[Route, ...]
    slice_ms_min: PositiveInt
    may_load: tuple[str, ...] = ()
    others: IfAny[tuple[ClusterNode, ...]] = ()

    @property
    def servers(self) -> tuple[ClusterNode, ...]:
        """All server nodes, in the order in which boots have them."""
        return (self.server, *self.others)

    @property
    def server_cpus(self) -> tuple[int, ...]:
        return _common_cpus(self.servers)

    @property
    def load_cpus(self) -> tuple[int, ...]:
        return _common_cpus(self.loads)

    def hosts(self, boot: int) -> tuple[str, str]:
        """The hosts of a boot's contenders and of its twin: the twin's is another one if there are
        several server nodes."""
        servers = self.servers
        here, beside = servers[boot % len(servers)], servers[(boot + 1) % len(servers)]
        return here.address, beside.address


def _common_cpus(nodes: tuple[ClusterNode, ...]) -> tuple[int, ...]:
    return tuple(sorted(set(nodes[0].cpus).intersection(*(each.cpus for each in nodes))))


class ClusterReport(Contract):
    """The findings of `bakeoff cluster doctor`.

    `unused` are nodes without a role. `ceiling_requests_per_s` is the throughput of the engines of
    all load nodes together against a null server on the server node; None: it could not be
    measured. `ceilings_requests_per_s` are those of each alone, by address, if there are several.
    """

    schema_: Literal["bakeoff.cluster/2"] = Field("bakeoff.cluster/2", alias="schema")
    cluster: Cluster
    unused: tuple[str, ...] = ()
    ceiling_requests_per_s: PositiveFloat | None = None
    ceilings_requests_per_s: dict[str, PositiveFloat] = {}
    hindrances: tuple[Hindrance, ...] = ()
