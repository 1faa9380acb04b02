"""The stages of a run on a cluster: contenders and their meters on one node, load from others."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, cast

from bakeoff import load, start
from bakeoff.build import Wanted
from bakeoff.cluster.remote import Far, Node
from bakeoff.cluster.sources import pack
from bakeoff.model.contender import Contender
from bakeoff.model.engine import Job
from bakeoff.model.errors import BadUsage, ContenderOut, NodeLost
from bakeoff.model.plan import Entry
from bakeoff.model.protocol import Certificate, Protocol
from bakeoff.model.readings import CoreTime, NetworkSeen, NetworkUse, TcpTrouble
from bakeoff.model.receipt import Handle, Receipt, Stopped
from bakeoff.runs.stages import LoadGenerators, Meters, Servers, Stages, Watch
from bakeoff.start import GRACE_S


def stages(servers: Sequence[Node], loads: Sequence[Node]) -> Stages:
    """The stages of a run whose servers are on some nodes and whose load comes from others."""
    return Stages(
        servers=_Servers(servers, loads[0]),
        loads=_LoadGenerators(loads),
        meters=_Meters(servers, loads),
    )


class _Folders:
    """Contenders' folders on a server node, by those here; each is sent once."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._there: dict[Path, str] = {}

    def there(self, contender: Contender, folder: Path) -> str:
        if folder not in self._there:
            packed = pack(contender, folder)
            known = self.node.call("host", "has_sources", packed.key)
            data = b"" if known else packed.data
            root = self.node.call("host", "take_sources", packed.key, data)
            self._there[folder] = str(PurePosixPath(root, packed.inside))
        return self._there[folder]


class _Servers(Servers):
    """Contenders as processes of the server nodes; the load node sends requests to them, as the
    load does.

    A call without a node is for the first.
    """

    freezer = None
    profiler = None

    def __init__(self, servers: Sequence[Node], loader: Node) -> None:
        self._server = servers[0]
        self._folders = [_Folders(each) for each in servers]
        self._keepers: list[_Keeper] = []
        asked = Far(loader, "servers")
        for name in ("verify", "sample_answers", "audit", "probe", "connections_at_a_time"):
            setattr(self, name, getattr(asked, name))

    def keeper(self, scratch: Path) -> start.Keeper:  # type: ignore[override]
        begun = [each.node.begin("servers", "keeper", scratch) for each in self._folders]
        keepers = [
            _Keeper(each.node, keeper(), each)
            for each, keeper in zip(self._folders, begun, strict=True)
        ]
        self._keepers = keepers
        return cast(start.Keeper, _Keepers(keepers) if len(keepers) > 1 else keepers[0])

    def attach(self, entry: Entry, protocol: Protocol = "h1") -> Handle:
        """The handle of a foreign server; a pid is one of the server node."""
        handle: Handle = self._server.call("servers", "attach", entry, protocol)
        return handle

    def certificate(self, folder: Path) -> Certificate:  # noqa: ARG002
        """That of the first server node; its roots are those of all nodes' certificates."""
        own = [each.make_certificate() for each in self._keepers]
        return own[0].model_copy(update={"ca_pem": "".join(each.ca_pem for each in own)})

    def build(
        self,
        wanted: Sequence[Wanted],
        watch: Watch,  # noqa: ARG002
    ) -> list[Receipt | ContenderOut]:
        """Build on all server nodes at a time; beginnings and ends are reported as leases are
        renewed.

        A contender that can't be built on one of them is out.
        """
        # All nodes build at the same time.
        results = [self._begin_build(folders, wanted) for folders in self._folders]
        built = [result() for result in results]
        return [
            next((one for one in of_one if isinstance(one, ContenderOut)), of_one[0])
            for of_one in zip(*built, strict=True)
        ]

    def _begin_build(
        self, folders: _Folders, wanted: Sequence[Wanted]
    ) -> Callable[[], list[Receipt | ContenderOut]]:
        found: dict[int, Receipt | ContenderOut] = {}
        there: dict[int, tuple[str, Contender, str]] = {}
        for number, (name, contender, folder) in enumerate(wanted):
            try:
                there[number] = name, contender, folders.there(contender, folder)
            except ContenderOut as error:
                found[number] = error
        built = folders.node.begin("host", "build", list(there.values()))

        def result() -> list[Receipt | ContenderOut]:
            every = found | dict(zip(there, built(), strict=True))
            return [every[number] for number in range(len(wanted))]

        return result


class _Keeper:
    """The keeper of the server node. Its contenders' logs are copied here when they stop."""

    pid: int
    tls_folder: Path
    swept: tuple[str, ...]
    death: Callable[..., str | None]
    pids: Callable[[str], tuple[int, ...]]
    keep_files: Callable[[Mapping[str, bytes]], Path]

    def __init__(self, server: Node, keeper: Far, folders: _Folders) -> None:
        self._server, self._keeper, self._folders = server, keeper, folders
        self.address = server.address
        self._name = f"keeper-{keeper.pid}"
        self._logs: dict[str, tuple[str, Path]] = {}
        self._read: dict[str, int] = {}
        for name in ("pid", "tls_folder", "swept", "death", "pids", "keep_files"):
            setattr(self, name, getattr(keeper, name))

    def start(
        self,
        entry: Entry,
        *,
        key: str,
        out: Path,
        host: str,
        log: Path,
        say: Callable[[str], object] = lambda _text: None,
        **more: Any,
    ) -> Handle:
        """Start a contender on the server node, at that node's address. Raises `ContenderOut`.

        `out`, `host` and `log` have their local values, from which those on the node follow.
        """
        assert entry.contender and entry.folder, "an entry to start"
        # The node can't call back with a line about a slow start.
        del out, host, say
        folder = self._folders.there(entry.contender, Path(entry.folder))
        place: str = self._server.call("host", "log", self._name, log.name)
        self._logs[key] = place, log
        try:
            handle: Handle = self._keeper.start(
                entry.model_copy(update={"folder": folder}),
                key=key,
                out=Path(self._server.call("host", "out_folder", folder)),
                host=self._server.address,
                log=Path(place),
                **more,
            )
        except ContenderOut:
            self._bring_log(key)
            raise
        return handle

    def make_certificate(self) -> Certificate:
        made: Certificate = self._server.call("servers", "certificate", self.tls_folder)
        self.certificate = made
        return made

    def stop(self, name: str, grace_s: float = GRACE_S) -> Stopped:
        stopped: Stopped = self._keeper.stop(name, grace_s)
        self._bring_log(name)
        return stopped

    def close(self) -> None:
        try:
            self._keeper.close()
            for key in [*self._logs]:
                self._bring_log(key)
        except NodeLost:
            return

    def _bring_log(self, key: str) -> None:
        name, here = self._logs.pop(key, ("", Path()))
        if not name:
            return
        data, self._read[name] = self._server.call(
            "host", "read_log", name, self._read.get(name, 0)
        )
        if data:
            with here.open("ab") as file:
                file.write(data)


class _Keepers:
    """The keepers of several server nodes. The `host` of a contender decides which one it has."""

    def __init__(self, keepers: Sequence[_Keeper]) -> None:
        self._keepers = {each.address: each for each in keepers}
        self._of: dict[str, _Keeper] = {}
        self._kept: dict[str, dict[str, Path]] = {}
        first = keepers[0]
        self.pid, self.tls_folder = first.pid, first.tls_folder
        self.swept = tuple(line for each in keepers for line in each.swept)

    def start(
        self,
        entry: Entry,
        *,
        key: str,
        host: str,
        environment: Mapping[str, str] | None = None,
        certificate: Certificate | None = None,
        **more: Any,
    ) -> Handle:
        """Start a contender on the node at `host`, with the files that are kept for it there.

        Raises `ContenderOut`, and `BadUsage` where the cluster has lost that server node.
        """
        if host not in self._keepers:
            raise BadUsage(
                f"{host} was a server node of this run, and is not one of the cluster's first "
                f"({', '.join(self._keepers)}): start Ray there again"
            )
        keeper = self._of[key] = self._keepers[host]
        there = {
            name: str(self._kept[value][host]) if value in self._kept else value
            for name, value in (environment or {}).items()
        }
        own = keeper.certificate if certificate else None
        return keeper.start(entry, key=key, host=host, environment=there, certificate=own, **more)

    def stop(self, name: str, grace_s: float = GRACE_S) -> Stopped:
        return self._of[name].stop(name, grace_s)

    def death(self, name: str, answers: int | None = None, doing: str = "") -> str | None:
        return self._of[name].death(name, answers, doing)

    def pids(self, name: str) -> tuple[int, ...]:
        return self._of[name].pids(name)

    def keep_files(self, files: Mapping[str, bytes]) -> Path:
        """A folder with `files` on each node; returns that of the first, which represents all of
        them."""
        folders = {address: each.keep_files(files) for address, each in self._keepers.items()}
        first = next(iter(folders.values()))
        self._kept[str(first)] = folders
        return first

    def close(self) -> None:
        for each in self._keepers.values():
            each.close()


class _LoadGenerators(LoadGenerators):
    """The load nodes: engines of all of them together; slow clients and load tools of the first."""

    def __init__(self, loads: Sequence[Node]) -> None:
        first = Far(loads[0], "loads")
        for name in ("slow_clients", "run_tool", "tool_missing"):
            setattr(self, name, getattr(first, name))
        # A single one needs no clock to begin.
        together = load.Loaders([_loader(node) for node in loads]).connect
        self._connect = together if len(loads) > 1 else partial(engine_on, loads[0])

    def connect(self, job: Job) -> load.Generator:  # type: ignore[override]
        return self._connect(job)


def _loader(node: Node) -> load.Loader:
    return load.Loader(
        node.address,
        partial(engine_on, node),
        partial(node.call, "host", "now_ns"),
        cores=partial(node.call, "meters", "cores"),
    )


def engine_on(node: Node, job: Job) -> load.Engine:
    """An engine on a load node, with the request files that it reads."""
    places = {Path(each.requests.file).parent for each in job.targets if each.requests}
    files = {
        each.name: each.read_bytes()
        for place in places
        for each in sorted(place.iterdir())
        if each.is_file()
    }
    return cast(load.Engine, node.call("loads", "connect", job, files))


class _Meters(Meters):
    """Readings of the server nodes' kernels; for TCP and the network, also of the load nodes'.

    Readings for one contender come from its node (`at`), those for all are added up.
    """

    def __init__(self, servers: Sequence[Node], loads: Sequence[Node]) -> None:
        self._servers, self._loads = servers, loads
        self._at = {each.address: cast(Meters, Far(each, "meters")) for each in servers}
        for name in (
            *("cpu", "counted_pids", "memory", "thread_times", "placement", "written"),
            *("listen_queue", "udp_drops", "energy_uj", "machine"),
        ):
            setattr(self, name, getattr(self._at[servers[0].address], name))

    def at(self, address: str) -> Meters:
        """Those of the server node; for a contender on none of them (a URL), the first's."""
        host = address.rpartition(":")[0].strip("[]")
        return self._at.get(host) or self._at[self._servers[0].address]

    def free_memory_mib(self) -> float:
        """That of the server node with the least."""
        return min(each.free_memory_mib() for each in self._at.values())

    def free_files(self) -> int:
        """That of the server node with the least."""
        return min(each.free_files() for each in self._at.values())

    def cores(self) -> tuple[CoreTime, ...]:
        """The times of the processors with the same number on all server nodes together."""
        of_cpu: dict[int, list[CoreTime]] = {}
        for each in self._at.values():
            for core in each.cores():
                of_cpu.setdefault(core.cpu, []).append(core)
        return tuple(CoreTime.together(cores) for cores in of_cpu.values())

    def used_ns(self, cpus: Collection[int]) -> None:
        """Not read: that would be two more calls of another machine around each slice."""

    def tcp(self) -> TcpTrouble | None:
        all_sides = [node.call("meters", "tcp") for node in (*self._servers, *self._loads)]
        return TcpTrouble.summed(all_sides) if all(all_sides) else None

    def network(self) -> NetworkSeen | None:
        nodes = (*self._servers, *self._loads)
        sides = [node.call("host", "network") for node in nodes]
        if not all(isinstance(each, NetworkUse) for each in sides):
            return None
        ray_cpu_s = sum(each.call("host", "ray_cpu_s") for each in self._servers)
        servers = len(self._servers)
        return NetworkSeen(
            server=NetworkUse.summed(sides[:servers]),
            load=NetworkUse.summed(sides[servers:]),
            ray_cpu_s=ray_cpu_s,
        )
