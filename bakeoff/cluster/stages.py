"""The stages of a run on a cluster: contenders and their meters on one node, load from others."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, cast

from bakeoff import load, start
from bakeoff.cluster.remote import Far, Node
from bakeoff.cluster.sources import pack
from bakeoff.model.contender import Contender
from bakeoff.model.engine import Job
from bakeoff.model.errors import ContenderOut, NodeLost
from bakeoff.model.plan import Entry
from bakeoff.model.protocol import Certificate, Protocol
from bakeoff.model.receipt import Handle, Receipt, Stopped
from bakeoff.model.samples import NetworkSeen, NetworkUse, TcpTrouble
from bakeoff.runs.stages import LoadGenerators, Meters, Servers, Stages
from bakeoff.start import GRACE_S


def stages(server: Node, loads: Sequence[Node]) -> Stages:
    """The stages of a run whose servers are on one node and whose load comes from others."""
    return Stages(
        servers=_Servers(server, loads[0]),
        loads=_LoadGenerators(loads),
        meters=_Meters(server, loads),
    )


class _Folders:
    """Contenders' folders on the server node, by those here; each is sent once."""

    def __init__(self, server: Node) -> None:
        self._server = server
        self._there: dict[Path, str] = {}

    def there(self, contender: Contender, folder: Path) -> str:
        """The folder on the server node. Raises `ContenderOut`."""
        if folder not in self._there:
            packed = pack(contender, folder)
            known = self._server.call("host", "has_sources", packed.key)
            data = b"" if known else packed.data
            root = self._server.call("host", "take_sources", packed.key, data)
            self._there[folder] = str(PurePosixPath(root, packed.inside))
        return self._there[folder]


class _Servers(Servers):
    """Contenders as processes of the server node; the load node asks them, as the load does."""

    def __init__(self, server: Node, loader: Node) -> None:
        self._server, self._folders = server, _Folders(server)
        asked = Far(loader, "servers")
        for name in ("verify", "look", "audit", "connections_at_a_time"):
            setattr(self, name, getattr(asked, name))

    def keeper(self, scratch: Path) -> start.Keeper:  # type: ignore[override]
        """A keeper on the server node."""
        there = self._server.call("servers", "keeper", scratch)
        return cast(start.Keeper, _Keeper(self._server, there, self._folders))

    def attach(self, entry: Entry, protocol: Protocol = "h1") -> Handle:
        """The handle of a server that somebody else runs; a pid is one of the server node."""
        handle: Handle = self._server.call("servers", "attach", entry, protocol)
        return handle

    def certificate(self, folder: Path) -> Certificate:
        """A certificate, in a folder of the server node."""
        made: Certificate = self._server.call("servers", "certificate", folder)
        return made

    def build(
        self,
        wanted: Sequence[tuple[Contender, Path]],
        say: Callable[[str], None],  # noqa: ARG002
    ) -> list[Receipt | ContenderOut]:
        """Build on the server node; what begins and ends there is said as leases are renewed."""
        found: dict[int, Receipt | ContenderOut] = {}
        there: dict[int, tuple[Contender, str]] = {}
        for number, (contender, folder) in enumerate(wanted):
            try:
                there[number] = contender, self._folders.there(contender, folder)
            except ContenderOut as error:
                found[number] = error
        built = self._server.call("host", "build", list(there.values()))
        found |= dict(zip(there, built, strict=True))
        return [found[number] for number in range(len(wanted))]


class _Keeper:
    """The keeper of the server node. Its contenders' logs are brought here when they stop."""

    def __init__(self, server: Node, keeper: Far, folders: _Folders) -> None:
        self._server, self._keeper, self._folders = server, keeper, folders
        self._name = f"keeper-{keeper.pid}"
        self._logs: dict[str, tuple[str, Path]] = {}
        self._read: dict[str, int] = {}
        self.pid: int = keeper.pid  # type: ignore[assignment]
        self.tls_folder: Path = keeper.tls_folder  # type: ignore[assignment]
        self.swept: tuple[str, ...] = keeper.swept  # type: ignore[assignment]

    def start(
        self, entry: Entry, *, key: str, out: Path, host: str, log: Path, **more: Any
    ) -> Handle:
        """Start a contender on the server node, at that node's address. Raises `ContenderOut`.

        `out`, `host` and `log` are what they would be here, and what they are there follows.
        """
        assert entry.contender and entry.folder, "an entry to start"
        del out, host
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

    def stop(self, name: str, grace_s: float = GRACE_S) -> Stopped:
        """End a contender."""
        stopped: Stopped = self._keeper.stop(name, grace_s)
        self._bring_log(name)
        return stopped

    def death(self, name: str) -> str | None:
        """How it died, with the end of its log; None while it lives."""
        how: str | None = self._keeper.death(name)
        return how

    def pids(self, name: str) -> tuple[int, ...]:
        """All its processes, by their numbers on the server node."""
        pids: tuple[int, ...] = self._keeper.pids(name)
        return pids

    def keep_files(self, files: Mapping[str, bytes]) -> Path:
        """A folder of the server node with `files`."""
        folder: Path = self._keeper.keep_files(files)
        return folder

    def close(self) -> None:
        """End all contenders; where the node is lost, its lease does."""
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


class _LoadGenerators(LoadGenerators):
    """The load nodes: engines of all of them together; slow clients and load tools of the first."""

    def __init__(self, loads: Sequence[Node]) -> None:
        first = Far(loads[0], "loads")
        for name in ("slow_clients", "run_tool", "tool_missing"):
            setattr(self, name, getattr(first, name))
        # One alone needs no clock to begin by.
        together = load.Loaders([_loader(node) for node in loads]).connect
        self._connect = together if len(loads) > 1 else partial(_engine, loads[0])

    def connect(self, job: Job) -> load.Generator:  # type: ignore[override]
        """What loads: an engine on each load node."""
        return self._connect(job)


def _loader(node: Node) -> load.Loader:
    return load.Loader(
        node.address,
        partial(_engine, node),
        partial(node.call, "host", "now_ns"),
        cores=partial(node.call, "meters", "cores"),
    )


def _engine(node: Node, job: Job) -> load.Engine:
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
    """What the server node's kernel says; of TCP and the network, the load nodes' as well."""

    def __init__(self, server: Node, loads: Sequence[Node]) -> None:
        self._server, self._loads = server, loads
        there = Far(server, "meters")
        for name in (
            *("cpu", "process_tree", "memory", "thread_times", "placement", "written"),
            *("free_memory_mib", "free_files", "listen_queue", "cores", "pressure_cpu_us"),
            *("energy_uj", "machine"),
        ):
            setattr(self, name, getattr(there, name))

    def tcp(self) -> TcpTrouble | None:
        """What either side's TCP met."""
        both = [node.call("meters", "tcp") for node in (self._server, *self._loads)]
        return TcpTrouble.summed(both) if all(both) else None

    def network(self) -> NetworkSeen | None:
        """What went over either side's network, and what Ray's processes took, until now."""
        sides = [node.call("host", "network") for node in (self._server, *self._loads)]
        if not all(isinstance(each, NetworkUse) for each in sides):
            return None
        ray_cpu_s = self._server.call("host", "ray_cpu_s")
        loads = NetworkUse.summed(sides[1:])
        return NetworkSeen(server=sides[0], load=loads, ray_cpu_s=ray_cpu_s)
