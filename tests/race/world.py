"""A world behind the effects: servers with known speeds, a clock that moves with the load."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from hdrh.histogram import HdrHistogram

from bakeoff.load.tools import Asked, Ran
from bakeoff.measure import Places
from bakeoff.model.audit import Audit, Written
from bakeoff.model.capacity import CapacityReport
from bakeoff.model.contender import Contender
from bakeoff.model.engine import Job, Ready, ReadyTarget, SliceCommand, SliceEvent
from bakeoff.model.errors import ContenderOut
from bakeoff.model.grid import Grid
from bakeoff.model.load import Loader, LoadResult
from bakeoff.model.plan import Connection, Cores, Entry, Plan
from bakeoff.model.receipt import CpuCounter, Handle, Receipt, Stopped, Verification
from bakeoff.model.replay import Replay
from bakeoff.model.samples import CoreTime, CpuTime, Memory, Record, TcpTrouble
from bakeoff.model.verdict import Verdict
from bakeoff.model.workload import Workload
from bakeoff.race import Stages
from tests.judge.queues import queue_event
from tests.judge.races import MACHINE, SOUND_AUDIT

NOISE = 0.03


@dataclass
class World:
    """Servers by name with their throughput; faults by name; and all that happened.

    `warmth` is the share of a server's throughput that it has after so many seconds of load.
    """

    requests_per_s: dict[str, float]
    unbuildable: dict[str, str] = field(default_factory=dict)
    unstartable: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    threads: dict[str, int] = field(default_factory=dict)
    log_bytes_per_request: dict[str, float] = field(default_factory=dict)
    audits: dict[str, Audit] = field(default_factory=dict)
    audited: list[set[str]] = field(default_factory=list)
    missing_tools: dict[str, str] = field(default_factory=dict)
    tool_speed: dict[str, float] = field(default_factory=dict)
    tool_runs: list[tuple[str, str]] = field(default_factory=list)
    noise: float = NOISE
    warmth: dict[str, Callable[[float], float]] = field(default_factory=dict)
    on_slice: Callable[["World", int], None] = lambda _world, _count: None
    now_ns: int = 1_000_000_000
    slices: int = 0
    up: dict[str, Entry] = field(default_factory=dict)
    loaded_s: dict[str, float] = field(default_factory=dict)
    cpu_ns: dict[str, int] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    pids: dict[int, str] = field(default_factory=dict)
    dead: dict[str, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def stages(self) -> Stages:
        """The stages of this world."""
        return Stages(
            build=lambda wanted, _say: [self.build(contender) for contender, _ in wanted],
            servers=lambda _scratch: FakeServers(self),
            attach=lambda entry: _handle(entry),
            answers=lambda _host, _port: None,
            verify=self.verify,
            audit=self.audit,
            load=lambda job: FakeLoad(self, job),
            cpu=lambda counter: FakeCpu(self, counter),
            process_tree=lambda pid: (pid,),
            memory=lambda pids: Memory(pss_mib=10, processes=len(list(pids)) or 1),
            tasks=self.tasks,
            places=lambda tasks: Places({pid: 100 for pid, _ in tasks}, {}, {}),
            written=self.written,
            tcp=lambda: TcpTrouble(listen_overflows=0, listen_drops=0, retransmits=self.slices),
            cores=self.cores,
            pressure_cpu_us=lambda: None,
            machine=lambda: MACHINE,
            now_ns=lambda: self.now_ns,
            settle=lambda: None,
            tool=self.tool,
            tool_missing=self.missing_tools.get,
            write_report=_write_report,
            write_replay=_write_replay,
            write_grid=_write_grid,
            write_capacity=_write_capacity,
        )

    def step(self, text: str) -> None:
        """A watch: remember."""
        self.seen.append(text)

    def measured(self, done_s: float, of_s: float, text: str) -> None:
        """A watch: the measuring never goes past its end by more than a block."""
        assert done_s <= of_s + 5

    def out(self, name: str, reason: str) -> None:
        """A watch: remember."""
        self.seen.append(f"{name} is out: {reason}")

    def build(self, contender: Contender) -> Receipt | ContenderOut:
        """A receipt, or the fault that this world has for the contender."""
        if contender.name in self.unbuildable:
            return ContenderOut(self.unbuildable[contender.name])
        return Receipt(
            name=contender.name,
            version=f"{contender.name} 1.0",
            tools={},
            source_sha256="0" * 64,
            commands=(),
            log="",
            built_s=0,
        )

    def verify(
        self,
        handle: Handle,
        entry: Entry,
        workload: Workload,
        connection: Connection,
        pipeline: int,
    ) -> Verification:
        """Right, unless this world says what is wrong."""
        name = entry.twin_of or entry.name
        problems = (self.wrong[name],) if name in self.wrong else ()
        return Verification(
            name=entry.name,
            problems=problems,
            status=200,
            head_bytes=100,
            body_bytes=13,
            keeps_alive=True,
            expected_body_base64="",
        )

    def audit(self, up: Sequence[tuple[Handle, Entry]], workload: Workload) -> dict[str, Audit]:
        """A sound server, unless this world has another finding for it."""
        self.audited.append({handle.name for handle, _ in up})
        return {
            handle.name: self.audits.get(entry.twin_of or entry.name, SOUND_AUDIT)
            for handle, entry in up
        }

    def tasks(self, pids: Iterable[int]) -> dict[tuple[int, int], int]:
        """One thread at work in each process, or as many as this world says, and an idle one."""
        found: dict[tuple[int, int], int] = {}
        for pid in pids:
            name = self.pids[pid]
            busy = self.threads.get(name, 1)
            found |= {(pid, tid): self.cpu_ns.get(name, 0) // busy for tid in range(busy)}
            found[pid, busy] = 0
        return found

    def written(self, handle: Handle) -> Written:
        """A log that grows with the answers."""
        per_request = self.log_bytes_per_request.get(handle.name, 0.0)
        answered = self.answered.get(handle.name, 0)
        return Written(log_bytes=round(per_request * answered), scratch_bytes=500)

    def tool(self, loader: Loader, asked: Asked) -> Ran:
        """A run of a load tool that sees the server's speed, but for what the tool costs it."""
        name = asked.url.rpartition("/")[2]  # A tool knows a server by its URL alone.
        self.tool_runs.append((loader, name))
        rate = self.requests_per_s[name] * self.tool_speed.get(loader, 1)
        rate *= self.chance.gauss(1, NOISE)
        return Ran((loader, asked.url), f"{rate}", tool_result(rate), "")

    def cores(self) -> tuple[CoreTime, ...]:
        """Two cores, the server's busy since the machine started."""
        now_s = self.now_ns / 1e9
        idle = {"softirq_s": 0.0, "steal_s": 0.0}
        return (
            CoreTime(cpu=0, user_s=now_s * 0.3, system_s=now_s * 0.7, idle_s=0.0, **idle),
            CoreTime(cpu=1, user_s=now_s * 0.3, system_s=now_s * 0.3, idle_s=now_s * 0.4, **idle),
        )


class FakeServers:
    """Servers that are only remembered."""

    def __init__(self, world: World) -> None:
        self._world = world

    def start(
        self,
        entry: Entry,
        *,
        out: Path,
        workers: int,
        cores: Cores,
        host: str,
        log: Path,
        answers: Callable[[str, int], str | None],
    ) -> Handle:
        if entry.name in self._world.unstartable:
            raise ContenderOut(self._world.unstartable[entry.name])
        assert entry.name not in self._world.up
        self._world.up[entry.name] = entry
        self._world.loaded_s[entry.name] = 0.0
        self._world.pids[100 + len(self._world.pids)] = entry.name
        return _handle(entry)

    def stop(self, name: str) -> Stopped:
        del self._world.up[name]
        return Stopped(name=name, how="SIGTERM")

    def pids(self, name: str) -> tuple[int, ...]:
        return tuple(pid for pid, whose in self._world.pids.items() if whose == name)[-1:]

    def death(self, name: str) -> str | None:
        return self._world.dead.get(name)

    def close(self) -> None:
        self._world.up.clear()


class FakeCpu:
    """The CPU time that a server's answers cost."""

    def __init__(self, world: World, counter: CpuCounter) -> None:
        self._world, self._name = world, counter.path or ""

    def read(self) -> CpuTime:
        total = self._world.cpu_ns.get(self._name, 0)
        return CpuTime(total_ns=total, user_ns=total // 3, system_ns=total - total // 3)

    def close(self) -> None:
        pass


class FakeLoad:
    """An engine that answers at once, and moves the clock."""

    def __init__(self, world: World, job: Job) -> None:
        self._world, self._job = world, job
        self.ready = Ready(
            type="ready",
            protocol=2,
            engine="volley fake",
            io="epoll",
            threads=job.threads,
            targets=tuple(
                ReadyTarget(name=target.name, open=job.connections, error=None)
                for target in job.targets
            ),
        )

    def slice(self, command: SliceCommand) -> SliceEvent:
        world = self._world
        world.slices += 1
        world.on_slice(world, world.slices)
        name = self._job.targets[command.target].name
        entry = world.up[name]
        rate = world.requests_per_s[entry.twin_of or name] * world.chance.gauss(1, world.noise)
        rate *= world.warmth.get(entry.twin_of or name, _warm)(world.loaded_s[name])
        world.loaded_s[name] += command.duration_ms / 1000
        if command.rate and name not in world.dead:
            return self._open(name, command, command.rate, rate)
        window_ns = command.duration_ms * 1_000_000
        requests = 0 if name in world.dead else round(rate * window_ns / 1e9)
        start_ns = world.now_ns + command.ramp_ms * 1_000_000
        world.now_ns = start_ns + window_ns + 1_000_000
        world.cpu_ns[name] = world.cpu_ns.get(name, 0) + window_ns + command.ramp_ms * 1_000_000
        requests_all = round(requests * (1 + command.ramp_ms / command.duration_ms))
        world.answered[name] = world.answered.get(name, 0) + requests_all
        mean_us = self._job.connections * self._job.pipeline / rate * 1e6
        return SliceEvent(
            target=command.target,
            block=command.block,
            start_ns=start_ns,
            end_ns=start_ns + window_ns,
            drained_ns=world.now_ns,
            requests=requests,
            bytes=requests * 113,
            requests_all=requests_all,
            redirects=0,
            misses=1 if name in world.dead else 0,
            unsent=0,
            connects=0,
            idle_closed=0,
            errors={"reset": 1} if name in world.dead else {},
            latency=_histogram(round(mean_us), requests),
            latency_count=requests,
            latency_mean_us=mean_us if requests else 0.0,
            in_flight_ns=round(requests * mean_us * 1e3),
            service=None,
            send_lag=None,
            cpu_ns=round(window_ns * 0.6),
            busy=0.6,
            first_bad=None,
        )

    def _open(self, name: str, command: SliceCommand, offered: float, speed: float) -> SliceEvent:
        """A queue before a server of that speed."""
        world = self._world
        rng = np.random.default_rng(world.slices)
        event = queue_event(offered, speed, command.ramp_ms, command.duration_ms, rng)
        busy_ns = min(1.0, offered / speed) * (command.ramp_ms + command.duration_ms) * 1e6
        world.now_ns += (command.ramp_ms + command.duration_ms) * 1_000_000
        world.cpu_ns[name] = world.cpu_ns.get(name, 0) + round(busy_ns)
        world.answered[name] = world.answered.get(name, 0) + event.requests_all
        return event

    def close(self) -> None:
        pass


def _warm(_loaded_s: float) -> float:
    return 1.0


@cache
def _histogram(mean_us: int, requests: int) -> str:
    histogram = HdrHistogram(1, 60_000_000_000, 3)
    histogram.record_value(mean_us * 1000, requests)
    encoded: bytes = histogram.encode()
    return encoded.decode()


def _handle(entry: Entry) -> Handle:
    return Handle(
        name=entry.name,
        pid=100,
        address="127.0.0.1:1",
        host="127.0.0.1:1",
        port=1,
        cpus=(0,),
        cpu=CpuCounter(kind="cgroup-v2", path=entry.name),
        log=None,
        command=("server",),
        time_to_ready_ms=12.0,
    )


def _write_report(
    folder: Path,
    plan: Plan,
    verdict: Verdict,
    records: Sequence[Record],
    receipts: Mapping[str, Receipt],
) -> Path:
    (folder / "report.html").write_text(verdict.run)
    return folder / "report.html"


def _write_replay(folder: Path, found: Replay) -> Path:
    (folder / "report.html").write_text(found.run)
    return folder / "report.html"


def _write_grid(folder: Path, found: Grid) -> Path:
    (folder / "report.html").write_text(found.run)
    return folder / "report.html"


def _write_capacity(folder: Path, found: CapacityReport) -> Path:
    (folder / "report.html").write_text(found.run)
    return folder / "report.html"


def tool_result(requests_per_s: float) -> LoadResult:
    """What a tool prints after a second at that speed, as far as it says anything."""
    return LoadResult(
        tool="wrk",
        url="",
        requests=round(requests_per_s),
        duration_s=1.0,
        requests_per_s=requests_per_s,
        bytes_per_s=100 * requests_per_s,
        latency_us=None,
        service_us=None,
        send_lag_us=None,
        errors={},
        misses=0,
        unsent=0,
        redirects=0,
        connects=0,
        first_bad=None,
        client=None,
        little=None,
        limited_by="unknown",
        ceiling=None,
        mode="closed",
        connections=10,
        rate=None,
        io=None,
    )


def entry_names(records: Iterable[Record]) -> set[str]:
    """Whose slices are in the blocks."""
    return {one.entry for record in records if record.type == "block" for one in record.slices}
