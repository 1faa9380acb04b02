"""A world without servers: a race's effects on processes, load and clock, in simulated time.

It replaces all seven effects of a run (`runs.stages`), so the code of real races plans, warms up,
draws and measures a simulated one.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.build import Wanted
from bakeoff.model.engine import Job, Ready, ReadyTarget, SliceCommand, SliceEvent
from bakeoff.model.history import Program
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Entry
from bakeoff.model.readings import CoreTime, CpuTime, Memory
from bakeoff.model.receipt import CpuCounter, Handle, Receipt, Stopped, Verification
from bakeoff.model.simulation import Conditions
from bakeoff.runs.results import Results
from bakeoff.runs.stages import Stages, Watch
from bakeoff.simulate.server import (
    DRAIN_NS,
    SERVER_BUSY,
    USER_SHARE,
    Weather,
    Window,
    count,
    event_of,
)

TAIL_DEGREES = 4
"""The t distribution of a slice's own noise: in records/, 1 in 100 was 4 to 8 robust sd out."""
TAIL_SD = sqrt(TAIL_DEGREES / (TAIL_DEGREES - 2))
UNEVEN = 0.35
"""The sd of ln noise from draw to draw, since disturbances of a machine last for seconds. Beyond
chance it was 0.21 to 0.48 in 97 recorded races of equals of five programs."""
VERIFY_MS, CONNECT_MS, AUDIT_MS, SETTLE_MS = 20, 40, 3000, 300
READY_MS, READY_SLOWLY_MS = 30, 2000
"""The start times of processes that are new in each draw, and of lasting ones."""
HOST = "simulated"
FIXED_WORK_NS = 200_000


class World:
    """The machine of one race, its clock, and its servers.

    `ln_ratios` has their throughputs over that of the conditions, in ln, and `felt` how strongly
    the machine's weather affects each, if that isn't 1. Their version is 1, or that in `versions`.
    """

    def __init__(
        self,
        conditions: Conditions,
        ln_ratios: Mapping[str, float],
        felt: Mapping[str, float],
        machine: Machine,
        versions: Mapping[str, str],
        seed: int,
    ) -> None:
        self.given, self.felt = conditions, felt
        self._ln_ratios, self._machine, self._versions = ln_ratios, machine, versions
        self.rng = np.random.default_rng(seed)
        self.weather = Weather(conditions, self.rng)
        self._ln_boot: dict[str, float] = {}
        self.ln_process: list[tuple[str, float]] = []
        """Each started process: its entry, and its ln throughput over the usual one."""
        self.cpu_ns: list[int] = []

    @cached_property
    def stages(self) -> Stages:
        me: Any = self
        return Stages(me, me, me, me, me, me, me)

    def program(self, _key: str) -> Program:
        """Nothing is known of a program beforehand."""
        return Program()

    def keep_program(self, _key: str, _program: Program) -> None:
        """Nothing is kept."""

    def chance(self, sd: float) -> float:
        return float(self.rng.normal(0, sd))

    # Servers, and the keeper of their processes.

    swept = ()
    freezer = None

    def keeper(self, _scratch: Path) -> "World":
        return self

    def build(self, wanted: Sequence[Wanted], _watch: Watch) -> list[Receipt]:
        versions = self._versions
        return [self._receipt(one.name, versions.get(one.name, "1")) for one in wanted]

    def _receipt(self, name: str, version: str) -> Receipt:
        return Receipt(
            name=name,
            version=version,
            tools={},
            source_sha256=f"{name} {version}",
            commands=(),
            log="",
            built_s=0,
        )

    def start(self, entry: Entry, *, key: str, **_: object) -> Handle:
        """Another process, which differs from others by chance; the first of a boot begins one."""
        name, given, number = entry.name, self.given, len(self.ln_process)
        if key.endswith("/0"):
            self._ln_boot[name] = self._ln_ratios[name] + self.chance(given.boot_sd)
        self.ln_process.append((name, self._ln_boot[name] + self.chance(given.process_sd)))
        self.cpu_ns.append(0)
        ready_ms = READY_SLOWLY_MS if given.lasting else READY_MS
        self.wait(ready_ms / 1000)
        return Handle(
            name=name,
            pid=None,
            address=f"{HOST}:{number}",
            host=HOST,
            port=1,
            cpus=(0,),
            cpu=CpuCounter(kind="cgroup-v2", path=str(number)),
            log=None,
            command=(HOST,),
            time_to_ready_ms=ready_ms,
        )

    def stop(self, name: str, _grace_s: float) -> Stopped:
        return Stopped(name=name, how="SIGTERM")

    def pids(self, _of: object) -> tuple[int, ...]:
        return (1,)

    counted_pids = pids

    def verify(self, _handle: Handle, entry: Entry, *_: object) -> Verification:
        self.wait(VERIFY_MS / 1000)
        return Verification(
            name=entry.name, status=200, head_bytes=134, body_bytes=13, keeps_alive=True
        )

    def sample_answers(self, *_: object) -> tuple[dict[str, Any], dict[str, str]]:
        return {}, {}

    def audit(self, *_: object) -> dict[str, Any]:
        self.wait(AUDIT_MS / 1000)
        return {}

    # The load.

    def connect(self, job: Job) -> "Load":
        self.wait(CONNECT_MS / 1000)
        return Load(self, job)

    # Meters, of this machine and of each process.

    def at(self, _address: str) -> "World":
        return self

    def cpu(self, counter: CpuCounter) -> "Cpu":
        return Cpu(self.cpu_ns, int(counter.path or 0))

    def memory(self, _pids: Iterable[int]) -> Memory:
        return Memory(pss_mib=1, processes=1)

    def thread_times(self, _pids: Iterable[int]) -> dict[tuple[int, int], int]:
        return {}

    def free_memory_mib(self) -> float:
        return self._machine.memory_mib

    def free_files(self) -> int:
        return self._machine.open_files_limit

    def used_ns(self, _cpus: Collection[int]) -> int:
        return sum(self.cpu_ns)

    def cores(self) -> tuple[CoreTime, ...]:
        return self.weather.cores()

    def machine(self) -> Machine:
        return self._machine

    # Clock, reports, history.

    def worked_ns(self) -> int:
        return 0

    def now_ns(self) -> int:
        return round(self.weather.now_s * 1e9)

    def wait(self, seconds_s: float) -> None:
        self.weather.pass_by(seconds_s)

    def settle(self) -> None:
        self.wait(SETTLE_MS / 1000)

    def write(self, run: Results) -> Path:
        return run.path

    def nothing(self, *_: object) -> None:
        """Replaces everything that this world lacks."""

    answers = connections_at_a_time = death = close = nothing
    written = tcp = udp_drops = listen_queue = network = earlier = nothing
    block_error = nothing


class Cpu:
    """The CPU time of one process."""

    def __init__(self, cpu_ns: Sequence[int], process: int) -> None:
        self._cpu_ns, self._process = cpu_ns, process

    def read(self) -> CpuTime:
        total_ns = self._cpu_ns[self._process]
        user_ns = round(USER_SHARE * total_ns)
        return CpuTime.model_construct(
            total_ns=total_ns, user_ns=user_ns, system_ns=total_ns - user_ns
        )

    def close(self) -> None:
        pass


class Load:
    """An engine's connections: each set of them differs from others by chance."""

    def __init__(self, world: World, job: Job) -> None:
        self._world, self._connections = world, job.connections
        self._processes = [int(target.address.rpartition(":")[2]) for target in job.targets]
        self._ln_level = [
            world.ln_process[process][1] + world.chance(world.given.connections_sd)
            for process in self._processes
        ]
        # The mean of its square is 1.
        self._noise = exp(world.chance(UNEVEN) - UNEVEN**2)
        self.ready = Ready(
            type="ready",
            protocol=5,
            engine=HOST,
            io="epoll",
            threads=1,
            targets=tuple(
                ReadyTarget(name=target.name, open=job.connections, error=None)
                for target in job.targets
            ),
        )

    def slice(self, command: SliceCommand) -> SliceEvent:
        """One slice, with the machine's speed at its middle."""
        world, given, ms = self._world, self._world.given, command.duration_ms
        process, ln_level = self._processes[command.target], self._ln_level[command.target]
        name, _ = world.ln_process[process]
        weather = world.weather
        state = {
            "fixed_work_ns": round(FIXED_WORK_NS * exp(-weather.ln_speed)),
            "core_trip_ns": weather.core_trip_ns,
        }
        weather.pass_by((given.gap_ms + command.ramp_ms) / 1000)
        start_ns = world.now_ns()
        stolen_s = weather.pass_by(ms / 2000)
        noise = self._noise * given.slice_sd * float(world.rng.standard_t(TAIL_DEGREES)) / TAIL_SD
        ln_rate = ln_level + world.felt.get(name, 1.0) * weather.ln_speed + noise
        stolen_s += weather.pass_by(ms / 2000)
        length_ns = ms * 1_000_000
        window = Window(
            start_ns=start_ns,
            length_ns=length_ns,
            ramp_ns=command.ramp_ms * 1_000_000,
            lost_ns=min(length_ns, round(stolen_s * 1e9)),
        )
        answered = count(given.requests_per_s * exp(ln_rate), window, world.rng)
        world.cpu_ns[process] += round(
            SERVER_BUSY * (window.ramp_ns + length_ns + DRAIN_NS - window.lost_ns)
        )
        service_ns = 1e9 / (given.requests_per_s * exp(ln_level))
        event = event_of(command, service_ns, window, answered, self._connections)
        return event.model_copy(update=state)

    def close(self) -> None:
        pass
