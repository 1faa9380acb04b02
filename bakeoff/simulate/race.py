"""One simulated race: a plan, and the records that a real one would have left."""

import random
from dataclasses import dataclass
from math import exp, sqrt
from statistics import median
from typing import Literal

import numpy as np

from bakeoff.model.contender import Contender, RunSection
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores, Entry, Plan
from bakeoff.model.receipt import Verification
from bakeoff.model.samples import (
    Block,
    BootEnd,
    BootEntry,
    BootStart,
    Memory,
    Record,
    Slice,
    SliceLengths,
    Warmup,
)
from bakeoff.model.simulation import Conditions
from bakeoff.model.workload import Workload
from bakeoff.simulate.server import Window, count, piece
from bakeoff.simulate.weather import Weather

TAIL_DEGREES = 4
"""Of the t distribution of a slice's own noise: 1 in 100 was 4 to 8 robust sd out in records/."""
BOOT_S = 1.5
"""Starting all servers, checking their answers, opening connections."""
WARM_UP_MS = 250
WARM_UP_SLICES = 8
CORES = Cores(server=(0,), client=(1,))
PLANTED, REFERENCE = "planted", "reference"
MACHINE = Machine(
    taken_at="1970-01-01T00:00:00Z",
    kernel="simulated",
    distribution=None,
    cpu_model="simulated",
    cpus=2,
    threads_per_core=1,
    memory_mib=4096,
    virtualisation=None,
    governor=None,
    turbo=None,
    mitigations={},
    clock_source=None,
    cgroup="v2",
    cpu_quota=None,
    somaxconn=None,
    port_range=None,
    open_files_limit=1024,
    tcp_tw_reuse=None,
    load_average=0,
    io_uring=None,
    python="simulated",
    bakeoff="simulated",
    engine="simulated",
)


@dataclass(frozen=True)
class Size:
    """A race to simulate. `effect`: by what share one server is faster than the others, which are
    equal (0.03: 3 % more requests per second)."""

    effect: float
    contenders: int
    duration_s: float
    boots: int

    @property
    def names(self) -> tuple[str, ...]:
        """The servers, the reference first, the planted one second."""
        equals = (f"equal-{number}" for number in range(2, self.contenders))
        return (REFERENCE, PLANTED, *equals)

    def ln_ratio(self, a: str, b: str) -> float:
        """The truth of a over b."""
        return float(((a == PLANTED) - (b == PLANTED)) * np.log1p(self.effect))


def plan_of(size: Size, conditions: Conditions, seed: int) -> Plan:
    """The plan of a race of this size."""
    simulated = Contender(
        name="simulated",
        title="Simulated",
        language="none",
        kind="server",
        run=RunSection(command="simulated"),
        serves={"hello": "/"},
    )
    return Plan(
        run="simulated",
        command_line=("bakeoff", "simulate"),
        entries=tuple(
            Entry(name=name, title=name, origin="command", contender=simulated, path="/")
            for name in size.names
        ),
        workload=Workload(name="hello", title="Hello"),
        connection="keep-alive",
        connections=conditions.connections,
        duration_s=size.duration_s,
        boots=size.boots,
        workers=1,
        cores=CORES,
        reference=REFERENCE,
        solo=False,
        seed=seed,
    )


def records_of(plan: Plan, size: Size, conditions: Conditions) -> list[Record]:
    """What the race leaves in samples.jsonl; the plan's seed draws everything."""
    return _Course(plan, size, conditions).run()


class _Course:
    """A race that is being run, in simulated time."""

    def __init__(self, plan: Plan, size: Size, conditions: Conditions) -> None:
        self._plan, self._size, self._given = plan, size, conditions
        self._rng = np.random.default_rng(plan.seed)
        self._order = random.Random(plan.seed)
        self._weather = Weather(conditions, self._rng)
        self._before = ""
        self._ended_ns: dict[str, int] = {}
        self._ln_level: dict[str, float] = {}

    def run(self) -> list[Record]:
        budget_s = self._plan.duration_s / self._plan.boots
        return [each for boot in range(self._plan.boots) for each in self._boot(boot, budget_s)]

    def _boot(self, boot: int, budget_s: float) -> list[Record]:
        order = self._order.sample(self._size.names, len(self._size.names))
        self._weather.pass_by(BOOT_S)
        ahead = np.linspace(-0.5, 0.5, len(order)) * self._given.start_order
        for name, start in zip(order, ahead, strict=True):
            chance = self._rng.normal(0, self._given.boot_sd)
            self._ln_level[name] = self._size.ln_ratio(name, REFERENCE) + start + chance
        start = BootStart(
            boot=boot,
            started=tuple(_up(name) for name in order),
            engine="simulated",
            io="epoll",
            connections_open=dict.fromkeys(order, self._given.connections),
        )
        warmup = self._warm_up(boot)
        memory = Memory(pss_mib=1, processes=1)
        end = BootEnd(boot=boot, loaded=dict.fromkeys(order, memory), stopped=())
        return [start, warmup, *self._blocks(boot, budget_s), end]

    def _warm_up(self, boot: int) -> Warmup:
        names = self._size.names
        rates: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(WARM_UP_SLICES):
            for name in names:
                _, answered = self._window(name, WARM_UP_MS, 0)
                rates[name].append(answered * 1000 / WARM_UP_MS)
        lengths = SliceLengths(
            short_ms=self._given.short_ms,
            long_ms=self._given.long_ms,
            ramp_ms=self._given.ramp_ms,
        )
        return Warmup(
            boot=boot,
            lengths=dict.fromkeys(names, lengths),
            requests_per_s={name: tuple(seen) for name, seen in rates.items()},
            mean_latency_us={
                name: self._given.connections * 1e6 / max(1, median(seen))
                for name, seen in rates.items()
            },
            steady=dict.fromkeys(names, True),
        )

    def _blocks(self, boot: int, budget_s: float) -> list[Block]:
        """Blocks until the budget is spent, a long one whenever those had less than their share."""
        spent_s = {"short": 0.0, "long": 0.0}
        lengths_ms = {"short": self._given.short_ms, "long": self._given.long_ms}
        block_s = {kind: len(self._size.names) * ms / 1000 for kind, ms in lengths_ms.items()}
        blocks: list[Block] = []
        while (total_s := sum(spent_s.values())) < budget_s:
            long_s = spent_s["long"] + block_s["long"]
            share = self._plan.long_share * (total_s + block_s["long"])
            kind: Literal["short", "long"] = "long" if long_s <= share else "short"
            blocks.append(self._block(boot, len(blocks), kind, lengths_ms[kind]))
            spent_s[kind] += block_s[kind]
        return blocks

    def _block(self, boot: int, number: int, kind: Literal["short", "long"], ms: int) -> Block:
        order = self._order.sample(self._size.names, len(self._size.names))
        slices = tuple(self._turn(name, ms, self._given.ramp_ms) for name in order)
        return Block.model_construct(
            type="block",
            boot=boot,
            block=number,
            kind=kind,
            slices=slices,
            at_ns=round(self._weather.now_s * 1e9),
            cores=self._weather.cores(),
            pressure_cpu_us=None,
        )

    def _turn(self, name: str, ms: int, ramp_ms: int) -> Slice:
        window, answered = self._window(name, ms, ramp_ms)
        away_ns = max(0, window.start_ns - self._ended_ns.get(name, window.start_ns))
        service_ns = 1e9 / (self._given.requests_per_s * exp(self._ln_level[name]))
        measured = piece(name, service_ns, window, answered, self._given.connections, away_ns)
        self._ended_ns[name] = measured.event.drained_ns
        return measured

    def _window(self, name: str, ms: int, ramp_ms: int) -> tuple[Window, int]:
        """One turn, and its answers: half of it passes, its speed is that of its middle, the rest
        passes."""
        given = self._given
        self._weather.pass_by((given.gap_ms + ramp_ms) / 1000)
        start_ns = round(self._weather.now_s * 1e9)
        stolen_s = self._weather.pass_by(ms / 2000)
        sd = given.slice_sd * sqrt(given.short_ms / ms)
        noise = self._rng.standard_t(TAIL_DEGREES) * sd / sqrt(TAIL_DEGREES / (TAIL_DEGREES - 2))
        ln_rate = self._ln_level[name] + self._weather.ln_speed + noise
        stolen_s += self._weather.pass_by(ms / 2000)
        cold_s = 0.0 if self._before == name else given.cold_us * 1e-6
        self._before = name
        length_ns = ms * 1_000_000
        window = Window(
            start_ns=start_ns,
            length_ns=length_ns,
            ramp_ns=ramp_ms * 1_000_000,
            lost_ns=min(length_ns, round((stolen_s + cold_s) * 1e9)),
        )
        return window, count(given.requests_per_s * exp(ln_rate), window, self._rng)


def _up(name: str) -> BootEntry:
    return BootEntry(
        name=name,
        pid=None,
        address="simulated",
        command=("simulated",),
        time_to_ready_ms=None,
        cpu_source="simulated",
        idle=None,
        verification=Verification(
            name=name, status=200, head_bytes=134, body_bytes=13, keeps_alive=True
        ),
    )
