"""A world behind the effects: servers with known speeds, a clock that moves with the load."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bakeoff.build import Wanted
from bakeoff.load import LoadRun, LoadSpec
from bakeoff.measure import Placement
from bakeoff.model.audit import Audit, Probes, Written
from bakeoff.model.contender import Contender
from bakeoff.model.engine import Job
from bakeoff.model.errors import ContenderOut, MissingPiece
from bakeoff.model.finding import Finding
from bakeoff.model.history import Program
from bakeoff.model.load import Loader
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Connection, Entry
from bakeoff.model.protocol import Agreed, Certificate, Protocol
from bakeoff.model.readings import CoreTime, Memory, Received, TcpTrouble, Usage
from bakeoff.model.receipt import CpuCounter, Handle, Receipt, Verification
from bakeoff.model.why import Layer
from bakeoff.model.workload import Workload
from bakeoff.runs import Stages, Watch
from bakeoff.verify import AnswerSample
from tests.judge.facts import MACHINE, SOUND_AUDIT
from tests.judge.races import receipt
from tests.runs.audience import Audience
from tests.runs.loads import FakeLoad, tool_result
from tests.runs.processes import (
    FakeCpu,
    FakeForwarder,
    FakeFreezer,
    FakeKeeper,
    FakeProfiler,
    FakeSlowClients,
    handle_of,
    name_of,
)

NOISE = 0.03


@dataclass
class World(Audience):
    """Servers by name with their throughput; faults by name; and all that happened.

    What is `up` and what it did is by process: NAME/NUMBER, as its keeper calls it. `dead` has
    processes, or names whose processes all die. `ready_ms` is how long a server takes to start, 12
    ms without, and `patience_s` how long a process had for that. `warmth` is the share of a
    server's throughput that it, or one process of it, has after so many seconds of load. Slow
    clients leave those that they hold up a share of their throughput, and `crowded` ones have slow
    clients now. `loading` is who is loaded, over what kind of `connection`. Those with `places` in
    their listen queues close the connection after each answer, and what overflows them waits for a
    second. Those that stall answer nothing after so many seconds of load (`stalls`), and connection
    tracking drops `untracked` packets in each slice. The connections of `broken` ones end with that
    kind of error. `queues` are places in the listen queues of those that keep connections, and
    `served` how many of them are served at a time; `waited_ms` is how long those wait that overflow
    them when they connect. `starts_s` is what starts take on the clock. With `drains` a slice ends
    when what is in flight is answered, and with `drains_s` so much later; `costs` has what a
    request of a mix costs, by server and name; 1 without. Those in `forgets` are as cold as at
    first when their first connections are closed, or with `forgets_again` any. `compiles_s` is the
    CPU time that each slice in a process's first half second of load leaves to be done after it.
    Those of `leaks` use that share of a core all the time, but while they are `frozen`, since when.
    `stubborn` ones survive SIGKILL. Profilers fail with `profiler_fault`, and see nothing of what
    is `lacking`; of these servers they are `refused` some.
    """

    requests_per_s: dict[str, float]
    costs: dict[str, dict[str, float]] = field(default_factory=dict)
    unbuildable: dict[str, str] = field(default_factory=dict)
    unstartable: dict[str, str] = field(default_factory=dict)
    unstartable_again: dict[str, str] = field(default_factory=dict)
    refused_starts: Counter[str] = field(default_factory=Counter)
    ready_ms: dict[str, float] = field(default_factory=dict)
    patience_s: dict[str, float] = field(default_factory=dict)
    held_mib: float = 10.0
    free_mib: float = 4000.0
    wrong: dict[str, str] = field(default_factory=dict)
    samples: dict[str, AnswerSample] = field(default_factory=dict)
    sampled: list[set[str]] = field(default_factory=list)
    threads: dict[str, int] = field(default_factory=dict)
    log_bytes_per_request: dict[str, float] = field(default_factory=dict)
    audits: dict[str, Audit] = field(default_factory=dict)
    audited: list[set[str]] = field(default_factory=list)
    probed: list[str] = field(default_factory=list)
    missing_tools: dict[str, str] = field(default_factory=dict)
    tool_speed: dict[str, float] = field(default_factory=dict)
    tool_runs: list[tuple[str, str]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    counts_energy: bool = False
    others_ns: int = 0
    held_up: dict[str, float] = field(default_factory=dict)
    crowded: set[str] = field(default_factory=set)
    connection: Connection = "keep-alive"
    loading: str = ""
    queues: dict[str, int] = field(default_factory=dict)
    served: dict[str, int] = field(default_factory=dict)
    overflows: int = 0
    waited_ms: int = 0
    stalls: dict[str, float] = field(default_factory=dict)
    untracked: int = 0
    broken: dict[str, str] = field(default_factory=dict)
    stubborn: set[str] = field(default_factory=set)
    lacking: dict[Layer, Finding] = field(default_factory=dict)
    refused: dict[Layer, Finding] = field(default_factory=dict)
    profiler_fault: str = ""
    forgotten: set[int] = field(default_factory=set)
    starts_s: dict[str, float] = field(default_factory=dict)
    drains: bool = False
    drains_s: dict[str, float] = field(default_factory=dict)
    forgets: frozenset[str] = frozenset()
    forgets_again: bool = False
    compiles_s: dict[str, float] = field(default_factory=dict)
    compiling: dict[str, tuple[int, int]] = field(default_factory=dict)
    leaks: dict[str, float] = field(default_factory=dict)
    frozen: dict[str, int] = field(default_factory=dict)
    frozen_ns: Counter[str] = field(default_factory=Counter)
    refuses: bool = False
    no_certificate: str = ""
    certificates: int = 0
    agreed: dict[str, Agreed] = field(default_factory=dict)
    on_machine: Machine = MACHINE
    noise: float = NOISE
    warmth: dict[str, Callable[[float], float]] = field(default_factory=dict)
    on_slice: Callable[["World", int], None] = lambda _world, _count: None
    time_ns: int = 1_000_000_000
    slices: int = 0
    server_pids: set[tuple[int, ...]] = field(default_factory=set)
    """The processes whose CPU time the engine was to read."""
    most_up: int = 0
    jobs: list[tuple[str, ...]] = field(default_factory=list)
    environments: dict[str, dict[str, str]] = field(default_factory=dict)
    up: dict[str, Entry] = field(default_factory=dict)
    loaded_s: dict[str, float] = field(default_factory=dict)
    cpu_ns: dict[str, int] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    pids: dict[int, str] = field(default_factory=dict)
    dead: dict[str, str] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def freezer(self, pids: Iterable[int]) -> FakeFreezer:
        return FakeFreezer(self, pids)

    def leaked_ns(self, key: str) -> int:
        """What a process has worked by itself, whenever it was not frozen."""
        frozen_ns = self.frozen_ns[key] + self.time_ns - self.frozen.get(key, self.time_ns)
        return round(self.leaks.get(name_of(key), 0.0) * (self.time_ns - frozen_ns))

    def compiled_ns(self, key: str) -> int:
        """What a process has done of the work that its last slice left it."""
        since_ns, left_ns = self.compiling.get(key, (0, 0))
        return min(left_ns, max(0, self.time_ns - since_ns))

    def compile_after(self, key: str, name: str) -> None:
        """What remains to be done from now on."""
        done_ns, (_, left_ns) = self.compiled_ns(key), self.compiling.get(key, (0, 0))
        self.cpu_ns[key] = self.cpu_ns.get(key, 0) + done_ns
        more_s = self.compiles_s.get(name, 0.0) if self.loaded_s[key] <= 0.5 else 0.0
        if left_ns := left_ns - done_ns + round(more_s * 1e9):
            self.compiling[key] = (self.time_ns, left_ns)
        else:
            self.compiling.pop(key, None)

    def death(self, key: str) -> str | None:
        return self.dead.get(key) or self.dead.get(name_of(key))

    def refuses_start(self, _key: str) -> bool:
        """Whether a process, by its name at the keeper, does not come up."""
        return False

    def stages(self) -> Stages:
        """The stages of this world: it is all seven of them."""
        me: Any = self
        return Stages(me, me, me, me, me, me, me)

    def program(self, key: str) -> Program:
        return self.programs.get(key, Program())

    def keep_program(self, key: str, program: Program) -> None:
        self.programs[key] = program

    def keeper(self, scratch: Path) -> FakeKeeper:
        return FakeKeeper(self, scratch)

    def certificate(self, folder: Path) -> Certificate:
        """The same paths for all, of files that nobody reads; or why there is none."""
        if self.no_certificate:
            raise MissingPiece(self.no_certificate)
        self.certificates += 1
        return Certificate(cert=f"{folder}/cert", key=f"{folder}/key", ca_pem="a root")

    def attach(self, entry: Entry, protocol: Protocol = "h1") -> Handle:
        return handle_of(entry, entry.name, protocol=protocol)

    def answers(self, host: str, port: int, *_: object, **__: object) -> str | None:
        """A real answer, unless this world says that nobody listens."""
        return f"{host} {port}: refused" if self.refuses else None

    admits = answers

    def connect(self, job: Job) -> FakeLoad:
        return FakeLoad(self, job)

    def forwarder(self, *_: object) -> FakeForwarder:
        return FakeForwarder()

    def tool_missing(self, loader: Loader) -> str | None:
        return self.missing_tools.get(loader)

    def cpu(self, counter: CpuCounter) -> FakeCpu:
        return FakeCpu(self, counter)

    def counted_pids(self, counter: CpuCounter) -> tuple[int, ...]:
        return (counter.pid or 1,)

    def memory(self, pids: Iterable[int]) -> Memory:
        return Memory(pss_mib=self.held_mib, processes=len(list(pids)) or 1)

    def free_memory_mib(self) -> float:
        return self.free_mib

    def free_files(self) -> int:
        return 1000

    def profiler(self) -> FakeProfiler:
        return FakeProfiler(self)

    def usage(self, pids: Iterable[int]) -> Usage:
        """A thread waits once for each request."""
        waits = sum(self.answered.get(self.pids[pid], 0) for pid in pids)
        rest = dict.fromkeys(Usage.model_fields, 0)
        return Usage(**{**rest, "voluntary_switches": waits})

    def placement(self, tasks: Iterable[tuple[int, int]]) -> Placement:
        return Placement({pid: 100 for pid, _ in tasks}, {}, {})

    def tcp(self) -> TcpTrouble:
        """A segment sent again in each slice."""
        full, sent_again = self.overflows, self.slices
        return TcpTrouble(
            listen_overflows=full,
            listen_drops=full,
            retransmits=sent_again,
            tracking_drops=self.untracked * self.slices,
        )

    def udp_drops(self, _port: int) -> int:
        """A datagram dropped in each slice."""
        return self.slices

    def received(self) -> Received:
        """Four packets and no dropped datagram for each run of a load tool."""
        return Received(packets=4 * len(self.tool_runs), dropped=0)

    def listen_queue(self, port: int) -> int | None:
        entry = self.up[self.pids[port]]
        name = entry.twin_of or entry.name
        return self.places.get(name, self.queues.get(name))

    def used_ns(self, _cpus: Collection[int]) -> int:
        """What the contenders used, and what others took beside them."""
        compiled_ns = map(self.compiled_ns, self.compiling)
        return sum((*self.cpu_ns.values(), *compiled_ns, self.others_ns))

    def network(self) -> None:
        pass

    def machine(self) -> Machine:
        return self.on_machine

    def now_ns(self) -> int:
        return self.time_ns

    worked_ns = now_ns

    def settle(self) -> None:
        pass

    def wait(self, seconds_s: float) -> None:
        self.time_ns += round(seconds_s * 1e9)

    def at(self, _address: str) -> "World":
        return self

    def energy_uj(self) -> int | None:
        """Three watts at rest, and ten beside for each second of CPU time."""
        if not self.counts_energy:
            return None
        return self.time_ns * 3 // 1000 + sum(self.cpu_ns.values()) // 100

    def slow_clients(
        self, handle: Handle, request: bytes, count: int, _cpus: tuple[int, ...]
    ) -> FakeSlowClients:
        return FakeSlowClients(self, self.pids[handle.port], count)

    def build(self, wanted: Sequence[Wanted], watch: Watch) -> list[Receipt | ContenderOut]:
        for each in wanted:
            watch.step(f"building {each.name}")
        return [self.build_one(each.contender) for each in wanted]

    def build_one(self, contender: Contender) -> Receipt | ContenderOut:
        if contender.name in self.unbuildable:
            return ContenderOut(self.unbuildable[contender.name])
        return receipt(contender.name)

    def verify(self, handle: Handle, entry: Entry, *_: object) -> Verification:
        """Right, unless this world says what is wrong."""
        name = entry.twin_of or entry.name
        problems = (self.wrong[name],) if name in self.wrong else ()
        keeps_alive = name not in self.places
        return Verification(name=entry.name, problems=problems, status=200, keeps_alive=keeps_alive)

    def sample_answers(
        self, servers: Sequence[tuple[Handle, Entry]], workload: Workload
    ) -> tuple[dict[str, dict[str, AnswerSample]], dict[str, str]]:
        """What this world says that they answer; of others nothing."""
        self.sampled.append({entry.name for _, entry in servers})
        found = {entry.name: self.samples.get(entry.twin_of or entry.name) for _, entry in servers}
        return {name: {"request": each} for name, each in found.items() if each}, {}

    def connections_at_a_time(
        self, handle: Handle, entry: Entry, workload: Workload, most: int
    ) -> int | None:
        """All of them, unless this world says how many."""
        served = self.served.get(entry.name)
        self.time_ns += 1_000_000_000 if served else 0
        return served if served and served < most else None

    def audit(self, up: Sequence[tuple[Handle, Entry]], workload: Workload) -> dict[str, Audit]:
        """A sound server, unless this world has another finding for it."""
        self.audited.append({handle.name for handle, _ in up})
        return {
            handle.name: self.audits.get(entry.twin_of or entry.name, SOUND_AUDIT)
            for handle, entry in up
        }

    def probe(self, handle: Handle, entry: Entry, workload: Workload) -> Probes:
        """A sound server, which is asked nothing else."""
        self.probed.append(self.pids[handle.port])
        return Probes(keeps_http_1_0=True, closes_when_asked=True, awaits_request=True)

    def thread_times(self, pids: Iterable[int]) -> dict[tuple[int, int], int]:
        """One thread at work in each process, or as many as this world says, and an idle one."""
        found: dict[tuple[int, int], int] = {}
        for pid in pids:
            key = self.pids[pid]
            busy = self.threads.get(name_of(key), 1)
            found |= {(pid, tid): self.cpu_ns.get(key, 0) // busy for tid in range(busy)}
            found[pid, busy] = 0
        return found

    def written(self, handle: Handle) -> Written:
        """A log that grows with the answers."""
        per_request = self.log_bytes_per_request.get(handle.name, 0.0)
        answered = sum(n for key, n in self.answered.items() if name_of(key) == handle.name)
        return Written(log_bytes=round(per_request * answered), scratch_bytes=500)

    def run_tool(self, loader: Loader, spec: LoadSpec) -> LoadRun:
        """A run of a load tool that sees the server's speed, but for what the tool costs it."""
        name = spec.url.rpartition("/")[2]  # A tool knows a server by its URL alone.
        self.tool_runs.append((loader, name))
        rate = self.requests_per_s[name] * self.tool_speed.get(loader, 1)
        rate *= self.chance.gauss(1, NOISE)
        return LoadRun((loader, spec.url), f"{rate}", tool_result(rate), "")

    def cores(self) -> tuple[CoreTime, ...]:
        """Two cores, the server's busy since the machine started."""
        s, none = self.time_ns / 1e9, {"idle_s": 0.0, "softirq_s": 0.0, "steal_s": 0.0}
        busy = CoreTime(cpu=0, user_s=s * 0.3, system_s=s * 0.7, **none)
        return busy, busy.model_copy(update={"cpu": 1, "system_s": s * 0.3, "idle_s": s * 0.4})


def cut_off(
    at_slice: int = 1, by: BaseException | type[BaseException] = KeyboardInterrupt
) -> Callable[[World, int], None]:
    """An `on_slice` that ends the run at a slice, as Ctrl-C does; `SystemExit`: as kill -9 does."""

    def at(_world: World, count: int) -> None:
        if count == at_slice:
            raise by

    return at
