"""One simulated race: a plan, and the records that a real one would have left."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt
from statistics import median
from typing import Literal

import numpy as np

from bakeoff.model.contender import Contender, RunSection
from bakeoff.model.cut import Draw, DrawRule, Redrawn, SliceLengths, Warmup
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores, Entry, Plan
from bakeoff.model.readings import Memory
from bakeoff.model.receipt import Verification
from bakeoff.model.samples import Block, BootEnd, BootEntry, BootStart, Record, Slice
from bakeoff.model.simulation import Conditions
from bakeoff.model.workload import Workload
from bakeoff.simulate.loaders import Crowd
from bakeoff.simulate.server import Window, count, simulated_slice
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
    cpu_model="simulated",
    cpus=2,
    threads_per_core=1,
    memory_mib=4096,
    mitigations={},
    cgroup="v2",
    open_files_limit=1024,
    load_average=0,
    python="simulated",
    bakeoff="simulated",
    engine="simulated",
)


@dataclass(frozen=True)
class Size:
    """A race to simulate. One server is faster than the others, which are equal, by `effect`, a
    share (0.03: 3 % more requests per second)."""

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
        """The true ln ratio of a over b."""
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
            Entry(
                name=name,
                title=name,
                origin="command",
                contender=simulated.model_copy(update={"name": name}),
                path="/",
            )
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
    """What the race leaves in samples.jsonl; everything is drawn from the plan's seed."""
    return SimulatedRace(plan, size, conditions).run()


class SimulatedRace:
    """A race that is being run, in simulated time."""

    def __init__(self, plan: Plan, size: Size, conditions: Conditions) -> None:
        self._plan, self._size, self._given = plan, size, conditions
        self._rng = np.random.default_rng(plan.seed)
        self._order = random.Random(plan.seed)
        self._weather = Weather(conditions, self._rng)
        self.crowd = Crowd(conditions, self._rng) if conditions.loaders > 1 else None
        """The load generators, where there are several."""
        self._before = ""
        self._ended_ns: dict[str, int] = {}
        self._ln_boot: dict[str, float] = {}
        self._ln_process: dict[tuple[str, int], float] = {}
        self._ln_level: dict[str, float] = {}

    def run(self) -> list[Record]:
        """All records, in file order."""
        budget_s = self._plan.duration_s / self._plan.boots
        return [each for boot in range(self._plan.boots) for each in self._boot(boot, budget_s)]

    def _boot(self, boot: int, budget_s: float) -> list[Record]:
        given, names = self._given, self._size.names
        self._weather.pass_by(BOOT_S)
        self._ln_process.clear()
        for name in names:
            chance = self._rng.normal(0, given.boot_sd)
            self._ln_boot[name] = self._size.ln_ratio(name, REFERENCE) + chance
        self._start(0)
        start = BootStart(
            boot=boot,
            started=tuple(map(_boot_entry, names)),
            engine="simulated",
            io="epoll",
            connections_open=dict.fromkeys(names, given.connections),
        )
        warmup = self._warm_up(boot)
        memory = Memory(pss_mib=1, processes=1)
        end = BootEnd(boot=boot, loaded=dict.fromkeys(names, memory), stopped=())
        rule = [self._rule()] if boot == 0 else []
        return [start, warmup, *rule, *self._draws(boot, budget_s), end]

    def _rule(self) -> DrawRule:
        what = Redrawn(
            what="connections" if self._given.instances else "processes",
            instances=self._given.instances or 1,
            warm_up_ms=0,
            why="simulated",
        )
        return DrawRule(draw_s=self._given.draw_s, redrawn=dict.fromkeys(self._size.names, what))

    def _start(self, process: int) -> None:
        """Process number `process` of each, and new connections to it."""
        order = self._order.sample(self._size.names, len(self._size.names))
        ahead = np.linspace(-0.5, 0.5, len(order)) * self._given.start_order
        for name, start in zip(order, ahead, strict=True):
            if (name, process) not in self._ln_process:
                own = self._rng.normal(0, self._given.process_sd)
                self._ln_process[name, process] = self._ln_boot[name] + start + own
            chance = self._rng.normal(0, self._given.connections_sd)
            self._ln_level[name] = self._ln_process[name, process] + chance

    def _draws(self, boot: int, budget_s: float) -> list[Record]:
        """Draws of equal length, as many as the budget has room for, one at least."""
        number = max(1, round(budget_s / self._given.draw_s))
        records: list[Record] = []
        blocks: list[Block] = []
        for draw in range(number):
            process = draw % (self._given.instances or number)
            self._start(process)
            if self.crowd:
                self.crowd.connect()
            records.append(
                Draw(
                    boot=boot,
                    draw=draw,
                    processes=dict.fromkeys(self._size.names, process),
                    connections_open=dict.fromkeys(self._size.names, self._given.connections),
                )
            )
            fresh = self._blocks(boot, draw, blocks, budget_s * (draw + 1) / number)
            blocks += fresh
            records += fresh
        return records

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

    def _blocks(self, boot: int, draw: int, before: Sequence[Block], until_s: float) -> list[Block]:
        """Blocks until so much of the boot is measured; a long one whenever those are below their
        share of it."""
        lengths_ms = {"short": self._given.short_ms, "long": self._given.long_ms}
        block_s = {kind: len(self._size.names) * ms / 1000 for kind, ms in lengths_ms.items()}
        kinds: list[str] = [block.kind for block in before]
        spent_s = {kind: kinds.count(kind) * each for kind, each in block_s.items()}
        blocks: list[Block] = []
        while (total_s := sum(spent_s.values())) < until_s - 1e-9:
            long_s = spent_s["long"] + block_s["long"]
            share = self._plan.long_share * (total_s + block_s["long"])
            kind: Literal["short", "long"] = "long" if long_s <= share else "short"
            number = len(before) + len(blocks)
            blocks.append(self._block(boot, draw, number, kind, lengths_ms[kind]))
            spent_s[kind] += block_s[kind]
        return blocks

    def _block(
        self, boot: int, draw: int, number: int, kind: Literal["short", "long"], ms: int
    ) -> Block:
        order = self._order.sample(self._size.names, len(self._size.names))
        slices = tuple(self._slice(name, ms, self._given.ramp_ms) for name in order)
        return Block.model_construct(
            type="block",
            boot=boot,
            draw=draw,
            block=number,
            kind=kind,
            slices=slices,
            at_ns=round(self._weather.now_s * 1e9),
            cores=self._weather.cores(),
        )

    def _slice(self, name: str, ms: int, ramp_ms: int) -> Slice:
        window, answered = self._window(name, ms, ramp_ms)
        away_ns = max(0, window.start_ns - self._ended_ns.get(name, window.start_ns))
        service_ns = 1e9 / (self._given.requests_per_s * exp(self._ln_level[name]))
        measured = simulated_slice(
            name, service_ns, window, answered, self._given.connections, away_ns
        )
        self._ended_ns[name] = measured.event.drained_ns
        return self.crowd.shared(measured) if self.crowd else measured

    def _window(self, name: str, ms: int, ramp_ms: int) -> tuple[Window, int]:
        """One slice's window and its answers. Its speed is that of the machine at its middle."""
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


def _boot_entry(name: str) -> BootEntry:
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
