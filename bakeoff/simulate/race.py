"""One simulated race: a plan, and the records of a corresponding real race; or one race a day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import log1p
from pathlib import Path
from types import MappingProxyType

from bakeoff.model.contender import Contender, RunSection
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores, Entry, Plan
from bakeoff.model.samples import Record
from bakeoff.model.simulation import Conditions
from bakeoff.model.workload import Workload
from bakeoff.progress import Watch
from bakeoff.runs.measuring.boot import Boot, time_is_up
from bakeoff.runs.measuring.context import Context
from bakeoff.runs.measuring.rotation import run_rotation
from bakeoff.runs.run import create
from bakeoff.runs.store import Store
from bakeoff.simulate.world import World

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
        return float(((a == PLANTED) - (b == PLANTED)) * log1p(self.effect))


def plan_of(size: Size, conditions: Conditions, seed: int) -> Plan:
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
                origin="folder",
                contender=simulated.model_copy(update={"name": name}),
                folder=name,
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
        probes=False,
        seed=seed,
    )


def world_of(
    plan: Plan,
    size: Size,
    conditions: Conditions,
    machine: Machine = MACHINE,
    versions: Mapping[str, str] = MappingProxyType({}),
) -> World:
    """Its machine and its servers; all random values come from the plan's seed."""
    ln_ratios = {name: size.ln_ratio(name, REFERENCE) for name in size.names}
    felt = {PLANTED: conditions.felt}
    return World(conditions, ln_ratios, felt, machine, versions, plan.seed)


def records_of(plan: Plan, size: Size, conditions: Conditions) -> Sequence[Record]:
    stages, log = world_of(plan, size, conditions).stages, _Unwritten()
    context = Context(stages, stages.servers.keeper(Path()), log, Watch(), Path())
    while not time_is_up(plan, log.records()):
        run_rotation(Boot.next(plan, context))
    return log.records()


class _Unwritten(Store):
    """A log in memory."""

    def __init__(self) -> None:
        super().__init__(Path())
        self._kept: list[Record] = []

    def append(self, record: Record) -> None:
        self._kept.append(record)

    def records(self) -> Sequence[Record]:
        return self._kept


FIRST = datetime(2000, 1, 1, tzinfo=UTC)
"""The day of the first race: so long ago that no real race has it."""


def leave_run(
    parent: Path, size: Size, conditions: Conditions, seed: int, changed: int, day: int
) -> None:
    """Write the race of `day`, counted from 0, as a folder of `parent`. From the day `changed` on
    the planted server is in version 2, which has the effect; version 1 is equal to all others."""
    version = "2" if day >= changed else "1"
    size = size if version == "2" else replace(size, effect=0)
    at = FIRST + timedelta(days=day)
    name = f"{at:%Y-%m-%dT%H-%M-%SZ}-simulated-{day:05}"
    plan = plan_of(size, conditions, seed + day).model_copy(update={"run": name})
    machine = MACHINE.model_copy(update={"taken_at": at.isoformat()})
    stages = world_of(plan, size, conditions, machine, {PLANTED: version}).stages
    create(plan, parent / name, stages, Watch()).go_on(stages, Watch())
