"""The processes of a world in which no server runs: what keeps them, reads and clogs them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from bakeoff.model.errors import ContenderOut
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Cores, Entry
from bakeoff.model.protocol import OVER_TLS, Certificate, Protocol
from bakeoff.model.readings import CpuTime, PathSeen
from bakeoff.model.receipt import CpuCounter, Handle, Stopped
from bakeoff.model.samples import Slice
from bakeoff.model.why import Layer
from bakeoff.why import ProfilerFailed, Sample

if TYPE_CHECKING:
    from tests.runs.world import World


PATH = "path"
"""Under which its CPU time is counted."""


class FakeKeeper:
    """Servers that are only remembered."""

    tls_folder = Path("/nowhere")
    swept: tuple[str, ...] = ()

    def __init__(self, world: "World", scratch: Path) -> None:
        self._world = world
        self._scratch = scratch

    def keep_files(self, files: Mapping[str, bytes]) -> Path:
        """They are there after the run: no process removes them."""
        folder = self._scratch / "static"
        folder.mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return folder

    def start(
        self,
        entry: Entry,
        *,
        key: str = "",
        out: Path,
        workers: int,
        cores: Cores,
        host: str,
        log: Path,
        answers: Callable[[str, int], str | None],
        protocol: Protocol = "h1",
        certificate: Certificate | None = None,
        environment: Mapping[str, str] | None = None,
        say: Callable[[str], object] = lambda _text: None,
    ) -> Handle:
        assert (certificate is not None) == (protocol in OVER_TLS)
        started_s = self._world.starts_s.get(entry.twin_of or entry.name, 0.0)
        self._world.time_ns += round(started_s * 1e9)
        if self._world.refuses_start(key):
            raise ContenderOut("out of ports")
        if entry.name in self._world.unstartable:
            raise ContenderOut(self._world.unstartable[entry.name])
        world = self._world
        if world.pids and entry.name in world.unstartable_again and not key.endswith("/0"):
            world.refused_starts[entry.name] += 1
            raise ContenderOut(world.unstartable_again[entry.name])
        assert key not in world.up
        world.environments[key] = dict(environment or {})
        world.up[key] = entry
        if entry.contender:
            world.patience_s[key] = entry.contender.run.ready_timeout_s
        world.most_up = max(world.most_up, len(world.up))
        world.loaded_s[key] = 0.0
        pid = 100 + len(world.pids)
        world.pids[pid] = key
        ready_ms = world.ready_ms.get(entry.twin_of or entry.name, 12.0)
        handle = handle_of(entry, key, pid, ready_ms, protocol=protocol, host=host)
        return handle.model_copy(update={"tls": certificate.client}) if certificate else handle

    def stop(self, name: str, grace_s: float = 3.0) -> Stopped:
        entry = self._world.up.pop(name)
        if (entry.twin_of or entry.name) in self._world.stubborn:
            return Stopped(name=name, how="SIGKILL", survivors=(1,))
        return Stopped(name=name, how="SIGTERM")

    def pids(self, name: str) -> tuple[int, ...]:
        return tuple(pid for pid, whose in self._world.pids.items() if whose == name)[-1:]

    def death(self, name: str, answers: int | None = None, doing: str = "") -> str | None:
        return self._world.death(name)

    def close(self) -> None:
        self._world.up.clear()


class FakeCpu:
    """The CPU time that a server's answers cost."""

    def __init__(self, world: "World", counter: CpuCounter) -> None:
        self._world, self._name = world, counter.path or ""

    def read(self) -> CpuTime:
        world = self._world
        total = world.cpu_ns.get(self._name, 0) + world.compiled_ns(self._name)
        total += world.leaked_ns(self._name)
        return CpuTime(total_ns=total, user_ns=total // 3, system_ns=total - total // 3)

    def close(self) -> None:
        pass


class FakeForwarder:
    """A path that has sent nothing yet, to servers of the addresses that they have without it."""

    near = far = "127.0.0.1"
    cpu = CpuCounter(kind="tree", path=PATH)

    def seen(self) -> PathSeen:
        return PathSeen(**dict.fromkeys(PathSeen.model_fields, 0))

    def close(self) -> None:
        pass


class FakeFreezer:
    """Processes that do nothing for a while."""

    def __init__(self, world: "World", pids: Iterable[int]) -> None:
        self._world, self._keys = world, [world.pids[pid] for pid in pids]

    def freeze(self) -> None:
        for key in self._keys:
            self._world.frozen.setdefault(key, self._world.time_ns)

    def thaw(self) -> None:
        for key in self._keys:
            since_ns = self._world.frozen.pop(key, self._world.time_ns)
            self._world.frozen_ns[key] += self._world.time_ns - since_ns

    close = thaw


class FakeSlowClients:
    """Clients that are only remembered."""

    def __init__(self, world: "World", key: str, count: int) -> None:
        self._world, self._key, self.opened = world, key, count

    def __enter__(self) -> "FakeSlowClients":
        self._world.crowded.add(self._key)
        return self

    def end(self) -> int:
        self._world.crowded.discard(self._key)
        return self.opened

    def __exit__(self, *_: object) -> None:
        self.end()


def name_of(key: str) -> str:
    return key.rpartition("/")[0]


def handle_of(
    entry: Entry,
    key: str,
    pid: int = 100,
    ready_ms: float = 12.0,
    protocol: Protocol = "h1",
    host: str = "127.0.0.1",
) -> Handle:
    """A process that listens, at a port that is its number."""
    return Handle(
        name=entry.name,
        pid=pid,
        address=f"{host}:{pid}",
        host=f"{host}:{pid}",
        port=pid,
        protocol=protocol,
        cpus=(0,),
        cpu=CpuCounter(kind="cgroup-v2", path=key),
        log=None,
        command=("server",),
        time_to_ready_ms=ready_ms,
    )


class FakeProfiler:
    """Profilers that see a thread of each process in its handler or sending, by turns, which is
    then at rest three times as long; and a call and two instructions for each request. With a
    `fault` they don't take hold, and of what is `lacking` they see nothing."""

    calls_share = 1.0

    def __init__(self, world: "World") -> None:
        self._world = world
        self.missing = dict(world.lacking)
        self.environment = {"PROFILED": "yes"}

    @contextmanager
    def sampling(self, pids: Collection[int], _file: Path) -> Iterator["FakeProfiler"]:
        if self._world.profiler_fault:
            raise ProfilerFailed(self._world.profiler_fault)
        self._pids, self._began_ns = pids, self._world.time_ns
        yield self
        self._ended_ns = self._world.time_ns

    def samples(self) -> list[Sample]:
        times = range(self._began_ns, self._ended_ns, 1_000_000)
        stacks = ("main;handle", "main;send;do_syscall_64_[k];__x64_sys_sendto_[k]")
        return [
            Sample(pid, at_ns, stacks[number % 2])
            for number, at_ns in enumerate(times)
            for pid in self._pids
        ]

    def calls(
        self, _pids: Collection[int], _file: Path, load: Callable[[], Slice]
    ) -> tuple[dict[str, int], Slice]:
        loaded = load()
        return {"sendto": loaded.event.requests_all}, loaded

    def counters(
        self, _pids: Collection[int], _file: Path, load: Callable[[], Slice]
    ) -> tuple[dict[str, int], Slice]:
        loaded = load()
        return {"instructions": 2 * loaded.event.requests_all}, loaded

    def refused(self, _pids: Collection[int]) -> dict[Layer, Finding]:
        return self._world.refused

    @contextmanager
    def waiting(self, _pids: Collection[int]) -> Iterator[SimpleNamespace]:
        began_ns, seen = self._world.time_ns, SimpleNamespace()
        yield seen
        lasted_ns = self._world.time_ns - began_ns
        seen.times = {"running": lasted_ns // 4, "requests": lasted_ns - lasted_ns // 4}

    def forget(self, pids: Collection[int]) -> None:
        self._world.forgotten.update(pids)
